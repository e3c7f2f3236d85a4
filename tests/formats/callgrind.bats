# callgrind's and cachegrind's profiles: read, written, in tables. Expected numbers come from a decoder in
# check/callgrind.py, from what callgrind_annotate and cg_annotate printed for the corpus, and from callgrind_annotate
# if installed.

bats_require_minimum_version 1.5.0

load ../lib/expect

setup()
{
    cd "$BATS_TEST_TMPDIR" || return
    PATH=$PROFUTILS_BIN:$PATH
    hand=$PROFUTILS_SRC/tests/corpus/callgrind
}

check() { python3 "$PROFUTILS_SRC/tests/check/callgrind.py" "$@"; }

@test "every file reads as its decoder says" { check read direct "$CORPUS"; }
@test "every file, converted to the native stream, reads as its decoder says" { check read pfs "$CORPUS"; }
@test "every file, written as callgrind, reads as its decoder says" { check read callgrind "$CORPUS"; }
@test "every file, converted to the native stream and written as callgrind, reads as its decoder says" { check read both "$CORPUS"; }
@test "totals, flat and cumulative values equal those of callgrind_annotate and cg_annotate" { check tables "$CORPUS"; }
@test "stacks become lines and calls, each pair of functions once for a stack" { check stacks "$CORPUS"; }

@test "callgrind_annotate reads callgrind files made from every format, without a warning and with the same numbers" {
    command -v callgrind_annotate || skip "no callgrind_annotate (Debian: valgrind)"
    check annotate "$CORPUS"
}

@test "lines from another file are written inside their function" {
    profcat -t callgrind "$hand/hand_inlined.out" >out
    [ "$(grep -c '^fi=' out)" -eq 3 ]
    [ "$(grep -c '^fn=' out)" -eq 5 ]
    run -0 proftop -n 0 -t csv --cum out
    [[ $output == *'f,a.c,'* ]]
}

@test "the main measure becomes the first event; a callgrind file keeps its order of events" {
    printf '%s' '{"nodes":[{"id":1,"callFrame":{"functionName":"f","scriptId":"1","url":"a.js","lineNumber":0,"columnNumber":0},' \
        '"hitCount":2}],"startTime":0,"endTime":30,"samples":[1,1],"timeDeltas":[10,20]}' >two.cpuprofile
    [ "$(profcat -t callgrind two.cpuprofile | grep '^events:')" = 'events: wall_(ns) hits' ]
    printf '# callgrind format\nevents: Ir Time_(ns) Bytes_(bytes)\nfn=f\n1 2 3 4\n' >three.out
    [ "$(profcat -t callgrind three.out | grep '^events:')" = 'events: Ir Time_(ns) Bytes_(bytes)' ]
    [ "$(profcat -t pfs three.out | profcat -t callgrind | grep '^events:')" = 'events: Ir Time_(ns) Bytes_(bytes)' ]
    printf 'a 1 0.000001: 3 page-faults: \n\t1 f (x)\n\na 1 0.000002: 7 cpu-clock: \n\t2 g (x)\n\n' >perf
    [ "$(profcat -t callgrind perf | grep '^events:')" = 'events: cpu-clock_(ns) page-faults samples' ]
}

@test "jumps are written again" {
    profcat -t callgrind "$hand/hand_jumps.out" >out
    grep -E '^(jump|jcnd|jfi|jfn)=' "$hand/hand_jumps.out" | sed 's/ .*//' | grep -E '^j(ump|cnd)' | sort >want
    grep -E '^(jump|jcnd)=' out | sed 's/ .*//' | sort >have
    diff want have
}

@test "threads become labels" {
    run -0 proftop --by=label:thread -t csv "$hand/hand_threads.out"
    [[ $output == *',9,'* && $output == *',5,'* ]]
    proffilter -l thread=2 "$hand/hand_threads.out" | profcat -t callgrind >out
    [ "$(grep '^totals:' out | tr '\n' ' ')" = 'totals: 0 totals: 9 ' ]
    [ "$(grep '^thread:' out | tail -n 1)" = 'thread: 2' ]
}

@test "events that would have the same name get numbers, with a warning" {
    row() { printf '{"id":1,"kind":"sample","sections":[],"labels":{},"stack":[{"function":"f","file":"a.c"}],%s}\n' "$1"; }
    { row '"values":{"hits":1},"units":{"hits":"count"}'; row '"values":{"hits":2}'; row '"values":{"calls":4}'; } >two.ndjson
    profcat -f ndjson -t callgrind two.ndjson >two.out 2>err
    grep -qx 'events: hits 2_hits 2_calls' two.out
    [ "$(grep -c 'is taken: an event is written as' err)" = 2 ]
    [ "$(profcat -f callgrind -t csv two.out | tail -n 1)" = 'flat,,,f,f,a.c,0,1,2,4,0' ]
}

