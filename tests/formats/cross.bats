# Converts every format into every other: with the losses that the format declares, or with a
# message why not.

bats_require_minimum_version 1.5.0

setup()
{
    cd "$BATS_TEST_TMPDIR" || return
    PATH=$PROFUTILS_BIN:$PATH
    corpus=${CORPUS:-$PROFUTILS_SRC/tests/corpus}
}

@test "every pair of formats converts or is refused with a reason" {
    python3 "$PROFUTILS_SRC/tests/check/cross.py" "$corpus"
}

@test "kinds of records that a format cannot hold are left out with a warning; if there are no others, they are refused" {
    nyt=$PROFUTILS_SRC/tests/corpus/nytprof/gotos_blocks.nyt
    run profcat -t folded -o calls.folded "$nyt"
    [ "$status" -eq 0 ]
    [[ $output =~ "folded: "[0-9]+" flat and "[0-9]+" edge records have no place and are left out" ]]
    [ -s calls.folded ]
    profcat "$nyt" | proffilter --kind=sample | profcat -t folded 2>said | cmp - calls.folded
    [ ! -s said ]
    run profcat -t folded -o none.folded "$PROFUTILS_SRC/tests/corpus/dcpi/valid/v01_single_chunk.prof"
    [ "$status" -eq 2 ]
    [[ $output == *"folded cannot hold flat records"* ]]
    [ ! -e none.folded ]
}

@test "if a format needs stacks and there are only calls, the message names --expand-edges" {
    printf '# callgrind format\nevents: Ir\nfn=main\n1 10\ncfn=f\ncalls=1 5\n2 90\nfn=f\n5 90\n' >calls
    hint='(profcat --expand-edges makes approximate stacks of them)'
    for format in svg html folded speedscope cpuprofile statprofiler; do
        run profcat -t "$format" calls -o out
        [ "$status" -eq 2 ]
        [[ $output == *"$format cannot hold flat and edge records $hint" ]]
    done
    run profcat -t pprof calls -o out
    [[ $output == *"edge records have no place and are left out $hint"* ]]
    run profcat -t dcpi calls -o out
    [[ $output != *expand-edges* ]]
    profcat -q --expand-edges -t folded calls | diff - <(printf 'main 10\nmain;f 90\n')
    # refused: stacks besides calls, only numbers of calls, only places
    run profcat -t folded "$PROFUTILS_SRC/tests/corpus/nytprof/gotos_blocks.nyt" -o out
    [[ $output == *"are left out" ]]
    run profcat -t svg "$PROFUTILS_SRC/tests/corpus/dcpi/valid/v01_single_chunk.prof" -o out
    [[ $output == *"svg cannot hold flat records" ]]
    run profcat -t svg "$PROFUTILS_SRC/tests/corpus/gmon/b.gmon.out" -o out
    [[ $output == *"svg cannot hold flat and edge records" ]]
}

@test "measures, metadata and source texts that a format cannot hold are named once, in the same words for all formats" {
    nyt=nytprof/anon_c0.nyt py=pstats/small.pstats
    while read -r file format text; do
        profcat "$PROFUTILS_SRC/tests/corpus/${!file}" -t "$format" -o out 2>err
        [ "$(grep -cFx "profcat: warning: $format: $text" err)" = 1 ] || { echo "$format: $text" && cat err && false; }
    done <<'EOF'
py nytprof measures of flat records have no place and are left out: primitive_calls
py callgrind measures of flat records have no place and are left out: ct
py callgrind measures of edge records have no place and are left out: primitive_calls, tt
nyt callgrind measures of edge records have no place and are left out: reci, depth
nyt callgrind source texts have no place and are left out
nyt pynytprof source texts have no place and are left out
EOF
    # the message has 16 names, and the number of the others
    columns=$(printf '"m%d":1,' {1..18})
    printf '{"kind":"sample","stack":["a"],"values":{"wall":1,%s}}\n' "${columns%,}" >many.ndjson
    profcat -f ndjson -t statprofiler many.ndjson -o out 2>err
    grep -q 'warning: statprofiler: measures of sample records have no place and are left out: m1, .*, m15, m16 and 2 more$' err
}

