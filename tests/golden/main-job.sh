profcat requests.out | proffilter --section req | proftop
