/*
 * work VARIANT: a program of known weights for `make bench-real`. work.go, work.py, work.pl and
 * work.js are the same program. A number beside `MIX` or `WALK` is the function's own part of the
 * time in percent.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { ROUNDS = 25, MIXES = 140000, WALKS = 37000 };

/* One percent of a round: MIX computes, WALK reads a table in no order. */
#define MIX(x, percent) \
    for (int i = 0; i < (int)(MIXES * (percent)); i++) \
    x = x * 1664525 + (x >> 9) + 1013904223
#define WALK(x, percent) \
    for (int i = 0; i < (int)(WALKS * (percent)); i++) \
    x = table[(x + (uint32_t)i) & 65535]
#define APART __attribute__((noinline)) static

static uint32_t table[65536];
static double hash_factor = 1, index_factor = 1;
static int audits, balances = 1;

APART uint32_t read_block(uint32_t x)
{
    MIX(x, 10);
    return x;
}

APART uint32_t decode(uint32_t x)
{
    WALK(x, 6);
    return x;
}

APART uint32_t check_sum(uint32_t x)
{
    MIX(x, 4);
    return x;
}

APART uint32_t load(uint32_t x)
{
    return check_sum(decode(read_block(x)));
}

APART uint32_t skip_blank(uint32_t x)
{
    MIX(x, 0.075);
    return x;
}

APART uint32_t parse(uint32_t x)
{
    for (int word = 0; word < 40; word++) {
        WALK(x, 0.425);
        x = skip_blank(x);
    }
    return x;
}

APART uint32_t hash_keys(uint32_t x)
{
    MIX(x, 12 * hash_factor);
    return x;
}

APART uint32_t sort_keys(uint32_t x)
{
    WALK(x, 8);
    return x;
}

APART uint32_t fold_case(uint32_t x)
{
    MIX(x, 0.15);
    return x;
}

APART uint32_t match_keys(uint32_t x)
{
    for (int key = 0; key < 20; key++) {
        MIX(x, 0.35);
        x = fold_case(x);
    }
    return x;
}

APART uint32_t transform(uint32_t x)
{
    return match_keys(sort_keys(hash_keys(parse(x))));
}

APART uint32_t insert_key(uint32_t x)
{
    WALK(x, 5.5);
    return x;
}

APART uint32_t probe(uint32_t x)
{
    MIX(x, 5);
    return x;
}

APART uint32_t balance(uint32_t x)
{
    MIX(x, 3);
    return x;
}

APART uint32_t build_index(uint32_t x)
{
    WALK(x, 8 * index_factor);
    x = probe(insert_key(x));
    return balances ? balance(x) : x;
}

APART uint32_t store(uint32_t x)
{
    MIX(x, 2);
    return build_index(x);
}

APART uint32_t escape(uint32_t x)
{
    MIX(x, 0.3);
    return x;
}

APART uint32_t format_row(uint32_t x)
{
    for (int field = 0; field < 10; field++) {
        MIX(x, 0.4);
        x = escape(x);
    }
    return x;
}

APART uint32_t flush(uint32_t x)
{
    WALK(x, 0.5);
    return x;
}

APART uint32_t log_line(uint32_t x)
{
    MIX(x, 0.2);
    return x;
}

APART uint32_t tick(uint32_t x)
{
    MIX(x, 0.1);
    return x;
}

APART uint32_t audit(uint32_t x)
{
    MIX(x, 3.2);
    return x;
}

APART uint32_t report(uint32_t x)
{
    x = tick(log_line(flush(format_row(x))));
    return audits ? audit(x) : x;
}

int main(int argc, char **argv)
{
    const char *variant = argc > 1 ? argv[1] : "none";
    uint32_t x = 1;

    hash_factor = !strcmp(variant, "more20") ? 1.2 : !strcmp(variant, "more100") ? 2 : 1;
    index_factor = !strcmp(variant, "itself") ? 1.5 : 1;
    audits = !strcmp(variant, "added");
    balances = strcmp(variant, "removed") != 0;
    for (uint32_t i = 0; i < 65536; i++)
        table[i] = (i * 40503 + 12345) & 65535;
    for (int round = 0; round < ROUNDS; round++)
        x = report(store(transform(load(x))));
    printf("%u\n", x);
    return 0;
}
