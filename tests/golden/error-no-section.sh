proffilter --section rqe -e requests.out -o /dev/null
