# proftop: every expected number follows from the few records next to it.

load ../lib/expect

bats_require_minimum_version 1.5.0

setup_file()
{
    cd "$BATS_FILE_TMPDIR" || return
    # recursion: a calls b, b calls a; the cost of a counts once
    printf 'main;a;b 3\nmain;a 2\nmain;b;a;b 5\nmain;c 1\n' >small.folded
}

setup()
{
    cd "$BATS_FILE_TMPDIR" || return
    PATH=$PROFUTILS_BIN:$PATH
    export PYTHONDONTWRITEBYTECODE=1
    unset NO_COLOR
}

# The columns of cells:
# 1 rank 2 function 3 file 4 line 5 image 6 section 7 measure 8 unit 9 flat 10 flat% 11 cum 12 cum% 13 calls 14 what --by adds

@test "the table is exactly the expected table" {
    expect proftop small.folded <<'END'
samples: 11 total                                                 small.folded
      flat  flat%   sum%        cum   cum%
         8 72.73% 72.73%          8 72.73%  b
         2 18.18% 90.91%         10 90.91%  a
         1  9.09%   100%          1  9.09%  c
         0     0%   100%         11   100%  main
END
    expect proftop -n 2 --cum small.folded <<'END'
samples: 11 total                                                 small.folded
      flat  flat%   sum%        cum   cum%
         0     0%     0%         11   100%  main
         2 18.18% 18.18%         10 90.91%  a
... 2 functions below 72.8% (81.82%) not shown; -n 0 for all
END
    expect proftop --min-percent=20 small.folded <<'END'
samples: 11 total                                                 small.folded
      flat  flat%   sum%        cum   cum%
         8 72.73% 72.73%          8 72.73%  b
         2 18.18% 90.91%         10 90.91%  a
         0     0% 90.91%         11   100%  main
... 1 function below 20.0% (9.09%) not shown; --min-percent=0 for all
END
}

@test "json, csv and tsv have all rows, complete and in order" {
    seq 30 | sed 's/.*/f& &/' >many.folded
    [ "$(proftop -t ndjson many.folded | wc -l)" -eq 30 ]
    [ "$(proftop -t csv many.folded | wc -l)" -eq 31 ]
    [ "$(proftop -n 7 -t tsv many.folded | wc -l)" -eq 8 ]
    [ "$(proftop many.folded | wc -l)" -eq 23 ]
    [ "$(proftop -n 0 many.folded | wc -l)" -eq 32 ]
    expect proftop -t ndjson -n 1 small.folded <<'END'
{"rank":1,"function":"b","file":"","line":0,"image":"","section":"","measure":"samples","unit":"count","flat":8,"flat_pct":72.7273,"cum":8,"cum_pct":72.7273,"calls":0}
END
    expect proftop -t json -n 1 small.folded <<'END'
{"schema":"profutils.top/1","meta":{"tool":"proftop","inputs":["small.folded"],"source_format":"folded","complete":true,"metadata":[]},"measures":[{"name":"samples","unit":"count","kind":"sample","total":11,"before":11}],"rows":[
{"rank":1,"function":"b","file":"","line":0,"image":"","section":"","measure":"samples","unit":"count","flat":8,"flat_pct":72.7273,"cum":8,"cum_pct":72.7273,"calls":0}
]}
END
    proftop -o top.csv small.folded
    proftop -t csv small.folded | cmp - top.csv
    proftop -o top.json.gz small.folded
    proftop -t json small.folded | cmp - <(gzip -dc top.json.gz)
    proftop small.folded | cmp - <(proftop -o top.1 small.folded && cat top.1)
    for suffix in svg folded pfs pb.gz svg.gz; do
        fails 2 "unknown form '.*'; tables are text, json," proftop small.folded -o "no.$suffix"
        [ ! -e "no.$suffix" ]
    done
    fails 2 "unknown form 'xml'" proftop -t xml small.folded
}

@test "--sort orders the rows, and equal rows by name" {
    printf 'r;d 2\nr;b 2\nr;c 2\nr;a;x 2\nr;a 1\n' >ties.folded
    [ "$(cells 2,9 ties.folded | tr '\n' ,)" = "b 2,c 2,d 2,x 2,a 1,r 0," ]
    [ "$(cells 2,11 --cum ties.folded | tr '\n' ,)" = "r 9,a 3,b 2,c 2,d 2,x 2," ]
    [ "$(cells 2 -s name ties.folded | tr '\n' ,)" = "a,b,c,d,r,x," ]
    [ "$(cells 2 -s flat -s name ties.folded | tr '\n' ,)" = "a,b,c,d,r,x," ]
    fails 2 "--sort takes flat" proftop -s size ties.folded
}

@test "--sort=calls also works if calls are the measure, and is refused without numbers of calls" {
    stream calls.pfs <<'END'
{"measures": [{"name": "calls", "kind": "edge", "role": "count"}, {"name": "time", "unit": "nanoseconds", "kind": "flat"}], "records": [
  {"kind": "edge", "caller": ["main"], "callee": ["few"], "values": {"calls": 2}},
  {"kind": "edge", "caller": ["main"], "callee": ["many"], "values": {"calls": 400}},
  {"kind": "edge", "caller": ["few"], "callee": ["most"], "values": {"calls": 1672200}},
  {"kind": "flat", "at": ["few"], "values": {"time": 41}}]}
END
    [ "$(cells 2,13 --kind edge -s calls calls.pfs | tr '\n' ,)" = "most 1672200,many 400,few 2," ]
    fails 2 "--sort=calls: the records of 'time' \(flat\) have no number of calls" proftop -s calls calls.pfs
    fails 2 "--sort=calls: the records of 'samples' \(sample\) have no number of calls" proftop -s calls small.folded
}

@test "--by chooses the rows" {
    stream by.pfs <<'END'
{"measures": [{"name": "wall", "unit": "nanoseconds", "num": 1000000, "raw_unit": "tick", "nature": "sampled", "main": 1}],
 "records": [
  {"stack": [["main", "a.pl", 9, 4, "/bin/a", 16], ["P::f", "P.pm", 3, 2, "/lib/p", 32]], "values": {"wall": 2}},
  {"stack": [["main", "b.pl", 9, 6, "/bin/b", 16], ["P::f", "P.pm", 5, 2, "/lib/p", 48]], "values": {"wall": 3}},
  {"stack": [["main", "b.pl", 8, 5, "/bin/b", 16], ["P::g", "P.pm", 7, -1, "/lib/p", 64]], "values": {"wall": 4}},
  {"stack": [["", "", 0, 0, "/lib/q", 4660]], "values": {"wall": 1}}, {"stack": [["", "", -1]], "values": {"wall": 5}}]}
END
    expect cells 2-5,9,11 by.pfs <<'END'
P::f P.pm 2 /lib/p 5000000 5000000
[unknown]  0  5000000 5000000
P::g P.pm 0 /lib/p 4000000 4000000
0x1234  0 /lib/q 1000000 1000000
main a.pl 4 /bin/a 0 2000000
main b.pl 5 /bin/b 0 7000000
END
    expect cells 2-5,9,11 -b name by.pfs <<'END'
P::f  0  5000000 5000000
[unknown]  0  5000000 5000000
P::g  0  4000000 4000000
0x1234  0  1000000 1000000
main  0  0 9000000
END
    expect cells 3,9,11 -b file by.pfs <<'END'
P.pm 9000000 9000000
 6000000 6000000
a.pl 0 2000000
b.pl 0 7000000
END
    expect cells 2-4,9,11 -b line -n 4 by.pfs <<'END'
[unknown]  0 5000000 5000000
P::g P.pm 7 4000000 4000000
P::f P.pm 5 3000000 3000000
P::f P.pm 3 2000000 2000000
END
    expect cells 2,4,9,14 -b address by.pfs <<'END'
[unknown] 0 5000000
P::g 7 4000000 0x40
P::f 5 3000000 0x30
P::f 3 2000000 0x20
0x1234 0 1000000 0x1234
main 9 0 0x10
main 8 0 0x10
END
    expect cells 5,9,11 -b image by.pfs <<'END'
/lib/p 9000000 9000000
 5000000 5000000
/lib/q 1000000 1000000
/bin/a 0 2000000
/bin/b 0 7000000
END
    fails 2 "--by takes function" proftop -b colour by.pfs
}

