profcat --probe -t json requests.out
