# Written profiles are read back by tests/check/laws.py: they are equal, have the losses that the format declares, or
# are refused with the reason.

load ../lib/expect

setup()
{
    cd "$BATS_TEST_TMPDIR" || return
    PATH=$PROFUTILS_BIN:$PATH
    export PYTHONDONTWRITEBYTECODE=1
    laws=$PROFUTILS_SRC/tests/check/laws.py
}

# Runs the halves of a law at the same time and prints the lines of a half that fails.
halves()
{
    mkdir one two
    BATS_TEST_TMPDIR=$PWD/one python3 "$laws" "${@/HALF/1/2}" >one.out &
    BATS_TEST_TMPDIR=$PWD/two python3 "$laws" "${@/HALF/2/2}" >two.out || { cat two.out; wait; return 1; }
    wait $! || { cat one.out; return 1; }
    # shellcheck disable=SC2086
    cat one.out two.out
}

@test "random profiles written in any format are read back equal, except for declared losses" {
    # 50 profiles, or 1,000 with the corpora
    halves random HALF 1 "${PROFUTILS_LAWS:-50}"
}

@test "corpus files written in any format are read back equal, except for declared losses" {
    # every eighth file of the project's own corpus
    if [ -n "${PROFUTILS_LAWS:-}" ]; then
        halves files HALF 1 "$CORPUS" ${PROFUTILS_WILD:+"$PROFUTILS_WILD"}
    else
        halves files HALF 8 "$PROFUTILS_SRC/tests/corpus"
    fi
}

@test "names with line feeds, blanks and numbers do not become other functions or numbers" {
    stream calls.pfs <<'END'
{"measures": [{"name": "incl", "unit": "nanoseconds", "role": "inclusive", "kind": "edge"}],
 "records": [{"kind": "edge", "caller": ["line\nfeed"], "callee": ["[unknown]"], "values": {"incl": 100}}]}
END
    profcat -q -t pynytprof calls.pfs | profcat -t ndjson:stack=names | grep -q '"stack":\["\[unknown\]","line\\nfeed"\]'
    # if all leaves end in numbers, the numbers look like a second column
    printf 'a;b 5\na;c 2\n' | profcat -f folded - -o leaves.pfs
    fails 0 'warning: folded: all stacks end in numbers: -f folded:columns=1 reads them' proffilter --rename='function:s/[bc]/CPU 0/' -t folded leaves.pfs
    [ "$(profcat -q -f folded:columns=1 -t folded out)" = "a;CPU 0 7" ]
    proffilter --rename='function:s/b/CPU 0/' -t folded leaves.pfs 2>err | diff <(printf 'a;CPU 0 5\na;c 2\n') -
    [ ! -s err ]
    # a line of blanks is not a stack
    stream blank.pfs <<<'{"measures": [{"name": "n"}], "records": [{"stack": [[" "]], "values": {"n": 5}}, {"stack": [["a"]], "values": {"n": 1}}]}'
    expect profcat -t folded blank.pfs <<<$'[unknown] 5\na 1'
}

@test "cpuprofile keeps both of its counts; speedscope refuses weights that cannot be read back" {
    stream two.pfs <<'END'
{"measures": [{"name": "samples", "role": "count"}, {"name": "size", "unit": "bytes"}],
 "records": [{"stack": [["a"]], "values": {"samples": 2, "size": 30}}, {"stack": [["a"], ["b"]], "values": {"samples": 1, "size": 7}}]}
END
    for _ in 1 2 3; do
        profcat -t cpuprofile two.pfs -o two.cpuprofile
        profcat two.cpuprofile -o two.pfs
        [ "$(cells 2,9 -m size two.pfs | tr '\n' ,)" = "a 30,b 7," ]
        [ "$(cells 2,9 -m samples two.pfs | tr '\n' ,)" = "a 2,b 1," ]
    done
    stream wide.pfs <<'END'
{"measures": [{"name": "wall", "unit": "nanoseconds", "num": 10000000}], "records": [{"stack": [["a"]], "values": {"wall": 4611686018427387904}}]}
END
    fails 3 'record 1: the sum overflows 64 bits' profcat -t speedscope wide.pfs -o wide.speedscope
    [ ! -e wide.speedscope ]
}

@test "callgrind keeps threads and objects apart, pprof keeps unknown frames around inlined ones" {
    stream threads.pfs <<'END'
{"measures": [{"name": "n", "kind": "flat"}], "records": [
 {"kind": "flat", "at": ["f", "f.c", 1, 0, "/lib/x.so"], "labels": [["thread", "T"]], "values": {"n": 5}},
 {"kind": "flat", "at": ["g", "g.c", 2], "values": {"n": 7}}, {"kind": "flat", "at": ["h", "h.c", 3, 0, "/lib/x.so"], "values": {"n": 1}},
 {"kind": "flat", "at": ["i", "i.c", 4], "labels": [["thread", "U"]], "values": {"n": 2}}]}
END
    profcat -t callgrind threads.pfs | profcat -t csv | cut -d , -f 3,5,8 | tail -n +2 | sort | diff - <(printf '%s\n' ,g,7 ,h,1 thread=T,f,5 thread=U,i,2)
    profcat -t callgrind threads.pfs | profcat -t ndjson | grep '"[gi]"' >out
    [ "$(grep -c '"image":""' out)" -eq 2 ]
    stream inlined.pfs <<<'{"measures": [{"name": "n"}], "records": [{"stack": [{"kind": 5}, {"name": "f", "inlined": 1}], "values": {"n": 5}}]}'
    profcat -t pprof inlined.pfs | profcat -t ndjson:stack=names | grep -q '"stack":\["f","\[unknown\]"\]'
}
