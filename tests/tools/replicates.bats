# Groups of runs (profmerge --replicates), and runs that are values of a label (profdiff --runs). The expected numbers follow from the few
# records, or come from tests/check/replicates.py.

load ../lib/expect

bats_require_minimum_version 1.5.0

setup_file()
{
    cd "$BATS_FILE_TMPDIR" || return
    # XXH64 of these names modulo 2: a, b and c are in group 2, d and e in group 1
    printf 'main;f 10\nmain;g 1\n' >a
    printf 'main;f 20\nmain;g 1\n' >b
    printf 'main;f 36\nmain;g 1\n' >c
    printf 'main;f 30\nmain;g 1\n' >d
    printf 'main;f 31\nmain;g 1\n' >e
    "$PROFUTILS_BIN"/profmerge --replicates=2 --replicates-by=name -o five.pfs a b c d e
    mkdir before after
    for host in 1 2 3; do
        printf 'main;f %d\nmain;g 1000\n' $((1000 + host)) >before/web$host
        printf 'main;f %d\nmain;g 1000\n' $((1500 + host)) >after/web$host
    done
    for side in before after; do
        for host in 1 2 3; do
            "$PROFUTILS_BIN"/profcat --set-label host=web$host --set-label zone=n -o $side.$host.pfs $side/web$host
        done
        "$PROFUTILS_BIN"/profmerge -o $side.pfs $side.[123].pfs
    done
}

setup()
{
    cd "$BATS_FILE_TMPDIR" || return
    PATH=$PROFUTILS_BIN:$PATH
    table=profdiff
    set -o pipefail
    export PYTHONDONTWRITEBYTECODE=1
}

@test "a group has the sums of its inputs and a record that counts them" {
    expect profcat -t csv five.pfs <<'END'
kind,sections,labels,stack,function,file,line,samples,runs
sample,,replicate=2-of-2,,,,0,0,3
sample,,replicate=1-of-2,,,,0,0,2
sample,,replicate=2-of-2,main;f,f,,0,66,0
sample,,replicate=2-of-2,main;g,g,,0,3,0
sample,,replicate=1-of-2,main;f,f,,0,61,0
sample,,replicate=1-of-2,main;g,g,,0,2,0
END
    # a weight of 2 is two runs; normalizing and labels do not change the numbers of runs
    proftop -m runs --by=label:replicate -t ndjson five.pfs | grep -o '"flat":[0-9]*\|"label":"[^"]*"' | paste -sd, >got
    [ "$(cat got)" = '"flat":3,"label":"2-of-2","flat":2,"label":"1-of-2"' ]
    for options in "-w 2:five.pfs" "five.pfs five.pfs" "-w 3/2:five.pfs -w 1/2:five.pfs" "--normalize=1000 -w 2:five.pfs" "-m samples -w 2:five.pfs" \
        "--measures=same five.pfs <(profmerge --replicates=2 five.pfs)"; do
        eval "profmerge $options -t csv" | grep -o ',[0-9]*$' | grep -v ',0$' | paste -sd' ' >got
        [ "$(cat got)" = ",6 ,4" ] || { echo "$options: $(cat got)"; false; }
    done
    # without the label there are no groups
    [ "$(profmerge --labels=none five.pfs -t csv)" = "$(profmerge a b c d e -t csv)" ]
    # an input without records is a run
    proffilter -q --focus=nothing -o none.pfs a
    profmerge --replicates=1 none.pfs a none.pfs -t csv | grep -q '^sample,,replicate=1-of-1,,,,0,0,3$'
}

