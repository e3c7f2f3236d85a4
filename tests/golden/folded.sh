proffilter --section render requests.out -t folded
