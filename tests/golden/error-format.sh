profcat -t nothing requests.out 2>&1 | cut -d";" -f1