@test "the group of an input follows from its bytes, from a file and from a pipe, in any order and with threads" {
    gzip -c a >packed.gz
    profmerge --replicates=999 -t csv packed.gz >want
    for other in "<(cat packed.gz)" "- <packed.gz" "-j 2 packed.gz"; do
        eval "profmerge --replicates=999 -t csv $other" | cmp want - || { echo "$other"; false; }
    done
    [ "$(profmerge --replicates=999 -t csv a)" != "$(profmerge --replicates=999 -t csv packed.gz)" ]
    profmerge --replicates=3 --canonical a b c d e >want
    profmerge --replicates=3 --canonical -j 2 e d c b a | cmp want -
    command -v python3 >/dev/null || skip "python3 is missing"
    group=$(PYTHONPATH=$PROFUTILS_SRC/tests/reference python3 -c 'import pfs; print("%03d-of-999" % (pfs.xxh64(open("a", "rb").read()) % 999 + 1))')
    profmerge --replicates=999 -t csv a | grep -q "replicate=$group,"
}

@test "300 runs a side: groups, trees of merges, means and verdicts are those of an independent computation" {
    command -v python3 >/dev/null || skip "python3 is missing"
    mkdir -p "$BATS_TEST_TMPDIR/runs" && cd "$BATS_TEST_TMPDIR/runs"
    timeout 900 python3 "$PROFUTILS_SRC/tests/check/replicates.py" "$PROFUTILS_BIN" "${PROFUTILS_RUNS:-300}" 20261123
}