@test "--by=package takes packages from names by the rules of each language" {
    printf '%s 1\n' A::B::c 'std::map<a::b, c>::at(x::y)' '(anonymous namespace)::f' 'net/http.(*conn).serve' main.main \
        'runtime.(*mcache).refill' java.util.Map.put plain github.com/x/y.v2.F >names.folded
    [ "$(cells 14,9 -b package names.folded | sed 's/^\([0-9]*\) /\1:/' | tr '\n' ';')" = \
        "1;1:(anonymous namespace);1:A::B;1:github.com/x/y;1:java.util;1:main;1:net/http;1:runtime;1:std::map;" ]
}

@test "suffixes that compilers and linkers add to C names do not become packages" {
    printf '%s 1\n' msort_with_tmp.part.0 "msort_with_tmp.part.0'2" f.isra.0.constprop.3 f.cold f.part.0.cold.12 g.lto_priv.0 g.llvm.1234567 \
        memcpy@plt memcpy@GLIBC_2.2.5 __libc_start_main@@GLIBC_2.34 counter.1234 'f(int, ...)' 'f(char const*) [clone .cold]' 'f [clone .cold]' \
        >c.folded
    [ "$(cells 14,9 -b package c.folded)" = 14 ]
    printf '%s 1\n' java.util.Map.put'(java.lang.Object)' main.init.0 'main.(*T).m.func1' >java.folded
    [ "$(cells 14,9 -b package java.folded | tr '\n' ';')" = "2 main;1 java.util;" ]
}

@test "a profile of several languages has a package for each language, for images in C and for the kernel" {
    # samples of a JVM: compiled Java, the JVM in C++ and C, libc, the kernel and a module of it, the interpreter
    i=0
    for frame in 'Ljava/util/HashMap;::put (/tmp/perf-7.map)' 'Ljava/util/Map;::get (/tmp/perf-7.map)' 'JavaThread::run() (/jvm/libjvm.so)' \
        'java_start (/jvm/libjvm.so)' '__libc_write (/usr/lib/libc.so.6)' '[unknown] (/usr/lib/libc.so.6)' 'vfs_write ([kernel.kallsyms])' \
        'mlx5e_poll_rx_cq ([mlx5_core])' 'Interpreter (/tmp/perf-7.map)'; do
        address=7f0000000000
        [[ $frame != *'(['* ]] || address=ffffffffa0000000
        printf 'java 7 %d.000000: %d cycles:\n\t%s %s\n\n' $i $((1 << i)) $address "$frame"
        i=$((i + 1))
    done >mixed.txt
    profcat mixed.txt -o mixed.pfs
    for input in mixed.txt mixed.pfs; do
        expect cells 14,9 -m cycles -b package "$input" <<'END'
256
128 [mlx5_core]
64 [kernel]
48 libc.so.6
8 libjvm.so
4 JavaThread
3 java.util
END
    done
    [[ $(proftop -n 0 -m cycles -b package mixed.txt) == *"256 50.10%  (none)"* ]]
    [ "$(profdiff -b package -m cycles -t csv mixed.txt mixed.pfs | grep -c java.util)" = 1 ]
}

@test "sections and labels count a record once for each of their values" {
    stream labels.pfs <<'END'
{"measures": [{"name": "samples"}], "records": [
 {"stack": [["f"]], "labels": [["section", "req"], ["section", "db"]], "values": {"samples": 1}},
 {"stack": [["f"]], "labels": [["section", "req"], ["section", "req"], ["pid", 7]], "values": {"samples": 2}},
 {"stack": [["g"]], "labels": [["section", ""], ["host", "a"], ["host", "b"]], "values": {"samples": 4}},
 {"stack": [["g"]], "labels": [["host", "a"]], "values": {"samples": 8}}]}
END
    expect cells 6,9,11 -b section labels.pfs <<'END'
 4 4
req 3 3
db 1 1
END
    [ "$(cells 14,9 -b label:host labels.pfs | tr '\n' ,)" = "12 a,4 b," ]
    [ "$(cells 14,9 -b label:pid labels.pfs)" = "2 7" ]
    [ "$(cells 6,9 -b label:section -n 1 labels.pfs)" = " 4" ]
    expect proftop -b section labels.pfs <<'END'
samples: 15 total, 3 sections                                     labels.pfs
      flat  flat%        cum   cum%
         4 26.67%          4 26.67%  ""
         3 20.00%          3 20.00%  req
         1  6.67%          1  6.67%  db
... 8 (53.33%) outside of all sections
END
    [ "$(proftop -b label:nothing labels.pfs | tail -1)" = "... 15 (100%) without this label" ]
    fails 2 "have no callers" proftop -b section --tree labels.pfs
}

@test "profiles without records, without values and without measures have a table" {
    : >nothing
    fails 3 "nothing" proftop nothing
    printf '{"measures": [{"name": "samples"}], "records": []}' | stream empty.pfs
    expect proftop empty.pfs <<'END'
samples: 0 total, 0 records                                       empty.pfs
no record has a value
END
    proftop -t json empty.pfs | grep -q '"total":0,"before":0}\],"rows":\[\]}$'
    [ "$(proftop -t csv empty.pfs | wc -l)" -eq 1 ]
    printf '{"measures": [{"name": "samples"}], "records": [{"stack": [["a"], ["b"]], "values": {"samples": 0}}]}' | stream zero.pfs
    [ "$(proftop -t csv zero.pfs | wc -l)" -eq 1 ]
    proftop --tree zero.pfs | grep -q '0 .* 0%'
    printf '{"measures": [], "records": []}' | stream bare.pfs
    proftop -t json bare.pfs | grep -q '"measures":\[\],"rows":\[\]}$'
    proftop -t json:flame bare.pfs | grep -qxF '{"name":"all","value":0,"self":0,"children":[]}'
    fails 0 "no records and no measures" proftop bare.pfs
}

@test "negative values keep their sign and sort by size" {
    stream minus.pfs <<'END'
{"measures": [{"name": "wall.delta", "unit": "nanoseconds"}, {"name": "other"}], "records": [
 {"stack": [["m"], ["up"]], "values": {"wall.delta": 2000, "other": 1}}, {"stack": [["m"], ["down"]], "values": {"wall.delta": -3000}},
 {"stack": [["m"], ["same"], ["up"]], "values": {"wall.delta": 500}}, {"stack": [["m"], ["same"], ["down"]], "values": {"wall.delta": -500}}]}
END
    [ "$(cells 2,9,11 minus.pfs | tr '\n' ,)" = "down -3500 -3500,up 2500 2500,m 0 -1000," ]
    proftop minus.pfs | grep -q -- '-3.50us *350% *350% .*  down'
    [ "$(proftop --color=always minus.pfs | grep -c "$(printf '\033\\[3[14]m')")" -ge 2 ]
}

@test "sums near the limit of 64 bits are right or refused" {
    stream huge.pfs <<'END'
{"measures": [{"name": "n"}], "records": [{"stack": [["a"]], "values": {"n": 9223372036854775807}},
 {"stack": [["b"]], "values": {"n": 9223372036854775807}}, {"stack": [["c"]], "values": {"n": -9223372036854775808}},
 {"stack": [["c"]], "values": {"n": 0}}]}
END
    [ "$(cells 2,9 huge.pfs | tr '\n' ,)" = "c -9223372036854775808,a 9223372036854775807,b 9223372036854775807," ]
    proftop -t json huge.pfs | grep -q '"total":9223372036854775806,'
    proftop huge.pfs huge.pfs >/dev/null 2>&1 && return 1
    printf 'x;f 9223372036854775807\ny;f 1\n' >row.folded
    fails 3 "the sum of measure 'samples' for 'f' overflows 64 bits" proftop row.folded
    fails 3 "the sum of measure 'samples' for 'f' overflows 64 bits" proftop --by=name row.folded
    printf 'f 9223372036854775807\nf 1\n' >record.folded
    fails 3 "record 2: the sum of measure 'samples' overflows 64 bits" proftop record.folded
    stream scaled.pfs <<'END'
{"measures": [{"name": "wall", "unit": "nanoseconds", "num": 1000000000}], "records": [{"stack": [["f"]], "values": {"wall": 9223372037}}]}
END
    fails 3 "overflows 64 bits in nanoseconds" proftop scaled.pfs
    [ "$(cells 9 -u ticks scaled.pfs)" = 9223372037 ]
}

