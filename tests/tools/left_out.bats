# Inputs that cannot be added to the others: the output is what the other inputs give alone.

load ../lib/expect

setup()
{
    cd "$BATS_TEST_TMPDIR" || return
    PATH=$PROFUTILS_BIN:$PATH
    export PYTHONDONTWRITEBYTECODE=1
}

@test "with --keep-going an input that cannot be added does not change the result" {
    # periods and no period; then a sum that overflows 64 bits in its third record; each input has its own names,
    # sections and main measure
    stream good.pfs <<'END'
{"measures": [{"name": "cycles", "period": 10}, {"name": "level", "aggregation": "max"}], "meta": [["o", "k", "good"], ["profutils", "input", "good"]],
 "texts": [["f.pl", 3, "good"]],
 "records": [{"stack": [["m"], ["f", "f.pl", 3]], "labels": [["section", "s"]], "values": {"cycles": 3, "level": 2}},
             {"kind": "flat", "at": ["f", "f.pl", 3], "values": {}}]}
END
    stream bare.pfs <<'END'
{"measures": [{"name": "new", "main": 1}, {"name": "level", "aggregation": "max"}, {"name": "cycles"}, {"name": "at", "kind": "flat"}],
 "meta": [["o", "k", "bare"], ["profutils", "input", "bare"], ["profutils", "removed", "sample cycles count 5 1/1 1"]], "texts": [["f.pl", 3, "bare"]],
 "records": [{"stack": [["m"], ["f", "f.pl", 3]], "labels": [["section", "t"]], "values": {"level": 9, "new": 8}},
             {"kind": "flat", "at": ["h"], "values": {"at": 5}}, {"stack": [["h"]], "values": {"cycles": 1}}]}
END
    stream over.pfs <<'END'
{"measures": [{"name": "cycles", "period": 15}], "meta": [["profutils", "input", "over"]], "records": [
 {"stack": [["m"], ["f", "f.pl", 3]], "values": {"cycles": 7}}, {"stack": [["n"]], "values": {"cycles": 9223372036854775807}},
 {"stack": [["n"]], "values": {"cycles": 1}}]}
END
    stream last.pfs <<'END'
{"measures": [{"name": "cycles", "period": 4}, {"name": "level", "aggregation": "max"}], "meta": [["profutils", "input", "last"]],
 "records": [{"stack": [["m"]], "labels": [["section", "u"]], "values": {"cycles": 5, "level": 1}}, {"stack": [["n"]], "values": {"cycles": 1}}]}
END
    [ "$(cells 2,9 -u events good.pfs last.pfs | tr '\n' ,)" = "f 30,m 20,n 4," ]
    for turn in "good.pfs bare.pfs => good.pfs" "good.pfs bare.pfs last.pfs => good.pfs last.pfs" \
        "good.pfs over.pfs last.pfs => good.pfs last.pfs" "bare.pfs good.pfs bare.pfs => bare.pfs bare.pfs" \
        "over.pfs last.pfs bare.pfs => last.pfs" "last.pfs over.pfs bare.pfs good.pfs over.pfs => last.pfs good.pfs"; do
        left=${turn#* => } turn=${turn% => *}
        for options in "-t csv" "-t json -m level -m cycles" "-t csv --tree -m level -m cycles" "--by=section -t tsv" "--list=f" "--edges" "-j 2 -t json"; do
            # shellcheck disable=SC2086  # options and files
            proftop -q $options $left | sed 's/"complete":true/"complete":false/' >want
            # shellcheck disable=SC2086
            fails 3 '^proftop: (bare|over|good).pfs: ' proftop -q --keep-going $options $turn
            diff -u want out
        done
    done
    fails 2 "there is no measure 'new'" proftop --keep-going -m new good.pfs bare.pfs
    fails 3 "over.pfs: record 3: " proftop --keep-going over.pfs over.pfs
    # if no input is left, nothing is written
    printf 'f 9223372036854775807\nf 1\n' >over.folded
    fails 3 "record 2: " proftop --keep-going over.folded -o to.csv
    [ ! -s out ]
    [ ! -e to.csv ]
}

@test "with --keep-going an input that cannot be added is left out, whatever inputs come before and after it" {
    # 2^63 - 1 twice overflows 64 bits; the main measure is that of the inputs that count
    stream bad.pfs <<'END'
{"measures": [{"name": "wall", "unit": "nanoseconds"}, {"name": "n"}],
 "records": [{"stack": [["a"]], "values": {"wall": 9223372036854775807}}, {"stack": [["a"]], "values": {"wall": 9223372036854775807}}]}
END
    stream wall.pfs <<<'{"measures": [{"name": "wall", "unit": "nanoseconds"}, {"name": "n"}], "records": [{"stack": [["b"]], "values": {"n": 1, "wall": 20}}]}'
    stream n.pfs <<<'{"measures": [{"name": "n"}], "records": [{"stack": [["c"]], "values": {"n": 5}}]}'
    stream half.pfs <<<'{"measures": [{"name": "n"}], "records": [{"stack": [["c"]], "values": {"n": 4611686018427387904}}]}'
    while read -r row inputs; do
        # shellcheck disable=SC2086
        fails 3 'overflows 64 bits' proftop --keep-going -t csv $inputs
        [ "$(tail -n +2 out | cut -d , -f 2,7,9 | tr '\n' ' ')" = "$row " ] || { echo "$inputs: $(cat out)"; return 1; }
    done <<'END'
b,wall,20 bad.pfs wall.pfs
b,wall,20 wall.pfs bad.pfs
c,n,5 bad.pfs n.pfs
c,n,5 n.pfs bad.pfs
b,wall,20 n.pfs bad.pfs wall.pfs
b,wall,40 wall.pfs bad.pfs wall.pfs
c,n,4611686018427387904 half.pfs half.pfs
END
    # an input that can be read alone but not added to the others is left out too; the others are
    # there
    fails 3 'half.pfs: the sum of measure .n. overflows 64 bits' proftop --keep-going -t csv half.pfs half.pfs n.pfs
    [ "$(cut -d , -f 2,9 <out)" = $'function,flat\nc,4611686018427387909' ]
}
