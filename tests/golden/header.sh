profcat --header requests.out