@test "if a sum overflows 64 bits, nothing is written, in any form and for any measure" {
    # for b, the values of f, its file, package and line, the call of g, the section s and the frames
    # below are all 2 ** 63
    stream row.pfs <<'END'
{"measures": [{"name": "a", "main": 1}, {"name": "b"}], "records": [
 {"stack": [["x"], ["f", "f.pl", 3], ["g", "f.pl", 4]], "labels": [["section", "s"]], "values": {"a": 1, "b": 9223372036854775807}},
 {"stack": [["y"], ["f", "f.pl", 3], ["g", "f.pl", 4]], "labels": [["section", "s"], ["section", "t"]], "values": {"a": 2, "b": 1}}]}
END
    stream edges.pfs <<'END'
{"measures": [{"name": "a", "kind": "edge", "role": "inclusive", "main": 1}, {"name": "b", "kind": "edge", "role": "inclusive"}], "records": [
 {"kind": "edge", "caller": ["f"], "callee": ["g", "g.pl", 1], "values": {"a": 1, "b": 9223372036854775807}},
 {"kind": "edge", "caller": ["f"], "callee": ["g", "g.pl", 2], "values": {"a": 2, "b": 1}}]}
END
    stream flat.pfs <<'END'
{"measures": [{"name": "a", "kind": "flat", "main": 1}, {"name": "b", "kind": "flat"}], "records": [
 {"kind": "flat", "at": ["f", "f.pl", 1], "values": {"a": 1, "b": 9223372036854775807}},
 {"kind": "flat", "at": ["f", "f.pl", 2], "values": {"a": 2, "b": 1}}]}
END
    while read -r file views; do
        for view in $views; do
            for form in text json ndjson csv tsv; do
                proftop "$view" -t "$form" -m a "$file" >whole
                [ -s whole ]
                for measures in "-m b" "-m a -m b" "-m b -m a"; do
                    # shellcheck disable=SC2086  # options
                    fails 3 '^proftop: .*overflows 64 bits' proftop "$view" -t "$form" $measures "$file"
                    [ ! -s out ] || { echo "$view -t $form $measures $file"; cat out; return 1; }
                done
            done
        done
    done <<'END'
row.pfs --sort=flat --cum --tree --edges --callers=g --callees=f --peek=g --list=f --by=name --by=file --by=line --by=package --by=section
edges.pfs --sort=flat --cum --tree --edges --callers=g --callees=f --peek=g --by=name
flat.pfs --sort=flat --by=name --by=file
END
    fails 3 'overflows 64 bits' proftop -t json:flame -m b row.pfs
    [ ! -s out ]
}

@test "amounts that filters removed are added up to 128 bits, and refused beyond" {
    removed() { # AMOUNT...
        local rows='' amount
        for amount; do rows="$rows${rows:+, }[\"profutils\", \"removed\", \"sample n count $amount 1/1 1\"]"; done
        printf '{"measures": [{"name": "n"}], "records": [{"stack": [["f"]], "values": {"n": 9}}], "meta": [%s]}' "$rows" | stream removed.pfs
    }
    removed 170141183460469231731687303715884105717
    proftop -t json removed.pfs | grep -q '"total":9,"before":170141183460469231731687303715884105726}'
    removed 170141183460469231731687303715884105700 -170141183460469231731687303715884105700 1
    proftop -t json removed.pfs | grep -q '"total":9,"before":10}'
    for amounts in 170141183460469231731687303715884105719 "170141183460469231731687303715884105700 28" \
        "-170141183460469231731687303715884105700 -29 1000"; do
        # shellcheck disable=SC2086  # several
        removed $amounts
        for form in text json csv; do
            fails 3 "measure 'n' overflows 128 bits with the values that filters removed" proftop -t $form removed.pfs
            [ ! -s out ]
        done
    done
}

@test "with several -m each measure has the same numbers as alone, even maxima" {
    # a is summed, d is not: f has 4 itself and 7 below it, x and y none
    stream several.pfs <<'END'
{"measures": [{"name": "a", "main": 1}, {"name": "d", "aggregation": "max"}], "records": [
 {"stack": [["x"], ["f", "f.pl", 3]], "labels": [["section", "s"]], "values": {"a": 1, "d": 4}},
 {"stack": [["x"], ["f", "f.pl", 3], ["g"]], "labels": [["section", "s"], ["section", "t"]], "values": {"a": 2, "d": 7}},
 {"stack": [["y"], ["f", "f.pl", 3], ["g"]], "values": {"a": 2, "d": 2}}]}
END
    [ "$(cells 2,9,11 -m a -m d -s name several.pfs | tr '\n' ,)" = "f 1 5,g 4 4,x 0 3,y 0 2,f 4 7,g 7 7,x 0 7,y 0 2," ]
    for view in --cum --tree --edges --callers=g --peek=f --list=f --by=section; do
        { proftop "$view" -m a several.pfs; echo; proftop "$view" -m d several.pfs; } >want
        proftop "$view" -m a -m d several.pfs >got
        diff -u want got
        { proftop "$view" -t ndjson -m d several.pfs; proftop "$view" -t ndjson -m a several.pfs; } >want
        proftop "$view" -t ndjson -m d -m a several.pfs >got
        diff -u want got
    done
}

@test "units that are not UTF-8 or control a terminal are shown as one line of text" {
    stream steer.pfs <<'END'
{"measures": [{"name": "w", "unit": "even\u001bts"}, {"name": "x", "unit": [101, 157, 116, 115]}],
 "records": [{"stack": [["f"]], "values": {"w": 341, "x": 5}}]}
END
    timeout 5 proftop -m w steer.pfs | grep -qF 'w: 341 even\x1bts total'
    timeout 5 proftop -m x steer.pfs | grep -qF 'x: 5 e�ts total'
}

@test "--unit chooses the unit of amounts" {
    stream units.pfs <<'END'
{"measures": [{"name": "wall", "unit": "nanoseconds", "num": 10000000, "raw_unit": "tick", "main": 1},
  {"name": "alloc", "unit": "bytes"}, {"name": "cycles", "period": 65536}, {"name": "ps", "unit": "nanoseconds", "den": 1000, "raw_unit": "picosecond"},
  {"name": "third", "unit": "nanoseconds", "den": 3, "raw_unit": "tick"}],
 "records": [{"stack": [["f"]], "values": {"wall": 341, "alloc": 1536, "cycles": 3, "ps": 2500, "third": 7}},
             {"stack": [["g"]], "values": {"wall": 12, "alloc": 3, "cycles": 1, "ps": 3500, "third": 1}}]}
END
    for case in 'wall auto 3.41s 120ms' 'wall ms 3410ms 120ms' 'wall us 3410000us 120000us' 'wall ns 3410000000ns 120000000ns' \
        'wall s 3.41s 0.12s' 'wall ticks 341 12' 'alloc auto 1.50kB 3B' 'alloc bytes 1536B 3B' 'cycles auto 3 1' \
        'cycles events 196,608 65,536' 'ps auto 2ns 4ns' 'ps ticks 2,500 3,500' 'third auto 7 1' 'alloc count 1,536 3'; do
        # shellcheck disable=SC2086  # words of the case
        set -- $case
        [ "$(proftop -m "$1" -u "$2" -s name units.pfs | awk 'rows { print $1 } /flat%/ { rows = 1 }' | tr '\n' ' ')" = "$3 $4 " ] || {
            echo "wrong: $case"
            proftop -m "$1" -u "$2" units.pfs
            return 1
        }
    done
    [ "$(cells 8,9 -m ps units.pfs | tr '\n' ,)" = "nanoseconds 4,nanoseconds 2," ]
    [ "$(cells 8,9 -m wall -u ticks -n 1 units.pfs)" = "tick 341" ]
    [ "$(cells 8,9 -m cycles -u events -n 1 units.pfs)" = "events 196608" ]
    [ "$(cells 8,9 -m third -n 1 units.pfs)" = "tick 7" ]
    fails 2 "'alloc' is not a time" proftop -m alloc -u ms units.pfs
    fails 2 "'wall' has no period" proftop -m wall -u events units.pfs
    fails 2 "--unit takes" proftop -u hours units.pfs
}

