proftop --by=label:op -n 5 requests.out
