proffilter --section db requests.out | proftop -n 3 -t ndjson
