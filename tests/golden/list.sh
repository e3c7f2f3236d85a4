proftop --list='^Burn::ms$' requests.out
