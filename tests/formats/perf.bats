# perf script, bpftrace, DTrace, bcc, Austin: how their texts are read. Expected numbers come from perf itself and
# FlameGraph's scripts, from the decoder in check/perf.py, or were worked out by hand.

load ../lib/expect

bats_require_minimum_version 1.5.0

setup()
{
    cd "$BATS_TEST_TMPDIR" || return
    PATH=$PROFUTILS_BIN:$PATH
    own=$PROFUTILS_SRC/tests/corpus
}

# heads ARGUMENT...: the lines above proftop's table, with single blanks
heads() { proftop "$@" | sed '/flat%/,$d; s/  */ /g'; }

check() { python3 "$PROFUTILS_SRC/tests/check/perf.py" "$@"; }

# same WANT GOT: compares two files
same() { cmp -s "$1" "$2" || { diff -u "$1" "$2" | head -40; return 1; }; }

@test "perf script folds to the same stacks as with stackcollapse-perf.pl" { check folded "$CORPUS"; }
@test "samples and periods of each event and command equal perf's own report" { check counts "$CORPUS"; }
@test "every record has the stack, labels, time and values of the text" { check records "$CORPUS"; }
@test "names that look like other fields are not confused with them" { check hostile .; }
@test "a text cut anywhere gives the events before the cut, and the error says where the last event begins" { check cut "$CORPUS"; }
@test "entries of bpftrace fold to the same stacks as with stackcollapse-bpftrace.pl, and no entry is lost" { check bpftrace "$CORPUS"; }

@test "texts of other projects fold to the results that come with them" {
    [ -n "${PROFUTILS_WILD:-}" ] || skip "PROFUTILS_WILD does not name their place"
    check wild .
}

@test "each event becomes a measure, and clocks count time" {
    profcat --probe "$own/perf-script/multi_fp.min.perf.txt" >got
    grep -q 'sample page-faults:u: 134,139 count' got
    grep -q 'sample cpu-clock:u: 356.71ms' got
    grep -q 'sample samples: 198 count' got
    profcat "$own/perf-script/multi_fp.min.perf.txt" -m cpu-clock:u -t folded | awk '{ sum += $NF } END { exit sum != 356713424 }'
    profcat "$own/perf-script/multi_fp.min.perf.txt" -m page-faults:u -t folded | awk '{ sum += $NF } END { exit sum != 134139 }'
}

@test "perf script without times or indentation, with other decimals and empty symbols is recognised and folded" {
    # the text | the folded stacks, with commas between
    while IFS='|' read -r text want; do
        printf "$text" >given
        profcat -t folded given | paste -sd, >got
        [ "$(cat got)" = "$want" ] || { echo "$text: $(cat got), expected $want"; false; }
    done <<'END'
a 1 2.000001: 3 cycles: \n\t 10  (/lib/x y.so)\n\t 20 x+0x1 (/p)\n\n|a;x;[x y.so] 3
a 1 2.000001: 3 cycles: \n\t 10  (inlined)\n\t 20 x+0x1 (/p)\n\n|a;x;[unknown] 3
a 1 2.000001: 3 cycles: \n\t 10 (anonymous) (/p)\n\t 20 "" (/p)\n\n|a;[unknown];(anonymous) 3
a 1 2.0001: 3 cycles: \n\t 10 x+0x1 (/p)\n\nb\t1/2 [000] 12.3:\t\t4 cpu-cycles:\n\t 20 y (/p)\n\n|a;x 3
a 1 2.0000000001: 3 cycles: \n\t 10 x (/p)\n\n|a;x 3
a 12 cycles:u: \n\t          401136 x\n\t          401137 main\n\n|a;main;x 1
            perf   123 cycles:  ffffffff81062b9a f\n            perf   123 cycles:            401136 g\n|perf;f 1,perf;g 1
a 12 cycles: \n                  401136 x\n                  401137 main\n\n|a;main;x 1
a 1 2.000001: 3 cycles: \n401136 x+0x1 (/p)\n401137 main\n\na 1 2.000002: 4 cycles: \n401137 main\n|a;main 4,a;main;x 3
dead 1 2.000001: 3 cycles: \n401136 x (/p)\nbeef 1 2.000002: 4 cycles: \n401136 y (/p)\n|beef;y 4,dead;x 3
a 12 cycles: \n401136 x+0x1 (/p)\n401137 main (/p)\n\n|a;main;x 1
node 1 2.000001: 3 cycles: \n\t 10 LazyCompile:*f /a/b.js:1 (/tmp/perf-1.map)\n\n|node;LazyCompile:*f /a/b.js:1 3
java 1 2.000001: 3 cycles: \n\t 10 Lorg/a/B;::f (/tmp/perf-1.map)\n\nnode 1 2.000001: 4 cycles: \n\t 10 Lorg/a/B;::f (/tmp/perf-1.map)\n\n|java;org.a.B.f 3,node;org.a.B.f 4
END
    printf 'a 1 2.0001: 3 cycles: \n\t 10  (/lib/x.so)\n\n' >given
    profcat -f perf-script:time -t ndjson given >got
    from_json 'd["stack"][0]["function"] + d["stack"][0]["image"]' <got | grep -qx '"\[x.so\]/lib/x.so"'
    [ "$(proffilter --time 2s,2000101us given -t folded 2>&1)" = 'a;[x.so] 3' ]
    [ -z "$(proffilter --time 0,2000100us given -t folded 2>/dev/null)" ]
}

