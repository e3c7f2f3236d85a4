// work VARIANT: work.c in JavaScript, for node --cpu-prof.
"use strict";

const ROUNDS = 25, MIXES = 110000, WALKS = 36000;
const variant = process.argv[2];
const hash_factor = variant === "more20" ? 1.2 : variant === "more100" ? 2 : 1;
const index_factor = variant === "itself" ? 1.5 : 1;
const audits = variant === "added", balances = variant !== "removed";
const table = new Int32Array(65536);

function read_block(x) {
    for (let i = 0; i < MIXES * 10; i++)
        x = (Math.imul(x, 1664525) + (x >>> 9) + 1013904223) | 0;
    return x;
}

function decode(x) {
    for (let i = 0; i < WALKS * 6; i++)
        x = table[(x + i) & 65535];
    return x;
}

function check_sum(x) {
    for (let i = 0; i < MIXES * 4; i++)
        x = (Math.imul(x, 1664525) + (x >>> 9) + 1013904223) | 0;
    return x;
}

function load(x) {
    return check_sum(decode(read_block(x)));
}

function skip_blank(x) {
    for (let i = 0; i < MIXES * 0.075; i++)
        x = (Math.imul(x, 1664525) + (x >>> 9) + 1013904223) | 0;
    return x;
}

function parse(x) {
    for (let word = 0; word < 40; word++) {
        for (let i = 0; i < WALKS * 0.425; i++)
            x = table[(x + i) & 65535];
        x = skip_blank(x);
    }
    return x;
}

function hash_keys(x) {
    for (let i = 0; i < MIXES * 12 * hash_factor; i++)
        x = (Math.imul(x, 1664525) + (x >>> 9) + 1013904223) | 0;
    return x;
}

function sort_keys(x) {
    for (let i = 0; i < WALKS * 8; i++)
        x = table[(x + i) & 65535];
    return x;
}

function fold_case(x) {
    for (let i = 0; i < MIXES * 0.15; i++)
        x = (Math.imul(x, 1664525) + (x >>> 9) + 1013904223) | 0;
    return x;
}

function match_keys(x) {
    for (let key = 0; key < 20; key++) {
        for (let i = 0; i < MIXES * 0.35; i++)
            x = (Math.imul(x, 1664525) + (x >>> 9) + 1013904223) | 0;
        x = fold_case(x);
    }
    return x;
}

function transform(x) {
    return match_keys(sort_keys(hash_keys(parse(x))));
}

function insert_key(x) {
    for (let i = 0; i < WALKS * 5.5; i++)
        x = table[(x + i) & 65535];
    return x;
}

function probe(x) {
    for (let i = 0; i < MIXES * 5; i++)
        x = (Math.imul(x, 1664525) + (x >>> 9) + 1013904223) | 0;
    return x;
}

function balance(x) {
    for (let i = 0; i < MIXES * 3; i++)
        x = (Math.imul(x, 1664525) + (x >>> 9) + 1013904223) | 0;
    return x;
}

function build_index(x) {
    for (let i = 0; i < WALKS * 8 * index_factor; i++)
        x = table[(x + i) & 65535];
    x = probe(insert_key(x));
    return balances ? balance(x) : x;
}

function store(x) {
    for (let i = 0; i < MIXES * 2; i++)
        x = (Math.imul(x, 1664525) + (x >>> 9) + 1013904223) | 0;
    return build_index(x);
}

function escape(x) {
    for (let i = 0; i < MIXES * 0.3; i++)
        x = (Math.imul(x, 1664525) + (x >>> 9) + 1013904223) | 0;
    return x;
}

function format_row(x) {
    for (let field = 0; field < 10; field++) {
        for (let i = 0; i < MIXES * 0.4; i++)
            x = (Math.imul(x, 1664525) + (x >>> 9) + 1013904223) | 0;
        x = escape(x);
    }
    return x;
}

function flush(x) {
    for (let i = 0; i < WALKS * 0.5; i++)
        x = table[(x + i) & 65535];
    return x;
}

function log_line(x) {
    for (let i = 0; i < MIXES * 0.2; i++)
        x = (Math.imul(x, 1664525) + (x >>> 9) + 1013904223) | 0;
    return x;
}

function tick(x) {
    for (let i = 0; i < MIXES * 0.1; i++)
        x = (Math.imul(x, 1664525) + (x >>> 9) + 1013904223) | 0;
    return x;
}

function audit(x) {
    for (let i = 0; i < MIXES * 3.2; i++)
        x = (Math.imul(x, 1664525) + (x >>> 9) + 1013904223) | 0;
    return x;
}

function report(x) {
    x = tick(log_line(flush(format_row(x))));
    return audits ? audit(x) : x;
}

function main() {
    let x = 1;
    for (let i = 0; i < table.length; i++)
        table[i] = (Math.imul(i, 40503) + 12345) & 65535;
    for (let round = 0; round < ROUNDS; round++)
        x = report(store(transform(load(x))));
    console.log(x);
}

main();
