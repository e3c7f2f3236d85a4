# What profdiff compares and what its gate (--fail-above) refuses to judge: selections that match nothing, runs without the
# measure. Expected numbers are arithmetic on the few records next to them.

load ../lib/expect

bats_require_minimum_version 1.5.0

setup_file()
{
    cd "$BATS_FILE_TMPDIR" || return
    PATH=$PROFUTILS_BIN:$PATH
    # exact counts: one run a side can be judged; g is new in b.cg, old is gone
    printf 'events: Ir\nfn=f\n1 100\nfn=old\n3 50\n' >a.cg
    printf 'events: Ir\nfn=f\n1 200\nfn=g\n2 50\n' >b.cg
    # Go's usual layout: three CPU profiles and a heap profile in one folder. g: 102 and 202 in the mean, h 50
    mkdir before after
    for run in 1 2 3; do
        printf 'f;g 10%d\nf;h 50\n' $run | profcat -f folded:measure=cpu/nanoseconds - -o before/cpu$run.pb.gz
        printf 'f;g 20%d\nf;h 50\n' $run | profcat -f folded:measure=cpu/nanoseconds - -o after/cpu$run.pb.gz
    done
    cp "$PROFUTILS_SRC/tests/corpus/pprof/heap.pb.gz" after
    profcat --label-source before/* -o before.pfs
    profcat --label-source after/* -o after.pfs
    profmerge --label-source after/* -o merged.pfs
}

setup()
{
    cd "$BATS_FILE_TMPDIR" || return
    PATH=$PROFUTILS_BIN:$PATH
    # shellcheck disable=SC2034  # for cells
    table=profdiff
    unset NO_COLOR
}

@test "a gate that has nothing to compare exits 3, whatever selected nothing" {
    run -1 profdiff -q --fail-above=5% a.cg b.cg
    bad=0
    while read -r options; do
        for quiet in '' -q; do
            got=0
            eval "profdiff $quiet --fail-above=5% $options" >out 2>err || got=$?
            [ "$got" -eq 3 ] && [ ! -s out ] && grep -q -- '--fail-above has nothing to compare' err && continue
            echo "profdiff $quiet --fail-above=5% $options: status $got"
            cat err
            bad=1
        done
    done <<'END'
-F typo a.cg b.cg
-I . a.cg b.cg
--section=req a.cg b.cg
--label=host a.cg b.cg
--time=0s,1s a.cg b.cg
--force -F typo a.cg b.cg
-F typo -t json a.cg b.cg
-F typo -m Ir -m Ir a.cg b.cg
--no-section <(profcat --set-label section=all a.cg) <(profcat --set-label section=all b.cg)
--ignore-label=all <(profcat --set-label all=yes a.cg) <(profcat --set-label all=yes b.cg)
-F 'nothing like it' before before
END
    [ "$bad" -eq 0 ]
    fails 3 "^profdiff: no record is selected on either side: --fail-above has nothing to compare$" profdiff -q --fail-above=5% -F typo a.cg b.cg
    # the same without a selection: profiles of a profiler that found nothing
    printf 'events: Ir\ntotals: 0\n' >none.cg
    fails 3 "no record has the measure 'Ir' on either side: --fail-above has nothing to compare" profdiff --fail-above=5% none.cg none.cg
    # without a gate the table says so
    profdiff -q -F typo a.cg b.cg >table
    grep -q '^no record has a value$' table
    # amounts of 0 are records: nothing rose
    printf 'events: Ir Miss\nfn=f\n1 100 0\n' >hits.cg
    run -0 profdiff -q -m Miss --fail-above=5% hits.cg hits.cg
}

@test "a gate exits 3 if one side has no record; --force compares with 0" {
    # a function that is gone would pass for ever, a new one would be a rise by more than any percentage
    fails 3 "^profdiff: b.cg: no record is selected: --fail-above has nothing to compare \(--force compares with 0\)$" profdiff --fail-above=5% -F old a.cg b.cg
    [ -z "$output" ]
    fails 3 "^profdiff: a.cg: no record is selected" profdiff --fail-above=5% -F g a.cg b.cg
    fails 3 "^profdiff: b.cg: no record is selected" profdiff --fail-above=5% -F old --reverse b.cg a.cg -t csv
    run -0 profdiff --force --fail-above=5% -F old a.cg b.cg
    run -1 profdiff --force --fail-above=5% -F g a.cg b.cg
    run -1 profdiff --force --fail-above=10count -F g a.cg b.cg
    printf 'events: Ir\ntotals: 0\n' >none.cg
    fails 3 "^profdiff: none.cg: no record has the measure 'Ir': --fail-above has nothing to compare" profdiff --fail-above=5% a.cg none.cg
    # one run of a side without a selected record is a run of 0
    printf '%s\n' a.cg none.cg >list
    [ "$(cells 1,7,8,15,16 -F old @list a.cg)" = "old 25 50 2 1" ]
    # so these exact counts vary, and one run of the other side is not enough to tell
    sed 's/50/500/' a.cg >worse.cg
    fails 2 "--fail-above needs two runs a side" profdiff --fail-above=5% -F old @list worse.cg
    sed 's/100/200/' worse.cg >f.cg # f is the same in both runs before: its rise is certain
    run -1 profdiff --fail-above=5% @<(printf '%s\n' a.cg worse.cg) f.cg
}

@test "a run without the measure is left out and named" {
    fails 0 "^profdiff: warning: after: 3 of 4 files have cpu; left out: after/heap.pb.gz$" profdiff -t text before after
    grep -q '^cpu: 152ns before, 252ns after per run, +100ns (+65.79% of before)  before (3 runs), after (3 of 4 files have cpu)$' out
    grep -q '^moderated t over 3 and 3 runs; ' out
    # as without the file
    mkdir -p cpu && cp after/cpu* cpu
    profdiff -t csv before cpu >want
    for options in "" "-m cpu" "-j 2" "--cum" "--normalize" "--test=welch" "--by=name" "--keep-going"; do
        # shellcheck disable=SC2086 # options
        diff <(profdiff -t csv $options before cpu) <(profdiff -q -t csv $options before after)
    done
    diff <(profdiff -t csv cpu before) <(profdiff -q -t csv after before)
    [ "$(profdiff -q -t json before after | from_json '[d["measures"][0][key] for key in ("total_after", "lacking_before", "lacking_after")]')" = "[252, 0, 1]" ]
    # two measures: each has the runs that have it
    [ "$(profdiff -q -t json -m cpu -m alloc_objects after after | from_json '[[m["lacking_after"] for m in d["measures"]], sorted(set((r["measure"], r["runs_after"]) for r in d["rows"]))]')" = '[[1, 3], [["alloc_objects", 1], ["cpu", 3]]]' ]
    # values of a label are runs too, also in a merged profile, which has 0 for the cpu of the heap's records
    for side in after.pfs merged.pfs; do
        diff want <(profdiff -q -t csv --runs=label:source before.pfs $side)
        fails 0 "^profdiff: warning: $side: 3 of 4 runs have cpu; left out: after/heap.pb.gz$" profdiff --runs=label:source before.pfs $side
        grep -q "before.pfs (3 runs), $side (3 of 4 runs have cpu)$" out
    done
    # many names are cut short
    mkdir -p many && for run in $(seq 20); do cp after/heap.pb.gz many/$run.pb.gz; done
    cp after/cpu1.pb.gz many
    fails 0 "1 of 21 files have cpu; left out: many/1.pb.gz, many/10.pb.gz, .*, many/16.pb.gz and 12 more$" profdiff -m cpu before many
}

@test "--stats, records and pictures leave out runs without the measure" {
    mkdir -p cpu && cp after/cpu* cpu
    fails 0 "^profdiff: warning: after: 3 of 4 files have cpu; left out: after/heap.pb.gz$" profdiff --stats -t text after
    grep -q '^cpu: 756ns in 3 runs .* after (3 of 4 files have cpu)$' out
    diff <(profdiff --stats -t csv cpu | sed 's|cpu/||') <(profdiff -q --stats -t csv after | sed 's|after/||')
    diff <(profdiff --stats -t csv cpu) <(profdiff -q --stats -t csv cpu after/heap.pb.gz)
    [ "$(profdiff -q --stats -t json after | from_json 'd["measures"][0]["lacking"]')" = 1 ]
    fails 0 "after: 3 of 4 files have cpu; left out: after/heap.pb.gz" profdiff -t pfs before after -o d.pfs
    grep -q "after: 1 of 4 files have inuse_space; left out: after/cpu1.pb.gz, after/cpu2.pb.gz, after/cpu3.pb.gz" err
    [ "$(table=proftop cells 1,6 -q -m cpu.after -s name -n 2 d.pfs | head -c 100)" = "$(table=proftop cells 1,6 -q -m cpu.after -s name -n 2 <(profdiff -t pfs before cpu))" ]
    expect profdiff -q -t folded before after <<'END'
f;g 102 202
f;h 50 50
END
    profdiff -q before after -o d.svg
    profdiff -q before cpu -o want.svg
    diff <(grep -o '<title>[^<]*' want.svg) <(grep -o '<title>[^<]*' d.svg)
}

@test "a gate over runs that lack the measure exits 3; --force judges the others" {
    message="^profdiff: after: 3 of 4 files have cpu, not after/heap.pb.gz: --fail-above gives no verdict \(--force leaves out runs without the measure\)$"
    for options in "" -q "-m cpu" "-t json" --cum; do
        # shellcheck disable=SC2086 # options
        fails 3 "$message" profdiff --fail-above=5% $options before after
        [ -z "$output" ]
    done
    fails 3 "merged.pfs: 3 of 4 runs have cpu, not after/heap.pb.gz: --fail-above" profdiff -q --fail-above=5% --runs=label:source before.pfs merged.pfs
    run -1 profdiff -q --force --fail-above=5% before after
    run -1 profdiff -q --force --fail-above=65% before after
    run -0 profdiff -q --force --fail-above=99% before after
    run -1 profdiff -q --force --fail-above=5% --runs=label:source before.pfs merged.pfs
}

@test "a gate gives no verdict on a profile whose records do not add up to its totals" {
    corpus=$PROFUTILS_SRC/tests/corpus
    mkdir -p odd
    printf 'events: Ir\nsummary: 200\nfn=f\n1 100\n' >odd/summary.cg
    printf 'events: Ir\nfn=f\n1 100\ntotals: 200\n' >odd/totals.cg
    printf 'desc: x\ncmd: y\nevents: Ir\nfl=a\nfn=f\n1 2\nsummary: 3\n' >odd/cachegrind
    sed '$d' "$corpus/dcpicat/one_image.txt" >odd/dcpicat
    head -n 6 "$corpus/gperftools/hand_labels.txt" >odd/goroutine
    head -n 2 "$corpus/gperftools/heap.0001.heap" >odd/heap
    sed '/^@ 0x400031/,/^$/d' "$corpus/gperftools/hand_jemalloc.heap" >odd/jemalloc
    sed 's/"samples": 7, "gc/"samples": 9, "gc/' "$corpus/stackprof/edges.stackprof" >odd/stackprof
    sed '1s/"samples": *[0-9]*/"samples": 99999/' "$corpus/stackprof/cpu.stackprof" >odd/stacks
    for file in odd/*; do
        fails 0 "$file: .* sum to " profcat -c "$file"
        fails 3 "$file: the records do not add up to the totals that the profile states: --fail-above gives no verdict" profdiff -q --fail-above=5% "$file" "$file"
        [ "$(wc -l <err)" -eq 1 ]
        got=0
        profdiff -q --force --fail-above=5% "$file" "$file" >out 2>err || got=$?
        [ "$got" -ne 3 ] || { echo "$file"; cat err; false; }
        profdiff -q "$file" "$file" >table # without a gate
    done
    # read by threads, in a run of several files, and with whole files beside them
    mkdir -p whole several/1 && cp a.cg whole/1 && cp a.cg whole/2 && cp a.cg several/1 && cp odd/totals.cg several/1
    fails 3 "several/1: the records do not add up" profdiff -q -j 4 --fail-above=5% whole several
    # totals that agree
    for file in "$corpus/gperftools/heap.0002.heap" "$corpus/dcpicat/two_images.txt" "$corpus/stackprof/lines.stackprof" "$corpus/gperftools/goroutine.debug1.txt" \
        "$corpus/gperftools/heap.debug1.txt" "$corpus/gperftools/hand_jemalloc.heap" "$corpus/callgrind/parts.callgrind.out"; do
        profcat -c "$file" >out 2>err
        [ "$(grep -c 'sum to' err)" -eq 0 ] || { cat err; false; }
    done
}

@test "a gate beside a picture or records: both are done, and the exit status is that of the gate" {
    mkdir -p cpu && cp after/cpu* cpu
    for file in d.html d.svg d.pfs d.folded; do
        rm -f $file
        run -1 profdiff --fail-above=5% before cpu -o $file
        profdiff before cpu -o plain.${file#d.}
        cmp $file plain.${file#d.}
        run -0 profdiff --fail-above=500% before cpu -o $file
        run -1 profdiff --fail-above=5% --cum --by=name before cpu -o $file
    done
    # the table of the gate goes where the records do not go
    profdiff --fail-above=5% before cpu -o d.svg >table || true
    profdiff --fail-above=5% before cpu | diff table - || true
    grep -q '^1 of 3 functions, and the total, rose by more than 5% of what they were before$' table
    fails 1 '^1 of 3 functions, and the total, rose by more than 5%' profdiff --fail-above=5% -t folded before cpu
    [ "$output" = "f;g 102 202"$'\n'"f;h 50 50" ]
    profdiff -q --fail-above=5% -t folded before cpu >out 2>err || true
    [ ! -s err ]
    # without a verdict there is no output
    rm -f d.svg
    fails 3 "3 of 4 files have cpu, not after/heap.pb.gz: --fail-above gives no verdict" profdiff --fail-above=5% before after -o d.svg
    [ ! -e d.svg ]
    fails 3 "no record is selected on either side" profdiff --fail-above=5% -F typo before cpu -o d.svg
    fails 2 "--fail-above needs two runs a side" profdiff --fail-above=5% before/cpu1.pb.gz cpu/cpu1.pb.gz -o d.svg
    [ ! -e d.svg ]
    fails 2 "--limit is for tables" profdiff -n 3 --fail-above=5% before cpu -o d.svg
}

@test "profmerge --mean and --replicates do not count an input without the measure as 0" {
    # g: (201 + 202 + 203) / 3; the heap profile alone for its own measures
    profmerge -q --mean after/* -o mean.pfs
    [ "$(proftop -q -m cpu -t csv mean.pfs | cut -d , -f 2,9 | tr '\n' ' ')" = "function,flat g,202 h,50 f,0 " ]
    diff <(proftop -q -t csv -n 0 -m alloc_space after/heap.pb.gz) <(proftop -q -t csv -n 0 -m alloc_space mean.pfs)
    fails 0 "'cpu' of sample records: the mean is over the 3 of 4 inputs that have the measure" profmerge --mean after/* -o mean.pfs
    fails 3 "only [13] of 4 inputs have the measure" profmerge --replicates=2 after/* -o groups.pfs
    profmerge --replicates=2 after/cpu* -o groups.pfs
    profmerge -q --replicates=2 --measures=union after/* -o groups.pfs
}
