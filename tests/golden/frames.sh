proffilter --section dies requests.out | profcat --frames
