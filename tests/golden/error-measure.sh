profcat -m cycles requests.out -o /dev/null
