proffilter --section dies requests.out -t ndjson