@test "records that count runs do not change tables, pictures and other formats" {
    profmerge -o plain.pfs a b c d e
    for options in "" --tree "-t json" "--by=file" "-t json:flame" "--by=label:host" "-m samples"; do
        # shellcheck disable=SC2086  # options
        proftop $options plain.pfs >want && proftop $options five.pfs >got
        diff want got
    done
    for format in folded svg html speedscope callgrind; do
        profcat -q -t $format plain.pfs >want && profcat -q -t $format five.pfs >got
        cmp want got
    done
    profcat -t folded five.pfs 2>err >/dev/null
    grep -q 'measures of sample records have no place and are left out: runs$' err
    profcat -t pprof five.pfs -o five.pb.gz 2>/dev/null
    diff <(proftop plain.pfs | tail -n +2) <(proftop five.pb.gz | tail -n +2)
    for format in json ndjson pfs; do
        profcat -t $format five.pfs | profcat -t csv | diff <(profcat -t csv five.pfs) -
    done
    # the main measure and the kind of records are those of the profile without them: flat records
    if [ -d "$CORPUS/dcpi/valid" ]; then
        mapfile -t profiles < <(ls "$CORPUS"/dcpi/valid/*.prof | head -n 3)
        diff <(profmerge -q "${profiles[@]}" | proftop 2>/dev/null) <(profmerge -q --replicates=1 "${profiles[@]}" | proftop 2>/dev/null)
        profmerge -q --replicates=2 "${profiles[1]}" "${profiles[1]}" -t dcpicat | cmp <(profmerge -q "${profiles[1]}" "${profiles[1]}" -t dcpicat) -
    fi
}

@test "proffilter keeps the records that count runs" {
    for options in --focus=f --ignore=f --show=f --hide=main --section=x --label=zone --min-value=50% --kind=flat "--invert --focus=f"; do
        # shellcheck disable=SC2086  # options
        proffilter -q $options -t csv five.pfs 2>/dev/null | grep -o ',[0-9]*$' | grep -v ',0$' | paste -sd' ' >got
        [ "$(cat got)" = ",3 ,2" ] || { echo "$options: $(cat got)"; false; }
    done
    run proffilter -e -q --focus=nothing -o /dev/null five.pfs
    [ "$status" -eq 1 ]
    [ "$(proffilter --focus=g five.pfs | proftop | head -c 21)" = "samples: 5, 3.8 % of " ]
}

@test "profdiff compares the means of the groups, each with the same weight" {
    # f: (66 / 3 + 61 / 2) / 2 = 26.25; five runs would give 127 / 5 = 25.4
    [ "$(cells 1,7,8,15,16 five.pfs a | tr '\n' ,)" = "f 26.25 10 2 1,g 1 1 2 1,main 0 0 2 1," ]
    [ "$(cells 1,7,8 a five.pfs | head -n 1)" = "f 10 26.25" ]
    expect profcat -t csv <(profdiff -t pfs five.pfs a) <<'END'
kind,sections,labels,stack,function,file,line,samples.before,samples.after,samples.delta
sample,,,main;f,f,,0,26.25,10,-16.25
sample,,,main;g,g,,0,1,1,0
END
    # shares do not depend on the numbers of runs: 66 / 69 and 61 / 63
    [ "$(cells 1,7 --normalize five.pfs five.pfs | grep ^f)" = "f $(((66 * 10**9 / 69 + 61 * 10**9 / 63 + 1) / 2))" ]
    # a group whose runs have no selected record counts as 0: h in one of three runs of group 2
    printf 'main;h 6\n' >h.folded
    profmerge --replicates=2 --replicates-by=name -o h.pfs five.pfs <(profcat --set-label replicate=2-of-2 h.folded)
    [ "$(cells 7,15 --focus=h h.pfs a | head -n 1)" = "0.75 2" ] # 6 / 4 runs, and 0
    # directories and lists of merged files: groups of one name are one group
    mkdir -p parts
    profmerge --replicates=2 --replicates-by=name -o parts/1.pfs a d
    profmerge --replicates=2 --replicates-by=name -o parts/2.pfs b c e
    printf 'parts/2.pfs\nparts/1.pfs\n' >list
    for side in parts @list; do
        for options in "" "-j 2" --cum --normalize "--keep-going"; do
            # shellcheck disable=SC2086  # options
            diff <(profdiff -t csv $options five.pfs a) <(profdiff -t csv $options $side a)
        done
    done
    fails 3 "a: no record has a label 'replicate'; labels here: replicate" profdiff --runs=label:replicate five.pfs a
    diff <(profdiff -t csv --stats five.pfs) <(profdiff -t csv --stats --runs=label:replicate five.pfs)
}

@test "each value of a label is a run" {
    for options in "" --cum --normalize "-m samples" "--focus=f" "--by=file" "-j 2" "--keep-going" "--salvage" "--reverse"; do
        # shellcheck disable=SC2086  # options
        diff <(profdiff -t csv $options before after) <(profdiff -t csv $options --runs=label:host before.pfs after.pfs)
    done
    diff <(profdiff -t csv before after) <(profdiff -t csv --runs=label:host --label=host before.pfs <(profcat after.pfs before/web1))
    # several inputs: a value is one run, wherever its records are
    profmerge -o 12.pfs before.[12].pfs
    mkdir -p some
    cp 12.pfs before.3.pfs some
    printf '%s\n' 12.pfs before.3.pfs >some.list
    for side in some @some.list; do
        diff <(profdiff -t csv before after) <(profdiff -t csv --runs=label:host $side after.pfs)
    done
    # the records of the difference have the other labels
    expect profcat -t csv <(profdiff -t pfs --runs=label:host before.pfs after.pfs) <<'END'
kind,sections,labels,stack,function,file,line,samples.before,samples.after,samples.delta
sample,,zone=n,main;f,f,,0,1002,1502,500
sample,,zone=n,main;g,g,,0,1000,1000,0
END
    # but for the last column: the name of a run is that of the file, or the value
    diff <(profdiff --stats -t csv before | sed 's/,[^,]*$//') <(profdiff --stats -t csv --runs=label:host before.pfs | sed 's/,[^,]*$//')
    # numbers are values too, and their order is that of numbers
    profcat -t ndjson before.pfs | sed 's/"host":\["web\([0-9]\)"\]/"host":[{"num":\1,"unit":""}]/' | profcat -o numbers.pfs
    diff <(profdiff -t csv before after) <(profdiff -t csv --runs=label:host numbers.pfs after.pfs)
}

@test "with --keep-going the message about each run that is left out is its own" {
    row() { printf '{"kind":"sample","labels":{"host":["%s"]},"stack":["%s","m"],"values":{"n":%s,"w":%s}}\n' "$@"; }
    most=9223372036854775807
    { row x f $most 1; row x g $most 1; row y f 1 $most; row y g 1 $most; row z f 1 1; } >over.ndjson
    fails 3 "host=x: the sum of measure 'n' below" profdiff -f ndjson --stats --keep-going --runs=label:host -m n -m w over.ndjson
    grep -q "host=y: the sum of measure 'w' below" err
}

@test "a damaged input is left out of the runs with --keep-going, or ends the comparison" {
    head -c 700 before.2.pfs >cut.pfs
    mkdir -p damaged
    cp before.1.pfs before.3.pfs cut.pfs damaged
    fails 3 'cut.pfs: this run is left out' profdiff --keep-going -t csv --runs=label:host damaged after.pfs
    mkdir -p two
    cp before.1.pfs before.3.pfs two
    diff out <(profdiff -t csv --runs=label:host two after.pfs)
    fails 3 'cut.pfs: ' profdiff -t csv --runs=label:host damaged after.pfs
    [ ! -s out ]
}

@test "the files of a StatProfiler process are one run" {
    mapfile -t files < <(ls "$CORPUS"/statprofiler/fork.out.*6a3b0*.0000000[1-4] 2>/dev/null)
    [ "${#files[@]}" -eq 4 ] || skip "no series of four in this corpus"
    for options in "" "-j 2" "--keep-going" "--replicates-by=name"; do
        # shellcheck disable=SC2086  # options
        [ "$(profmerge -q $options --replicates=64 "${files[@]}" | proftop -q -m runs -t csv --by=label:replicate | cut -d, -f 9 | paste -sd' ')" = "flat 1" ]
    done
}

@test "what cannot be grouped or divided into runs is refused" {
    bad=0
    while IFS= read -r line; do
        command=${line#* => } line=${line%% => *}
        status=${line%% *} pattern=${line#* } got=0
        eval "$command" >out 2>err </dev/null || got=$?
        { [ "$got" -eq "$status" ] && grep -qE -- "$pattern" err; } || { echo "$command: status $got, expected $status and '$pattern'"; cat err; bad=1; }
    done <<'END'
2 five.pfs: the runs are in 2 groups already: expected --replicates=2, not --replicates=3 => profmerge --replicates=3 a five.pfs
2 in 2 groups already => profmerge --keep-going --replicates=3 a five.pfs
2 --replicates-by needs the number of groups => profmerge --replicates-by=name a
2 --replicates takes a number from 1 to 9999, not '0' => profmerge --replicates=0 a
2 --replicates takes a number from 1 to 9999, not 'x' => profmerge --replicates=x a
2 --replicates-by takes content or name, not 'size' => profmerge --replicates=2 --replicates-by=size a
2 cannot be combined with --mean => profmerge --replicates=2 --mean a b
2 leave out --mean => profmerge --mean five.pfs
3 the weights do not make a whole number of runs in the group '2-of-2' => profmerge -w 1/2:five.pfs
2 --runs takes label:KEY, not 'host' => profdiff --runs=host before.pfs after.pfs
2 --runs takes label:KEY, not 'label:' => profdiff --runs=label: before.pfs after.pfs
3 before.pfs: no record has a label 'hots'; labels here: host, zone$ => profdiff --runs=label:hots before.pfs after.pfs
3 /dev/fd/[0-9]*: 2 of 8 records have no label 'host', so they are in no run: --label=host leaves them out => profdiff --runs=label:host before.pfs <(profcat after.pfs a)
3 2 of 6 records belong to no group of runs .label 'replicate'.: merge all runs of a side with profmerge --replicates => profdiff <(cat five.pfs; profcat a) a
3 the profile has groups of runs .label 'replicate'., but other inputs of its side have none => profdiff @<(printf 'a\nfive.pfs\n') a
3 group '3-of-3': no record has its number of runs => profdiff <(cat five.pfs; profcat --set-label replicate=3-of-3 a) a
3 no records: the label 'host' has no value that could be a run => profdiff --runs=label:host <(proffilter -q --focus=none before.pfs) after.pfs
END
    [ "$bad" -eq 0 ]
}