@test "measures that differ only in scale or period are one measure" {
    for tick in 1 10 4; do
        printf '{"measures": [{"name": "wall", "unit": "nanoseconds", "num": %d, "raw_unit": "tick", "main": 1}, {"name": "c", "period": %d}],
            "records": [{"stack": [["f"]], "values": {"wall": 3, "c": 5}}]}' $((tick * 1000)) "$tick" | stream tick$tick.pfs
    done
    [ "$(cells 8,9 tick10.pfs tick4.pfs tick1.pfs)" = "nanoseconds 45000" ]
    [ "$(cells 8,9 -m c tick10.pfs tick4.pfs tick1.pfs)" = "events 75" ]
    cat tick4.pfs tick10.pfs tick4.pfs >joined.pfs
    [ "$(cells 8,9 joined.pfs)" = "nanoseconds 54000" ]
    fails 2 "no common tick" proftop -u ticks tick10.pfs tick4.pfs
    printf '{"measures": [{"name": "c"}], "records": [{"stack": [["f"]], "values": {"c": 1}}]}' | stream noperiod.pfs
    fails 3 "a period" proftop -m c tick4.pfs noperiod.pfs
}

@test "of maxima the greatest value counts, in rows and in the total" {
    stream max.pfs <<'END'
{"measures": [{"name": "depth", "aggregation": "max"}], "records": [{"stack": [["a"]], "values": {"depth": 3}},
 {"stack": [["a"], ["b"]], "values": {"depth": 7}}, {"stack": [["a"], ["b"]], "values": {"depth": 5}}, {"stack": [["c"]], "values": {"depth": 6}}]}
END
    [ "$(cells 2,9,11 max.pfs | tr '\n' ,)" = "b 7 7,c 6 6,a 3 7," ]
    proftop max.pfs | head -1 | grep -q '^depth: 7 total, 4 records '
    proftop --tree -t ndjson max.pfs | head -1 | grep -q '"self":0,"total":7}'
}

@test "each measure has a block" {
    stream two.pfs <<'END'
{"measures": [{"name": "calls", "role": "count"}, {"name": "excl", "unit": "nanoseconds"}], "records": [
 {"stack": [["m"], ["f"]], "values": {"calls": 2, "excl": 5}}, {"stack": [["m"]], "values": {"calls": 1, "excl": 9}}]}
END
    [ "$(cells 2,7,9,11,13 two.pfs | tr '\n' ,)" = "m excl 9 14 1,f excl 5 5 2," ]
    [ "$(cells 1,2,7,9,11,13 -m calls -m excl two.pfs | tr '\n' ,)" = \
        "1 f calls 2 2 2,2 m calls 1 3 1,1 m excl 9 14 1,2 f excl 5 5 2," ]
    [ "$(cells 7 -m excl -m excl -n 1 two.pfs)" = excl ]
    [ "$(cells 2 -s calls two.pfs | tr '\n' ,)" = "f,m," ]
    proftop -m calls -m excl two.pfs | grep -c ' total' | grep -qx 2
    fails 2 "there is no measure 'time'; measures: calls, excl" proftop -m time two.pfs
}

@test "edges with self and inclusive values make flat and cumulative amounts" {
    # p::main has no caller; it calls p::f twice (own 10, 30 in all), which calls q::g (20); lines are declared, but
    # have no values
    stream self.pfs <<'END'
{"measures": [{"name": "time", "kind": "flat", "unit": "nanoseconds", "main": 1}, {"name": "calls", "kind": "edge", "role": "count"},
  {"name": "incl", "kind": "edge", "unit": "nanoseconds", "role": "inclusive", "main": 1}, {"name": "excl", "kind": "edge", "unit": "nanoseconds"}],
 "records": [
  {"kind": "edge", "caller": ["p::main", "m", 3, 1], "callee": ["p::f", "f", 0, 1], "values": {"calls": 2, "incl": 30, "excl": 10}},
  {"kind": "edge", "caller": ["p::f", "f", 2, 1], "callee": ["q::g", "f", 0, 8], "values": {"calls": 4, "incl": 20, "excl": 20}}]}
END
    [ "$(cells 2,9,10,11,12,13 self.pfs | tr '\n' ,)" = "q::g 20 66.6667 20 66.6667 4,p::f 10 33.3333 30 100.0 2," ]
    # the cost of a package is that of its functions and of their calls to other packages
    [ "$(cells 9,11,13,14 -b package -s name self.pfs | tr '\n' ,)" = "10 30 2 p,20 20 4 q," ]
    # lines of another run, with less time, are not the total for percentages
    stream line.pfs <<'END'
{"measures": [{"name": "time", "kind": "flat", "unit": "nanoseconds", "main": 1}],
 "records": [{"kind": "flat", "at": ["p::main", "m", 3, 1], "values": {"time": 6}}]}
END
    [ "$(profmerge self.pfs line.pfs | proftop -t tsv --kind=edge | cut -f 2,9,10,11,12 | tail -n +2 | tr '\t\n' ' ,')" = \
        "q::g 20 66.6667 20 66.6667,p::f 10 33.3333 30 100.0," ]
}

@test "measures of one side of a difference belong together by the suffix of their names" {
    for excl in 10 4; do
        stream "$excl.pfs" <<END
{"measures": [{"name": "incl", "kind": "edge", "unit": "nanoseconds", "role": "inclusive", "main": 1}, {"name": "excl", "kind": "edge", "unit": "nanoseconds"}],
 "records": [{"kind": "edge", "caller": ["main", "m", 3, 1], "callee": ["f", "f", 0, 1], "values": {"incl": $((excl + 20)), "excl": $excl}},
  {"kind": "edge", "caller": ["f", "f", 3, 1], "callee": ["g", "g", 0, 1], "values": {"incl": 20, "excl": 20}}]}
END
    done
    profdiff 10.pfs 4.pfs -o difference.pfs
    [ "$(cells 2,7,9,11 -m incl.before -s name difference.pfs | tr '\n' ,)" = "f incl.before 10 30,g incl.before 20 20," ]
    [ "$(cells 2,7,9,11 -m incl.after -s name difference.pfs | tr '\n' ,)" = "f incl.after 4 24,g incl.after 20 20," ]
    [ "$(cells 2,7,9,10,11 difference.pfs)" = "f excl.delta -6 100.0 -6" ]
}

