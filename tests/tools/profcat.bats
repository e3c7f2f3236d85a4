# profcat: conversion, inspection, labels, canonical order, and reading by other programs.

load ../lib/expect

bats_require_minimum_version 1.5.0

setup_file()
{
    cd "$BATS_FILE_TMPDIR" || return
    printf 'main;work;read 3\nmain;work;parse 5\nmain;"a,b" 2\n4\n' >a.folded
    printf 'main;work;parse 7\nmain;exit 1\n' >b.folded
    "$PROFUTILS_BIN/profcat" a.folded -o a.pfs && "$PROFUTILS_BIN/profcat" b.folded -o b.pfs
}

setup()
{
    cd "$BATS_FILE_TMPDIR" || return
    PATH=$PROFUTILS_BIN:$PATH
}

# same WANT GOT: compares two files, one of which may be "-"
same()
{
    case " $* " in *' - '*) cat >stdin ;; esac
    cmp -s "${1/#-/stdin}" "${2/#-/stdin}" || { diff -u "${1/#-/stdin}" "${2/#-/stdin}" | head -40; return 1; }
}

# --- outputs ----------------------------------------------------------------------------------------------

@test "text shows every record with its labels, values and frames" {
    profcat --set-label host=h1 --set-label section=req a.folded -t text >got
    cat >want <<'END'
metadata  profutils  input  a.folded
metadata  profutils  source_format  folded
measure  sample samples  count  count  sampled  main
sample 1  samples 3 count  section=req  host=h1
    read
    work
    main
sample 2  samples 5 count  section=req  host=h1
    parse
    work
    main
sample 3  samples 2 count  section=req  host=h1
    "a,b"
    main
sample 4  samples 4 count  section=req  host=h1
END
    same want got
}

@test "text escapes characters that control a terminal" {
    printf 'main;\033[31mred\033[0m;bell\007 1\n' >odd.folded
    profcat odd.folded -t text >got
    [ "$(LC_ALL=C tr -d '\n -~' <got | wc -c)" -eq 0 ]
    grep -qF 'x1b' got
}

