# NYTProf files: read, written, summed. Expected numbers come from Devel::NYTProf's own loader and tools, and from a
# decoder in check/nytprof.py.

bats_require_minimum_version 1.5.0

setup()
{
    cd "$BATS_TEST_TMPDIR" || return
    PATH=$PROFUTILS_BIN:$PATH
}

check() { python3 "$PROFUTILS_SRC/tests/check/nytprof.py" "$@"; }

load ../lib/expect

@test "every file reads as the profiler's own loader says" { check read direct "$CORPUS"; }
@test "every file, converted to the native stream, reads as the profiler's own loader says" { check read pfs "$CORPUS"; }
@test "call stacks equal those that nytprofcalls finds" { check calls direct "$CORPUS"; }

@test "main::RUNTIME has the time outside of all subs, in tables, trees and pictures" {
    python3 "$PROFUTILS_SRC/tests/check/nytprof_scope.py" "$CORPUS"
}

# script TEXT: profiles a Perl script that spends at least 20 ms outside of subs
script()
{
    perl -MDevel::NYTProf::Data -e1 2>/dev/null || skip "no Devel::NYTProf here"
    printf '%s\n' "$1" >script.pl
    rm -f nytprof.out
    NYTPROF=compress=0 perl -d:NYTProf script.pl
}

# first FIELD ARGUMENTS...: a value from a JSON table of one row, by a Python expression over the
# document d
first() { proftop -q -n1 -t json "${@:2}" | python3 -c 'import json, sys; d = json.load(sys.stdin); print(eval(sys.argv[1]))' "$1"; }