# loses KEYS FILE FORMAT: one warning names exactly these labels, in any order
loses()
{
    profcat "$2" -t "$3" -o out 2>err
    diff <(sed -n 's/.*warning: .*: labels have no place and are left out: \([^(]*\).*/\1/p' err | tr -d ' ' | tr ',' '\n' | sort) \
        <(tr ' ' '\n' <<<"$1" | sed '/^$/d')
    [ "$(grep -c labels err)" -eq $((${#1} > 0)) ]
}

@test "labels that a format cannot hold are reported once, by their keys" {
    corpus=$PROFUTILS_SRC/tests/corpus
    printf 'a;b 1\nc 2\n' >in.folded
    profcat --set-label host=x --set-label section=s --set-label thread=t -f folded:measure=wall/us in.folded -o stacks.pfs
    for format in cpuprofile nytprof; do
        loses "host section thread" stacks.pfs "$format"
        grep -q "(proffilter --root-label=KEY makes frames of them)" err
    done
    loses "host section" stacks.pfs callgrind
    loses "host section" stacks.pfs speedscope
    loses "host thread" stacks.pfs speedscope:by=section
    loses "" stacks.pfs pprof
    loses "" stacks.pfs pfs
    loses "" stacks.pfs svg
    loses "host section thread" stacks.pfs folded
    printf 'cmd 7/8 [001] 1.5: 3 cycles:\n\t12 f (/x)\n\n' >perf.txt
    profcat --set-label host=x -f perf-script perf.txt -o perf.pfs
    loses host perf.pfs folded
    loses "comm cpu host pid tid" perf.pfs folded:plain=yes
    profcat --set-label host=x --set-label section=s "$corpus/dcpi/valid/v01_single_chunk.prof" -o counts.pfs
    loses "host section" counts.pfs dcpi
    loses "host section" counts.pfs dcpicat
    if grep -q root-label err; then
        return 1
    fi
    profcat --set-label host=x "$corpus"/nytprof/gotos_blocks.nyt -o lines.pfs
    loses host lines.pfs nytprof
    proffilter --kind=edge lines.pfs -o calls.pfs
    profcat --set-label section=s calls.pfs -t pynytprof -o out 2>err
    grep -q "left out:.*section" err
}

@test "counts with different periods are added as events, or not at all" {
    for period in 63488 63498; do
        printf '{"kind":"sample","stack":["a"],"values":{"cycles":%d},"measures":{"cycles":{"nature":"sampled","period":%d}}}\n' \
            $((period == 63488 ? 3 : 5)) $period >$period.ndjson
    done
    # 3 * 63488 + 5 * 63498
    for format in pfs ndjson json speedscope cpuprofile callgrind; do
        profcat -f ndjson -t "$format" 63488.ndjson 63498.ndjson -o "out.$format"
        proftop -t tsv "out.$format" | cut -f 9 | grep -qx 507954
    done
    profcat -f ndjson -t folded 63488.ndjson 63498.ndjson | grep -qx 'a 507954'
    for format in pprof statprofiler; do
        run ! profcat -f ndjson -t "$format" 63488.ndjson 63498.ndjson -o out
        [[ $output == *"'cycles' "*" periods"* ]]
    done
}

@test "in folded, speedscope and cpuprofile a depth keeps its greatest value" {
    # main: the greater of 5 and 3; main;f: 7 twice; as sums they would be 8 and 14
    python3 "$PROFUTILS_SRC/tests/check/make_stream.py" >depth.pfs <<'END'
{"measures": [{"name": "depth", "aggregation": "max"}], "records": [
 {"stack": [["main"]], "values": {"depth": 5}}, {"stack": [["main"], ["f"]], "values": {"depth": 7}},
 {"stack": [["main"]], "values": {"depth": 3}}, {"stack": [["main"], ["f"]], "values": {"depth": 7}}]}
END
    profcat -t folded depth.pfs | diff - <(printf 'main 5\nmain;f 7\n')
    profcat -t speedscope depth.pfs | python3 -c 'import json, sys
profile = json.load(sys.stdin)["profiles"][0]
assert (profile["samples"], profile["weights"]) == ([[0], [0, 1]], [5, 7]), profile'
    profcat -t cpuprofile depth.pfs | python3 -c 'import json, sys
profile = json.load(sys.stdin)
taken = [(node, delta) for node, delta in zip(profile["samples"], profile["timeDeltas"]) if delta]
assert taken == [(2, 5), (3, 7)], profile'
}
