# JSON profiles: speedscope's, V8's, stackprof's, Chrome's traces, and the project's own records. Expected numbers come
# from a decoder in check/json_formats.py, from the profilers' tools, and from speedscope's own importer.

bats_require_minimum_version 1.5.0

load ../lib/expect

setup()
{
    cd "$BATS_TEST_TMPDIR" || return
    PATH=$PROFUTILS_BIN:$PATH
    files=$CORPUS
    [ -d "$files/speedscope" ] || files=$PROFUTILS_SRC/tests/corpus
}

check() { python3 "$PROFUTILS_SRC/tests/check/json_formats.py" "$@"; }

@test "every file reads as its decoder says" { check read direct "$files"; }
@test "every file, converted to the native stream, reads as its decoder says" { check read pfs "$files"; }
@test "every file, converted to our own JSON, reads as its decoder says" { check read json "$files"; check read ndjson "$files"; }
@test "every file, written as speedscope, reads as its decoder says" { check read speedscope "$files"; }
@test "every file of V8, written as cpuprofile or heapprofile, reads as its decoder says" { check read cpuprofile "$files"; check read heapprofile "$files"; }
@test "functions have the numbers of the profilers' own tools" { check expected "$files"; }
@test "written files have the members that clients need" { check written "$files"; }
@test "names, numbers and nesting of any size are read, and damage is reported with its place" { check made; }

@test "files of real producers read as the decoder and the producers' tools say" {
    [ -d "$CORPUS/v8" ] || skip "no folders by producers"
    check read direct "$CORPUS"
    check read pfs "$CORPUS"
    check expected "$CORPUS"
}

@test "files of other projects read as speedscope shows them, or are refused with the reason" {
    [ -d "${PROFUTILS_WILD:-}/speedscope" ] || skip "PROFUTILS_WILD does not name their place"
    check wild "$PROFUTILS_WILD"
}