@test "us, μs, µs and microseconds mean the same unit" {
    for unit in us μs µs microseconds; do
        printf 'a 5\n' | profcat -f "folded:measure=wall/$unit" | proftop -t csv | grep -q ',wall,nanoseconds,5000,'
        printf 'version: 1\nevents: Time_(%s)\nfn=f\n1 5\n' "$unit" | proftop -t csv | grep -q ',Time,nanoseconds,5000,'
        printf 'a 5\nb 1\n' | profcat -f folded:measure=wall/us | proffilter --min-value "5${unit/microseconds/us}" 2>/dev/null | proftop -t csv >got
        # 5 of 6, because the total before the filter travels on
        grep -q ',5000,83.3333,' got
        [ "$(wc -l <got)" -eq 2 ]
        printf 'a 5\n' | profcat -f folded:measure=wall/ms | proftop -u "${unit/microseconds/us}" | grep -q '^ *5000us .* a$'
    done
    printf 'a 5\n' | profcat -f folded:measure=wall/μs -t pprof >one.pb.gz
    printf 'a 5\n' | profcat -f folded:measure=wall/us -t pprof >two.pb.gz
    profmerge one.pb.gz two.pb.gz -t folded | grep -qx 'a 10000'
}

@test "the main measure is the first event that counts time, else the first event" {
    faults='a 1 0.000001: 3 page-faults: \n\t1 f (x)\n\n' clock='a 1 0.000002: 2000000 cpu-clock:u: \n\t2 g (x)\n\n'
    cycles='a 1 0.000003: 5 cycles: \n\t2 g (x)\n\n'
    printf "$faults$clock" >one
    printf "$clock$faults" >two
    printf "$faults$cycles" >three
    printf "$cycles$faults" >four
    main() { proftop -t tsv -n 1 "$1" | sed -n 2p | cut -f 2,7,9 | tr '\t' ' '; }
    for file in one two; do
        [ "$(main "$file")" = 'g cpu-clock:u 2000000' ]
        [ "$(profcat -t pfs "$file" | main -)" = 'g cpu-clock:u 2000000' ]
        [ "$(profcat -t pprof "$file" | main -)" = 'g cpu-clock:u 2000000' ]
        [ "$(profcat -t folded "$file")" = 'a;g 2000000' ]
        [ "$(profcat -t json:flame "$file" | from_json 'd["value"]')" = 2000000 ]
    done
    [ "$(main three)" = 'f page-faults 3' ]
    [ "$(profcat -t folded three)" = 'a;f 3' ]
    [ "$(main four)" = 'g cycles 5' ]
    [ "$(profcat -t folded four)" = 'a;g 5' ]
}