@test "metadata that do not fit a header line are left out with a warning" {
    printf 'a 5\n' >a.folded
    line() { printf '{"origin":"callgrind","key":"%s","value":"%s"}' "$1" "$2"; }
    kept="$(line events Fake),$(line 'su mary' 3),$(line comment fn=b),$(line 1 9),$(line desc kept)"
    profcat -t json a.folded | sed "s/\"metadata\":\[\]/\"metadata\":[$kept]/" >made.json
    profcat -f json -t callgrind made.json >made.out 2>err
    [ "$(cat err)" = "profcat: warning: callgrind: metadata have no place and are left out: events, su mary, comment, 1" ]
    grep -qx 'desc: kept' made.out
    [ "$(profcat -f callgrind -t csv made.out | tail -n 1)" = 'flat,,,a,a,???,0,5,0' ]
}

@test "Xdebug's times are in nanoseconds and its memory may be negative" {
    run -0 proftop -t json -m Memory "$hand/hand_appended.out"
    [[ $output == *'"unit":"bytes"'*'"total":-1112'* ]]
    run -0 proftop -t json "$hand/hand_appended.out"
    [[ $output == *'"name":"Time","unit":"nanoseconds"'*'"total":5880'* ]]
}

# refused TEXT WANTED [OPTION...]: the error message of a bad file names the place
refused() { # TEXT WANTED [OPTION...]
    printf "$1" >bad.out
    run -3 profcat "${@:3}" -t ndjson bad.out
    [[ $output == *"$2"* ]] || { echo "$output" && false; }
}

@test "damage is reported with its offset and line" {
    local head='# callgrind format\nevents: Ir\n'
    refused "${head}fn=(3)\n1 2\n" 'offset 30: line 3: the number of a name that no earlier line defines'
    refused "${head}fn=f\n1 2 3\n" 'line 4: more costs than events'
    refused "${head}fn=f\n-1 2\n" 'line 4: the position is missing'
    for number in 9223372036854775808 -9223372036854775809 +99999999999999999999 0x10000000000000000; do
        refused "${head}fn=f\n1 $number\n" 'line 4: a cost is too large: it has over 64 bits'
    done
    for number in x 1e308 0x 1.5; do refused "${head}fn=f\n1 $number\n" 'line 4: a cost is not a number'; done
    refused "${head}fn=f\ncfn=g\ncalls=99999999999999999999 1\n1 1\n" 'line 5: the count is too large'
    refused "${head}fn=f\ncfn=g\ncalls=\n1 1\n" 'line 5: the count is missing'
    refused "${head}fn=f\njcnd=1/x 1\n1\n" "line 4: the count behind '/' is missing, negative or too large"
    refused "${head}fn=f\n99999999999999999999 1\n" 'the position is missing or out of range'
    refused "${head}fn=f\ncfn=g\ncalls=1 1\nfn=h\n" 'expected the costs of a call'
    refused "${head}fn=f\ncfn=g\ncalls=1 1\n" 'ends before the costs of a call'
    refused "${head}fn=f\ncalls=1 1\n1 1\n" "a call without 'cfn=' before it"
    refused "${head}qq=f\n" 'an unknown kind of position'
    refused "${head}fn=f\n1 2\n\$\$\$\n" 'neither costs nor a position nor a header line'
    refused '# callgrind format\nfn=f\n1 2\n' "costs before the 'events:' line"
    refused '# callgrind format\nevents: Ir Ir\n' 'an event name is used twice'
    refused '# callgrind format\nversion: 1\n' "ends before its 'events:' line"
    refused '# callgrind format\ncreator: callgrind-3.19.0\nevents: Ir\nfn=f\n1 2\n' "it ends without its 'totals:' line"
    refused 'desc: x\ncmd: y\nevents: Ir\nfl=a\nfn=f\n1 2\n' "it ends without its 'summary:' line"
}

@test "a frame without name and address becomes the unknown function, and costs count once" {
    stream leaf.pfs <<'END'
{"measures": [{"name": "n"}], "records": [{"stack": [["main", "a.c", 1], {"kind": 5}], "values": {"n": 5}},
                                          {"stack": [["main", "a.c", 1], {"kind": 5}, {"inlined": 1}], "values": {"n": 7}}]}
END
    profcat leaf.pfs -t callgrind -o leaf.out
    grep -qx 'totals: 12' leaf.out
    [ "$(cells 2,9,11 leaf.out)" = "[unknown] 12 12"$'\n'"main 0 12" ]
}

@test "totals over 2^63 are read back, and compared" {
    printf '# callgrind format\nevents: Ir\nfl=a\nfn=f\n1 %s\nfn=g\n2 %s\ntotals: %s\n' 9223372036854775807 9223372036854775807 18446744073709551614 >wide.out
    profcat -t ndjson wide.out 2>err | profcat -t callgrind | grep -qx 'totals: 18446744073709551614'
    [ ! -s err ]
    sed -i 's/614$/613/' wide.out
    fails 0 "costs of 'Ir' sum to 18446744073709551614, the totals: line says 18446744073709551613" profcat -c wide.out
    printf 'events: Ir\nfl=a\nfn=f\n1 %s\nfn=g\n2 1\nsummary: %s\n' 9223372036854775807 9223372036854775808 >wide.out
    [ "$(profcat -c wide.out 2>&1)" = 2 ]
}