@test "flat lines and inclusive edges, as in callgrind, make flat and cumulative amounts" {
    # as callgrind: main (own 10) calls f (own 20), f calls itself and g (own 5), g calls f back; inclusive values on the calls
    stream lines.pfs <<'END'
{"measures": [{"name": "Ir", "kind": "flat", "main": 1}, {"name": "calls", "kind": "edge", "role": "count"},
  {"name": "Ir", "kind": "edge", "role": "inclusive", "main": 1}],
 "records": [{"kind": "flat", "at": ["main", "m.c", 2, 1], "values": {"Ir": 4}}, {"kind": "flat", "at": ["main", "m.c", 3, 1], "values": {"Ir": 6}},
  {"kind": "flat", "at": ["f", "f.c", 2, 1], "values": {"Ir": 20}}, {"kind": "flat", "at": ["g", "f.c", 9, 8], "values": {"Ir": 5}},
  {"kind": "edge", "caller": ["main", "m.c", 3, 1], "callee": ["f", "f.c", 0, 1], "values": {"calls": 1, "Ir": 25}},
  {"kind": "edge", "caller": ["f", "f.c", 2, 1], "callee": ["f", "f.c", 0, 1], "values": {"calls": 4, "Ir": 18}},
  {"kind": "edge", "caller": ["f", "f.c", 2, 1], "callee": ["g", "f.c", 0, 8], "values": {"calls": 2, "Ir": 12}},
  {"kind": "edge", "caller": ["g", "f.c", 9, 8], "callee": ["f", "f.c", 0, 1], "values": {"calls": 2, "Ir": 9}}]}
END
    expect cells 2,9,11,13 lines.pfs <<'END'
f 20 32 7
main 10 35 0
g 5 14 2
END
    proftop lines.pfs | sed -n '1p;2p' >piped
    expect sed 's/  */ /g' piped <<'END'
Ir: 35 total, 4 records lines.pfs
also here: flat (Ir); --kind shows them
END
    [ "$(cells 2,4,9,11 --by=line lines.pfs | tr '\n' ,)" = "f 2 20 32,main 3 6 31,g 9 5 14,main 2 4 4," ]
    [ "$(cells 2,9,11 --kind=flat lines.pfs | tr '\n' ,)" = "f 20 20,main 10 10,g 5 5," ]
    [ "$(cells 2,9 -m calls lines.pfs | tr '\n' ,)" = "f 7,g 2," ]
    [ "$(cells 1,5,11 --edges lines.pfs | tr '\n' ,)" = "main f 25,f f 18,f g 12,g f 9," ]
    LC_ALL=C expect proftop --tree lines.pfs <<'END'
Ir: 35 total, 4 records                                           lines.pfs
also here: flat (Ir); --kind shows them
     total  total%       self
        35    100%          0  ##########  all
        35    100%         10  ##########    main  m.c:1
        25  71.43%          ?  #######         f ...  f.c:1
... behind a name: the function has other callers too, and what it called for this caller is not known (--callees=RE)
END
    [ "$(proftop --tree -t tsv lines.pfs | cut -f 4,9,10 | tail -n +2 | tr '\t\n' ' ,')" = "all 0 35,main 10 35,f  25," ]
    [ "$(proftop --tree -t json lines.pfs | from_json '[row["self"] for row in d["rows"]]')" = "[0, 10, null]" ]
    fails 2 "flat records have no callers and callees: a tree needs stacks, or calls with inclusive values" proftop --tree --kind=flat lines.pfs
    fails 2 "needs a measure with inclusive values" proftop --tree -m calls lines.pfs
    fails 2 "flat records have no callers" proftop --edges --kind=flat lines.pfs
    fails 2 "the input has no sample records" proftop --kind=sample lines.pfs
}

