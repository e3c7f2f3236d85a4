proffilter --section db --max-depth 2 requests.out | profcat -t text | head -60
