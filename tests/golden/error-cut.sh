head -c 2000 requests.out | profcat -c