@test "records written as JSON are the same when they are read and written again" {
    for file in "$PROFUTILS_SRC"/tests/corpus/nytprof/*.nyt "$PROFUTILS_SRC"/tests/corpus/statprofiler/*.out; do
        [ "$(wc -c <"$file")" -lt 20000 ] || continue
        profcat -t ndjson "$file" >once.ndjson 2>/dev/null || continue
        [ -s once.ndjson ] || continue
        profcat -t ndjson once.ndjson >twice.ndjson
        diff once.ndjson twice.ndjson
        profcat -t json once.ndjson | profcat -t ndjson | diff once.ndjson -
        tried=yes
    done
    [ -n "$tried" ]
    grep -q '"sections":\["' "$PROFUTILS_SRC"/tests/corpus/ndjson/*.ndjson
    for file in "$PROFUTILS_SRC"/tests/corpus/ndjson/*.ndjson; do
        profcat -t ndjson "$file" >once.ndjson
        profcat -t ndjson once.ndjson | diff once.ndjson -
    done
}

@test "tables of profiles are the same after our own JSON" {
    local own=$PROFUTILS_SRC/tests/corpus to tried=
    # calls with several measures, stacks besides calls, first lines, a main measure that is not the first, flags and
    # natures
    for file in "$own"/nytprof/{dash_e,gotos_blocks,synth_evals}.nyt "$own"/callgrind/hand_{appended,combined,inlined,jumps}.out \
        "$own"/stackprof/*.stackprof "$own"/pprof/*.pb.gz "$own"/statprofiler/fork.out.*1 "$own"/gmon/b.gmon.out "$own"/pstats/*.pstats; do
        [ -f "$file" ] && [ "$(wc -c <"$file")" -lt 50000 ] || continue
        profcat -q "$file" -o given.pfs
        proftop -q -n 0 given.pfs | sed "1s,  *[^ ]*$,," >want
        for to in json ndjson; do
            profcat -q given.pfs -t $to -o given.$to
            [ -s given.$to ] || continue
            # the duration comes from metadata, which may be lost
            proftop -q -n 0 given.$to | sed "1s,  *[^ ]*$,," | diff -u <(sed '/^duration /d' want) <(sed '/^duration /d')
            tried+=x
        done
    done
    [ ${#tried} -ge 20 ]
}

@test "values and totals that overflow 64 bits are read back from our own JSON" {
    stream wide.pfs <<'END'
{"measures": [{"name": "wall", "unit": "nanoseconds", "num": 10000000, "raw_unit": "tick"}, {"name": "n"}],
 "records": [{"stack": [["f"]], "values": {"wall": 1000000000000000003, "n": 9223372036854775807}},
             {"stack": [["g"]], "values": {"wall": -5, "n": 9223372036854775807}}]}
END
    for to in json ndjson; do
        profcat -t $to wide.pfs -o wide.$to
        profcat -t text wide.pfs | diff - <(profcat -t text wide.$to | grep -v '^metadata')
        # n: 2 * (2^63 - 1)
        proftop -m n -t json wide.$to | grep -q '"total":18446744073709551614[,}]'
    done
    # without the scale the total is too large
    sed 's/,"num":10000000//' wide.ndjson >bare.ndjson
    fails 3 "bare.ndjson: offset [0-9]+: expected a number of 64 bits .*, not '10000000000000000030000000'" profcat bare.ndjson
}

@test "rows with more than 64 measures are read back from our own JSON" {
    python3 - <<'END' | stream many.pfs
import json
names = ["m%d" % k for k in range(200)]
print(json.dumps({"measures": [{"name": name} for name in names],
                  "records": [{"stack": [["f"]], "values": {name: k + 1 for k, name in enumerate(names)}}]}))
END
    for to in json ndjson; do
        profcat -t $to many.pfs -o many.$to
        [ "$(profcat -t folded -m m199 many.$to)" = "f 200" ]
    done
}

@test "NDJSON with a first line over 64 KiB is recognised, even in a pipe" {
    awk 'BEGIN { for (k = 0; k < 1000; k++) printf "%sframe_%d_of_a_deep_stack", k ? ";" : "", k; print " 3" }' >deep.folded
    profcat -t ndjson deep.folded >deep.ndjson
    [ "$(head -n 1 deep.ndjson | wc -c)" -gt 65536 ]
    profcat -t folded deep.ndjson | cmp - deep.folded
    cat deep.ndjson | profcat -t folded | cmp - deep.folded
}

@test "a document whose meta says that its input was incomplete counts as incomplete" {
    printf 'a;b 1\nno count\n' >a.folded
    run -3 profcat -f folded -t json a.folded -o /dev/stdout
    profcat -f folded -t json a.folded >a.json 2>/dev/null || true
    run -3 profcat -t folded a.json
    [[ $output == *"a;b 1"* ]]
    [[ $output == *"incomplete"* ]]
}

@test "spans of Chrome's traces have the times computed by arithmetic of intervals" {
    python3 "$PROFUTILS_SRC/tests/check/chrometrace.py"
}

@test "option lines of cpuprofile adds flat records for lines" {
    profcat -f cpuprofile:lines=yes -t csv "$files/cpuprofile/disorder.cpuprofile" 2>/dev/null >out
    grep -q 'flat.*inner.*a.js,11' out
    grep -q 'flat.*inner.*a.js,12' out
    [ "$(grep -c flat out)" -eq 2 ]
}

# lines_profile: a .cpuprofile whose function f of the file "a b.js" here has 7 hits in line 2 and 3 in line 3
lines_profile()
{
    printf '%s\n' 'function f() {' '  work();' '  rest();' '}' >'a b.js'
    printf '{"nodes":[{"id":1,"callFrame":{"functionName":"f","scriptId":"0","url":"file://%s/a%%20b.js","lineNumber":0,"columnNumber":0},
        "hitCount":10,"positionTicks":[{"line":2,"ticks":7},{"line":3,"ticks":3}]}],
        "startTime":0,"endTime":10,"samples":[1],"timeDeltas":[0]}' "$PWD" >p.cpuprofile
}

@test "proftop and profdiff read the hits of V8's lines when lines are asked for" {
    lines_profile
    for threads in 1 2; do
        proftop -j "$threads" --by=line -t csv p.cpuprofile p.cpuprofile >out
        proftop -j "$threads" --kind=flat --by=line -t csv p.cpuprofile p.cpuprofile | cmp - out
        grep -q "^1,f,$PWD/a b.js,2,.*,hits,count,14," out
        grep -q "^2,f,$PWD/a b.js,3,.*,hits,count,6," out
    done
    profdiff --by=line -t csv p.cpuprofile p.cpuprofile | grep -q 'f,.*a b.js,2,.*,hits,count,7,7,0,'
    proftop --list=f p.cpuprofile | grep -q '^ *7  *7  *2:   work();$'
    proftop --list=f p.cpuprofile | grep -q '^ *\.  *\.  *4: }$'
    # tables of functions, and other programs, have only samples
    proftop -t csv p.cpuprofile | grep -q ',wall,nanoseconds,10000,'
    run -0 proftop p.cpuprofile
    [[ $output != *flat\ \(hits\)* ]]
}

@test "a table of lines says so if the lines are those of functions" {
    lines_profile
    run -0 --separate-stderr proftop --by=line p.cpuprofile
    [ -z "$stderr" ]
    profcat p.cpuprofile >p.pfs
    run -0 --separate-stderr proftop --by=line p.pfs
    [[ $stderr == "proftop: warning: lines are where functions begin;"*"-f cpuprofile:lines=yes" ]]
    profcat -f cpuprofile:lines=yes p.cpuprofile | proftop --by=line -t csv | grep -q ',hits,count,7,'
    sed -i 's/"positionTicks":\[[^]]*\]/"x":0/' p.cpuprofile
    run -0 --separate-stderr proftop --by=line p.cpuprofile
    [[ $stderr == *"begin: the profile has no others" ]]
    run -0 --separate-stderr proftop p.cpuprofile
    [ -z "$stderr" ]
}

@test "the URL of a file is its path in every output, and is written back" { check urls; }

# v8_profile HITS MEMBERS: a .cpuprofile of one function
v8_profile()
{
    printf '{"nodes":[{"id":1,"callFrame":{"functionName":"f","scriptId":"0","url":"a.js","lineNumber":0,"columnNumber":0},"hitCount":%s}],%s}' "$@"
}

@test "times of V8's profiles may have decimals, and their sum is rounded only once" {
    # duration of a sample in decimals of a microsecond, number of such samples, their sum in
    # nanoseconds
    while read -r delta samples total; do
        ones=$(yes 1 | head -n "$samples" | paste -sd,)
        deltas=$(yes "$delta" | head -n "$samples" | paste -sd,)
        v8_profile 0 "\"samples\":[$ones],\"timeDeltas\":[$deltas]" >given.cpuprofile
        [ "$(proftop -f cpuprofile:deltas=before -t csv given.cpuprofile | sed -n '2s/.*,wall,nanoseconds,\([0-9]*\),.*/\1/p')" = "$total" ]
        profcat -f cpuprofile:deltas=before -t cpuprofile given.cpuprofile | proftop -t csv | grep -q ",wall,nanoseconds,$total,"
    done <<'END'
1000.25 1000 1000250000
250.1234 1000 250123400
0.3333333 30000 9999999
16.700000047683716 10000 167000000
0.0000004 20000 8
1e-4 30000 3000
END
    # from start to end, neither of which is a whole nanosecond: 2.5005 us are 2500 ns, half to even
    v8_profile 3 '"startTime":1700000000000000.0005,"endTime":1700000000000002.501' >given.cpuprofile
    proftop -t csv given.cpuprofile | grep -q ',wall,nanoseconds,2500,'
    v8_profile 3 '"samples":[1],"timeDeltas":[4.5],"startTime":1700000000000000.25,"endTime":1700000000000005' >given.cpuprofile
    profcat -f cpuprofile:deltas=before -t cpuprofile given.cpuprofile | grep -qx '"startTime":1700000000000000.250,"endTime":1700000000000006,'
    # the same in a trace, whose times are whole nanoseconds
    deltas=$(yes 0.3333333 | head -n 3000 | paste -sd,)
    ones=$(yes 1 | head -n 3000 | paste -sd,)
    printf '[{"ph":"P","name":"ProfileChunk","id":"0x1","pid":1,"tid":1,"ts":0,"args":{"data":{"cpuProfile":{"nodes":[{"id":1,"callFrame":{"functionName":"f","scriptId":0}}],"samples":[%s]},"timeDeltas":[%s]}}}]' \
        "$ones" "$deltas" >given.trace
    proftop -f chrometrace:deltas=before -t csv given.trace | grep -q ',wall,nanoseconds,1000000,'
}