@test "records before damage are read, and wrong sums in the file are a warning" {
    printf '# callgrind format\nevents: Ir\nfn=f\n1 2\n+1 3\n? 4\n' >bad.out
    run -3 --separate-stderr profcat -t ndjson bad.out
    [ "$(grep -c '"kind":"flat"' <<<"$output")" -eq 2 ]
    printf '# callgrind format\nevents: Ir\nfn=f\n1 2\ntotals: 3\n' >odd.out
    run -0 profcat -c odd.out
    [[ $output == *"the costs of 'Ir' sum to 2, the totals: line says 3"* ]]
    printf 'events: Ir\nsummary: 3\nfn=f\n1 2\n' >odd.out
    run -0 profcat -c odd.out
    [[ $output == *"the costs of 'Ir' sum to 2, the summary: line says 3"* ]]
    # the sum of the lines decides
    printf 'events: Ir\nsummary: 3\nfn=f\n1 2\ntotals: 2\n' >odd.out
    [ "$(profcat -c odd.out 2>&1)" = 1 ]
    # Xdebug's summary counts more than its lines do
    printf 'version: 1\ncreator: xdebug 3.1.6 (PHP 8.2.7)\nevents: Time_(10ns)\nfn=f\n1 2\nsummary: 3\n' >odd.out
    [ "$(profcat -c odd.out 2>&1)" = 1 ]
    run -0 profcat -v -c odd.out
    [[ $output == *"the costs of 'Time' sum to 2, the summary: line says 3"* ]]
}

@test "sums that overflow 64 bits are refused" {
    printf '# callgrind format\nevents: Ir\nfn=f\n1 9223372036854775807\n1 9223372036854775807\n' >big.out
    run -0 profcat --probe --no-group big.out
    [[ $output == *18446744073709551614* ]]
    run -3 proftop big.out
    [[ $output == *'overflows 64 bits'* ]]
    run -3 profcat -t callgrind big.out
    [[ $output == *'overflows 64 bits'* ]]
}

@test "unknown files are written as ???, even if all files are unknown" {
    printf 'main;a 3\n' | profcat -t callgrind >out.callgrind
    grep -qx 'fl=(1) ???' out.callgrind
    run ! grep -qx 'fl=' out.callgrind
}

@test "unusual names are read back unchanged" {
    python3 - <<'END'
name = "n" * 100000
with open("odd.out", "wb") as out:
    out.write(b"# callgrind format\nevents: Ir\nfl=(1)  two blanks\nfn=(1) (7) x\n1 1\nfn=(2) a\0b\n2 2\nfn=(3) \xff\xfe=:#\n3 3\n"
              b"fn=(9999999999999999) " + name.encode() + b"\n4 4\nfn=(5) *\n5 5\n")
END
    profcat -t ndjson odd.out >a
    profcat -t callgrind odd.out | profcat -t ndjson >b
    profcat -t callgrind odd.out | profcat -t pfs | profcat -t ndjson >c
    diff a b
    diff a c
    [ "$(grep -c . a)" -eq 5 ]
}

@test "events whose names have a blank, a tab or a carriage return stay apart" {
    stream blanks.pfs <<'END'
{"measures": [{"name": "c 1", "kind": "flat"}, {"name": "c\t2", "kind": "flat"}, {"name": "c\r3", "kind": "flat"}],
 "records": [{"kind": "flat", "at": ["f"], "values": {"c 1": 1, "c\t2": 2, "c\r3": 3}}]}
END
    profcat -t callgrind blanks.pfs | grep -qx 'events: c_1 c_2 c_3'
    profcat -t callgrind blanks.pfs | proftop -f callgrind -m c_3 -t tsv | cut -f 2,9 | grep -qx "f.3"
}

@test "a filter removes a function and its edges, but not its callees" {
    # main 10 calls m and c, m 5 calls a, a 20 calls b 30; c 100
    printf '%s\n' 'events: ns' 'fn=main' '1 10' cfn=m 'calls=1 1' '1 55' cfn=c 'calls=1 1' '1 100' fn=m '1 5' cfn=a 'calls=1 1' '1 50' \
        fn=a '1 20' cfn=b 'calls=1 1' '1 30' fn=b '1 30' fn=c '1 100' >chain.out
    cells() { proffilter -q -I "$1" -f callgrind chain.out | proftop -n 0 -t tsv | tail -n +2 | cut -f 2,9,11 | LC_ALL=C sort | tr '\t\n' ' ,'; }
    proffilter -q -I '^b$' -f callgrind chain.out | proftop | grep -q '^ns: 135, 82 % of 165'
    # edges do not show that 30 of the 50 from m to a went on to b
    [ "$(cells '^b$')" = "a 20 20,c 100 100,m 5 55,main 10 135," ]
    # b keeps its cost, though only a calls it
    [ "$(cells '^a$')" = "b 30 30,c 100 100,m 5 5,main 10 145," ]
}
