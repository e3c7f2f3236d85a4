proftop --by=section requests.out