@test "events without periods count one each, and without names only samples" {
    printf 'a 1 0.000001: cpu-clock: \n\t1 f (x)\n\na 1 0.000002: cpu-clock: \n\t2 g (x)\n\n' >in
    run -0 profcat --probe in
    [[ $output == *"cpu-clock: 2 count"*"samples: 2 count"* ]]
    printf 'a 1 0.000001: \n\t1 f (x)\n\na 1 0.000002: \n\t2 g (x)\n\n' >in
    run -0 profcat --probe in
    [[ $output == *"samples: 2 count"* ]]
    [[ $output != *cpu-clock* ]]
    printf '%s\n\t1 f (x)\n\n' 'a 1 [003] 7 cycles: ' 'a 1 [004] 8 cycles: ' >in
    run -0 profcat -t ndjson in
    [[ ${lines[1]} == *'"comm":["a"]'*'"num":4'*'"num":1'*'"cycles":8'* ]]
}

@test "-F without times: events of one line each, and call chains below a header without event" {
    # As perf 6.1 prints them: a command in 16 columns, a thread in 5, a period in 10.
    printf '%10u %s: \n' 1 page-faults 231 page-faults 2000000 cpu-clock:u >event,period
    printf '%16s %s: \n' wl page-faults '#e i(' page-faults wl cpu-clock:u >comm,event
    printf '%16s %10u %s: \n' wl 1 page-faults wl 231 page-faults wl 2000000 cpu-clock:u >comm,period,event
    printf '%16s %5d %s: \n' wl 20670 page-faults wl 7 page-faults wl 1 cpu-clock:u >comm,tid,event
    printf '%16s %5d/%-5d %s: \n' wl 2 20670 page-faults wl 7 8 page-faults wl 1 1 cpu-clock:u >comm,pid,tid,event
    printf '%16s %5d %10u %s: \n' wl 20670 1 page-faults wl 7 231 page-faults wl 1 2000000 cpu-clock:u >comm,tid,period,event
    for file in *event*; do
        case $file in *period*) faults=232 clock=2ms ;; *) faults=2 clock="1 count" ;; esac
        run -0 profcat --probe "$file"
        [[ $output == *"page-faults: $faults count"*"samples: 3 count"*"cpu-clock:u: $clock"* ]]
        run -0 profcat -c "$file"
        [ "$output" = 3 ]
        run -0 proftop -t json "$file"
        [[ $output != *'"function"'* ]]
    done
    run -0 profcat -t ndjson comm,tid,period,event
    [[ ${lines[1]} == *'"comm":["wl"]'*'"num":7'* ]]
    # A line of a call chain begins with a tab, whatever fields the header lacks.
    printf '\n\t%16x f\n\t%16x g\n\n\n\t%16x f\n\n' 1 2 1 >ip,sym
    run -0 --separate-stderr profcat -t folded ip,sym
    [ "$output" = $'f 1\ng;f 1' ]
    [ -z "$stderr" ]
    printf '%s \n\t%16x f\n\n' 'a b' 1 '#c' 2 'x: y' 3 >comm,ip,sym
    run -0 --separate-stderr profcat -t folded comm,ip,sym
    [ "$output" = $' #c;f 1\na_b;f 1\nx:_y;f 1' ]
    printf '%s \n\t%16x f\n\n' 'a page-faults:' 1 '#c page-faults:' 2 >comm,event,ip,sym
    run -0 --separate-stderr profcat -t folded comm,event,ip,sym
    [ "$output" = $' #c;f 1\na;f 1' ]
    printf '%16s %s\n' wl ' ffffffff8175016a elf_load' >none
    run -3 profcat -f perf-script -c none
    [[ $output == *"offset 0: neither an event nor a comment: "* ]]
}

@test "--time selects records of a time span, even from a stream that kept times" {
    printf 'a 1 %s: 1 cycles: \n\t1 f (x)\n\n' 1.000001 1.000002 1.000003000 2.5 2.500000 >in
    sed -i 's/ 2\.5:/ 2.400000:/' in
    [ "$(proffilter --time=1000002us,2.45s in | profcat -c | head -n1)" = "$(printf 'a 3\n' | profcat -c | sed 's/1/3/')" ]
    profcat -f perf-script:time in | proffilter --time=2s,3s | profcat -t folded >got
    printf 'a;f 2\n' >want
    same want got
    run -0 --separate-stderr bash -c 'profcat in | proffilter --time=2s,3s | profcat -c'
    [[ $stderr == *"no record has a time"* ]]
}

