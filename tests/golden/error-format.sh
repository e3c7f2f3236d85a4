profcat -t nothing requests.out
