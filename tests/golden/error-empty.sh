profcat </dev/null | proftop
