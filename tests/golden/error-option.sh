proftop --limit 99999999999999 requests.out