@test "ndjson has the keys of the schema in their order" {
    profcat --set-label host=h1 --set-label section=req a.folded -t ndjson >got
    f='"file":"","line":0,"column":0,"image":"","address":"","inlined":false,"start_line":0,"frame_kind":""}'
    m='"measures":{"samples":{"role":"count","nature":"sampled","main":true}},"source_format":"folded","removed":[]}'
    cat >want <<END
{"id":1,"kind":"sample","sections":["req"],"labels":{"host":["h1"]},"stack":[{"function":"read",$f,{"function":"work",$f,{"function":"main",$f],"values":{"samples":3},"units":{"samples":"count"},$m
{"id":2,"kind":"sample","sections":["req"],"labels":{"host":["h1"]},"stack":[{"function":"parse",$f,{"function":"work",$f,{"function":"main",$f],"values":{"samples":5},"units":{"samples":"count"},$m
{"id":3,"kind":"sample","sections":["req"],"labels":{"host":["h1"]},"stack":[{"function":"\"a,b\"",$f,{"function":"main",$f],"values":{"samples":2},"units":{"samples":"count"},$m
{"id":4,"kind":"sample","sections":["req"],"labels":{"host":["h1"]},"stack":[],"values":{"samples":4},"units":{"samples":"count"},$m
END
    same want got
    profcat --set-label host=h1 --set-label section=req a.folded | profcat -t ndjson >got
    same want got
}

@test "a json document has the rows of ndjson, totals and metadata" {
    printf '# written by hand\n' | cat - a.folded >c.folded
    profcat c.folded b.folded -t json >got.json
    profcat c.folded b.folded -t ndjson >got.ndjson
    python3 - <<'END'
import json
d = json.load(open("got.json"), object_pairs_hook=lambda pairs: (len(pairs) == len(set(k for k, v in pairs)) or 1 / 0) and dict(pairs))
assert list(d) == ["schema", "rows", "measures", "meta"], list(d)
assert d["schema"] == "profutils.samples/1"
assert d["rows"] == [json.loads(line) for line in open("got.ndjson")]
assert d["measures"] == [{"name": "samples", "unit": "count", "kind": "sample", "total": 22, "role": "count", "nature": "sampled", "main": True}]
assert d["meta"] == {"tool": "profcat", "inputs": ["c.folded", "b.folded"], "source_format": "folded", "complete": True,
                     "metadata": [{"origin": "folded", "key": "comment", "value": "# written by hand"}], "removed": []}, d["meta"]
END
    # the names of the original files are kept
    profcat c.folded b.folded | profcat -t json >piped.json
    same got.json piped.json
}

@test "json and ndjson have the sums that filters removed" {
    printf 'top;a 3\ntop;b 4\ntop;c 5\n' >abc.folded
    proffilter --ignore='^a$' abc.folded | proffilter --focus=b >cut.pfs
    list='"removed":["sample samples count 3 1/1 1","sample samples count 5 1/1 1"]'
    [[ $(profcat -t ndjson cut.pfs) == *',"source_format":"folded",'"$list}" ]]
    [[ $(profcat -t json cut.pfs) == *'"metadata":[],'"$list}}" ]]
    for to in json ndjson; do
        profcat -t $to cut.pfs >cut.$to
        # 4 of 3 + 4 + 5, in files that follow each other too
        proftop cut.$to | grep -q '^samples: 4, 33 % of 12 '
        profcat cut.$to cut.$to -t $to | proftop | grep -q '^samples: 8, 33 % of 24'
        profcat -t $to cut.$to | grep -qF "$list"
    done
    cat cut.ndjson cut.ndjson | proftop | grep -q '^samples: 8, 33 % of 24'
    # no record is left
    proffilter -q --focus=nobody abc.folded | profcat -t json | proftop | grep -q '^samples: 0, 0 % of 12'
    # a row that a live pipe has passed on is complete: the end of the list follows it
    mkfifo slow
    profcat -t ndjson <slow | cat >live.ndjson &
    exec 8>slow
    whole=$(wc -c <cut.pfs)
    at=$(profcat --frames cut.pfs | awk '$2 == "B" { seen = 1; next } seen { print $1; exit }')
    head -c "$at" cut.pfs >&8
    for _ in $(seq 100); do [ ! -s live.ndjson ] || break; sleep 0.05; done
    tail -c $((whole - at)) cut.pfs >&8
    exec 8>&-
    wait
    [ "$(tail -n 1 live.ndjson)" = '{"id":2,"kind":"removed","sections":[],"labels":{},"stack":[],"values":{},"units":{},"measures":{},"source_format":"folded",'"$list}" ]
    proftop live.ndjson | grep -q '^samples: 4, 33 % of 12 '
    # NYTProf: the remaining records do not give the time outside of all subs
    proftop -n 0 "$CORPUS/nytprof/anon_c0.nyt" | grep -q main::RUNTIME
    proffilter -q -I BEGIN "$CORPUS/nytprof/anon_c0.nyt" >cut.pfs
    proftop -n 0 -t csv cut.pfs >want
    run ! grep -q main::RUNTIME want
    for to in json ndjson; do profcat -t $to cut.pfs | proftop -n 0 -t csv - | diff want -; done
}

@test "decimals of our own json are read back exactly" {
    printf 'main;a 2\nmain;b 0.5\nmain;c 0.125\n' >tenths.folded
    for to in json ndjson; do
        profcat -t $to tenths.folded >tenths.$to
        profcat tenths.$to -t folded | diff tenths.folded -
        profcat tenths.$to -t $to | grep '"id"' | cut -d , -f 2- >again
        grep '"id"' tenths.$to | cut -d , -f 2- | diff - again
    done
    profcat -t json tenths.json | grep -q '"measures":\[{"name":"samples","unit":"count","kind":"sample","total":2.625,'
    # each measure has its own scale; signs, exponents and many digits are exact: 3 + 0.5 - 0.125, and 10^12 +
    # 10^-6
    cat >own.ndjson <<'END'
{"id":1,"kind":"sample","sections":[],"labels":{},"stack":["a"],"values":{"x":3,"y":1},"units":{"x":"things","y":"count"}}
{"id":2,"kind":"sample","sections":[],"labels":{},"stack":["a"],"values":{"x":0.5,"y":1000000000000.0},"units":{"x":"things","y":"count"}}
{"id":3,"kind":"sample","sections":[],"labels":{},"stack":["a"],"values":{"x":-1.25e-1,"y":-0.000001},"units":{"x":"things","y":"count"}}
END
    proftop -t csv -m x -m y own.ndjson | cut -d , -f 7-9 >got
    printf '%s\n' measure,unit,flat x,things,3.375 y,count,1000000000000.999999 | diff - got
    profcat -t csv own.ndjson | cut -d , -f 8- >got
    printf '%s\n' x,y 3,1 0.5,1000000000000 -0.125,-0.000001 | diff - got
    for number in 0.1234567890123456789 9223372036854775808 9223372036854775807.5; do
        sed "1s/\"x\":3/\"x\":$number/" own.ndjson >bad.ndjson
        run profcat -c bad.ndjson
        [ "$status" -eq 3 ]
        [[ $output == *"bad.ndjson: offset 78: expected a number of 64 bits with at most 18 decimals, not '$number'"* ]]
    done
}

@test "times between two nanoseconds are rounded half to even" {
    # 11.5, -11.5, 10.5, 0.5 and 12.5
    python3 "$PROFUTILS_SRC/tests/check/make_stream.py" >tenths-of-ns.pfs <<'END'
{"measures": [{"name": "wall", "unit": "nanoseconds", "den": 10}],
 "records": [{"stack": [["a"]], "values": {"wall": 115}}, {"stack": [["b"]], "values": {"wall": -115}}, {"stack": [["c"]], "values": {"wall": 105}},
             {"stack": [["d"]], "values": {"wall": 5}}, {"stack": [["e"]], "values": {"wall": 125}}]}
END
    [ "$(profcat -t csv tenths-of-ns.pfs | tail -n +2 | cut -d , -f 8 | tr '\n' ' ')" = "12 -12 10 0 12 " ]
    # 235 tenths are 23.5
    profcat -t json tenths-of-ns.pfs | grep -q '"unit":"nanoseconds","kind":"sample","total":24,'
}

@test "an empty profile becomes a json document; the document of an incomplete profile says so" {
    printf '\n' >nothing.folded
    profcat -f folded nothing.folded -t json >got
    printf '%s\n' '{"schema":"profutils.samples/1","rows":[],"measures":[{"name":"samples","unit":"count","kind":"sample","total":0,"role":"count","nature":"sampled","main":true}],"meta":{"tool":"profcat","inputs":["nothing.folded"],"source_format":"folded","complete":true,"metadata":[],"removed":[]}}' >want
    same want got
    [ "$(profcat -f folded nothing.folded -t csv)" = 'kind,sections,labels,stack,function,file,line,samples' ]
    [ -z "$(profcat -f folded nothing.folded -t ndjson)" ]
    [ "$(profcat -f folded nothing.folded | profcat -t json | sed 's/.*"complete"/"complete"/')" = "$(sed 's/.*"complete"/"complete"/' want)" ]
    printf 'a 1\nbad\n' >bad.folded
    profcat -f folded bad.folded -t json >got 2>/dev/null || [ $? -eq 3 ]
    python3 -c 'import json; d = json.load(open("got")); assert not d["meta"]["complete"] and len(d["rows"]) == 1'
}

@test "json can have frames as names, or a row for each frame" {
    profcat a.folded -t ndjson:stack=names >got
    sed -n 1p got | grep -qF '"stack":["read","work","main"],'
    profcat a.folded -t ndjson:explode >got
    python3 - <<'END'
import json
rows = [json.loads(line) for line in open("got")]
assert len({tuple(r) for r in rows}) == 1
assert [(r["id"], r["depth"], r["function"], r["leaf"], r["values"]["samples"]) for r in rows] == [
    (1, 3, "read", True, 3), (1, 2, "work", False, 3), (1, 1, "main", False, 3),
    (2, 3, "parse", True, 5), (2, 2, "work", False, 5), (2, 1, "main", False, 5),
    (3, 2, '"a,b"', True, 2), (3, 1, "main", False, 2), (4, 0, "[unknown]", True, 4)]
assert sum(r["values"]["samples"] for r in rows if r["leaf"]) == 14
END
    profcat a.folded -t json:stack=names,explode >/dev/null
    fails 2 "stack is one of frames\|names, not 'x'" profcat a.folded -t json:stack=x
}

@test "json:flame is the tree of calls" {
    profcat a.folded b.folded -t json:flame >got
    n() { printf '{"name":"%s","value":%d,"self":%d,"children":[%s]}' "$@"; }
    n all 22 4 "$(n main 18 0 "$(n work 15 0 "$(n parse 12 12 ''),$(n read 3 3 '')"),$(n '\"a,b\"' 2 2 ''),$(n exit 1 1 '')")" >want
    echo >>want
    same want got
    profcat -t ndjson:flame a.folded 2>err || [ $? -eq 2 ]
}

@test "csv can be read by a csv reader, tsv by splitting at tabs" {
    printf 'main;x\ty;"q",r\\n;\303\251\303 6\n' | cat a.folded - >odd.folded
    profcat --set-label 'k;1=v=2' --set-label section=s1 odd.folded -t csv >got.csv
    profcat --set-label 'k;1=v=2' --set-label section=s1 odd.folded -t tsv >got.tsv
    python3 - <<'END'
import csv, re
head = ["kind", "sections", "labels", "stack", "function", "file", "line", "samples"]
last = 'main;x\ty;"q",r\\n;\u00c3\u00a9\u00c3'
rows = [["main;work;read", "read", "3"], ["main;work;parse", "parse", "5"], ['main;"a,b"', '"a,b"', "2"], ["", "", "4"],
        [last, last.rsplit(";", 1)[1], "6"]]
want = [head] + [["sample", "s1", "k:1=v=2", stack, leaf, "", "0", count] for stack, leaf, count in rows]
got = list(csv.reader(open("got.csv", encoding="utf-8", newline="")))
assert got == want, got
unescape = lambda s: re.sub(r"\\(.)", lambda m: {"t": "\t", "n": "\n", "r": "\r", "\\": "\\"}[m[1]], s)
got = [[unescape(cell) for cell in line.split("\t")] for line in open("got.tsv", encoding="utf-8", newline="").read().split("\n")[:-1]]
assert got == want, got
END
}

@test "a measure that comes late gets a column, unless 8 MiB of the table are written" {
    profcat -f folded:measure=wall/ms a.folded -o wall.pfs
    profcat b.folded wall.pfs -t tsv | cut -f 8,9 | tr '\t' , >got
    printf '%s\n' samples,wall 7,0 1,0 0,3000000 0,5000000 0,2000000 0,4000000 | same - got
    profcat b.folded wall.pfs -t csv | sed 's/.*,\([a-z0-9]*,[a-z0-9]*\)$/\1/' | same got -
    awk 'BEGIN { for (i = 0; i < 110000; i++) printf "a_stack_of_its_own_of_some_length_%d 1\n", i }' >long.folded
    fails 2 "the measure 'wall' appears after the header" profcat long.folded wall.pfs -t csv
    profcat b.folded wall.pfs -t json >got.json
    python3 - <<'END'
import json
d = json.load(open("got.json"))
assert [(m["name"], m["total"]) for m in d["measures"]] == [("samples", 8), ("wall", 14000000)]
assert d["rows"][2]["values"] == {"samples": 0, "wall": 3000000} and d["rows"][0]["values"] == {"samples": 7}
END
    [ "$(profcat b.folded wall.pfs -m samples -t csv | tail -n 1)" = 'sample,,,,,,0,0' ]
}

@test "the suffix of -o chooses the format, .gz compresses" {
    for format in pfs folded text json ndjson csv tsv; do
        suffix=$format
        [ "$format" != text ] || suffix=txt
        profcat a.folded -o "by.$suffix"
        profcat a.folded -t "$format" >want
        same want "by.$suffix"
    done
    profcat a.folded -o by.ndjson.gz
    gzip -dc by.ndjson.gz | same by.ndjson -
    profcat -f folded:measure=wall/us a.folded -o us.pfs
    for format in pfs:pfs nytprof:nyt statprofiler:statprof; do # also formats that compress their files
        profcat us.pfs -o "by.${format#*:}.gz"
        profcat us.pfs -t "${format%:*}" | cmp - <(gzip -dc "by.${format#*:}.gz")
    done
    profcat a.folded -o by.pprof.gz # this format is always gzip: not compressed again
    profcat a.folded -t pprof | cmp - by.pprof.gz
    profcat --probe a.folded -o probe.json
    profcat --probe a.folded -t json | cmp - probe.json
    fails 2 "the output formats are text, json and ndjson, not csv" profcat --probe a.folded -o probe.csv
}

@test "an unknown suffix is refused" {
    profcat a.folded -o by.JSON
    profcat a.folded -t json | cmp - by.JSON
    profcat a.folded -o BY.CSV.GZ
    profcat a.folded -t csv | cmp - <(gzip -dc BY.CSV.GZ)
    profcat a.folded -o want.pfs
    for suffix in austin pstats gmon.gz perf-script; do
        fails 2 "cannot write '${suffix%.gz}'; formats to write: pfs, .*html" profcat a.folded -o "no.$suffix"
        [ ! -e "no.$suffix" ]
        profcat a.folded -t pfs -o "yes.$suffix"
    done
    for name in req.sgv x.y2 ./a.pf x.parquet x.dot; do
        for program in profcat proftop profmerge proffilter "profdiff a.folded" "profcat --probe" "profcat -H"; do
            # shellcheck disable=SC2086 # a program and its first words
            fails 2 "'$name': no format has the suffix \.${name##*.}; -t NAME chooses the format" $program a.folded -o "$name"
            [ ! -e "$name" ]
        done
    done
    fails 2 "no format has the suffix .sgv" profcat a.folded -o req.sgv.gz
    mkdir -p dir.d
    for name in plain dir.d/plain run.1 .hidden end.; do
        profcat a.folded -o "$name" 2>err
        [ ! -s err ]
        cmp want.pfs "$name"
    done
    profcat a.folded -t csv -o table.sgv 2>err
    [ ! -s err ]
}

@test "the message about an unknown format or option lists the known ones" {
    fails 2 "unknown format 'xml'; formats to write: pfs, .*folded, .*text, json, ndjson, csv, tsv, svg, html" profcat a.folded -t xml
    fails 2 "cannot read 'csv'; formats to read: pfs, .*folded" profcat -f csv a.folded
    fails 2 "json has no option 'indent' for writing; it has: stack, explode" profcat a.folded -t json:indent=2
    fails 2 "csv has no option 'x' for writing; it has: guard" profcat a.folded -t csv:x
    fails 2 "there is no measure 'wall'; measures: samples" profcat a.folded -m wall -t csv
}

# --- one order --------------------------------------------------------------------------------------------

@test "canonical output does not depend on the order of the input" {
    python3 - <<'END'
import random
r = random.Random(7)
lines = ["%s %d" % (";".join(r.choice("abcdefgh") + r.choice(("", " x", "::y")) for _ in range(r.randrange(1, 9))), r.randrange(1, 50)) for _ in range(3000)]
lines += lines[:500] + ["# c%d" % k for k in range(5)]
for name in "one", "two":
    r.shuffle(lines)
    open(name + ".folded", "w").write("\n".join(lines) + "\n")
half = len(lines) // 2
open("h1.folded", "w").write("\n".join(lines[:half]) + "\n")
open("h2.folded", "w").write("\n".join(lines[half:]) + "\n")
END
    for format in pfs json csv text; do
        profcat -f folded --canonical -t "$format" <one.folded >want
        profcat -f folded --canonical -t "$format" <two.folded >got
        same want got
    done
    profcat -f folded --canonical <one.folded >want
    profcat --canonical <want | same want -
    profcat --set-label host=x h1.folded -o h1.pfs
    profcat --set-label host=a -f folded:measure=wall/us h2.folded -o h2.pfs
    profcat --canonical h1.pfs h2.pfs >want
    profcat --canonical h2.pfs h1.pfs >got
    same want got
    profcat h1.pfs h2.pfs | profcat --canonical | same want -
}

@test "canonical output has the records of the input, sorted by their stacks" {
    profcat --canonical one.folded -t folded >got
    grep '^#' got | tr -d '\n' | grep -qx '# c0# c1# c2# c3# c4'
    profcat one.folded -t folded | grep -v '^#' >want
    grep -v '^#' got | same want -
    profcat --canonical one.folded -t csv >got.csv
    profcat one.folded -t csv >all.csv
    sort got.csv >a
    sort all.csv >b
    same b a
    python3 - <<'END'
import csv
rows = list(csv.DictReader(open("got.csv")))
keys = [(r["stack"].split(";"), int(r["samples"])) for r in rows]
assert len(keys) == 3500 and keys == sorted(keys)
END
}

@test "random streams of all kinds of records are complete in every form of output" {
    reference=$PROFUTILS_SRC/tests/reference/pfs.py
    for seed in 1 3 6 7 8 12; do
        python3 "$reference" random "$seed" one.pfs
        python3 "$reference" random $((seed + 100)) two.pfs
        # one stream in ten is marked incomplete
        profcat --salvage -q one.pfs | profcat --canonical >canonical.pfs
        # sorting notes that metadata have lost their places, as `profutils` `merged`
        python3 "$reference" dump one.pfs | sed '$d' >want
        ! grep -q '^meta ' want || echo 'meta 70726f667574696c73 6d6572676564 ' >>want
        sort -o want want
        python3 "$reference" dump canonical.pfs | sed '$d' | sort | same want -
        profcat --salvage -q one.pfs -o whole.pfs
        profcat --canonical canonical.pfs | same canonical.pfs -
        cat one.pfs two.pfs | profcat --salvage -q --canonical >want
        cat two.pfs one.pfs | profcat --salvage -q --canonical | same want -
        for format in json ndjson text; do profcat -t "$format" whole.pfs >"got.$format"; done
        rm -f got.csv
        profcat -t csv whole.pfs >table 2>err && mv table got.csv || grep -q 'after the header' err
        python3 - "$(profcat -c whole.pfs)" <<'END'
import csv, json, os, sys
count = int(sys.argv[1])
def once(pairs):
    assert len(pairs) == len({key for key, value in pairs}), pairs
    return dict(pairs)
d = json.load(open("got.json", encoding="utf-8"), object_pairs_hook=once)
assert len(d["rows"]) == count and d["rows"] == [json.loads(line) for line in open("got.ndjson", encoding="utf-8")]
assert sum(line.split(" ")[0] in ("sample", "flat", "edge") for line in open("got.text", encoding="utf-8", newline="\n")) == count
for row in d["rows"]:
    assert len(row["stack"]) == {"sample": len(row["stack"]), "flat": 1, "edge": 2}[row["kind"]]
    assert list(row["values"]) == list(row["units"])
if os.path.exists("got.csv"):
    csv.field_size_limit(1 << 30)
    rows = list(csv.reader(open("got.csv", encoding="utf-8", newline="")))
    assert len(rows) == count + 1 and len({len(row) for row in rows}) == 1
END
    done
}

# --- inspection -------------------------------------------------------------------------------------------

@test "probe describes each input" {
    profcat --set-label section=req --set-label host=h a.folded -o l.pfs
    profcat --probe a.folded l.pfs -t ndjson >got
    cat >want <<'END'
{"input":"a.folded","format":"folded","variant":"","records":4,"samples":4,"flats":0,"edges":0,"functions":5,"measures":[{"name":"samples","unit":"count","kind":"sample","total":14}],"sections":[],"complete":true,"evidence":12}
{"input":"l.pfs","format":"pfs","variant":"","records":4,"samples":4,"flats":0,"edges":0,"functions":5,"measures":[{"name":"samples","unit":"count","kind":"sample","total":14}],"sections":["req"],"complete":true,"evidence":40}
END
    same want got
    profcat --probe a.folded -t json >got.json
    python3 -c 'import json; d = json.load(open("got.json")); assert d["schema"] == "profutils.probe/1" and len(d["rows"]) == 1 and d["meta"]["complete"]'
    profcat --probe l.pfs >got
    cat >want <<'END'
l.pfs: pfs (40 bits of evidence)
    samples   4
    measure   sample samples: 14 count
    functions 5
    section   req
END
    same want got
    [ "$(profcat --probe -f folded a.folded | head -n 1)" = 'a.folded: folded' ]
    # each input is described separately, whatever the order in which names appeared
    profcat --probe b.folded a.folded b.folded -t ndjson | cut -d, -f 4,8 >got
    printf '"records":2,"functions":4\n"records":4,"functions":5\n"records":2,"functions":4\n' | same - got
}

@test "inspection continues after a bad input and exits 3" {
    printf 'not a profile\n' >bad
    head -c 200 a.pfs >cut.pfs
    fails 3 'profcat: bad: offset 0: unknown' profcat --probe a.folded bad cut.pfs b.folded -t ndjson
    grep -q 'cut.pfs: offset' err
    python3 - <<'END'
import json
rows = [json.loads(line) for line in open("out")]
assert [(r["input"], r["complete"], r["records"]) for r in rows] == [
    ("a.folded", True, 4), ("cut.pfs", False, 0), ("b.folded", True, 2)], rows
END
    fails 3 'bad: ' profcat -c a.folded bad b.folded
    [ "$(cat out)" = "$(printf '4 a.folded\n2 b.folded\n6 total')" ]
}

@test "count prints one number, or a number for each input" {
    [ "$(profcat -c a.folded)" = 4 ]
    [ "$(profcat -c <a.pfs)" = 4 ]
    [ "$(cat a.pfs b.pfs a.pfs | profcat -c)" = 10 ]
    profcat -c a.folded b.pfs >got
    printf '4 a.folded\n2 b.pfs\n6 total\n' | same - got
    profcat -c a.folded b.pfs -t ndjson >got
    printf '{"input":"a.folded","records":4,"complete":true}\n{"input":"b.pfs","records":2,"complete":true}\n' | same - got
}

@test "header prints only the metadata" {
    printf '# one\nmain;a 1\n# two \\ \033[1m\n' >meta.folded
    profcat -H meta.folded >got
    printf 'folded comment # one\nfolded comment # two \\ \\x1b[1m\n' | same - got
    [ -z "$(profcat -H a.folded)" ]
    profcat -H meta.folded a.folded meta.folded | head -n 3 >got
    printf '==> meta.folded <==\nfolded comment # one\nfolded comment # two \\ \\x1b[1m\n' | same - got
    profcat -H meta.folded -t json >got.json
    python3 - <<'END'
import json
d = json.load(open("got.json"))
want = [{"origin": "folded", "key": "comment", "value": v} for v in ("# one", "# two \\ \033[1m")]
assert d["schema"] == "profutils.metadata/1"
assert [{k: r[k] for k in ("origin", "key", "value")} for r in d["rows"]] == want == d["meta"]["metadata"]
END
    fails 2 'text, json and ndjson, not csv' profcat -H meta.folded -t csv
    fails 2 'exclude each other' profcat -H -c meta.folded
}

@test "frames lists the frames of a native stream, even of a damaged one" {
    profcat --frames a.pfs >got
    head -n 1 got | grep -q 'offset  type'
    awk 'NR > 1 { print $2 }' got | tr -d '\n' | grep -qxE 'H[DBM]+E'
    awk 'NR > 2 && $1 <= before { exit 1 } { before = $1 }' got
    profcat --frames a.pfs -t ndjson >got
    python3 - <<'END'
import json, os
rows = [json.loads(line) for line in open("got")]
assert list(rows[0]) == ["input", "offset", "type", "about", "rows", "base", "size", "raw", "good"]
end = 0
for row in rows:
    assert row["offset"] == end and row["good"]
    end += 32 + (row["size"] + 7) // 8 * 8
assert end == os.path.getsize("a.pfs")
assert sum(row["rows"] for row in rows if row["type"] == "B") == 4
END
    python3 -c 'import sys; d = bytearray(open("a.pfs", "rb").read()); d[75] ^= 1; open("flip.pfs", "wb").write(d)'
    fails 3 'flip.pfs: offset' profcat --frames flip.pfs
    grep -q DAMAGED out
    fails 3 'a.folded: offset 0' profcat --frames a.folded
}

# --- streams ----------------------------------------------------------------------------------------------

@test "native streams are copied unchanged, one after the other" {
    profcat a.pfs | same a.pfs -
    profcat <a.pfs | same a.pfs -
    profcat a.pfs b.pfs a.pfs >got
    cat a.pfs b.pfs a.pfs | same - got
    profcat got | same got -
    profcat a.pfs b.folded a.pfs | profcat -t folded >got
    profcat a.folded b.folded a.folded -t folded | same - got
    profcat b.folded a.pfs | profcat -t folded >got
    profcat b.folded a.folded -t folded | same - got
}

@test "labels, -m and --canonical are applied to native streams too" {
    profcat --set-label host=x a.pfs | profcat -t csv | cut -d, -f 3 | sort -u >got
    printf 'host=x\nlabels\n' | same - got
    fails 2 "no measure 'wall'" profcat -m wall a.pfs
    profcat -z 6 a.pfs | profcat --frames | grep -q deflated || [ "$(wc -c <a.pfs)" -lt 2000 ]
}

@test "every program of a pipe reports an incomplete stream" {
    head -c $(($(wc -c <a.pfs) - 20)) a.pfs >cut.pfs
    bash -c 'profcat cut.pfs 2>e1 | profcat 2>e2 | profcat -t folded >out 2>e3; echo "${PIPESTATUS[*]}"' >got
    [ "$(cat got)" = '3 3 3' ]
    grep -q 'cut.pfs: offset' e1
    grep -q 'incomplete' e2
    grep -q 'incomplete' e3
    bash -c 'profcat absent.pfs 2>e1 | profcat 2>e2 | profcat -t folded >out 2>e3; echo "${PIPESTATUS[*]}"' >got
    [ "$(cat got)" = '3 3 3' ]
}

@test "records of a slow producer are passed on at once" {
    line=$(printf 'frame;%.0s' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16)
    for stages in 'profcat' 'profcat | profcat' 'profcat | profcat --set-label k=v | profcat'; do
        rm -f slow seen
        mkfifo slow
        bash -c "$stages | profcat -t ndjson:stack=names | (head -n 1 >seen; cat >rest)" <slow &
        exec 7>slow
        printf '%slast 1\n' "$line" >&7
        for _ in $(seq 100); do
            [ ! -s seen ] || break
            sleep 0.1
        done
        grep -q '"id":1' seen
        printf '%slast 2\n' "$line" >&7
        exec 7>&-
        wait
        grep -q '"id":2' rest
    done
}

# --- labels -----------------------------------------------------------------------------------------------

@test "--set-label sets a label on all records and replaces labels of the same key" {
    profcat --set-label host=one a.folded | profcat --set-label host=two --set-label x=1 -t csv | cut -d, -f 3 | sort -u >got
    printf 'host=two;x=1\nlabels\n' | same - got
    profcat --set-label empty= a.folded -t ndjson | head -n 1 | grep -qF '"labels":{"empty":[""]}'
    fails 2 "KEY=VALUE, not 'host'" profcat --set-label host a.folded
    fails 2 "KEY=VALUE, not '=x'" profcat --set-label =x a.folded
    # a value may contain a comma and an equals sign
    profcat --set-label 'k=a,b=c' a.folded -t ndjson | head -n 1 | grep -qF '"labels":{"k":["a,b=c"]}'
}

@test "--label-source labels records with the name of their input" {
    profcat --label-source a.folded b.pfs -t tsv | cut -f 3 | sort | uniq -c | sed 's/^ *//' >got
    printf '1 labels\n4 source=a.folded\n2 source=b.pfs\n' | same - got
    profcat --label-source=from a.folded -t tsv | sed 1d | cut -f 3 | sort -u >got
    printf 'from=a.folded\n' | same - got
}

# --- stacks made of calls ---------------------------------------------------------------------------------

# calls FILE CALLER>CALLEE:OWN:INCLUSIVE...
calls()
{
    local file=$1 separator=
    shift
    {
        echo '{"measures": [{"name": "own", "kind": "edge", "role": "self", "main": 1},'
        echo '{"name": "all", "kind": "edge", "role": "inclusive"}], "records": ['
        for call; do
            IFS=':>' read -r caller callee own all <<<"$call"
            echo "$separator{\"kind\": \"edge\", \"caller\": [\"$caller\"], \"callee\": [\"$callee\"], \"values\": {\"own\": $own, \"all\": $all}}"
            separator=,
        done
        echo ']}'
    } | stream "$file"
}

@test "--expand-edges divides the costs of a function among its callers by the costs of each call" {
    # main calls a (60, of which 20 are its own) and b (40, 10); both call c, which costs 70: 40 from a, 30
    # from b
    calls diamond.pfs 'main>a:20:60' 'main>b:10:40' 'a>c:40:40' 'b>c:30:30'
    profcat --expand-edges diamond.pfs -t folded >got 2>err
    printf '%s\n' 'main;a 20' 'main;a;c 40' 'main;b 10' 'main;b;c 30' | same - got
    grep -q 'diamond.pfs: stacks are approximate: made of pairs of caller and callee' err

    # d below c costs 35, c itself 35. They are shared out 4 to 3, and one unit cannot be divided
    calls deeper.pfs 'main>a:20:60' 'main>b:10:40' 'a>c:20:40' 'b>c:15:30' 'c>d:35:35'
    profcat -q --expand-edges deeper.pfs -t folded >got
    printf '%s\n' 'main;a 20' 'main;a;c 20' 'main;a;c;d 20' 'main;b 10' 'main;b;c 15' 'main;b;c;d 15' | same - got
}

@test "--expand-edges ends stacks at recursion, and loses and adds nothing" {
    calls circle.pfs 'main>f:10:100' 'f>g:50:90' 'g>f:40:60' 'g>g:0:5' 'x>y:7:7' 'y>x:3:3'
    profcat -q --expand-edges circle.pfs -t folded >got
    [ "$(awk '{ sum += $NF } END { print sum }' got)" -eq 110 ]
    run ! grep -qE "(^|;)f;g;f;|x;y;x;|y;x;y;" got
    for name in f:50 g:50 y:7 x:3; do
        sum=$(awk -v name="${name%:*}" '{ n = split($1, frames, ";"); if (frames[n] == name) sum += $2 } END { print sum }' got)
        [ "$sum" -eq "${name#*:}" ] || { echo "$name: $sum"; cat got; false; }
    done
}

@test "--expand-edges keeps existing stacks, marks the stream, and refuses costs that it cannot divide" {
    calls diamond.pfs 'main>a:20:60' 'a>c:40:40'
    profcat -q --expand-edges a.folded diamond.pfs -t pfs >both.pfs
    profcat -H both.pfs | grep -qx 'profcat expand-edges stacks are approximate: made of pairs of caller and callee'
    profcat both.pfs -m own -t folded 2>/dev/null | grep -q '^main;a;c 40'
    profcat both.pfs -m samples -t folded >got 2>/dev/null
    profcat a.folded -t folded | same - got

    calls negative.pfs 'main>a:-20:60' 'a>c:40:40'
    fails 3 "negative.pfs: measure 'own' of 'a' is negative: the value cannot be divided among stacks" profcat --expand-edges negative.pfs -t folded
    stream counts.pfs <<'EOF'
{"measures": [{"name": "calls", "kind": "edge", "role": "count"}],
 "records": [{"kind": "edge", "caller": ["a"], "callee": ["b"], "values": {"calls": 3}}]}
EOF
    fails 3 'counts.pfs: no measure of the calls has own and inclusive values' profcat --expand-edges counts.pfs -t folded
    run ! grep -q 'approximate' err
}

@test "--expand-edges makes stacks of one function if no calls are known" {
    printf '%s\n' 'version: 1' 'events: Ir Dr' fn=main '1 10 1' '3 5' fn=a '2 40 2' 'totals: 55 3' >flat.cg
    for measure in 'Ir main 15 a 40' 'Dr main 1 a 2'; do
        read -r name main own a other <<<"$measure"
        profcat --expand-edges flat.cg -t pfs 2>err | profcat -m "$name" -t folded 2>/dev/null | sort >got
        printf '%s\n' "$a $other" "$main $own" | same - got
    done
    grep -q 'flat.cg: the profile has no calls: each stack is one function' err
    profcat -q --expand-edges flat.cg -t pfs | profcat -H >got
    run ! grep -q approximate got
    sed 's/40 2/38 2/; s/55/53/' flat.cg >less.cg # a difference may be negative: it is not shared out
    profdiff flat.cg less.cg -t pfs | profcat -q --expand-edges -t pfs | profcat -q -m Ir.delta -t csv | grep -q '^sample,.*,-2'
    stream inclusive.pfs <<'EOF'
{"measures": [{"name": "all", "kind": "flat", "role": "inclusive"}], "records": [{"kind": "flat", "at": ["a"], "values": {"all": 3}}]}
EOF
    fails 3 'inclusive.pfs: no measure has the own costs of functions' profcat --expand-edges inclusive.pfs -t folded
}

@test "--expand-edges takes bounded time for wide and deep calls, and large values are exact" {
    command -v python3 >/dev/null || skip "no python3"
    # 40 levels of two functions that both call both: 2^40 ways
    python3 - >levels <<'EOF'
own = 1 << 50
total = lambda level: own * 2 * (40 - level)
for level in range(40):
    for a in "xy":
        for b in "xy" if level else "m":
            caller = f"{b}{level - 1}" if level else "main"
            print(f"{caller}>{a}{level}:{own // (2 if level else 1)}:{total(level) // (4 if level else 2)}")
EOF
    mapfile -t rows <levels
    calls levels.pfs "${rows[@]}"
    timeout 60 profcat -q --expand-edges levels.pfs -t folded >got
    python3 - got <<'EOF'
import sys
sums = {}
for line in open(sys.argv[1]):
    stack, value = line.rsplit(" ", 1)
    sums[stack.split(";")[-1]] = sums.get(stack.split(";")[-1], 0) + int(value)
assert sums == {f"{a}{level}": 1 << 50 for level in range(40) for a in "xy"}, sums
EOF
}

@test "for known files that cannot be read, the message says what to give instead" {
    named=0
    while IFS='|' read -r bytes pattern; do
        # shellcheck disable=SC2059  # a table of escapes
        printf "$bytes" >given
        fails 3 "given: offset 0: this is $pattern" profcat given
        named=$((named + 1))
    done <<'END'
FLR\0\0\2\0\1\0\0|a recording of Java's Flight Recorder; convert the recording to folded stacks with jfrconv
\4\10{\20:\14versionf|a dump of Ruby objects; use stackprof's JSON
Version: 3.2.0\nFile format: 4\nTRACE START [2026-11-20 21:10:05]\n1\t0\t0\t0.000285\t399552\n|a trace of Xdebug; use the profile
\tSun Aug 13 10:47 2023 Time and Allocation Profiling Report  (Final)\n|a profile of GHC
Analysis of sampling rg (pid 64751) every 1 millisecond\n|a report of macOS' sample
Weight\tSelf Weight\t\tSymbol Name\n|a deep copy of Instruments
PERFILE2\50\0\0\0|perf.data; use the output of perf script
MOJ\3\0|Austin's binary form
{"meta":{"processType":0,"interval":1},"threads":[]}|a profile of the Firefox Profiler
END
    [ "$named" -eq 9 ]
}

# marked FILE: writes `given`, which is FILE after a UTF-8 byte order mark
marked()
{
    { printf '\357\273\277' && cat "$1"; } >given
}

@test "a UTF-8 byte order mark before a text changes nothing" {
    corpus=$PROFUTILS_SRC/tests/corpus
    seen=0
    while read -r file; do
        cp "$corpus/$file" given
        profcat given -t ndjson >want
        marked "$corpus/$file"
        profcat given -t ndjson | same want -
        profcat -t ndjson <given | sed 's/"input":"-"/"input":"given"/' | same want -
        gzip -nc given >given.gz
        profcat given.gz -t ndjson | sed 's/given.gz/given/' | same want -
        seen=$((seen + 1))
    done <<'END'
austin/full.austin
bpftrace/keys.bpftrace.json
bpftrace/stacks.bpftrace.txt
cachegrind/hand_old.out
callgrind/hand_combined.out
chrometrace/spans.trace
cpuprofile/work.cpuprofile
dcpicat/two_images.txt
dtrace/bcc.txt
dtrace/two.dtrace
folded/odd.folded
gperftools/goroutine.debug1.txt
gperftools/goroutine.debug2.txt
gperftools/hand_java.contention
gperftools/hand_jemalloc.heap
gperftools/heap.0001.heap
heapprofile/small.heapprofile
json/columns.records
ndjson/kinds.ndjson
perf-script/perl.perf.txt
speedscope/threads.speedscope
stackprof/edges.stackprof
statprofiler/edge/05-text.out
END
    [ "$seen" -eq 23 ]
    # offsets include the mark
    printf '\357\273\277a;b 1\na;c 2\na;d 3\nno count\na;e 4\n' >given
    fails 3 'given: offset 21: line 4: the count' profcat given
    printf '\357\273\277' >given
    fails 3 'given: offset 0: the input is empty' profcat given
}

@test "a UTF-8 byte order mark before a binary format is refused" {
    corpus=$PROFUTILS_SRC/tests/corpus
    for file in dcpi/valid/v01_single_chunk.prof gmon/nopie.gmon.out gperftools/cpu.prof gperftools/hand_symbols.prof \
        nytprof/gotos_blocks.nyt pstats/small.pstats pynytprof/note_e_py.nyt statprofiler/depth1.out; do
        marked "$corpus/$file"
        fails 3 'given: offset 0: .*the file begins with a byte order mark: was the file converted as text' profcat -t pfs given
        [ "$(wc -l <err)" -eq 1 ]
    done
    fails 3 'offset 0: the file begins with a byte order mark' profcat -f nytprof given
    marked a.pfs
    fails 3 'given: offset 0: the file begins with a byte order mark' profcat given
    fails 3 'given: offset 0: the file begins with a byte order mark' profcat given -t pfs -o copy.pfs
}

@test "counts of different periods are not added: each has a column" {
    # 2 counts of 100 cycles and 2 of 300: 800 cycles, and neither 4 counts of 100 nor of 300
    for period in 100 300; do
        stream $period.pfs <<END
{"measures": [{"name": "cycles", "unit": "count", "kind": "flat", "period": $period}],
 "records": [{"kind": "flat", "at": ["f"], "values": {"cycles": 2}}]}
END
    done
    expect profcat -t csv 100.pfs 300.pfs <<'END'
kind,sections,labels,stack,function,file,line,cycles,cycles/period=300
flat,,,f,f,,0,2,0
flat,,,f,f,,0,0,2
END
    profcat -t json 100.pfs 300.pfs >both.json
    sed -n 's/^],"measures":\(.*\),"meta".*/\1/p' both.json >got
    diff got - <<'END'
[{"name":"cycles","unit":"count","kind":"flat","total":2,"role":"self","period":100},{"name":"cycles/period=300","unit":"count","kind":"flat","total":2,"role":"self","measure":"cycles","period":300}]
END
    profcat -t ndjson 100.pfs 300.pfs >both.ndjson
    for given in both.json both.ndjson; do
        proftop "$given" >table
        grep -q '^cycles: 800 events total' table
    done
}