@test "option sizes of heapprofile reads the sizes of heap samples, even of undefined nodes" {
    run profcat -f heapprofile:sizes=samples -t folded "$files/heapprofile/small.heapprofile"
    [[ $output == *"[unknown] 61400"* ]]
    [[ $output == *"alloc;alloc 24"* ]]
    [[ $output == *"1 samples have nodes that the profile does not define"* ]]
}

@test "node reads our cpuprofile, and we read node's" {
    command -v node >/dev/null || skip "no node"
    profcat -t cpuprofile "$files/cpuprofile/work.cpuprofile" >out.cpuprofile
    node -e 'const p = JSON.parse(require("fs").readFileSync("out.cpuprofile"));
        if (p.samples.length != p.timeDeltas.length || p.nodes[0].callFrame.functionName != "(root)") process.exit(1);'
    echo 'let s = 0; for (let i = 0; i < 3e7; i++) s += i % 7;' >busy.js
    node --cpu-prof --cpu-prof-name=busy.cpuprofile busy.js
    node -e 'const p = JSON.parse(require("fs").readFileSync("busy.cpuprofile"));
        console.log(p.samples.length, 1000 * (p.endTime - p.startTime - p.timeDeltas[0]))' >expected
    profcat --probe -t json busy.cpuprofile | from_json '[m["total"] for n in ["hits", "wall"] for m in d["rows"][0]["measures"] if m["name"] == n]' >out
    tr -d '[],' <out | diff expected -
}

