# pprof's files: read, written, merged, damaged. The numbers come from what `go tool pprof` said of the files, and from a decoder and an
# encoder in check/pprof.py.

bats_require_minimum_version 1.5.0

setup()
{
    cd "$BATS_TEST_TMPDIR" || return
    PATH=$PROFUTILS_BIN:$PATH
}

check() { python3 "$PROFUTILS_SRC/tests/check/pprof.py" "$@"; }

@test "totals, flat and cumulative are those go tool pprof gives" { check read "$CORPUS"; }

@test "every file comes back message by message" {
    for how in pprof plain pfs twice; do
        check written "$how" "$CORPUS"
    done
}

@test "so does every field, in any order and packing" {
    for how in plain pfs twice; do
        check made "$how" .
    done
}

@test "types of one name and unit are measures of their own" { check types .; }
@test "profiles in one file are told apart, and merged as pprof merges them" { check joined .; }
@test "so are profiles whose fields stand in other orders, or they are refused" { check orders .; }
@test "what is damaged is refused with its offset" { check bad .; }
@test "whole samples before damage are given" { check salvaged .; }
@test "a file cut anywhere is refused" { check cut "$CORPUS"; }
@test "frames that a profile asks not to be shown are left out where that is wanted" { check drop .; }
@test "samples of other formats, lines and addresses are written" { check foreign "$CORPUS"; }

@test "go tool pprof reads what is written, with the same numbers" {
    command -v go >/dev/null || skip "no go, whose pprof this is"
    check client "$CORPUS"
}

@test "calls without stacks are refused, flat records beside samples left out" {
    printf 'main;work 3\n' | profcat -t pfs >a.pfs
    proffilter --kind=edge -t pfs "$CORPUS"/pynytprof/hand_basic.nyt -o edges.pfs
    run -2 profcat -t pprof edges.pfs -o out
    [[ $output == *"pprof cannot hold edge records"* ]]
    [ ! -e out ]
    run -0 --separate-stderr profcat -z0 -t pprof a.pfs "$CORPUS"/dcpi/valid/v01_single_chunk.prof -o out
    [[ $stderr == *"flat records of 3 places are left out"* ]]
}

@test "-z chooses the level, and 0 none" {
    printf 'main;work 3\n' >a.folded
    profcat -t pprof a.folded -o a.pb.gz
    profcat -z 0 -t pprof a.folded -o a.pb
    profcat -z 1 -t pprof a.folded -o b.pb.gz
    gzip -dc a.pb.gz | cmp - a.pb
    gzip -dc b.pb.gz | cmp - a.pb
}

@test "a measure that comes late is 0 in the samples before it, and refused where they are too many to wait" {
    printf 'main;work 3\n' >a.folded
    profcat -t pprof a.folded "$CORPUS"/pprof/goroutine.pb.gz -o out.pb.gz
    run -0 proftop -m samples -t csv -n 0 out.pb.gz
    [[ $output == *work* ]]
    profcat -t pprof "$CORPUS"/pprof/goroutine.pb.gz -o alone.pb.gz
    proftop -m goroutine -t csv -n 0 alone.pb.gz | grep -v ',0,0.0,0,0.0,' >want
    proftop -m goroutine -t csv -n 0 out.pb.gz | grep -v ',0,0.0,0,0.0,' | diff want -

    awk 'BEGIN { for (i = 0; i < 3000000; i++) print "main;work 3" }' >many.folded
    run -2 --separate-stderr profcat -t pprof many.folded "$CORPUS"/pprof/goroutine.pb.gz -o out
    [[ $stderr == *"'goroutine' is missing in earlier samples; profmerge"* ]]
    [ ! -e out ]
    profmerge -t pprof many.folded "$CORPUS"/pprof/goroutine.pb.gz -o out
    run -0 proftop -m samples -t csv -n 0 out
    [[ $output == *work* ]]
}

@test "labels choose records, and the period's type and the comments are metadata" {
    run -0 proftop -t json -b label:route "$CORPUS"/pprof/cpu_labels.pb.gz
    [[ $output == *'"flat":140000000'*'/api/items?id=1'* ]]
    run -0 profcat -H "$CORPUS"/pprof/cpu_labels.pb.gz
    [[ $output == *period*"5000000 cpu/nanoseconds"* ]]
}