@test "a script that calls no sub has only main::RUNTIME" {
    # shellcheck disable=SC2016  # Perl's variables
    script 'my $x; for (1..200000) { $x++ }'
    total=$(perl -MDevel::NYTProf::Data -e '
        my $p = Devel::NYTProf::Data->new({filename => "nytprof.out", quiet => 1});
        printf "%.0f", $p->{attribute}{total_stmts_duration} * 1e9')
    [ "$total" -gt 0 ]
    row='d["rows"][0]["function"], d["rows"][0]["flat"], d["rows"][0]["cum"], d["measures"][0]["total"]'
    [ "$(first "$row" nytprof.out)" = "('main::RUNTIME', $total, $total, $total)" ]
    # no record gives it, so it is not shown
    [[ "$(proftop nytprof.out | head -n 1)" =~ ^excl,\ cum\ incl:\ [0-9.]+[mu]?s\ total\ +nytprof.out$ ]]
    proftop --tree nytprof.out | grep -q '100%.* main::RUNTIME  .*/script.pl$'
    [ "$(profcat -q -t json:flame nytprof.out)" = "{\"name\":\"all\",\"value\":$total,\"self\":0,\"children\":[{\"name\":\"main::RUNTIME\",\"value\":$total,\"self\":$total,\"children\":[]}]}" ]
    for format in svg html; do
        profcat -q -t $format nytprof.out | grep -q main::RUNTIME
    done
}

@test "a difference has a row for main::RUNTIME, unless its time is unknown" {
    # shellcheck disable=SC2016  # Perl's variables
    script 'my $x; for (1..20000) { $x++ } sub f { $x++ } f() for 1..3; sub g { $x++ } g();'
    flat=$(first '[r["flat"] for r in d["rows"] if r["function"] == "main::RUNTIME"][0]' nytprof.out)
    profdiff -t csv nytprof.out nytprof.out | grep -q "^function,main::RUNTIME,.*,excl,nanoseconds,$flat,$flat,0,"
    # a filter removes time of both statements and calls: their difference is no longer the time of
    # main::RUNTIME
    proffilter --ignore='^main::f$' nytprof.out -o rest.pfs
    [ "$(proftop -n0 -t csv rest.pfs | grep -c main::RUNTIME)" = 0 ]
    # the total is that of the rows
    [ "$(first 'd["measures"][0]["total"] - sum(r["flat"] for r in d["rows"])' -n0 rest.pfs)" = 0 ]
    # of two runs, only the unfiltered one has it
    profdiff -q -n0 -t csv rest.pfs nytprof.out | grep -q "^function,main::RUNTIME,.*,excl,nanoseconds,0,$flat,$flat,"
    profdiff -q -n0 -t csv nytprof.out rest.pfs | grep -q "^function,main::RUNTIME,.*,excl,nanoseconds,$flat,0,-$flat,"
    # times of other records than statements and calls do not change
    [ "$(first 'd["measures"][0]["total"]' --kind=flat nytprof.out)" = "$(first 'd["measures"][0]["total"]' nytprof.out)" ]
}

# written ARGUMENT...: checks that need the profiler itself
written()
{
    perl -MDevel::NYTProf::Data -e1 2>/dev/null || skip "no Devel::NYTProf here"
    python3 "$PROFUTILS_SRC/tests/check/nytprof_written.py" "$@"
}

@test "every file, written as deflated NYTProf, reads as the profiler's own loader says" { check read nytprof "$CORPUS"; }
@test "every file, converted to the native stream and written as plain NYTProf, reads as the profiler's own loader says" { check read both "$CORPUS"; }
@test "call stacks of written files equal those that nytprofcalls finds" { check calls nytprof "$CORPUS"; }
@test "files read back from NYTProf equal the original, and are written again as the same bytes" {
    python3 "$PROFUTILS_SRC/tests/check/nytprof_written.py" same "$CORPUS"
}
@test "made files with times, rates and orders of calls that the corpus lacks are read back and written again too" {
    python3 "$PROFUTILS_SRC/tests/check/nytprof_written.py" made
}
@test "Devel::NYTProf loads the same from our files as from the originals" { written loaded nytprof "$CORPUS"; }
@test "Devel::NYTProf loads the same from our plain files as from the originals" { written loaded plain "$CORPUS"; }
@test "Devel::NYTProf loads the same from files that passed through the native stream" { written loaded both "$CORPUS"; }
@test "nytprofcalls finds the same stacks in our files as in the originals" { written calls "$CORPUS" 2>/dev/null; }
@test "two files written as one equal nytprofmerge's output" { written joined "$CORPUS"; }

@test "nytprofcsv, nytprofcg and nytprofhtml print the same for our files as for the originals" {
    few=()
    [ "$CORPUS" != "$PROFUTILS_SRC/tests/corpus" ] || few=(evals_z.nyt gotos_blocks.nyt recurse_calls2.nyt multi_init.nyt)
    written tools "$CORPUS" "${few[@]}"
}

# loads FILE: loads it with Devel::NYTProf and writes the result to `loaded`
loads()
{
    perl -MDevel::NYTProf::Data -e1 2>/dev/null || skip "no Devel::NYTProf here"
    timeout 60 perl "$PROFUTILS_SRC/tests/check/nytprof_load.pl" "$1" >loaded
}

# field EXPRESSION: a value from `loaded`, by a Python expression over the document d
field() { python3 -c 'import json, sys; d = json.load(open("loaded")); print(eval(sys.argv[1]))' "$1"; }

@test "stacks of another format become call events, callers and lines" {
    printf 'main::a;main::b;main::c 10\nmain::a;main::b 5\nmain::a 2\nmain::a;main::b;main::a 4\n' >a.folded
    run -0 profcat -f folded:measure=wall/nanoseconds a.folded -t nytprof -o a.nyt
    run -0 --separate-stderr profcat a.nyt -t json
    loads a.nyt
    [ "$(field 'd["load_error"], d["warnings"]')" = "(None, [])" ]
    [ "$(field 'd["attributes"]["ticks_per_sec"]')" = 1000000000 ]
    # 21 ns in all: recursive calls of a do not add to the time of a
    [ "$(field '[round(d["subs"]["main::" + s]["incl_time"] * 1e9) for s in "abc"]')" = "[21, 19, 10]" ]
    [ "$(field '[round(d["subs"]["main::" + s]["excl_time"] * 1e9) for s in "abc"]')" = "[6, 5, 10]" ]
    [ "$(field '[round(d["subs"]["main::" + s]["reci_time"] * 1e9) for s in "abc"]')" = "[4, 0, 0]" ]
    [ "$(field '[d["subs"]["main::" + s]["rec_depth"] for s in "abc"]')" = "[1, 0, 0]" ]
    nytprofcalls a.nyt | sort >calls
    sort a.folded | diff calls -
    proffilter --kind=sample a.nyt | profcat -t folded | sort | diff calls -
}

@test "a StatProfiler profile becomes a NYTProf profile that Devel::NYTProf loads" {
    run -0 --separate-stderr profcat "$CORPUS/statprofiler/anon-callbacks.out" -t nytprof -o a.nyt
    loads a.nyt
    [ "$(field 'd["load_error"], d["warnings"]')" = "(None, [])" ]
    # Self times by the leaf's file and line, from Devel::StatProfiler's own reader; a tick is a millisecond
    python3 - "$CORPUS/statprofiler/anon-callbacks.out.expected.json" <<'PY'
import collections, json, sys
file, got = json.load(open(sys.argv[1]))["files"][0], json.load(open("loaded"))
assert file["header"]["tick_us"] == 1000
lines, total = collections.Counter(), 0
for sample in file["samples"]:
    total += sample["weight"]
    place = next(((frame["file"], frame["line"]) for frame in sample["frames"] if frame.get("file") and frame.get("line", 0) > 0), None)
    lines[place] += sample["weight"]
names = {fid: entry["name"] for fid, entry in got["fids"].items()}
ours = collections.Counter({(names[key.split(":")[0]], int(key.split(":")[1])): round(time * 1000)
                            for key, (_, time) in got["fid_line_time"].items()})
assert total > 100 and +ours == +lines, (ours - lines, lines - ours)
PY
    rm -rf html
    run -0 timeout 60 nytprofhtml --no-flame -o html -f a.nyt
    [[ $output != *"Strange sub name"* && $output != *"uninitialized"* ]]
    grep -q 'Burn::.*spin' html/index.html
}

# whole FILE: loads it as `loads` does; every file must have one number, evals their places, and nothing may be odd
whole()
{
    loads "$1"
    python3 - <<'PY'
import json
got = json.load(open("loaded"))
names = [file["name"] for file in got["fids"].values()]
assert not got["warnings"] and not got["load_error"], got["warnings"]
assert sorted(map(int, got["fids"])) == list(range(1, len(names) + 1)) and len(set(names)) == len(names), names
for file in got["fids"].values():
    assert file["name"].startswith("(eval ") == (file["eval_fid"] != 0), file
PY
}

@test "stacks with numbers of calls but no times can be written" {
    stream calls.pfs <<'END'
{"measures": [{"name": "calls", "role": "count"}], "records": [{"stack": [["f", "a.pl", 3]], "values": {"calls": 7}}]}
END
    profcat -t nytprof calls.pfs -o calls.out
    [ "$(profcat -q -t folded -m calls calls.out)" = "f 7" ]
}

@test "evals that get one name in a merge become one file, with the evals inside it" {
    perl -MDevel::NYTProf -e1 2>/dev/null || skip "no Devel::NYTProf here"
    cat >e.pl <<'PERL'
sub foo { return 1 }
for my $i (1..3) { my $r = eval 'my $z = eval "foo() + $i"; my $f = sub { foo() }; $f->()'; }
PERL
    NYTPROF=file=e.nyt:calls=2 timeout 60 perl -d:NYTProf e.pl
    for inputs in e.nyt "e.nyt e.nyt"; do
        # shellcheck disable=SC2086  # one or two
        profmerge $inputs -t nytprof -o m.nyt
        whole m.nyt
        python3 - $inputs <<'PY'
import json, sys
got, times = json.load(open("loaded")), len(sys.argv) - 1
names = {number: file["name"] for number, file in got["fids"].items()}
outer = "(eval 1)[e.pl:2]"
place = {file["name"]: (names[str(file["eval_fid"])], file["eval_line"]) for file in got["fids"].values() if file["eval_fid"]}
inner = ["(eval %d)[%s:1]" % (number, outer) for number in (2, 4, 6)]  # Perl counts them as they come
assert place == {outer: (names["1"], 2), **{name: (outer, 1) for name in inner}}, place
ran = {names[key.split(":")[0]]: count for key, (count, _) in got["fid_line_time"].items() if key.endswith(":1")}
# Three statements of the outer eval and one of its sub, three times
assert [ran[name] for name in [outer] + inner] == [12 * times] + 3 * [times], ran
anonymous = {name: sub for name, sub in got["subs"].items() if "ANON" in name}
assert list(anonymous) == ["main::__ANON__[%s:1]" % outer], anonymous
(sub,) = anonymous.values()
assert names[str(sub["fid"])] == outer and sub["calls"] == 3 * times and got["subs"]["main::foo"]["calls"] == 6 * times, sub
PY
    done
}

@test "renamed files and subs appear once, under the new name" {
    for file in evals_z gotos_blocks recurse_calls2 multi_init; do
        loads "$CORPUS/nytprof/$file.nyt"
        mv loaded before
        for way in direct pfs; do
            if [ $way = pfs ]; then
                proffilter --trim-path=/www/project --rename='function:s/main::/Main::/' "$CORPUS/nytprof/$file.nyt" -t pfs |
                    profcat -t nytprof -o a.nyt
            else
                proffilter --trim-path=/www/project --rename='function:s/main::/Main::/' "$CORPUS/nytprof/$file.nyt" -t nytprof -o a.nyt
            fi
            whole a.nyt
            python3 - <<'PY'
import json
before, after = json.load(open("before")), json.load(open("loaded"))
for file in before["fids"].values():
    file["name"] = file["name"].removeprefix("/www/project/")
subs = lambda found: {name.replace("main::", "Main::"): (sub["fid"], sub["first_line"], sub["last_line"], sub["calls"])
                      for name, sub in found["subs"].items()}
name = lambda found, fid: found["fids"].get(str(fid), {}).get("name")
rows = lambda found: sorted((f["name"], name(found, f["eval_fid"]), f["eval_line"], f["flags"]) for f in found["fids"].values())
placed = lambda found: {sub: (name(found, row[0]), *row[1:]) for sub, row in subs(found).items()}
assert rows(before) == rows(after), rows(after)
assert placed(before) == placed(after), placed(after)
PY
        done
    done
}

@test "lines and calls of Pynytprof become lines and calls that Devel::NYTProf loads" {
    run -0 --separate-stderr profcat "$CORPUS/pynytprof/hand_basic.nyt" -t nytprof -o a.nyt
    loads a.nyt
    [ "$(field 'd["load_error"], d["warnings"]')" = "(None, [])" ]
    profcat "$CORPUS/pynytprof/hand_basic.nyt" -t ndjson >want
    python3 - <<'PY'
import json
rows, got = [json.loads(line) for line in open("want")], json.load(open("loaded"))
lines = {}
for row in rows:
    if row["kind"] == "flat":
        frame = row["stack"][0]
        lines[frame["file"], frame["line"]] = [row["values"]["calls"], row["values"]["excl"]]
names = {fid: file["name"] for fid, file in got["fids"].items()}
ours = {(names[key.split(":")[0]], int(key.split(":")[1])): [count, round(time * 1e9)]
        for key, (count, time) in got["fid_line_time"].items()}
assert lines and ours == lines, (ours, lines)
PY
}

@test "records that the format cannot hold are refused with the reason" {
    printf 'main;work 3\n' >a.folded
    run -2 profcat -t nytprof a.folded -o a.nyt
    [[ $output == *"nytprof holds times and counts of lines and calls of subs; 'samples' is neither"* ]]
    [ ! -e a.nyt ]
    profile=$(find "$CORPUS/dcpi/valid" -type f ! -name '*.json' | sort | head -n 1)
    run -2 profcat -t nytprof "$profile" -o a.nyt
    [[ $output == *"is neither, and the records have no lines"* ]]
}

@test "twelve million statements are written as so many records, in little memory" {
    python3 - <<'PY'
import struct
with open("many.nyt", "wb") as out:
    out.write(b"NYTProf 5 0\n:ticks_per_sec=10000000\nP\x01\x01" + struct.pack("<d", 1.7e9) + b"@\x01\x00\x00\x12\x00\x00'\x05/a.pl")
    out.write(b"+\x05\x01\x07" * 12000000 + b"-+\xff\xff\xff\xff\xfe\x01\x08" + b"p\x01" + struct.pack("<d", 1.7e9 + 5))
PY
    (ulimit -v 400000 && profcat many.nyt -t nytprof -z 0 -o plain.nyt && profcat many.nyt -t nytprof -o deflated.nyt)
    # the first record has all 60 million ticks, the others none
    [ "$(wc -c <plain.nyt)" -eq "$(($(wc -c <many.nyt) + 3))" ]
    [ "$(wc -c <deflated.nyt)" -lt 100000 ]
    for file in plain.nyt deflated.nyt; do
        profcat "$file" -t ndjson | grep -c '"values":{"stmts":12000000,"time":6000000000}'
        profcat "$file" -t ndjson | grep -c '"values":{"stmts":0,"time":-200}'
    done
}

@test "the number of statements from other formats is limited" {
    python3 - <<'PY'
import struct
def chunk(tag, body): return tag + struct.pack("<I", len(body)) + body
with open("claim.nyt", "wb") as out:
    out.write(b"NYTProf 5 0\n#Perl profile database. Generated by Pynytprof on Mon Jul  7 2025\n:ticks_per_sec=10000000\n\n")
    out.write(chunk(b"F", struct.pack("<IIII", 1, 16, 0, 0) + b"/a.py\0") + chunk(b"S", struct.pack("<IIIQQ", 1, 2, 20000000, 5, 5)))
    out.write(chunk(b"D", b"") + chunk(b"C", b"") + chunk(b"E", b""))
PY
    run -2 --separate-stderr profcat claim.nyt -t nytprof -o a.nyt
    [[ $stderr == *"too many (-t nytprof:limit=N allows N)"* ]]
    run -0 --separate-stderr profcat claim.nyt -t nytprof:limit=20000000 -o a.nyt
    profcat a.nyt -t ndjson | grep -c '"values":{"stmts":20000000,"time":500}'
    # a native stream can claim any number of calls, and to be made from a NYTProf file
    python3 "$PROFUTILS_SRC/tests/check/make_stream.py" >claim.pfs <<'JSON'
{"measures": [{"name": "calls", "unit": "count", "role": "count"}, {"name": "excl", "unit": "nanoseconds", "main": 1}],
 "meta": [["nytprof", "ticks_per_sec", "10000000"]],
 "records": [{"stack": [["main::a", "a.pl", 3, 1]], "values": {"calls": 4294967296, "excl": 100}}]}
JSON
    run -2 --separate-stderr profcat claim.pfs -t nytprof -o a.nyt
    [[ $stderr == *"too many (-t nytprof:limit=N allows N)"* ]]
}
