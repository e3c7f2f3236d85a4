# Profiles of gperftools, jemalloc, Go's ?debug=1 and Java. Expected numbers come from pprof's -raw output next to the
# files and from the decoders in check/gperftools.py.

bats_require_minimum_version 1.5.0

setup()
{
    cd "$BATS_TEST_TMPDIR" || return
    PATH=$PROFUTILS_BIN:$PATH
}

# A whole corpus has Go's texts with Go's other profiles.
files() { for directory in gperftools pprof; do [ ! -d "$CORPUS/$directory" ] || echo "$CORPUS/$directory"; done; }
# shellcheck disable=SC2046  # a list of words
check() { python3 "$PROFUTILS_SRC/tests/check/gperftools.py" "$1" $(files); }

@test "samples, addresses, images and labels equal those of pprof -raw" { check raw; }
@test "every CPU profile reads as its decoder says" { check decoded; }
@test "Go's comments name addresses, its MemStats are metadata, and dumps of stacks are read" { check comments; }
@test "profiles of every form that pprof reads give pprof's numbers" { check live; }
@test "forms that the corpus lacks are read, and damage is reported" { check made; }

@test "snapshots of heaps have the sums of their first lines" {
    run -0 proftop -t json -m inuse_space -n 0 "$CORPUS/gperftools/heap.0002.heap"
    [[ $output == *'"name":"inuse_space","unit":"bytes","kind":"sample","total":449536'* ]]
}

@test "in threadz a NUL belongs to a name, and a carriage return is a blank" {
    printf -- '--- threadz 1 ---\n\n--- Thread 1 (name: a/1) stack: ---\n 0x10\r 0x20\n a\0b\n\0\n' >hand.threadz
    printf '\0;a\0b;0x1f;0x10 1\n' >want
    (ulimit -t 10; profcat -f gperftools -t folded hand.threadz >got)
    cmp want got
}

@test "a CPU profile may have addresses in the range that is used for named frames of threadz" {
    # one sample of 0x80000000000fffff, then the trailer
    printf '\0\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\20\47\0\0\0\0\0\0\0\0\0\0\0\0\0\0' >high.prof
    printf '\1\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\377\377\17\0\0\0\0\200' >>high.prof
    printf '\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0' >>high.prof
    [ "$(profcat -f gperftools -m samples -t folded high.prof)" = "0x80000000000fffff 1" ]
}

@test "blank lines may come before the first line of every text" {
    printf '\n\ngoroutine 1 [run]:\nmain.f()\n\tx.go:1 +0x4\n' >hand.dump
    [ "$(profcat -f gperftools -t folded hand.dump)" = "main.f 1" ]
    printf '\n\t--- threadz 1 ---\n--- Thread 1 (name: a/1) stack: ---\n a\n b\n' >hand.threadz
    [ "$(profcat -f gperftools -t folded hand.threadz)" = "b;a 1" ]
}
