# Amounts that are not whole numbers of their unit. Every expected number follows from the records next to it.

load ../lib/expect

setup()
{
    cd "$BATS_TEST_TMPDIR" || return
    PATH=$PROFUTILS_BIN:$PATH
    export PYTHONDONTWRITEBYTECODE=1
}

@test "fractional amounts are decimal numbers in all forms of output" {
    printf 'a 2\nb 0.5\n' >tenths.folded
    printf 'a 10\n' >whole.folded
    printf 'a 10.5\n' >half.folded
    expect proftop tenths.folded <<'END'
samples: 2.5 total                                                tenths.folded
      flat  flat%   sum%        cum   cum%
         2 80.00% 80.00%          2 80.00%  a
       0.5 20.00%   100%        0.5 20.00%  b
END
    expect cells 2,8-12 tenths.folded <<'END'
a count 2 80.0 2 80.0
b count 0.5 20.0 0.5 20.0
END
    proftop -t json tenths.folded | grep -q '"unit":"count","kind":"sample","total":2.5,"before":2.5}'
    proftop -t csv tenths.folded | grep -q '^2,b,,0,,,samples,count,0.5,20.0,0.5,20.0,0$'
    proftop --tree -t ndjson tenths.folded | grep -q '"function":"all",.*"self":0,"total":2.5}'
    [ "$(proftop --tree -t json:flame tenths.folded | cut -c 1-35)" = '{"name":"all","value":2.5,"self":0,' ]
    proftop -t text whole.folded half.folded | grep -q '^samples: 20.5 total '
    [ "$(cells 2,8,9 whole.folded half.folded)" = "a count 20.5" ]
    # parts of a unit are not a unit for -u
    [ "$(cells 2,8,9 -u ticks tenths.folded | tr '\n' ' ')" = "a count 2 b count 0.5 " ]
    # text shows two decimals, but a nonzero amount never as 0
    printf 'a 123.456\nb 0.0049\nc 0.00000000071\nd 0.996\n' >small-parts.folded
    [ "$(proftop -t text --min-percent=0 small-parts.folded | awk 'NR > 2 { print $1 }' | tr '\n' ' ')" = "123.46 1 0.0049 0.00000000071 " ]
}

@test "fractions of units are exact, or rounded once to six decimals, half to even" {
    cat >parts.py <<'END'
import csv, io, json, os, random, subprocess, sys
from fractions import Fraction
choose = random.Random(7)
stream, tools = sys.argv[1:]
def run(program, *arguments, given=None):
    return subprocess.run([os.path.join(tools, program), *arguments], input=given, stdout=subprocess.PIPE, check=True, timeout=60).stdout
def plain(text):
    assert not ("." in text and text[-1] in "0.") and text != "-0", text
    return Fraction(text)
for unit in ["count", "things", "bytes"] * 10:
    num, den = choose.choice([1, 1, 3, 12345]), choose.choice([2, 3, 7, 8, 10, 64, 1000000, 4000000, 10 ** 9 + 7, 3 ** 38])
    values = {"f%d" % k: choose.randrange(-10 ** choose.randrange(1, 12), 10 ** choose.randrange(1, 12)) for k in range(30)}
    about = {"measures": [{"name": "m", "unit": unit, "num": num, "den": den, "raw_unit": "raw"}],
             "records": [{"stack": [[name]], "values": {"m": value}} for name, value in values.items()]}
    made = subprocess.run([sys.executable, stream], input=json.dumps(about).encode(), stdout=subprocess.PIPE, check=True).stdout
    want = {name: round(Fraction(value * num, den), 6) for name, value in values.items()}
    rows = list(csv.DictReader(io.StringIO(run("proftop", "-t", "csv", "-n", "0", given=made).decode())))
    assert {row["unit"] for row in rows} == {unit}
    assert {row["function"]: plain(row["flat"]) for row in rows} == {name: want[name] for name, value in values.items() if value}
    head = json.loads(run("proftop", "-t", "json", given=made), parse_float=Fraction)["measures"][0]
    assert head["unit"] == unit and head["total"] == round(Fraction(sum(values.values()) * num, den), 6), head
    samples = [json.loads(line, parse_float=plain) for line in run("profcat", "-t", "ndjson", given=made).splitlines()]
    assert {row["stack"][0]["function"]: row["values"]["m"] for row in samples} == want
    assert all(row["units"] == {"m": unit} for row in samples)
    rows = csv.DictReader(io.StringIO(run("profcat", "-t", "csv", given=made).decode()))
    assert {row["function"]: plain(row["m"]) for row in rows} == want
    lines = [line.split() for line in run("profcat", "-t", "text", given=made).decode().splitlines() if line.startswith("sample ")]
    assert [plain(line[3]) for line in lines] == list(want.values())
END
    command -v python3 >/dev/null || skip "python3 is missing"
    python3 parts.py "$PROFUTILS_SRC/tests/check/make_stream.py" "$PROFUTILS_BIN"
}

@test "flat, cumulative and calls may each have another fraction of the unit" {
    # f: a half itself, four thirds with g, called five quarters of a time; g: 1 of the total of 1.5
    stream own-parts.pfs <<'END'
{"measures": [{"name": "excl", "unit": "things", "kind": "edge", "num": 1, "den": 2},
              {"name": "incl", "unit": "things", "kind": "edge", "role": "inclusive", "num": 1, "den": 3, "main": 1},
              {"name": "calls", "unit": "count", "kind": "edge", "role": "count", "num": 1, "den": 4}],
 "records": [{"kind": "edge", "caller": ["main"], "callee": ["f"], "values": {"excl": 1, "incl": 4, "calls": 5}},
             {"kind": "edge", "caller": ["f"], "callee": ["g"], "values": {"excl": 2, "incl": 3, "calls": 4}}]}
END
    expect cells 2,9-13 -s name own-parts.pfs <<'END'
f 0.5 33.3333 1.333333 88.8889 1.25
g 1 66.6667 1 66.6667 1
END
    [ "$(proftop -t text -s name own-parts.pfs | awk '$NF == "f" { print $1, $4, $6 }')" = "0.5 1.33 1.25" ]
    [ "$(proftop -t csv --edges own-parts.pfs | grep ',f,' | cut -d , -f 9- | head -n 1)" = "incl,things,1.333333" ]
}

@test "records are written with as many digits as can be read back" {
    stream sevenths.pfs <<'END'
{"measures": [{"name": "n", "den": 7, "raw_unit": "1/7 count", "main": 1}],
 "records": [{"stack": [["a"]], "values": {"n": 1}}, {"stack": [["b"]], "values": {"n": 72000000000000001}},
             {"stack": [["c"]], "values": {"n": -9223372036854775807}}]}
END
    profcat -t ndjson sevenths.pfs >sevenths.ndjson
    [ "$(grep -o '"n":-\?[0-9][0-9.]*' sevenths.ndjson | cut -c 5- | tr '\n' ' ')" = "0.142857 10285714285714285.86 -1317624576693539401 " ]
    profcat sevenths.ndjson -t ndjson | diff sevenths.ndjson -
}
