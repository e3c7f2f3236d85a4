profcat -c no-such-file