# chunk NODES SAMPLES TIMES [ID]: prints a part of a profile in a trace; NODES is a number or
# nothing
chunk() {
    local node=
    [ -z "$1" ] || node="{\"id\":$1,\"callFrame\":{\"functionName\":\"a\"}}"
    printf '{"ph":"P","name":"ProfileChunk","pid":1,"tid":1,%s"ts":1,"args":{"data":{"cpuProfile":{"nodes":[%s],"samples":[%s]},"timeDeltas":[%s]}}}' \
        "${4+\"id\":\"$4\",}" "$node" "$2" "$3"
}

@test "a profile in a trace ends where a part is damaged; its times are whole nanoseconds" {
    printf '[%s,%s]' "$(chunk 1 1 1 0x1)" "$(chunk '' '1,1,1,1,"x"' 1 0x1)" >damaged.json
    fails 3 'damaged.json: offset [0-9]+: a part of a profile' profcat -f chrometrace -t folded damaged.json
    printf '[%s,%s]' "$(chunk 1 1 2 0x1)" "$(chunk '' 1 1e300 0x1)" >much.json
    fails 3 'much.json: offset [0-9]+: a part of a profile' profcat -f chrometrace -t folded much.json
    # 2.5 + 0.125 + 9007199254740.5 microseconds, and 0.0006, which is rounded to one nanosecond
    printf '[%s]' "$(chunk 1 1,1,1,1 2.5,0.125,9007199254740.5,0.0006)" >fine.json
    profcat -v -f chrometrace:deltas=before -t folded fine.json >out 2>err
    [ "$(cat out)" = "a 9007199254743126" ]
    grep -q '1 times finer than nanoseconds are rounded' err
}

