proffilter --section dies requests.out -t csv