@test "comments of the header are metadata" {
    profcat -H "$own/perf-script/dwarf.header_pidtid.perf.txt" >got
    grep -q '^perf-script hostname vm$' got
    grep -q '^perf-script perf version 6.1.187$' got
    printf '#odd 12 1.000001: 5 cycles: \n\t1 f (x)\n\n' >in
    profcat -f perf-script -t folded in >got
    printf ' #odd;f 5\n' >want
    same want got
}

@test "lines that are neither samples nor frames are skipped" {
    printf '%s\n' 'a 1 0.000001: PERF_RECORD_MMAP2 1/1: [0x1(0x2) @ 0 08:01 1 2]: r-xp /x' 'a 1 0.000002: 3 cycles: ' >in
    printf '\t1 f+0x1 (/x)\n\t  WEIRD\n\t2 g (/x (deleted))\n\nb 1 0.000003: 4 cycles: \n\n' >>in
    run -0 --separate-stderr profcat -t folded in
    [ "$output" = $'a;g;f 3\nb 4' ]
    [[ $stderr == *"offset $(grep -b WEIRD in | cut -d: -f1): 1 line of call chains skipped: not frames"* ]]
    printf 'a 1 0.000002: 3 cycles: \n\t1 f (/x)\n\nnonsense\n' >in
    run -3 profcat -t folded in
    [[ $output == *"offset 36: neither an event nor a comment: 'nonsense'"* ]]
}

@test "functions that a compiler inlined at run time become marked frames" {
    printf 'java 1 0.000001: 3 cycles: \n\t1 La/B;::f->La/C;::g->La/D;::h+0x1 (/tmp/perf-1.map)\n\t2 main->x (/bin/y)\n\n' >in
    profcat -t folded in >got
    printf 'java;main->x;a.B.f;a.C.g_[i];a.D.h_[i] 3\n' >want
    same want got
    profcat -t folded:annotate in >got
    printf 'java;main->x;a.B.f_[j];a.C.g_[i];a.D.h_[i] 3\n' >want
    same want got
    profcat -t folded:plain in >got
    printf 'main->x;a.B.f;a.C.g;a.D.h 3\n' >want
    same want got
}

@test "methods of Java have one name in every output, however their symbols spell them; the symbol is the system name" {
    # symbols | names
    while read -r symbol name; do
        printf 'java 1 1.0: 3 cycles: \n\t10 %s+0x1 (/tmp/perf-1.map)\n\n' "$symbol" >in
        [ "$(proftop -t csv in | tail -n +2 | cut -d, -f2)" = "$name" ] || { echo "$symbol is $(proftop -t csv in), not $name"; false; }
        [ "$(profcat -t folded:plain in)" = "$(tr ';' : <<<"$name") 3" ]
        printf '10 10 %s\n' "$symbol" >map
        printf 'java 1 1.0: 3 cycles: \n\t10 [unknown] (/x)\n\n' >in2
        [ "$(proftop -t csv --symbols=map in2 | tail -n +2 | cut -d, -f2)" = "$name" ]
    done <<'END'
Lorg/x/Y;::m org.x.Y.m
Lorg/x/Y;.m org.x.Y.m
Lorg/x/Y$1;::<init> org.x.Y$1.<init>
Lorg/x/Y;m(I)V org.x.Y.m(I)V
LCounter;::countTo Counter.countTo
LCounter;.countTo Counter.countTo
LCounter;countTo LCounter;countTo
Lorg/x/Y;:: Lorg/x/Y;::
Lorg/x/Y Lorg/x/Y
L;::m L;::m
Ls::f<int;>::m Ls::f<int;>::m
END
    printf 'java 1 1.0: 3 cycles: \n\t10 Lorg/x/Y;.m (/tmp/perf-1.map)\n\n' >in
    [ "$(profcat -q -t folded in)" = 'java;org.x.Y.m 3' ]
    printf '@[\n    Lorg/x/Y;::m+12\n]: 3\n' >b.txt
    [ "$(profcat -q -f bpftrace -t folded b.txt)" = 'org.x.Y.m 3' ]
    profcat -q -z0 -t pprof in >in.pb
    grep -qa 'Lorg/x/Y;.m' in.pb
    [ "$(proftop -t csv in.pb | tail -n +2 | cut -d, -f2)" = org.x.Y.m ]
    profcat -q -z0 -t pprof in.pb | cmp - in.pb
    proffilter --focus='^Lorg/x/Y;' -e in >/dev/null
}

