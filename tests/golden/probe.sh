profcat --probe requests.out