@test "speedscope: a weight whose negation overflows 64 bits is refused, and records before it are read" {
    printf '%s' '{"shared":{"frames":[{"name":"a"}]},"profiles":[{"type":"sampled","unit":"none","samples":[[0],[0]],' \
        '"weights":[3,-9223372036854775808],"profutils":{"measure":"m","unit":"count","negative":true}}]}' >least.json
    fails 3 'least.json: offset 48: record 2: the weight overflows 64 bits' profcat -f speedscope -t csv least.json
    grep -q ',-3$' out
}

@test "speedscope: two records with 17 measures are read back as two records" {
    awk 'BEGIN { for (row = 1; row <= 2; row++) {
        printf "{\"kind\":\"sample\",\"stack\":[{\"function\":\"f%d\"}],\"values\":{", row
        for (m = 1; m <= 17; m++) printf "%s\"m%d\":%d", (m > 1 ? "," : ""), m, row * m
        print "}}" } }' >in.ndjson
    profcat -f ndjson in.ndjson -t speedscope | profcat -t ndjson >got
    [ "$(wc -l <got)" -eq 2 ]
    grep -q '"function":"f2".*"m1":2,.*"m17":34[,}]' got
}

@test "speedscope: four profiles of one name, two of each unit, keep all their weights" {
    for unit in bytes bytes milliseconds milliseconds; do
        echo "{\"type\":\"sampled\",\"name\":\"x\",\"unit\":\"$unit\",\"startValue\":0,\"endValue\":9,\"samples\":[[0],[0,1]],\"weights\":[$((++number)),10]}"
    done | paste -sd, | sed 's/.*/{"shared":{"frames":[{"name":"a"},{"name":"b"}]},"profiles":[&]}/' >four.json
    # bytes 1 and 2, milliseconds 3 and 4
    [ "$(profcat -f speedscope -m bytes -t folded four.json)" = $'a 3\na;b 20' ]
    [ "$(profcat -f speedscope -m wall -t folded four.json)" = $'a 7000000\na;b 20000000' ]
}

@test "speedscope: frames that never close are an error, as in its viewer; --salvage takes the time up to the last event" {
    printf '%s' '{"shared":{"frames":[{"name":"a"},{"name":"b"}]},"profiles":[{"type":"evented","unit":"nanoseconds","startValue":0,"endValue":100,' \
        '"events":[{"type":"O","frame":0,"at":0},{"type":"O","frame":1,"at":10},{"type":"C","frame":1,"at":14},{"type":"O","frame":1,"at":40}' >open.json
    { cat open.json; printf ']}]}'; } >never.json
    fails 3 "never.json: offset $(($(wc -c <open.json) + 1)): 2 frames are still open after the last event: every frame that opens must close" \
        profcat -f speedscope -t folded never.json
    # a until 10, b until 14, a until 40
    [ "$(profcat -q --salvage -f speedscope -t folded never.json)" = $'a 36\na;b 4' ]
    # closed at 90: 50 more for b; nothing happened from 90 to 100
    { cat open.json; printf ',{"type":"C","frame":1,"at":90},{"type":"C","frame":0,"at":90}]}]}'; } >closed.json
    [ "$(profcat -f speedscope -t folded closed.json)" = $'a 36\na;b 54' ]
}

# times COUNT TEXT: repeats TEXT, with commas between
times() { awk -v n="$1" -v text="$2" 'BEGIN { while (n-- > 1) printf "%s,", text; printf "%s", text }'; }

@test "100,000 profiles in a document do not take quadratic time" {
    { printf '{"shared":{"frames":[{"name":"a"}]},"profiles":['
      times 100000 '{"type":"sampled","name":"p","unit":"none","samples":[[0]],"weights":[1]}'
      printf ']}'; } >many.json
    [ "$(ulimit -t 5; profcat -f speedscope -t folded many.json)" = "a 100000" ]
    { printf '['; times 100000 "$(chunk 1 1 1)"; printf ']'; } >many.json
    [ "$(ulimit -t 20; profcat -f chrometrace:deltas=before -t folded many.json)" = "a 100000000" ]
}

