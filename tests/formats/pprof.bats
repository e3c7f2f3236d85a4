# pprof files: read, written, merged, damaged. Expected numbers come from `go tool pprof`, and from a decoder and an
# encoder in check/pprof.py.

bats_require_minimum_version 1.5.0

setup()
{
    cd "$BATS_TEST_TMPDIR" || return
    PATH=$PROFUTILS_BIN:$PATH
}

check() { python3 "$PROFUTILS_SRC/tests/check/pprof.py" "$@"; }

@test "totals, flat and cumulative values equal those of go tool pprof" { check read "$CORPUS"; }

@test "every file is written again with the same messages" {
    for how in pprof plain pfs twice; do
        check written "$how" "$CORPUS"
    done
}

@test "every field, in any order and packing, is written again" {
    for how in plain pfs twice; do
        check made "$how" .
    done
}

@test "sample types with the same name and unit are separate measures" { check types .; }
@test "profiles in one file are separated, and merged as pprof merges them" { check joined .; }
@test "profiles in one file with other orders of fields are separated or refused" { check orders .; }
@test "damage is refused with its offset" { check bad .; }
@test "complete samples before damage are read" { check salvaged .; }
@test "a file cut anywhere is refused" { check cut "$CORPUS"; }
@test "option drop leaves out the frames that drop_frames of the profile names" { check drop .; }
@test "samples of other formats are written with lines and addresses" { check foreign "$CORPUS"; }

@test "go tool pprof reads our files with the same numbers" {
    command -v go >/dev/null || skip "no go, whose pprof this is"
    check client "$CORPUS"
}

@test "names of other formats are written without equal system names, in UTF-8" { check names "$CORPUS"; }

@test "go tool pprof shows names with angle brackets, parentheses and mangled names whole" {
    command -v go >/dev/null || skip "no go, whose pprof this is"
    check shown_names "$CORPUS"
}

@test "calls without stacks are refused; flat records beside samples are left out" {
    printf 'main;work 3\n' | profcat -t pfs >a.pfs
    proffilter --kind=edge -t pfs "$CORPUS"/pynytprof/hand_basic.nyt -o edges.pfs
    run -2 profcat -t pprof edges.pfs -o out
    [[ $output == *"pprof cannot hold edge records"* ]]
    [ ! -e out ]
    run -0 --separate-stderr profcat -z0 -t pprof a.pfs "$CORPUS"/dcpi/valid/v01_single_chunk.prof -o out
    [[ $stderr == *"flat records of 3 places are left out"* ]]
}

@test "-z chooses the level of compression; 0 means plain" {
    printf 'main;work 3\n' >a.folded
    profcat -t pprof a.folded -o a.pb.gz
    profcat -z 0 -t pprof a.folded -o a.pb
    profcat -z 1 -t pprof a.folded -o b.pb.gz
    gzip -dc a.pb.gz | cmp - a.pb
    gzip -dc b.pb.gz | cmp - a.pb
}

@test "a measure that comes late is 0 in earlier samples, and refused if too many samples would have to wait" {
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

@test "labels are keys of tables; type of period and comments are metadata" {
    run -0 proftop -t json -b label:route "$CORPUS"/pprof/cpu_labels.pb.gz
    [[ $output == *'"flat":140000000'*'/api/items?id=1'* ]]
    run -0 profcat -H "$CORPUS"/pprof/cpu_labels.pb.gz
    [[ $output == *period*"5000000 cpu/nanoseconds"* ]]
}
