"""work VARIANT: work.c in Python, for cProfile."""
import sys

ROUNDS, MIXES, WALKS = 18, 2000, 1900
variant = sys.argv[1]
hash_factor = {"more20": 1.2, "more100": 2}.get(variant, 1)
index_factor = 1.5 if variant == "itself" else 1
audits, balances = variant == "added", variant != "removed"
table = [(i * 40503 + 12345) & 65535 for i in range(65536)]


def read_block(x):
    for i in range(int(MIXES * 10)):
        x = (x * 1664525 + (x >> 9) + 1013904223) & 0x3FFFFFFF
    return x


def decode(x):
    for i in range(int(WALKS * 6)):
        x = table[(x + i) & 65535]
    return x


def check_sum(x):
    for i in range(int(MIXES * 4)):
        x = (x * 1664525 + (x >> 9) + 1013904223) & 0x3FFFFFFF
    return x


def load(x):
    return check_sum(decode(read_block(x)))


def skip_blank(x):
    for i in range(int(MIXES * 0.075)):
        x = (x * 1664525 + (x >> 9) + 1013904223) & 0x3FFFFFFF
    return x


def parse(x):
    for word in range(40):
        for i in range(int(WALKS * 0.425)):
            x = table[(x + i) & 65535]
        x = skip_blank(x)
    return x


def hash_keys(x):
    for i in range(int(MIXES * 12 * hash_factor)):
        x = (x * 1664525 + (x >> 9) + 1013904223) & 0x3FFFFFFF
    return x


def sort_keys(x):
    for i in range(int(WALKS * 8)):
        x = table[(x + i) & 65535]
    return x


def fold_case(x):
    for i in range(int(MIXES * 0.15)):
        x = (x * 1664525 + (x >> 9) + 1013904223) & 0x3FFFFFFF
    return x


def match_keys(x):
    for key in range(20):
        for i in range(int(MIXES * 0.35)):
            x = (x * 1664525 + (x >> 9) + 1013904223) & 0x3FFFFFFF
        x = fold_case(x)
    return x


def transform(x):
    return match_keys(sort_keys(hash_keys(parse(x))))


def insert_key(x):
    for i in range(int(WALKS * 5.5)):
        x = table[(x + i) & 65535]
    return x


def probe(x):
    for i in range(int(MIXES * 5)):
        x = (x * 1664525 + (x >> 9) + 1013904223) & 0x3FFFFFFF
    return x


def balance(x):
    for i in range(int(MIXES * 3)):
        x = (x * 1664525 + (x >> 9) + 1013904223) & 0x3FFFFFFF
    return x


def build_index(x):
    for i in range(int(WALKS * 8 * index_factor)):
        x = table[(x + i) & 65535]
    x = probe(insert_key(x))
    return balance(x) if balances else x


def store(x):
    for i in range(int(MIXES * 2)):
        x = (x * 1664525 + (x >> 9) + 1013904223) & 0x3FFFFFFF
    return build_index(x)


def escape(x):
    for i in range(int(MIXES * 0.3)):
        x = (x * 1664525 + (x >> 9) + 1013904223) & 0x3FFFFFFF
    return x


def format_row(x):
    for field in range(10):
        for i in range(int(MIXES * 0.4)):
            x = (x * 1664525 + (x >> 9) + 1013904223) & 0x3FFFFFFF
        x = escape(x)
    return x


def flush(x):
    for i in range(int(WALKS * 0.5)):
        x = table[(x + i) & 65535]
    return x


def log_line(x):
    for i in range(int(MIXES * 0.2)):
        x = (x * 1664525 + (x >> 9) + 1013904223) & 0x3FFFFFFF
    return x


def tick(x):
    for i in range(int(MIXES * 0.1)):
        x = (x * 1664525 + (x >> 9) + 1013904223) & 0x3FFFFFFF
    return x


def audit(x):
    for i in range(int(MIXES * 3.2)):
        x = (x * 1664525 + (x >> 9) + 1013904223) & 0x3FFFFFFF
    return x


def report(x):
    x = tick(log_line(flush(format_row(x))))
    return audit(x) if audits else x


def main():
    x = 1
    for _ in range(ROUNDS):
        x = report(store(transform(load(x))))
    print(x)


main()
