proftop --tree -n 12 requests.out
