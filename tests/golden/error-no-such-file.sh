profcat no-such-file