@test "several events: each has its own samples, and the head names the others" {
    # 3 samples of instructions, 2 of cycles in the same functions, 1 of faults
    for event in instructions cycles instructions cycles instructions faults; do
        printf 'app 1 %s.0: 7 %s: \n\t10 f (/bin/app)\n\t20 main (/bin/app)\n\n' "$((++second))" "$event"
    done >in
    expect heads in <<'END'
instructions: 21 total, 3 samples in
also here: cycles, faults; -m shows them
END
    expect heads -m cycles in <<'END'
cycles: 14 total, 2 samples in
also here: instructions, faults; -m shows them
END
    expect heads -m faults -m cycles in <<'END'
faults: 7 total, 1 sample in
also here: instructions, cycles; -m shows them
END
    expect heads --keep-going in in <<'END'
instructions: 42 total, 6 samples in, in
also here: cycles, faults; -m shows them
END
    # a merge adds up the samples of f, of whatever event; `all` stays: 6
    profmerge in >merged.pfs
    expect heads merged.pfs <<'END'
instructions: 21 total, 6 samples in
also here: cycles, faults; -m shows them
END
    printf 'app 1 9.0: 7 cycles: \n\t10 g (/bin/app)\n\n' | cat in - | profmerge >merged.pfs
    proftop merged.pfs | grep -q '^instructions: 21 total, at most 6 samples'
    # the number of samples of a row is not that of its event: no hint
    profdiff in in | tail -n 2 | grep -q 'one run on a side: nothing tells a change from chance (~)$'
}

@test "long names and bytes that are not text are read, and numbers out of range are refused" {
    python3 -c '
import sys
name = b"n" * 100000
sys.stdout.buffer.write(b"c\xff\0m 1 0.000001: 9223372036854775807 cycles: \n\t1 " + name + b"\0\xfe (/x)\n\n"
                        b"c\xff\0m 1 0.000001: 1 cycles: \n\t1 g (/x)\n\n")' >in
    run -0 profcat --probe in
    [[ $output == *"cycles: 9,223,372,036,854,775,808 count"* ]]
    profcat -t ndjson in | python3 -c '
import json, sys
row = json.loads(sys.stdin.readline())
assert row["labels"]["comm"] == ["c\ufffd\0m"], row["labels"]
assert row["stack"][0]["function"] == "n" * 100000 + "\0\ufffd"
assert row["values"]["cycles"] == 2**63 - 1'
    printf 'a 1 0.000001: 9223372036854775808 cycles: \n\t1 f (x)\n\n' >in
    run -3 profcat -f perf-script -t folded in
    printf 'a 1 99999999999999.000001: 5 cycles: \n\t1 f (x)\n\n' >in
    run -3 profcat -f perf-script -t folded in
}

@test "bpftrace: parts of keys are labels, maps are measures, variables metadata" {
    run -0 --separate-stderr profcat -t ndjson "$own/bpftrace/keys.bpftrace.txt"
    [[ $stderr == *"1 entries skipped: their values are not whole numbers"* ]]
    printf '%s\n' "${lines[@]}" | python3 -c '
import json, sys
rows = [json.loads(line) for line in sys.stdin]
got = [(row["values"], row["labels"], [frame["function"] or frame["address"] for frame in row["stack"]]) for row in rows]
got = [({k: v for k, v in values.items() if v}, labels, stack) for values, labels, stack in got]
n = lambda number: [{"num": number, "unit": ""}]
want = [({"samples": 7}, {"key": ["idle"]}, []),
        ({"bytes": 512}, {"key1": n(42), "key2": ["a]: 5"]}, ["vfs_read", "ksys_read"]),
        ({"bytes": -3}, {"key1": n(43), "key2": ["x"], "key3": ["y"]}, ["vfs_write"]),
        ({"samples": 4}, {}, []),
        ({"stats": 61}, {"key": ["perf"]}, ["f", "0xffffffff81234567"])]
assert got == want, got'
    profcat -q -H "$own/bpftrace/keys.bpftrace.txt" | grep -q '^bpftrace start 123456789$'
    head -c 700 "$own/bpftrace/stacks.bpftrace.txt" >torn
    run -3 profcat -t folded torn
    [[ $output == *"the input ends in the middle of this entry"* ]]
}