@test "amounts of recursive calls do not exceed the total" {
    # as callgrind: main (10) calls odd (40), which calls even (50) and is called by it; each level of them counts
    local measures='{"measures": [{"name": "Ir", "kind": "flat", "main": 1}, {"name": "Ir", "kind": "edge", "role": "inclusive", "main": 1}],'
    local circle='{"kind": "flat", "at": ["odd", "a.c", 5, 5], "values": {"Ir": 40}}, {"kind": "flat", "at": ["even", "a.c", 8, 8], "values": {"Ir": 50}},
        {"kind": "edge", "caller": ["odd", "a.c", 5, 5], "callee": ["even", "a.c", 8, 8], "values": {"Ir": 500}},
        {"kind": "edge", "caller": ["even", "a.c", 8, 8], "callee": ["odd", "a.c", 5, 5], "values": {"Ir": 460}}'
    local main='{"kind": "flat", "at": ["main", "a.c", 1, 1], "values": {"Ir": 10}},
        {"kind": "edge", "caller": ["main", "a.c", 1, 1], "callee": ["odd", "a.c", 5, 5], "values": {"Ir": 90}}'
    stream circle.pfs <<<"$measures \"records\": [$circle]}"
    stream called.pfs <<<"$measures \"records\": [$circle, $main]}"
    [ "$(cells 1,5,11 --edges called.pfs | tr '\n' ,)" = "even odd 100,odd even 100,main odd 90," ]
    [ "$(proftop --edges -t json called.pfs | from_json '[row["value"] for row in d["rows"]]')" = "[100, 100, 90]" ]
    [ "$(proftop --tree -t tsv called.pfs | cut -f 4,10 | tail -n +2 | tr '\t\n' ' ,')" = "all 100,main 100,odd 90," ]
    [ "$(proftop --tree -t tsv circle.pfs | cut -f 4,10 | tail -n +2 | tr '\t\n' ' ,')" = "all 90,even 90,odd 90,even 90," ]
    # a function that calls itself: its own cost and its calls to others are the whole cost
    stream self.pfs <<<"$measures \"records\": [$main, {\"kind\": \"flat\", \"at\": [\"odd\", \"a.c\", 5, 5], \"values\": {\"Ir\": 90}},
        {\"kind\": \"edge\", \"caller\": [\"odd\", \"a.c\", 6, 5], \"callee\": [\"odd\", \"a.c\", 5, 5], \"values\": {\"Ir\": 800}}]}"
    [ "$(cells 1,5,11 --edges self.pfs | tr '\n' ,)" = "main odd 90,odd odd 90," ]
    [ "$(proftop --peek='^odd$' self.pfs | grep -c ' 90  *100% ')" -eq 3 ]
}

@test "with negative amounts a cumulative amount may exceed the total" {
    for f in 100 200; do
        stream $f.pfs <<END
{"measures": [{"name": "Ir", "kind": "flat", "main": 1}, {"name": "Ir", "kind": "edge", "role": "inclusive", "main": 1}],
 "records": [{"kind": "flat", "at": ["f", "a.c", 1, 1], "values": {"Ir": $f}}, {"kind": "flat", "at": ["g", "a.c", 2, 2], "values": {"Ir": $((290 - 9 * f / 10))}},
  {"kind": "edge", "caller": ["main", "a.c", 3, 3], "callee": ["f", "a.c", 1, 1], "values": {"Ir": $f}},
  {"kind": "edge", "caller": ["main", "a.c", 4, 3], "callee": ["g", "a.c", 2, 2], "values": {"Ir": $((290 - 9 * f / 10))}}]}
END
    done
    profdiff 100.pfs 200.pfs -o difference.pfs
    [ "$(cells 2,9,11 difference.pfs | tr '\n' ,)" = "f 100 100,g -90 -90,main 0 10," ]
    [ "$(cells 1,5,11 --edges difference.pfs | tr '\n' ,)" = "main f 100,main g -90," ]
}

@test "calls that move from one function to another change cumulative amounts, though no flat amount changes" {
    # f and h (10 each) call g (200): f for 50 before and for 150 after, h for the rest
    for f in 50 150; do
        stream $f.pfs <<END
{"measures": [{"name": "Ir", "kind": "flat", "main": 1}, {"name": "Ir", "kind": "edge", "role": "inclusive", "main": 1}],
 "records": [{"kind": "flat", "at": ["f", "a.c", 1, 1], "values": {"Ir": 10}}, {"kind": "flat", "at": ["h", "a.c", 2, 2], "values": {"Ir": 10}},
  {"kind": "flat", "at": ["g", "a.c", 3, 3], "values": {"Ir": 200}},
  {"kind": "edge", "caller": ["f", "a.c", 1, 1], "callee": ["g", "a.c", 3, 3], "values": {"Ir": $f}},
  {"kind": "edge", "caller": ["h", "a.c", 2, 2], "callee": ["g", "a.c", 3, 3], "values": {"Ir": $((200 - f))}}]}
END
    done
    profdiff 50.pfs 150.pfs -o difference.pfs
    [ "$(cells 2,9,11 difference.pfs | tr '\n' ,)" = "f 0 100,h 0 -100," ]
    [ "$(cells 1,5,11 --edges difference.pfs | tr '\n' ,)" = "f g 100,h g -100," ]
    # from -10 to 20 is a rise by 30
    for amount in -10 20; do
        stream "$amount.pfs" <<END
{"measures": [{"name": "bytes", "kind": "flat", "main": 1}],
 "records": [{"kind": "flat", "at": ["f", "a.c", 1, 1], "values": {"bytes": $amount}}]}
END
    done
    profdiff ./-10.pfs 20.pfs -o rise.pfs
    [ "$(cells 2,9,11 rise.pfs)" = "f 30 30" ]
}

@test "the cumulative amount of a line includes its calls; a recursive call counts once" {
    # f (own 13) calls g (5) at line 4 and itself at lines 3 and 5, where every level counts; costs that main inlined
    # have no line
    stream own.pfs <<'END'
{"measures": [{"name": "Ir", "kind": "flat", "main": 1}, {"name": "Ir", "kind": "edge", "role": "inclusive", "main": 1}],
 "records": [{"kind": "flat", "at": ["main", "m.c", 1, 1], "values": {"Ir": 2}}, {"kind": "flat", "at": ["main", "i.h", 7, 1], "values": {"Ir": 4}},
  {"kind": "flat", "at": ["f", "f.c", 2, 2], "values": {"Ir": 10}}, {"kind": "flat", "at": ["f", "f.c", 3, 2], "values": {"Ir": 1}},
  {"kind": "flat", "at": ["f", "f.c", 4, 2], "values": {"Ir": 2}}, {"kind": "flat", "at": ["g", "f.c", 9, 9], "values": {"Ir": 5}},
  {"kind": "edge", "caller": ["main", "m.c", 0, 1], "callee": ["main", "i.h", 0, 1], "values": {"Ir": 4}},
  {"kind": "edge", "caller": ["main", "m.c", 1, 1], "callee": ["f", "f.c", 2, 2], "values": {"Ir": 18}},
  {"kind": "edge", "caller": ["f", "f.c", 3, 2], "callee": ["f", "f.c", 2, 2], "values": {"Ir": 40}},
  {"kind": "edge", "caller": ["f", "f.c", 5, 2], "callee": ["f", "f.c", 2, 2], "values": {"Ir": 6}},
  {"kind": "edge", "caller": ["f", "f.c", 4, 2], "callee": ["g", "f.c", 9, 9], "values": {"Ir": 5}}]}
END
    for kind in flat edge; do
        expect cells 2,4,9,11 --by=line -s name --kind=$kind own.pfs <<'END'
f 2 10 10
f 3 1 18
f 4 2 7
f 5 0 6
g 9 5 5
main 7 4 4
main 0 0 4
main 1 2 20
END
    done
    proftop --list='^f$' own.pfs | grep -qx '         1         18      3:'
    [ "$(profdiff --by=line -t csv own.pfs own.pfs | grep '^line,f,f.c,3,' | cut -d, -f 8,9,11,12)" = 1,1,18,18 ]
}

@test "edges with exclusive and inclusive times, as in NYTProf, make all columns" {
    # as nytprof: f called twice (1 excl 3, incl 10), g called by f (excl 7, incl 7), recursion of g
    stream calls.pfs <<'END'
{"measures": [{"name": "time", "kind": "flat", "unit": "nanoseconds"}, {"name": "calls", "kind": "edge", "role": "count"},
  {"name": "incl", "kind": "edge", "role": "inclusive", "unit": "nanoseconds", "main": 1}, {"name": "excl", "kind": "edge", "unit": "nanoseconds"}],
 "records": [{"kind": "flat", "at": ["", "x.pl", 1], "values": {"time": 30}},
  {"kind": "edge", "caller": ["", "x.pl", 1], "callee": ["f", "x.pl", 2, 2], "values": {"calls": 2, "incl": 10, "excl": 3}},
  {"kind": "edge", "caller": ["f", "x.pl", 3, 2], "callee": ["g", "x.pl", 5, 5], "values": {"calls": 1, "incl": 7, "excl": 4}},
  {"kind": "edge", "caller": ["g", "x.pl", 6, 5], "callee": ["g", "x.pl", 5, 5], "values": {"calls": 3, "incl": 3, "excl": 3}}]}
END
    # 100 % is the sum of the flat column, 3 + 4 + 3, whatever the costs of lines
    [ "$(cells 2,7,9,10,11,12,13 calls.pfs | tr '\n' ,)" = "g excl 7 70.0 7 70.0 4,f excl 3 30.0 10 100.0 2," ]
    proftop calls.pfs | head -1 | grep -q '^excl, cum incl: 10ns total, 3 records'
    # -m chooses the measure of the rows; pairs show values of the same measure
    [ "$(cells 2,7,9 -m incl calls.pfs | tr '\n' ,)" = "g incl 7,f incl 3," ]
    proftop --edges calls.pfs | head -1 | grep -q '^incl: 10ns total'
    [ "$(cells 2,7,9 --kind=flat calls.pfs)" = "[unknown] time 30" ]
}

@test "--edges counts a record once for each pair of caller and callee" {
    expect cells 1,5,9- --edges small.folded <<'END'
a b samples count 8
b a samples count 5
main a samples count 5
main b samples count 5
main c samples count 1
END
    [ "$(cells 1,5,11 --callers='^a$' small.folded | tr '\n' ,)" = "b a 5,main a 5," ]
    [ "$(cells 1,5,11 --callees='^a$' small.folded)" = "a b 8" ]
    [ "$(cells 1,5,11 --callers=c --callees=c small.folded)" = "main c 1" ]
    printf 'f;f;f 2\nf;g;f 3\n' >self.folded
    [ "$(cells 1,5,11 --edges self.folded | tr '\n' ,)" = "f g 3,g f 3,f f 2," ]
    expect proftop --peek='^a$' small.folded <<'END'
samples: 11 total                                                 small.folded
      flat  flat%        cum   cum%       edge   edge%  | context
--------------------------------------------------------+------------------------
                                             5  50.00%  |   b
                                             5  50.00%  |   main
         2 18.18%         10 90.91%                     | a
                                             8  80.00%  |   b
--------------------------------------------------------+------------------------
END
    expect proftop --edges -n 2 small.folded <<'END'
samples: 11 total                                                 small.folded
     value  value%  caller -> callee
         8  72.73%  a -> b
         5  45.45%  b -> a
... 3 pairs not shown; -n 0 for all
END
    proftop --edges -t json small.folded | head -1 | grep -q '^{"schema":"profutils.edges/1","meta":{"tool":"proftop",'
    run --separate-stderr proftop --callers=nobody small.folded
    [ "$status" -eq 0 ]
    [ "$stderr" = "proftop: warning: callers or callees of 'nobody': no function matches" ]
    fails 2 "choose one of" proftop --tree --edges small.folded
    fails 2 "'\\('" proftop --callers='(' small.folded
}

@test "--tree shows the tree of calls" {
    LC_ALL=C expect proftop --tree small.folded <<'END'
samples: 11 total                                                 small.folded
     total  total%       self
        11    100%          0  ##########  all
        11    100%          0  ##########    main
         5  45.45%          2  #####           a
         3  27.27%          3  ###               b
         5  45.45%          0  #####           b
         5  45.45%          0  #####             a
         5  45.45%          5  #####               b
         1   9.09%          1  #               c
END
    LC_ALL=C expect proftop --tree -n 4 small.folded <<'END'
samples: 11 total                                                 small.folded
     total  total%       self
        11    100%          0  ##########  all
        11    100%          0  ##########    main
         5  45.45%          2  #####           a
         5  45.45%          0  #####           b
... 4 lighter calls not shown; -n 0 for all
END
    if locale -a 2>/dev/null | grep -qi '^c.utf-*8$'; then
        # a pipe gets the same bars as a file
        LC_ALL=C.UTF-8 proftop --tree small.folded | cat >piped
        LC_ALL=C.UTF-8 proftop --tree small.folded >got
        LC_ALL=C proftop --tree small.folded | diff -u - got
        diff -u got piped
    fi
    expect proftop --tree --min-percent=46 -t ndjson small.folded <<'END'
{"id":1,"parent":0,"depth":0,"function":"all","file":"","line":0,"measure":"samples","unit":"count","self":0,"total":11}
{"id":2,"parent":1,"depth":1,"function":"main","file":"","line":0,"measure":"samples","unit":"count","self":0,"total":11}
END
    expect proftop -t json:flame small.folded <<'END'
{"name":"all","value":11,"self":0,"children":[{"name":"main","value":11,"self":0,"children":[{"name":"a","value":5,"self":2,"children":[{"name":"b","value":3,"self":3,"children":[]}]},{"name":"b","value":5,"self":0,"children":[{"name":"a","value":5,"self":0,"children":[{"name":"b","value":5,"self":5,"children":[]}]}]},{"name":"c","value":1,"self":1,"children":[]}]}]}
END
    printf '{"measures": [{"name": "n"}], "records": [{"values": {"n": 3}}, {"stack": [["f"]], "values": {"n": 4}}]}' | stream bare.pfs
    [ "$(proftop --tree -t tsv bare.pfs | cut -f 4,9,10 | tail -n +2 | tr '\t\n' ' ,')" = "all 3 7,f 4 4," ]
    awk 'BEGIN { for (i = 0; i < 5000; i++) printf "f%d;", i; print "leaf 1" }' >deep.folded
    [ "$(proftop --tree -t tsv deep.folded | tail -1 | cut -f 3)" -eq 5001 ]
    proftop -t json:flame deep.folded | tail -c 3 | grep -qx ']}'
}

@test "--tree makes a tree from edges only" {
    stream pairs.pfs <<'END'
{"measures": [{"name": "incl", "kind": "edge", "role": "inclusive", "unit": "nanoseconds"},
              {"name": "excl", "kind": "edge", "role": "self", "unit": "nanoseconds"}],
 "records": [
  {"kind": "edge", "caller": ["main"], "callee": ["a"], "values": {"incl": 100, "excl": 40}},
  {"kind": "edge", "caller": ["a"], "callee": ["both"], "values": {"incl": 25, "excl": 5}},
  {"kind": "edge", "caller": ["a"], "callee": ["leaf"], "values": {"incl": 35, "excl": 35}},
  {"kind": "edge", "caller": ["main"], "callee": ["both"], "values": {"incl": 10, "excl": 3}},
  {"kind": "edge", "caller": ["main"], "callee": ["leaf"], "values": {"incl": 7, "excl": 7}},
  {"kind": "edge", "caller": ["both"], "callee": ["below"], "values": {"incl": 27, "excl": 27}},
  {"kind": "edge", "caller": ["round"], "callee": ["about"], "values": {"incl": 8, "excl": 2}},
  {"kind": "edge", "caller": ["about"], "callee": ["round"], "values": {"incl": 9, "excl": 1}},
  {"kind": "edge", "caller": ["about"], "callee": ["out"], "values": {"incl": 4, "excl": 4}},
  {"kind": "edge", "caller": ["out"], "callee": ["out"], "values": {"incl": 0, "excl": 1}}]}
END
    LC_ALL=C expect proftop --tree pairs.pfs <<'END'
excl, cum incl: 125ns total, 10 records                           pairs.pfs
     total  total%       self
     125ns    100%          0  ##########  all
     117ns  93.60%          0  #########     main
     100ns  80.00%       40ns  ########        a
      35ns  28.00%       35ns  ###               leaf
      25ns  20.00%        5ns  ##                both ...
      10ns   8.00%        3ns  #               both ...
       7ns   5.60%        7ns  #               leaf
       9ns   7.20%        1ns  #             round
       8ns   6.40%        2ns  #               about
       9ns   7.20%        1ns  #                 round ...
       4ns   3.20%        5ns                    out
... behind a name: the function has other callers too, and what it called for this caller is not known (--callees=RE)
END
}

@test "--list shows source lines with their costs" {
    stream list.pfs <<'END'
{"measures": [{"name": "wall", "unit": "nanoseconds", "num": 1000000}],
 "records": [{"stack": [["main", "gone.pl", 2], ["f", "f.pl", 3, 2]], "values": {"wall": 4}},
  {"stack": [["main", "gone.pl", 2], ["f", "f.pl", 4, 2], ["f", "f.pl", 3, 2]], "values": {"wall": 1}},
  {"stack": [["main", "gone.pl", 2], ["f", "f.pl", -1, 2]], "values": {"wall": 2}}],
 "texts": [["f.pl", 3, "my $x;"], ["f.pl", 4, "f()\u001b[m;"]]}
END
    expect proftop --list='^f$' list.pfs <<'END'
wall: 7ms total, 3 records                                        list.pfs

f in f.pl: flat 7ms (100%)
      flat        cum   line
       2ms        2ms      ?:
         .          .      1:
         .          .      2:
       5ms        5ms      3: my $x;
         .        1ms      4: f()\x1b[m;
END
    proftop --list=main list.pfs | grep -q '^main in gone.pl: flat 0 (0%); its source is neither in the profile nor on the disk$'
    # files of /proc have size 0, and some are endless: they are not read
    printf 'events: Ir\nfl=/proc/self/environ\nfn=f\n1 5\n' >proc.callgrind
    proftop --list=f proc.callgrind | grep -q '^f in /proc/self/environ: .*; its source is neither in the profile nor on the disk$'
    printf 'one\n\ttwo\n' >gone.pl
    proftop --list=main list.pfs | tail -2 >piped
    expect cat -A piped <<'END'
         .          .      1: one$
         .        7ms      2: ^Itwo$
END
    rm gone.pl
    [ "$(cells 2,4,9,11 --list=f list.pfs | tr '\n' ,)" = "f 3 5000000 5000000,f 0 2000000 2000000,f 4 0 1000000," ]
    # a file name selects its functions, and no others
    run -0 --separate-stderr proftop --list='^a\.pl$' "$CORPUS/statprofiler/edge/05-text.out"
    [ "$(grep -o '^[^ ]* in [^ ]*:' <<<"$output" | tr '\n' ,)" = "main::leaf in a.pl:,(main) in a.pl:,main::top in a.pl:," ]
    [ "$(cells 2,4,9 --list='(eval 1)' "$CORPUS/statprofiler/edge/05-text.out" | tr '\n' ,)" = "(eval) 2 2," ]
    run --separate-stderr proftop --list=nobody list.pfs
    [ "$stderr" = "proftop: warning: source of 'nobody': no function matches" ]
    # functions that --min-percent leaves out match too
    run -0 --separate-stderr proftop --list=f -t csv --min-percent=100 list.pfs
    [ -z "$stderr" ]
}

@test "long numbers have a gap between columns" {
    printf 'main;work 31123456789012\nmain;x 1\n' >long.folded
    expect proftop long.folded <<'END'
samples: 31,123,456,789,013 total                                 long.folded
              flat  flat%   sum%                cum   cum%
31,123,456,789,012   100%   100% 31,123,456,789,012   100%  work
                 1 <0.01%   100%                  1 <0.01%  x
                 0     0%   100% 31,123,456,789,013   100%  main
END
    expect proftop --no-group -n 1 long.folded <<'END'
samples: 31123456789013 total                                     long.folded
          flat  flat%   sum%            cum   cum%
31123456789012   100%   100% 31123456789012   100%  work
... 2 functions below 0.1% (<0.01%) not shown; -n 0 for all
END
    # times have no commas, and neither have numbers for programs
    [ "$(proftop -t tsv long.folded | cut -f 9 | sed -n 2p)" = 31123456789012 ]
    printf 'a 1234567\n' >times.folded
    proftop -f folded:measure=wall/ms -u ms times.folded | grep -q ' 1234567ms '
    printf 'f 999\ng 1000\nh -1000\ni -999999\nj 1000000\n' >edges.folded
    [ "$(proftop -n 0 edges.folded | awk 'NR > 2 { print $NF "=" $1 }' | sort | tr '\n' ' ')" = "f=999 g=1,000 h=-1,000 i=-999,999 j=1,000,000 " ]
}

@test "names of any bytes are shown as harmless text" {
    stream names.pfs <<'END'
{"measures": [{"name": "n"}], "records": [{"stack": [["say \"hi\", you", "a\tb\\c.pl", 0, 3]], "values": {"n": 9}},
 {"stack": [["line\nfeed\r"]], "values": {"n": 8}}, {"stack": [["esc\u001b[31m\u202e"]], "values": {"n": 7}},
 {"stack": [["日本語"]], "values": {"n": 6}}, {"stack": [[[103, 114, 252, 255]]], "values": {"n": 5}}, {"stack": [["nul\u0000x"]], "values": {"n": 4}}]}
END
    proftop names.pfs | tail -n +3 | cut -c 45- >piped
    expect cat piped <<'END'
say "hi", you  a\x09b\c.pl:3
line\x0afeed\x0d
esc\x1b[31m\u{202e}
日本語
grüÿ
nul\x00x
END
    proftop -t csv names.pfs | sed -n 2,4p | cut -c -22 >piped
    expect cat -A piped <<'END'
1,"say ""hi"", you",a^I$
2,"line$
feed^M",,0,,,n,count,8,$
END
    proftop -t tsv names.pfs | sed -n 2,3p | cut -f 2,3 >piped
    expect cat -A piped <<'END'
say "hi", you^Ia\tb\\c.pl$
line\nfeed\r^I$
END
    proftop -t ndjson names.pfs | cut -d , -f 2 | tail -n +3 >piped
    expect cat -v piped <<'END'
"function":"esc\u001b[31mM-bM-^@M-."
"function":"M-fM-^WM-%M-fM-^\M-,M-hM-*M-^^"
"function":"grM-CM-<M-CM-?"
"function":"nul\u0000x"
END
    # the same name as UTF-8 and as Latin-1
    stream alike.pfs <<'END'
{"measures": [{"name": "n"}], "records": [{"stack": [["gr\u00fc\u00ff"]], "values": {"n": 1}},
 {"stack": [[[103, 114, 252, 255]]], "values": {"n": 2}}]}
END
    [ "$(cells 2,9 alike.pfs)" = "grüÿ 3" ]
    # and as two sections that are open at the same time; both are one row
    stream alike.pfs <<'END'
{"measures": [{"name": "n"}], "records": [{"stack": [["f"]], "values": {"n": 5},
 "labels": [["section", "gr\u00fc\u00ff"], ["section", [103, 114, 252, 255]]]}]}
END
    [ "$(cells 6,9 --by=section alike.pfs)" = "grüÿ 5" ]
    proftop alike.pfs | head -1 | grep -q '^n: 5 total, 1 record, 1 section  '
    if command -v python3 >/dev/null; then
        proftop -t json names.pfs | python3 -c 'import json, sys; print(*(r["function"] for r in json.load(sys.stdin)["rows"]), sep=";")' >got
        [ "$(head -1 got)" = 'say "hi", you;line' ]
    fi
}

@test "--color, NO_COLOR and the terminal decide about colour" {
    escape=$(printf '\033')
    proftop small.folded | grep -q "$escape" && return 1
    NO_COLOR=1 proftop --color=always small.folded | grep -q "$escape"
    proftop --color=never small.folded | grep -q "$escape" && return 1
    proftop --color=always small.folded | sed "s/$escape\[[0-9;]*m//g" >got
    proftop small.folded | diff -u - got
}

# tty COLUMNS COMMAND: the command's output on a terminal of 12 lines
tty()
{
    terminal "stty cols $1 rows 12; $2" | tr -d '\r'
}

@test "on a terminal long names lose their middle, and the rows fit its height" {
    needs_terminal
    { awk 'BEGIN { printf "abc"; for (i = 0; i < 90; i++) printf "x"; print "xyz 5" }'; seq 30 | sed 's/.*/f& 1/'; } >long.folded
    export LC_ALL=C TERM=dumb
    tty 80 'proftop long.folded' >got
    [ "$(wc -l <got)" -eq 11 ]
    [ "$(sed -n 3p got | wc -c)" -eq 81 ]
    sed -n 3p got | grep -q '  abcx*~x*xyz$'
    # on a narrow terminal columns disappear, so that part of a name is still shown
    tty 40 'proftop long.folded' >got
    [ "$(sed -n 3p got | wc -c)" -eq 41 ]
    sed -n 3p got | grep -q '  abcx*~x*xyz$'
    # a terminal with unknown size
    COLUMNS=70 LINES=14 tty 0 'stty rows 0; proftop long.folded' >got
    [ "$(sed -n 3p got | wc -c)" -eq 71 ]
    [ "$(wc -l <got)" -eq 13 ]
    COLUMNS=40 proftop -n 0 long.folded >got
    tty 80 'proftop --no-trunc -n 0 long.folded' | diff -u got -
    tty 80 'proftop --no-trunc -n 0 long.folded' >got
    proftop -n 0 long.folded | diff -u - got
    tty 80 'proftop long.folded --color=auto' >got
    grep -q "$(printf '\033')" got && return 1
    unset NO_COLOR
    TERM=xterm tty 80 'proftop long.folded' | grep -q "$(printf '\033')"
    export NO_COLOR=1
    TERM=xterm tty 80 'proftop long.folded' >got
    grep -q "$(printf '\033')" got && return 1
    true
}

@test "the table of an incomplete input has a warning" {
    stream cut.pfs <<'END'
{"measures": [{"name": "n"}], "records": [{"stack": [["f"]], "values": {"n": 2}}], "incomplete": true}
END
    fails 3 "input incomplete: result is partial" proftop cut.pfs
    run --separate-stderr proftop -t json cut.pfs
    [ "$status" -eq 3 ]
    grep -q '"complete":false' <<<"$output"
    grep -q '"flat":2,' <<<"$output"
    printf 'old\n' >kept.csv
    fails 3 cut.pfs proftop -o kept.csv cut.pfs
    [ "$(cat kept.csv)" = old ]
    run --separate-stderr proftop missing.folded
    [ "$status" -eq 3 ]
    [ -z "$output" ]
}

@test "after a filter shares are of the total before the filter" {
    proffilter -I '^c$' small.folded | proftop >got
    sed -n '1p;3p' got >piped
    expect cat piped <<'END'
samples: 10, 91 % of 11                                           small.folded
         8 72.73% 72.73%          8 72.73%  b
END
    proffilter -I '^c$' small.folded | proffilter -I none | proffilter -F a | proftop -t json | grep -q '"total":10,"before":11}'
    proffilter -F nobody small.folded 2>/dev/null | proftop | head -1 | grep -q '^samples: 0, 0 % of 11,'
}

@test "json has the metadata, without private and internal rows" {
    stream meta.pfs <<'END'
{"measures": [{"name": "n"}], "meta": [["o", "k", "v\""], [".private", "x", "y"], ["profutils", "input", "a.out"], ["profutils", "input", "b.out"],
 ["profutils", "source_format", "x"], ["profutils", "source_format", "x"]]}
END
    proftop -t json meta.pfs | head -1 | grep -qF '"meta":{"tool":"proftop","inputs":["a.out","b.out"],"source_format":"x","complete":true,"metadata":[{"origin":"o","key":"k","value":"v\""}]}'
    for name in 1 2 3 4; do cp small.folded in$name.folded; done
    proftop in?.folded | head -1 | grep -q '  in1.folded, in2.folded and 2 more$'
    [ "$(cells 2,9 -n 1 in?.folded)" = "b 32" ]
}

@test "numbers in options are checked" {
    for case in '--limit 99999999999999' '--limit -1' '--limit x' '--min-percent 101' '--min-percent -1' '--min-percent x' \
        '--min-percent nan' '--kind call' '--by label:' '--peek a --callers b' '-t json:flame --edges'; do
        # shellcheck disable=SC2086  # words of the case
        run proftop $case small.folded
        [ "$status" -eq 2 ] || { echo "$case: $status"; return 1; }
    done
    proftop --min_percent=5% --limit=3 small.folded >/dev/null
}

@test "sums of all corpus files equal those of their samples" {
    command -v python3 >/dev/null || skip "python3 is missing"
    # shellcheck disable=SC2046  # names without blanks
    python3 "$PROFUTILS_SRC/tests/check/proftop.py" "$PROFUTILS_BIN" small.folded \
        $(find "$CORPUS/folded" "$CORPUS/statprofiler" -maxdepth 1 -type f -size -64k ! -name '*.json*' ! -name '*.md' ! -name '*.expected*')
}

@test "--by=file shows subs in C under their package" {
    # weights 3, 1 (usleep of Time::HiRes), 1, 2
    [ "$(cells 3,9,11 --by=file -m wall "$CORPUS/statprofiler/edge/05-text.out" | tr '\n' ,)" = "a.pl 4 7,(eval 1) 2 2,xs:Time::HiRes 1 1," ]
}