@test "a number that is too large for a value is refused as too large, with its place" {
    # format; text, with @ where the message has its offset and # for the number; message
    for number in 1e308 -1e308 1e999999 99999999999999999999; do
        while IFS=';' read -r format text message; do
            text=${text//#/$number}
            before=${text%%@*}
            printf '%s' "$before${text#*@}" >large.json
            fails 3 "large.json: offset ${#before}: ${message//#/$number}" profcat -f "$format" large.json -o /dev/null
        done <<'END'
speedscope;{"shared":{"frames":[{"name":"a"}]},"profiles":[{"type":"sampled","unit":"none","samples":[[0]],"weights":[@#]}]};record 1: the weight '#' is too large
speedscope;{"shared":{"frames":[{"name":"a"}]},"profiles":[{"type":"evented","unit":"none","events":[{"type":"O","frame":0,"at":@#}]}]};record 1: the time '#' is too large
speedscope;{"shared":{"frames":[{"name":"a"}]},"profiles":[{"type":"sampled","unit":"none","samples":[[@#]],"weights":[1]}]};expected a whole number of 64 bits, not '#'
cpuprofile;{"nodes":[{"id":1,"callFrame":{"functionName":"a"}}],"samples":[1],"timeDeltas":[@#]};record 1: the time '#' is too large
cpuprofile;{"nodes":[{"id":1,"callFrame":{"functionName":"a"}}],"samples":[1],"timestamps":[@#]};record 1: the time '#' is too large
cpuprofile;{"nodes":[{"id":1,"callFrame":{"functionName":"a"},"hitCount":@#}]};expected a whole number of 64 bits, not '#'
heapprofile;{"head":{"callFrame":{"functionName":"a"},"selfSize":@#,"id":1,"children":[]}};expected a whole number of 64 bits, not '#'
chrometrace;[{"ph":"X","pid":1,"tid":1,"ts":@#,"dur":5,"name":"a"}];the time '#' is too large
chrometrace;[{"ph":"X","pid":1,"tid":1,"ts":1,"dur":@#,"name":"a"}];the time '#' is too large
chrometrace;[{"ph":"P","pid":1,"tid":1,"ts":1,"weight":@#,"name":"a"}];the weight '#' is too large
stackprof;{"frames":{"1":{"name":"a","samples":@#}}};expected a whole number of 64 bits, not '#'
ndjson;{"stack":["a"],"values":{"w":@#}};expected a number of 64 bits with at most 18 decimals, not '#'
END
    done
    # numbers inside a value that jansson parses as a whole
    printf '%s' '{"nodes":[{"id":1,"callFrame":{"functionName":"a","lineNumber":99999999999999999999}}]}' >large.json
    fails 3 "a number is too large near '99999999999999999999'" profcat -f cpuprofile large.json -o /dev/null
    printf '[%s]' "$(chunk 1 1 1e308)" >large.json
    fails 3 'a part of a profile with a time that is too large' profcat -f chrometrace large.json -o /dev/null
    printf '%s' '{"frames":{"1":{"name":"a","samples":1,"lines":{"3":[1,1e308]}}}}' >large.json
    fails 3 'expected a whole number of 64 bits of samples of a line, not 1e.308' profcat -f stackprof large.json -o /dev/null
}

@test "half a surrogate pair in a value does not change the other letters" {
    printf '[{"ph":"X","pid":1,"tid":1,"ts":1,"dur":5,"name":"\303\251\\ud800\\\303\267"}]' >half.json
    fails 3 'half.json: offset 56: not a JSON value: invalid escape' profcat -f chrometrace half.json -o /dev/null
    printf '[{"ph":"X","pid":1,"tid":1,"ts":1,"dur":5,"name":"\303\251\\ud800 \303\267"}]' >half.json
    printf '\303\251\357\277\275 \303\267 5000\n' >want
    profcat -f chrometrace -t folded half.json >got
    cmp want got
}

@test "all JSON readers refuse values that are missing, twice or of a wrong type in the same words" {
    # format; text, with @ where the message has its offset; message
    while IFS=';' read -r format text message; do
        before=${text%%@*}
        printf '%s' "$before${text#*@}" >wrong.json
        fails 3 "wrong.json: offset ${#before}: $message\$" profcat -f "$format" wrong.json -o /dev/null
    done <<'END'
cpuprofile;{"nodes": @{}};'nodes' is an object, expected an array
cpuprofile;{"nodes":[{"id":@[1]}]};'id' is an array, expected a number or a string
heapprofile;{"head":@"x"};'head' is a string, expected an object
stackprof;{"frames":{"1":@null}};'1' is null, expected an object
speedscope;{"profiles":[{"samples":@"a"}]};'samples' is a string, expected an array
speedscope;{"profiles":[{"samples":[],"samples":@[]}]};'samples' is defined twice
speedscope;{"profiles":[{"samples":[],"events":@[]}]};a profile with both samples and events
speedscope;{"profiles":[{"events":[{"type":"O","at":1}@]}]};the object ending here has no 'frame'
chrometrace;[{"ph":@true}];'ph' is true or false, expected a string
json;{"rows":@5};'rows' is a number, expected an array
ndjson;{"kind":"sample","values":@["a"]};'values' is an array, expected an object
ndjson;{"values":{"a":@{}}};'a' is an object, expected a number or a string
ndjson;{"labels":@["op"]};'labels' is an array, expected an object or null
ndjson;{"labels":@{"op":true}};'op' is true or false, expected an object or a number or a string
ndjson;{"labels":@{"op":["a",[]]}};'op' is an array, expected an object or a number or a string
ndjson;{"labels":@{"n":1.5}};'n': expected a whole number of 64 bits, not 1.5
ndjson;{"sections":@[1]};'sections' is a number, expected a string
ndjson;{"stack":[@1]};'stack' is a number, expected an object or a string
ndjson;{"stack":["f",@{"line":"3"}]};'line' is a string, expected a number
ndjson;{"measures":@{"a":{"main":1}}};'main' is a number, expected true or false
json;{"rows":[],"measures":[{"name":@7}]};'name' is a number, expected a string or null
END
}

@test "labels in rows made by hand may be single strings or numbers, and null means absent" {
    printf '%s\n' '{"kind":"sample","labels":{"op":"x","n":5,"m":[{"num":7,"unit":"bytes"},8],"no":null},"sections":null,"stack":[{"function":"f","line":null}],"values":{"a":1},"units":{"a":"count"}}' >hand.ndjson
    expect profcat -t text hand.ndjson <<'END'
metadata  profutils  input  hand.ndjson
metadata  profutils  source_format  ndjson
measure  sample a  count  count
sample 1  a 1 count  m=7 bytes  m=8  n=5  op=x
    f
END
}

@test "no file of another format is read as JSON" {
    for file in "$CORPUS"/{callgrind,pprof,perf,folded,statprofiler,nytprof,dcpi}/*; do
        [ -f "$file" ] || continue
        run --separate-stderr profcat --probe "$file"
        [[ $output != *": "@(speedscope|cpuprofile|heapprofile|stackprof|chrometrace|json|ndjson)" ("* ]]
    done
}

@test "speedscope: a total beyond 128 bits is refused" {
    python3 "$PROFUTILS_SRC/tests/check/make_stream.py" >x.pfs <<'JSON'
{"measures": [{"name": "t", "unit": "x", "num": 18446744073709551615, "den": 18446744073709551615, "main": 1}],
 "records": [{"stack": [["a"]], "values": {"t": 9223372036854775807}},
             {"stack": [["b"]], "values": {"t": 9223372036854775807}},
             {"stack": [["c"]], "values": {"t": 9223372036854775807}}]}
JSON
    run -3 profcat -t speedscope x.pfs -o out
    [ "$output" = "profcat: out: the total of 't' overflows 128 bits" ]
}