@test "bpftrace in JSON: parts of keys are labels, maps are measures, variables metadata" {
    run -0 --separate-stderr profcat -t ndjson "$own/bpftrace/keys.bpftrace.json"
    [[ $stderr == *"1 entries skipped: their values are not whole numbers"* ]]
    printf '%s\n' "${lines[@]}" | python3 -c '
import json, sys
rows = [json.loads(line) for line in sys.stdin]
got = [({k: v for k, v in row["values"].items() if v}, row["labels"], [f["function"] or f["address"] for f in row["stack"]]) for row in rows]
want = [({"samples": 512}, {"key": ["a \"b\""]}, ["vfs_read", "ksys_read", "__libc_read", "0x7f0580ca71f5"]),
        ({"samples": 3}, {"key": ["work_fp"]}, ["main"]), ({"samples": 7}, {"key": ["idle"]}, []),
        ({"bytes": -3}, {"key1": [{"num": 42, "unit": ""}], "key2": ["x"]}, ["f"]), ({"stats": 61}, {"key": ["perf"]}, ["f"])]
assert got == want, got'
    profcat -q -H "$own/bpftrace/keys.bpftrace.json" | grep -q '^bpftrace start 123456789$'
    head -c 300 "$own/bpftrace/keys.bpftrace.json" >torn
    run -3 profcat -t folded torn
    [[ $output == *offset* ]]
}

@test "bpftrace: a value over 64 bits is refused with the place of its entry" {
    printf '@[\n    q+1\n]: %s\n@[\n    leaf+12\n]: %s\n' 5 9223372036854775807 >in
    run -0 profcat --probe in
    [[ $output == *"9,223,372,036,854,775,812 count"* ]]
    printf '@[\n    q+1\n]: %s\n@[\n    leaf+12\n]: %s\n' 5 18446744073709551615 >in
    run -3 --separate-stderr profcat -t folded in
    [ "$output" = 'q+1 5' ]
    [[ $stderr == *"in: offset 16: the value 18446744073709551615 does not fit 64 bits"* ]]
    printf '{"type": "map", "data": {"@": {"\\n    q+1\\n": 5, "\\n    leaf+12\\n": 9223372036854775808}}}\n' >in
    run -3 --separate-stderr profcat -t folded in
    [ "$output" = 'q+1 5' ]
    [[ $stderr == *"the value 9223372036854775808 does not fit 64 bits"* ]]
    # An entry whose value is not a number is skipped.
    printf '@[\n    q+1\n]: %s\n' 5 '(1, 2)' >in
    run -0 --separate-stderr profcat -t folded in
    [ "$output" = 'q+1 5' ]
    [[ $stderr == *"1 entries skipped: their values are not whole numbers"* ]]
}

