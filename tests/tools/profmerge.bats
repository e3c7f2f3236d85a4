# profmerge: exact weights, which records are the same, measures of different scales, many inputs, bad
# inputs.

bats_require_minimum_version 1.5.0
load ../lib/expect

setup_file()
{
    cd "$BATS_FILE_TMPDIR" || return
    printf 'a;b 1\na;c 2\na;b 3\n' >one.folded
    printf 'a;b 5\nd 1\n' >two.folded
    check=$PROFUTILS_SRC/tests/check/profmerge.py
    if command -v python3 >/dev/null 2>&1; then
        for seed in 1 2 3 4 5 6; do python3 "$check" random "$seed" "random$seed.pfs" || return; done
    fi
}

setup()
{
    cd "$BATS_FILE_TMPDIR" || return
    set -o pipefail
    PATH=$PROFUTILS_BIN:$PATH
    check=$PROFUTILS_SRC/tests/check/profmerge.py
    bad=0
}

same()
{
    cmp -s "$1" "$2" || { echo "$3"; diff -u "$1" "$2" | head -20; bad=1; return 0; }
}

python() { command -v python3 >/dev/null 2>&1 || skip "no python3"; }

# A table of OPTIONS => RECORDS, each of them STACK COUNT, separated by commas
gives()
{
    while IFS= read -r line; do
        options=${line%% => *} want=${line#* => }
        eval "profmerge -t folded $options" 2>err | paste -sd, | sed 's/,/, /g; /^$/d' >got
        [ "$(cat got)" = "$want" ] || { echo "profmerge $options: $(cat got), expected $want"; cat err; bad=1; }
    done
    [ "$bad" -eq 0 ]
}

# A table of STATUS PATTERN => OPTIONS
refuses()
{
    while IFS= read -r line; do
        options=${line#* => } line=${line%% => *}
        status=${line%% *} pattern=${line#* } got=0
        eval "profmerge -t folded $options" >out 2>err </dev/null || got=$?
        [ "$got" -eq "$status" ] || { echo "profmerge $options: status $got, expected $status"; cat err; bad=1; }
        grep -qE "^profmerge: .*($pattern)" err || { echo "profmerge $options: no '$pattern' in:"; cat err; bad=1; }
    done
    [ "$bad" -eq 0 ]
}

@test "equal records become one record, in the order of first appearance" {
    gives <<'END'
one.folded => a;b 4, a;c 2
one.folded two.folded => a;b 9, a;c 2, d 1
one.folded one.folded => a;b 8, a;c 4
END
    profmerge -t ndjson two.folded one.folded | sed 's/.*"stack":\[{"function":"\(.\)".*/\1/' | paste -sd' ' >got
    [ "$(cat got)" = "b d c" ]
}

@test "weights are integers, decimals and fractions of any sign; a file with a weight is not read again as an operand" {
    gives <<'END'
-w 2:one.folded => a;b 8, a;c 4
-w 2:one.folded two.folded => a;b 13, a;c 4, d 1
-w 2:one.folded one.folded => a;b 8, a;c 4
-w 1/3:one.folded -w 1/3:one.folded -w 1/3:one.folded => a;b 4, a;c 2
-w 0.5:one.folded -w 0.5:one.folded => a;b 4, a;c 2
-w 0.5:two.folded => a;b 2
-w 1.5:two.folded => a;b 8, d 2
-w +1:one.folded -w -1:two.folded => a;b -1, a;c 2, d -1
-w 0:one.folded two.folded => a;b 5, d 1
--mean one.folded two.folded => a;b 4, a;c 1
--mean -w 2:one.folded -w 2:two.folded => a;b 4, a;c 1
--mean -w 3:one.folded -w 1:two.folded => a;b 4, a;c 2
END
}

@test "a merge with weights other than 1 is not marked as sampled; exact counts stay exact" {
    while IFS= read -r line; do
        eval "profmerge ${line#* => }" | profcat -t text | sed -n 's/^measure.*count  count\( *[a-z]*\).*/\1/p' >got
        [ "$(tr -d ' ' <got)" = "${line%% => *}" ] || { echo "$line: $(cat got)"; bad=1; }
    done <<'END'
sampled => one.folded two.folded
sampled => -w 1:one.folded -w 0:two.folded
sampled => --mean one.folded
sampled => --mean -w 2:one.folded
sampled => --mean -w 2:one.folded -w 0:two.folded
sampled => --normalize=total one.folded one.folded
sampled => --normalize=6 one.folded two.folded
main => -w 2:one.folded
main => -w 2:one.folded two.folded
main => -w -1:one.folded
main => -w 1/2:one.folded -w 1/2:one.folded
main => --mean one.folded two.folded
main => --normalize=total one.folded -w 1/3:two.folded
main => --normalize=60 one.folded
END
    [ "$bad" -eq 0 ]
    printf 'events: Ir\nfl=a.c\nfn=a\n1 7\n' >exact.callgrind
    profmerge -w 3:exact.callgrind | profcat -t text | grep -q '^measure.*  exact'
    # 3 and 8 samples differ by chance; numbers a hundred times as high would not, but nobody took
    # so many samples
    printf 'm;a 3\nm;b 50\n' >before.folded
    printf 'm;a 8\nm;b 45\n' >after.folded
    profdiff -t csv <(profmerge -w 100:before.folded) <(profmerge -w 100:after.folded) >got || true
    grep -q 300,800 got
    [ "$(grep -c '^function,[ab],.*,~,.*,unclear$' got)" -eq 2 ]
}

@test "a list of weights is the same as -w" {
    printf '2\tone.folded\n\n1/2\ttwo.folded\n' >list
    profmerge -t folded --weights=list >got
    profmerge -t folded -w 2:one.folded -w 1/2:two.folded >want
    cmp got want
    printf 'one.folded\ntwo.folded\n' >names
    profmerge -t folded -w 2:@names >got
    profmerge -t folded -w 2:one.folded -w 2:two.folded >want
    cmp got want
}

@test "invalid weights are usage errors" {
    printf '2 one.folded\n' >blank.list
    printf '2\tone.folded\nx\ttwo.folded\n' >word.list
    refuses <<'END'
2 takes WEIGHT:FILE => -w one.folded
2 takes WEIGHT:FILE => -w 1:
2 weight 'x' is not an integer => -w x:one.folded
2 weight '' is not an integer => -w :one.folded
2 weight '1/0' is not a fraction => -w 1/0:one.folded
2 weight '1.' has no digit => -w 1.:one.folded
2 weight '1/2147483649' has a denominator of more than 31 bits => -w 1/2147483649:one.folded
2 weight '0.12345678901' has too many digits => -w 0.12345678901:one.folded
2 no common denominator of 31 bits => -w 1/65537:one.folded -w 1/65539:two.folded
2 weights are too large => -w 9223372036854775807:one.folded -w 1/2:two.folded
2 weights sum to 0 => --mean -w 1:one.folded -w -1:two.folded
2 list: line 1: '2 one.folded' is not of the form => --weights=blank.list
2 line 2: the weight 'x' => --weights=word.list
3 nowhere => --weights=nowhere
2 --normalize takes => --normalize=0 one.folded
2 --normalize takes => --normalize=often one.folded
3 the input has no duration => --normalize=duration one.folded
END
}

@test "weighted sums are exact; a sum that overflows 64 bits is refused, or clamped with --saturate" {
    python
    python3 "$check" weights 1 45
}

@test "a random profile merged is the sum of its rows" {
    python
    for seed in 1 2 3 4 5 6; do python3 "$check" sums "random$seed.pfs"; done
    python3 "$check" sums random1.pfs random2.pfs random3.pfs
    python3 "$check" sums -g random4.pfs random5.pfs random6.pfs
    python3 "$check" sums random1.pfs random1.pfs one.folded
}

@test "merging is associative and commutative, byte for byte in canonical order" {
    python
    for seed in 1 2 3 4; do
        a=random$seed.pfs b=random$((seed + 1)).pfs c=random$((seed + 2)).pfs
        profmerge --canonical "$a" "$b" "$c" >abc
        profmerge --canonical "$c" "$a" "$b" >cab
        profmerge --canonical <(profmerge "$a" "$b") "$c" >ab_c
        profmerge --canonical "$a" <(profmerge "$c" "$b") >a_cb
        profmerge --canonical -w 2:"$a" "$b" >two
        profmerge --canonical "$a" "$b" "$a" >twice
        for other in cab ab_c a_cb; do cmp abc $other; done
        profcat -t text two | sed '/^metadata/d; /^measure/s/  sampled//' >got
        profcat -t text twice | sed '/^metadata/d; /^measure/s/  sampled//' >want
        cmp got want
    done
}

@test "the table of a merge is the table of the concatenated inputs" {
    python
    for by in function line address image label:host section; do
        for seed in 1 3 5; do
            a=random$seed.pfs b=random$((seed + 1)).pfs
            cat "$a" "$b" | proftop -n 0 --by=$by -t csv >want
            profmerge "$a" "$b" | proftop -n 0 --by=$by -t csv >got
            same want got "--by=$by $a $b"
        done
    done
    cat random1.pfs random2.pfs | proftop | sed 1d >want
    profmerge random1.pfs random2.pfs | proftop | sed 1d >got
    same want got table
    [ "$bad" -eq 0 ]
}

@test "the output does not depend on where a program's libraries were mapped" {
    python
    python3 "$check" slid .
    profmerge -t folded run0.pfs run1.pfs | awk '{ print $NF }' | sort -n | paste -sd' ' >got
    [ "$(cat got)" = "2 20 100 100" ]
    profmerge --canonical run0.pfs run1.pfs >want
    profmerge --canonical run1.pfs run0.pfs >got
    cmp want got
    profmerge -t text run1.pfs | grep -c '0x7f0000100123' >got
    [ "$(cat got)" = 1 ]
    # a table of both inputs gives the same
    for by in function address line image; do
        cat run0.pfs run1.pfs | proftop --by=$by >got
        profmerge run0.pfs run1.pfs | proftop --by=$by >want
        diff -u want got
    done
    cat run0.pfs run1.pfs | proftop -t tsv | cut -f 2 >got
    grep -qx 0x7f0000100123 got
    ! grep -q 0x7f0000400123 got || return 1
}

@test "--labels chooses which labels keep records apart" {
    profcat --set-label host=x --set-label zone=n one.folded >x.pfs
    profcat --set-label host=y --set-label zone=n two.folded >y.pfs
    count() { profmerge -t ndjson "$@" x.pfs y.pfs | grep -c .; }
    [ "$(count)" -eq 4 ]
    [ "$(count --labels=host)" -eq 4 ]
    [ "$(count --labels=zone)" -eq 3 ]
    [ "$(count --labels=none)" -eq 3 ]
    profmerge -t ndjson --labels=zone x.pfs y.pfs | grep -q '"labels":{"zone":\["n"\]}.*"samples":9'
    profmerge -t ndjson --label-source one.folded two.folded | grep -q '"source":\["two.folded"\]'
    profmerge -t ndjson --label-source=run one.folded two.folded | grep -q '"run":\["one.folded"\]'
    [ "$(profmerge --label-source one.folded two.folded | profcat -c)" -eq 4 ]
}

@test "measures with different ticks are converted to their greatest common tick" {
    # ticks of 10 ms, 4 ms and 1 ms; samples of 1 tick each
    for tick in 10000 4000 1000; do profcat -t statprofiler:tick=$tick -o tick$tick.statprof one.folded 2>/dev/null; done
    profmerge tick10000.statprof tick4000.statprof -o both.pfs
    profcat --probe both.pfs | grep -q 'sample wall: 84ms'
    profmerge tick10000.statprof tick4000.statprof -t statprofiler 2>/dev/null | profcat -H | grep -q '^statprofiler tick_us 2000$'
    profmerge tick10000.statprof tick4000.statprof tick1000.statprof --canonical >abc
    profmerge tick10000.statprof both.pfs tick1000.statprof --canonical -w -1:tick10000.statprof >/dev/null
    profmerge --canonical tick1000.statprof <(profmerge tick4000.statprof tick10000.statprof) >c_ba
    cmp abc c_ba
}

@test "counts with different periods become events; if an input has no period, they are refused" {
    ops=$CORPUS/dcpi/ops
    [ -d "$ops/o13_merge_period_mismatch" ] || skip "no such corpus"
    a=$ops/o13_merge_period_mismatch/in0.prof b=$ops/o13_merge_period_mismatch/in1.prof
    profmerge "$a" "$b" | proftop -t json >got
    profcat -t ndjson "$a" "$b" >/dev/null
    grep -q '"unit":"events"' got
    events() { proftop -u events -t ndjson -n 0 --by=address "$1" | sed 's/.*"flat":\([0-9]*\).*/\1/' | paste -sd+; }
    [ $(($(profmerge "$a" "$b" | events -))) -eq $(($(events "$a") + $(events "$b"))) ]
    [ $(($(profmerge -w 3:"$a" "$b" | events -))) -eq $((3 * ($(events "$a")) + $(events "$b"))) ]
}

@test "--normalize scales each input to the given total" {
    gives <<'END'
--normalize=60 one.folded two.folded => a;b 90, a;c 20, d 10
--normalize=1k one.folded => a;b 667, a;c 333
--normalize=total one.folded two.folded => a;b 9, a;c 2, d 1
--normalize=total two.folded -w 2:one.folded => a;b 13, a;c 4, d 1
--normalize=12 --mean one.folded two.folded => a;b 9, a;c 2, d 1
--normalize=60 -w 0.5:one.folded two.folded => a;b 70, a;c 10, d 10
END
    printf 'a 0\n' >zero.folded
    refuses <<'END'
3 zero.folded: the total is 0 => --normalize=total one.folded zero.folded
END
}

@test "--normalize=total makes one measure equal: that of the first input with weight" {
    printf 'a;b 50\n' >big.folded
    profcat -f folded:measure=cpu/ns -o cpu.pfs two.folded
    # the reference has a total of 6; an input of weight 0 is no reference
    gives <<'END'
--normalize=total -w 0:big.folded one.folded two.folded => a;b 9, a;c 2, d 1
--normalize=total -w 2:big.folded one.folded => a;b 133, a;c 17
END
    refuses <<'END'
3 cpu.pfs: the input has no measure 'samples', .*[(]the main measure here is 'cpu'[)] => --normalize=total one.folded cpu.pfs
3 one.folded: the input has no measure 'cpu', .*[(]the main measure here is 'samples'[)] => --normalize=total cpu.pfs one.folded
END
    # 6 samples and 12 ns: the measure of the reference counts, whatever is the main measure of the input
    stream both.pfs <<'END'
{"measures": [{"name": "samples", "role": "count"}, {"name": "wall", "unit": "nanoseconds", "main": 1}],
 "records": [{"stack": [["d"]], "values": {"samples": 12, "wall": 48}}]}
END
    profmerge --normalize=total one.folded both.pfs | profcat -t csv | tail -n 1 >got
    [ "$(cat got)" = "sample,,,d,d,,0,6,24" ]
}

@test "--measures keeps, leaves out or refuses measures that not all inputs have" {
    profcat -f folded:measure=cpu/ns -o cpu.pfs two.folded
    profcat --probe <(profmerge one.folded cpu.pfs) | grep -c '^ *measure' >got
    [ "$(cat got)" -eq 2 ]
    python
    profmerge --measures=intersect random1.pfs one.folded | profcat --probe | grep '^ *measure' >got
    [ "$(wc -l <got)" -eq 1 ]
    grep -q 'sample samples' got
    refuses <<'END'
3 the inputs have no measure in common => --measures=intersect one.folded cpu.pfs
3 1 of 2 inputs have the measure => --measures=same one.folded cpu.pfs
3 measure 'samples' is in 'count' in one input and in => one.folded <(profcat -f folded:measure=samples/ns one.folded)
END
    profmerge --measures=same one.folded two.folded | proftop >/dev/null
    profmerge --force one.folded <(profcat -f folded:measure=samples/ns one.folded) | profcat --probe | grep -c '^ *measure' >got
    [ "$(cat got)" -eq 2 ]
}

@test "measures with one name and different units stay two measures, in any order of inputs" {
    # pprof: 9 nanoseconds and 70 cycles of cpu in fn
    printf '\012\004\010\001\020\002\012\004\010\001\020\003*\004\010\001\020\004"\010\010\001"\004\010\001\020\005\022\006\010\001\022\002\011F\062\000\062\003cpu\062\013nanoseconds\062\006cycles\062\002fn' >both.pb
    printf 'fn 5\n' | profcat -f folded:measure=cpu/ns -o ns.pfs
    while IFS= read -r line; do
        eval "profmerge ${line#* => }" | profcat --probe | sed -n 's/.*measure  *sample cpu: //p' | sort | paste -sd, >got
        [ "$(cat got)" = "${line%% => *}" ] || { echo "$line: $(cat got)"; bad=1; }
    done <<'END'
70 cycles,9ns => both.pb
140 cycles,18ns => both.pb both.pb
14ns,70 cycles => both.pb ns.pfs
14ns,70 cycles => ns.pfs both.pb
END
    [ "$bad" -eq 0 ]
}

@test "a warning says that levels, such as memory in use, are summed" {
    profcat -f folded:measure=inuse_space/bytes -o level.pfs one.folded
    profmerge level.pfs 2>err >/dev/null
    [ ! -s err ]
    profmerge level.pfs level.pfs 2>err >/dev/null
    grep -q "^profmerge: warning: 'inuse_space' is a level.*--mean" err
    profmerge --mean level.pfs level.pfs 2>err >/dev/null
    [ ! -s err ]
}

@test "the sums that a filter removed are weighted like the records" {
    proffilter -F b one.folded >part.pfs 2>/dev/null
    profmerge -w 3:part.pfs two.folded | proftop | sed 1q >got
    grep -q '^samples: 18, 75 % of 24 ' got # 3 times 6, of which b has 4, and 6
}

@test "the merge of StatProfiler files has the id of a new process" {
    a=$CORPUS/statprofiler/sections-nested.out b=$CORPUS/statprofiler/unicode.out
    profmerge -q "$a" -t statprofiler | profcat -H | grep process_id >got
    profcat -H "$a" | grep process_id >want
    cmp got want
    profmerge -q "$a" "$b" -t statprofiler -o ab.statprof
    profmerge -q "$b" "$a" -t statprofiler -o ba.statprof
    id() { profcat -H "$1" | sed -n 's/^statprofiler process_id //p'; }
    [ "$(id ab.statprof)" = "$(id ba.statprof)" ]
    [ "$(id ab.statprof)" != "$(id "$a")" ]
    [ "$(id ab.statprof)" != "$(id "$b")" ]
    profcat -H ab.statprof | grep -q '^statprofiler parent_id 0*$'
    [ "$(profmerge -q "$a" "$b" | profcat -H | grep -c merged_process_id)" -eq 2 ]
    [ "$(proftop -q -t json ab.statprof | sed 's/.*"total":\([0-9]*\).*/\1/;q')" -eq \
        $(($(proftop -q -t json "$a" | sed 's/.*"total":\([0-9]*\).*/\1/;q') + $(proftop -q -t json "$b" | sed 's/.*"total":\([0-9]*\).*/\1/;q'))) ]
}

@test "ten thousand inputs can be read with few open files, and a bad input is named" {
    for ((i = 0; i < 10000; i++)); do echo two.folded; done >names
    (ulimit -n 24 && profmerge -t folded @names) >got
    [ "$(paste -sd, got)" = "a;b 50000,d 10000" ]
    tr '\n' '\0' <names >names0
    (ulimit -n 24 && profmerge -t folded --files0-from=names0) >got
    [ "$(paste -sd, got)" = "a;b 50000,d 10000" ]
    sed '5000s/.*/bad.pfs/' names >names.bad
    head -c 100 random1.pfs >bad.pfs 2>/dev/null || printf 'x' >bad.pfs
    run -3 --separate-stderr profmerge -t folded @names.bad
    [[ $stderr == "profmerge: bad.pfs: "* ]]
    run -3 --separate-stderr profmerge -t folded --keep-going @names.bad
    [ "$output" = $'a;b 49995\nd 9999' ]
    [ "$(grep -c . <<<"$stderr")" -eq 1 ]
}

@test "a failed merge leaves the old file and no other file" {
    mkdir -p to && echo old >to/out.pfs
    head -c 60 one.folded >cut.pfs
    printf '\x89PFS' >damaged.pfs
    run -3 profmerge one.folded damaged.pfs -o to/out.pfs
    [ "$(cat to/out.pfs)" = old ]
    [ "$(ls -A to)" = out.pfs ]
    run -3 profmerge -w 9223372036854775807:one.folded -o to/out.pfs
    [ "$(cat to/out.pfs)" = old ]
    [ "$(ls -A to)" = out.pfs ]
    mkfifo feed
    profmerge one.folded feed -o to/out.pfs &
    pid=$!
    exec 7>feed
    printf 'main;x 1\n' >&7
    sleep 0.2
    kill -KILL "$pid"
    exec 7>&-
    wait "$pid" || true
    [ "$(cat to/out.pfs)" = old ]
    if [ -c /dev/full ]; then run -4 profmerge one.folded -t pfs -o /dev/full; fi
    # with --keep-going the other inputs are written
    run -3 profmerge --keep-going one.folded damaged.pfs -t folded -o to/out.folded
    [ "$(cat to/out.folded)" = $'a;b 4\na;c 2' ]
}

@test "with --keep-going an input that cannot be added does not change the result" {
    # ticks of 10 ms and levels in number; then ticks of 4 ms and levels in bytes, which cannot be added; a total of 0
    stream good.pfs <<'END'
{"measures": [{"name": "wall", "unit": "nanoseconds", "num": 10000000, "raw_unit": "tick", "main": 1, "nature": "sampled"},
              {"name": "level"}, {"name": "depth", "kind": "flat", "aggregation": "max"}],
 "records": [{"stack": [["main"], ["f"]], "values": {"wall": 3}}, {"stack": [["main"]], "values": {"level": 5}},
             {"kind": "flat", "at": ["f"], "values": {"depth": 4}}],
 "meta": [["x", "host", "one"]], "texts": [["f.pl", 1, "first"]]}
END
    stream unit.pfs <<'END'
{"measures": [{"name": "wall", "unit": "nanoseconds", "num": 4000000, "raw_unit": "tick", "main": 1, "nature": "sampled"},
              {"name": "level", "unit": "bytes"}, {"name": "depth", "kind": "flat", "aggregation": "max"}],
 "records": [{"stack": [["main"], ["new"]], "values": {"wall": 3}}, {"stack": [["main"]], "values": {"level": 5}},
             {"kind": "flat", "at": ["f"], "values": {"depth": 9}}],
 "meta": [["x", "host", "two"]], "texts": [["f.pl", 1, "second"]]}
END
    stream zero.pfs <<'END'
{"measures": [{"name": "wall", "unit": "nanoseconds", "num": 4000000, "raw_unit": "tick", "main": 1, "nature": "sampled"},
              {"name": "level"}, {"name": "depth", "kind": "flat", "aggregation": "max"}, {"name": "calls", "kind": "edge"}],
 "records": [{"stack": [["main"], ["new"]], "values": {"wall": 3}}, {"stack": [["main"], ["f"]], "values": {"wall": -3}},
             {"stack": [["main"], ["newer"]], "values": {"level": 5}}, {"kind": "flat", "at": ["f"], "values": {"depth": 9}},
             {"kind": "flat", "at": ["new"], "values": {"depth": 9}},
             {"kind": "edge", "caller": ["f"], "callee": ["new"], "values": {"calls": 2}}],
 "meta": [["x", "host", "three"], ["profutils", "removed", "sample wall nanoseconds 5 4000000/1 1"]],
 "texts": [["f.pl", 1, "third"]]}
END
    stream last.pfs <<'END'
{"measures": [{"name": "wall", "unit": "nanoseconds", "num": 10000000, "raw_unit": "tick", "main": 1, "nature": "sampled"},
              {"name": "level"}, {"name": "depth", "kind": "flat", "aggregation": "max"}],
 "records": [{"stack": [["main"], ["newer"]], "values": {"wall": 4}}, {"stack": [["main"], ["new"]], "values": {"level": 1}},
             {"kind": "flat", "at": ["new"], "values": {"depth": 2}}],
 "meta": [["x", "host", "three"]], "texts": [["f.pl", 1, "third"]]}
END
    for _ in 1 2 3 4 5 6 7 8; do echo 'a 4611686018427387904'; done >huge.folded
    while IFS= read -r line; do
        options=${line% => *} name=${line#* => }
        first=${name#unit.pfs} # the unit is that of the first input
        for turn in "$first good.pfs $name" "good.pfs $name last.pfs" "$first $first good.pfs $name last.pfs $name"; do
            files=$(tr ' ' '\n' <<<"$turn" | grep -vxF -- "$name" | paste -sd' ')
            profmerge $options $files | profcat -t text >want
            for threads in "" "-j 2"; do
                got=0
                profmerge $options --keep-going $threads $turn 2>err >got.pfs || got=$?
                profcat -t text got.pfs 2>/dev/null | grep -v '^incomplete' >got || true
                [ "$got" -eq 3 ] && grep -q "^profmerge: $name: " err || { echo "$line: status $got"; cat err; bad=1; }
                same want got "profmerge $options $threads $turn"
            done
        done
    done <<'END'
 => unit.pfs
--mean => unit.pfs
--measures=same => unit.pfs
--normalize=total => unit.pfs
--normalize=total => zero.pfs
--normalize=1s --mean => zero.pfs
END
    for options in "" --mean; do
        fails 3 'huge.folded: sample record .* overflows 64 bits' \
            profmerge -t folded --keep-going $options -w 9223372036854775807:huge.folded one.folded
        [ "$output" = "$(profmerge -t folded $options one.folded)" ]
    done
    # if no input is left, nothing is written
    rm -f out.pfs
    fails 3 zero.pfs profmerge --keep-going --normalize=total zero.pfs -o out.pfs
    [ ! -e out.pfs ]
    [ "$bad" -eq 0 ]
}

@test "the merge of an incomplete input is marked incomplete" {
    printf '\x89PFS' >damaged.pfs
    { profmerge one.folded damaged.pfs 2>/dev/null || true; } >part.pfs
    run -3 proftop part.pfs
    [[ $output == *incomplete* ]]
}

@test "DCPI profiles are merged by the rules of their format" {
    python
    [ -d "$CORPUS/dcpi/ops" ] || skip "no such corpus"
    for case in "$CORPUS"/dcpi/ops/*/; do
        grep -q '"op": "merge"' "$case/expect.json" || continue
        mapfile -t options < <(python3 - "$case" <<'END'
import json, sys
case = json.load(open(sys.argv[1] + "expect.json"))
if "stride" in case:
    print(f"-fdcpi:stride={case['stride']}")
for weight, name in zip(case.get("weights", ["1"] * 99), case["inputs"]):
    print(f"-w{weight}:{sys.argv[1]}{name}")
END
        )
        error=$(sed -n 's/.*"error": "\(.*\)".*/\1/p' "$case/expect.json") got=0
        profmerge -t dcpi "${options[@]}" >out.prof 2>err || got=$?
        if [ -z "$error" ]; then
            cmp out.prof "$case/out.prof" && ! grep -v 'rounded to whole numbers' err || { cat err; bad=1; }
        else
            [ "$got" -eq 2 ] && grep -q "$error" err || { echo "$case: status $got: $(cat err), expected $error"; bad=1; }
        fi
    done
    a=$CORPUS/dcpi/ops/o17_merge_count_overflow
    if [ -d "$a" ]; then
        run ! profmerge -t dcpi "$a"/in*.prof
        profmerge --saturate -t dcpi -o clamped.dcpi "$a"/in*.prof 2>err || grep -q 'counts sum to' err
        grep -q '1 counts are more than the 32 bits of dcpi hold: clamped' err
    fi
    [ "$bad" -eq 0 ]
}

# made IMAGE COUNT [LINE]: a DCPI profile of one address; COUNT is below 8
made()
{
    printf 'image %s\nepoch 9707171530\nplatform w\nevent cycles\nperiod 100\ntsize 400\ncpuspeed 333\n%ssamples\n' "$1" "${3:+$3
}"
    printf "\\0\\0\\0\\0\\1\\0\\0\\0\\$2\\0\\0\\0\\1\\0\\0\\0\\$2\\0\\0\\0"
}

@test "DCPI identifiers in small letters and in capitals name the same image" {
    made abc0 1 >small.dcpi
    made ABC0 2 >great.dcpi
    for pair in "small great" "great small"; do
        a=${pair% *} b=${pair#* }
        profcat -o "$a.pfs" $a.dcpi
        profcat -o "$b.pfs" $b.dcpi
        for kind in dcpi pfs; do
            # 0.5 + 1 is 1.5, rounded once
            profmerge -w 0.5:$a.$kind -w 0.5:$b.$kind -t dcpi | proftop --by=image | sed -n 1p >got
            grep -q '^cycles: 2 total, 1 record ' got || { cat got; bad=1; }
            [ "$(proftop -t csv --by=image $a.$kind $b.$kind | wc -l)" -eq 2 ] || { echo "$pair: top"; bad=1; }
            [ "$(proftop -t csv --by=address $a.$kind $b.$kind | wc -l)" -eq 2 ] || { echo "$pair: addresses"; bad=1; }
            [ "$(profdiff -t csv --by=image $a.$kind $b.$kind | grep -c '^image,')" -eq 1 ] || { echo "$pair: diff"; bad=1; }
        done
        profmerge -t dcpi $a.dcpi $b.dcpi | grep -a '^image' | cmp - <(grep -a '^image' $a.dcpi) || bad=1
    done
    profcat -t dcpicat great.dcpi | grep -qE '^image +ABC0$'
    profcat -t dcpicat great.dcpi | profcat -t dcpi 2>/dev/null | grep -aqx 'image ABC0'
    [ "$bad" -eq 0 ]
}

@test "for several images in a DCPI file, the advice of the message separates them" {
    made abc0 1 "path /bin/x" >one.dcpi
    made abd1 1 "path /bin/x" >other.dcpi
    made abd1 1 "path /bin/y" >far.dcpi
    fails 2 'abc0 and abd1, which have the same name: merge the files of each image separately' profmerge -t dcpi one.dcpi other.dcpi
    fails 2 'abc0 and abd1 .proffilter --split=image writes a file for each' profmerge -t dcpi one.dcpi far.dcpi
    profmerge one.dcpi far.dcpi | proffilter --split=image -t dcpi -o '%s.part'
    cmp one.dcpi %2Fbin%2Fx.part
    cmp far.dcpi %2Fbin%2Fy.part
}

@test "a merge of NYTProf files equals what Devel::NYTProf loads from nytprofmerge's output" {
    python
    n=$CORPUS/nytprof
    [ -f "$n/merged_fork_z.expected.json" ] || skip "no such corpus"
    python3 "$check" nytprof "$n/merged_fork_z.expected.json" "$n"/fork_z.p?.nyt
    for triple in "gotos gotos_c0 gotos_blocks" "twice recurse_calls2 recurse_calls2" "one recurse_c0"; do
        read -r merged a b <<<"$triple"
        [ -f "$n/merged_$merged.expected.json" ] && [ -f "$n/$a.nyt" ] && { [ -z "$b" ] || [ -f "$n/$b.nyt" ]; } || continue
        python3 "$check" nytprof "$n/merged_$merged.expected.json" "$n/$a.nyt" ${b:+"$n/$b.nyt"}
    done
}

@test "Devel::NYTProf loads the same from our merged NYTProf file as from nytprofmerge's" {
    python
    n=$CORPUS/nytprof
    [ -f "$n/merged_fork_z.expected.json" ] || skip "no such corpus"
    perl -MDevel::NYTProf::Data -e1 2>err || skip "no Devel::NYTProf"
    python3 "$check" loaded "$n/merged_fork_z.expected.json" "$n"/fork_z.p?.nyt
}

@test "string evals with the same text at the same place become one" {
    n=$CORPUS/nytprof
    [ -f "$n/evals_z.nyt" ] || skip "no such corpus"
    python
    # the program evaluates a string several times in its line 4
    profcat -q -t ndjson "$n/evals_z.nyt" | grep -o '(eval [0-9]*)\[[^]]*evals.pl:4]' | sort -u >apart
    profmerge -q -t ndjson "$n/evals_z.nyt" | grep -o '(eval [0-9]*)\[[^]]*evals.pl:4]' | sort -u >one
    [ "$(wc -l <apart)" -gt 1 ]
    [ "$(wc -l <one)" -eq 1 ]
    python3 "$check" sums "$n/evals_z.nyt"
    python3 "$check" sums "$n/evals_z.nyt" "$n/fork_z.p0.nyt"
}

@test "--granularity ignores what differs between builds, but keeps functions without a name apart by their place" {
    python
    python3 "$check" builds .
    shape() { profmerge "$@" -t ndjson build0.pfs build1.pfs | sed 's/.*"function":"\([^"]*\)".*"line":\([0-9]*\),.*"values":{"samples":\([0-9]*\).*/\1:\2=\3/' | paste -sd' '; }
    [ "$(shape)" = "f:10=1 Perl::__ANON__:31=10 g:5=100 f:12=1 Perl::__ANON__:31=10 Perl::__ANON__:41=1000 g:5=100" ]
    [ "$(shape -g line)" = "f:10=1 Perl::__ANON__:31=20 g:5=200 f:12=1 Perl::__ANON__:41=1000" ]
    [ "$(shape -g function)" = "f:0=2 Perl::__ANON__:0=20 g:0=200 Perl::__ANON__:0=1000" ]
    [ "$(shape -g file)" = "x.c:0=1222" ]
    # the lowest first line of a function is shown
    profmerge -g function build1.pfs build0.pfs | proftop | grep -q ' f  x.c:8$'
    for what in function file line; do
        profmerge --canonical -g $what build0.pfs build1.pfs random1.pfs >abc
        profmerge --canonical -g $what random1.pfs build1.pfs build0.pfs >cba
        cmp abc cba
    done
    python3 "$check" sums -g random1.pfs random2.pfs
}

@test "--granularity accepts functions that have only a first line" {
    # 3 samples of a function whose first line is 9, without name and file
    printf '\012\004\010\001\020\002\022\004\010\001\020\003\042\006\010\001\042\002\010\001\052\004\010\001\050\011\062\000\062\001n\062\005count' >nameless.pb
    [ "$(profmerge -f pprof -g function nameless.pb nameless.pb -t folded)" = '[unknown] 6' ]
}

@test "a warning says if the rounded values have another sum" {
    for k in 1 2 3 4 5; do printf 'main;hot 10\nmain;r%d 2\nmain;q%d 2\n' $k $k >mean$k.folded; done
    # of each input 10 + 2 + 2; 2/5 becomes 0 ten times
    profmerge --mean mean?.folded -t folded >out 2>err
    [ "$(cat out)" = "main;hot 10" ]
    grep -qx "profmerge: warning: 'samples' of sample records: the rounded values sum to 10, the exact sum is 14; \
whole weights without --mean or --normalize need no rounding" err
    # 5 times 0.6 * 14 = 42: 30 and ten times round(1.2)
    for k in 1 2 3 4 5; do printf '0.6\tmean%d.folded\n' $k; done >weights
    profmerge --weights=weights -t folded 2>&1 >/dev/null | grep -q "sum to 40, the exact sum is 42;"
    profmerge --normalize=7 mean1.folded -t folded 2>err # 5, 1 and 1
    [ ! -s err ]
    profmerge mean?.folded -t folded 2>err | awk '{ n += $NF } END { exit n != 70 }'
    [ ! -s err ]
    # 0.1 %: 999.5 becomes 1000; 1000.5 as well, beside 0.5 twice
    printf 'a 1999\n' >wide.folded
    profmerge -w 1/2:wide.folded -t folded 2>err
    [ ! -s err ]
    printf 'a 1999\nb 1\nc 1\n' >wide.folded
    profmerge -w 1/2:wide.folded -t folded 2>err # 1000 of 1000.5, which is 1000
    [ ! -s err ]
    printf 'a 1990\nb 1\nc 1\nd 1\ne 1\n' >wide.folded
    profmerge -w 1/2:wide.folded -t folded 2>&1 >/dev/null | grep -q "sum to 995, the exact sum is 997;"
    # a difference has a sum of 0, with a small rounding error
    profmerge -w 1/2:wide.folded -w -1/2:wide.folded -t folded 2>err
    [ ! -s err ]
    # each kind of record separately, in the raw unit
    stream ticks.pfs <<'END'
{"measures": [{"name": "wall", "unit": "nanoseconds", "raw_unit": "tick", "num": 1000}], "records": [{"stack": [["f"]], "values": {"wall": 1}},
 {"stack": [["g"]], "values": {"wall": 1}}, {"stack": [["h"]], "values": {"wall": 1}}]}
END
    profmerge -w 1/2:ticks.pfs 2>&1 >/dev/null | grep -q "'wall' of sample records: .* sum to 0, the exact sum is 2 tick;"
}

@test "a warning counts records that lack the only measure that a format holds" {
    printf 'a;b 5\nc 1\n' >cpu.folded
    profcat -f folded:measure=cpu/us cpu.folded -o cpu.pfs
    profcat -f folded:measure=mem/bytes cpu.folded -o mem.pfs
    profcat cpu.pfs cpu.pfs -o both.pfs
    for format in folded statprofiler:tick=1 cpuprofile svg json:flame; do
        fails 0 "warning: [a-z]+: 2 of 6 records have no 'cpu' and are left out, the first in mem.pfs \(-m chooses another measure\)" \
            profmerge cpu.pfs mem.pfs cpu.pfs -t $format
    done
    fails 0 "warning: heapprofile: 4 of 6 records have no 'mem' and are left out, the first in both.pfs" profmerge both.pfs mem.pfs -t heapprofile
    fails 0 "warning: folded: 4 of 6 records have no 'mem' and are left out, the first in both.pfs$" profmerge both.pfs mem.pfs -m mem -t folded
    # formats of several measures keep all, and no stack lacks a measure
    profmerge cpu.pfs mem.pfs -o union.pfs
    for format in "pprof cpu.pfs mem.pfs" "speedscope cpu.pfs mem.pfs" "json cpu.pfs mem.pfs" "folded union.pfs" "folded cpu.pfs cpu.pfs"; do
        # shellcheck disable=SC2086  # files
        profmerge -t $format -o out 2>err
        [ ! -s err ]
    done
}

@test "of maxima the greatest value remains, compared in one unit" {
    # 3 units of 10 and 20 units of 1: 30 is greater, in either order
    for num in 10 1; do
        stream "$num.pfs" <<<'{"measures": [{"name": "n"}, {"name": "depth", "aggregation": "max", "num": '$num'}],
            "records": [{"stack": [["a"]], "values": {"n": 1, "depth": '$((num == 1 ? 20 : 3))'}}]}'
    done
    for order in '1.pfs 10.pfs' '10.pfs 1.pfs'; do
        # shellcheck disable=SC2086
        [ "$(profmerge $order -t csv | tail -1)" = sample,,,a,a,,0,2,30 ]
    done
}