@test "DTrace and bcc: blocks are stacks, kernel below user" {
    profcat "$own/dtrace/two.dtrace" -t folded >got
    cat >want <<'END'
libc.so.1`_lwp_start;prog`0x12ab;prog`java_start(Thread*);prog`Class::method;libc.so.1`__write;genunix`fop_write;zfs`zio_execute 4
prog`recv::_{{closure}};prog`<job::HeapJob<B> as job::Job>::execute;prog`core::task::run 12
END
    same want got
    profcat "$own/dtrace/two.dtrace" -t folded:plain >got
    grep -q '^_lwp_start;0x12ab;java_start(Thread\*);Class::method(int, char\*);__write;fop_write;zio_execute 4$' got
    proftop -t ndjson "$own/dtrace/two.dtrace" | grep -q '"function":"zio_execute".*"image":"zfs".*"flat":4'
    # stackcollapse.pl: s/(::.*)[(<].*/$1/
    printf '  a`n::<lambda>\n  a`n::(anonymous)\n  a`n::<T>::f(int)\n  1\n' | profcat -f dtrace -t folded >got
    [ "$(cat got)" = 'a`n::<T>::f;a`n::;a`n:: 1' ]
    profcat "$own/dtrace/bcc.txt" -t folded >got
    printf 'my_prog_(x);main;[unknown];ksys_read;copy_user_generic_string 3\nswapper/1;idle 12\n' >want
    same want got
    profcat -t ndjson "$own/dtrace/bcc.txt" | head -n1 | grep -q '"comm":\["my prog (x)"\],"pid":\[{"num":4711'
    head -n 8 "$own/dtrace/two.dtrace" >torn
    run -3 profcat -t folded torn
    [[ $output == *"no count after this stack"* ]]
}

@test "Austin: processes, threads, files and lines, in all modes" {
    profcat -t ndjson "$own"/austin/*.austin | python3 -c '
import json, sys
got = []
for line in sys.stdin:
    row = json.loads(line)
    frames = ["%s:%s:%d" % (f["file"], f["function"], f["line"]) for f in reversed(row["stack"])]
    labels = [str(v[0]["num"]) if isinstance(v[0], dict) else v[0] for k, v in sorted(row["labels"].items())]
    got.append((" ".join(labels), frames, {k: v for k, v in row["values"].items() if v and k != "samples"}))
full = [("0 1 7f3c5c", ["/a.py:f:1", "/a.py:g:2"], {"wall": 200000, "memory": 1024}),
        ("0 1 7f3c5c", ["/a.py:f:1"], {"wall": 100000, "idle": 1, "memory": -512}), ("1 1 aa", ["/a.py:f:1"], {"wall": 50000, "idle": 1})]
lines = [("1 2", ["/a.py:f:10", "/a.py:g:2"], {"wall": 5000}), ("1 2", ["/a.py:f:11"], {"wall": 6000})]
memory = [("1 2", ["/a.py:f:1", "/a.py:g:2"], {"memory": 4096}), ("1 2", ["/a.py:f:1", "/a.py:g:3"], {"memory": -1024})]
find = "<frozen importlib._bootstrap>:_find:1007"
wall = [("6360 6361", [find, "C:\\x\\app.py:main:12", "::GC::0"], {"wall": 105000}), ("6360 6361", [find], {"wall": 95000}),
        ("6360 6362", ["::INVALID::0"], {"wall": 7000})]
assert got == full + lines + memory + wall, got'
    profcat -H "$own/austin/wall.austin" >got
    printf 'austin %s\n' 'austin 3.3.0' 'interval 100' 'mode wall' 'duration 23873' >want
    same want got
    printf 'P1;T2 5\n' >in
    run -0 --separate-stderr profcat -t folded in
    [ "$output" = 5000 ]
    # a comment keeps its place between samples
    printf 'P1;T2 5\n# a: b\nP1;T2 6\n' >in
    profcat -t text in | grep -oE '^(sample [12]|metadata  austin.*)' >got
    printf '%s\n' 'sample 1' 'metadata  austin  a  b' 'sample 2' >want
    same want got
    printf 'P1;T2;/a.py:f:1 5\nP1;T2;/a.py:f:1 5,0,3\n' >in
    run -3 profcat -t text in
    [[ $output == *"offset 18: line 2 has 3 numbers, the earlier lines have 1"* ]]
    printf 'P1;T2;/a.py:f:1 5\nP1 6\n' >in
    run -3 profcat -f austin -t text in
    [[ $output == *"offset 18: line 2 is not a sample"* ]]
}

@test "perf-script, bpftrace, dtrace and austin are distinguished from each other" {
    for format in perf-script bpftrace dtrace austin; do
        for file in "$own/$format"/*; do
            case $file in *README* | *expected*) continue ;; esac
            [[ $(profcat -q --probe "$file") == *": $format ("* ]] || { echo "$file"; profcat --probe "$file"; return 1; }
        done
    done
}
