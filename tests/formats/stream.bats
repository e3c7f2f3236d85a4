# The native stream compared with a second reader and writer, tests/reference/pfs.py, written from the
# specification.

setup_file()
{
    command -v python3 >/dev/null || skip "python3 is missing"
    program=$PROFUTILS_BUILD/tests/unit/test_stream
    [ ! -x "$PROFUTILS_BUILD/san/tests/unit/test_stream" ] || program=$PROFUTILS_BUILD/san/tests/unit/test_stream
    reference=$PROFUTILS_SRC/tests/reference/pfs.py
    export program reference PYTHONDONTWRITEBYTECODE=1
}

setup()
{
    cd "$BATS_TEST_TMPDIR" || return
}

@test "random streams, whole and damaged, are read, written and copied like the reference" {
    python3 "$reference" compare "$program" 1 25
}

@test "profcat --frames lists the frames of the stream" {
    for seed in 1 5 7; do
        python3 "$reference" random "$seed" random.pfs
        python3 "$reference" frames random.pfs >expected
        "$program" frames random.pfs >got
        diff -u expected got
    done
}

# page_bytes: the hexadecimal dumps in the manual page, without the column of remarks
page_bytes()
{
    python3 - "$PROFUTILS_SRC/man/profstream.5" "$1" <<'END'
import re, sys
lines = open(sys.argv[1]).read().split("\n")
text = blocks = ""
for line in lines:
    match = re.match(r"((?:[0-9a-f]{2} ){1,15}[0-9a-f]{2})   ", line)
    blocks += match.group(1) + " " if match else "" if line.startswith(".") else ""
    if line == ".nf":
        blocks += "|"
sys.stdout.buffer.write(bytes.fromhex(blocks.split("|")[int(sys.argv[2])]))
END
}

@test "the shortest stream of the manual page is a complete stream" {
    page_bytes 2 >page.pfs
    [ "$(wc -c <page.pfs)" -eq 88 ]
    [ "$("$program" dump page.pfs)" = whole ]
    "$program" rewrite page.pfs again.pfs 1 0
    cmp page.pfs again.pfs
}

@test "the writer makes the block of the manual page from its records" {
    page_bytes 1 >block
    python3 - "$reference" <<'END'
import importlib.util, struct, sys
spec = importlib.util.spec_from_file_location("pfs", sys.argv[1])
pfs = importlib.util.module_from_spec(spec)
spec.loader.exec_module(pfs)
column, frame = pfs.column_bytes, pfs.frame_bytes
out = frame("H", 0, struct.pack("<BB6x", 1, 0))
out += frame("D", 1, column(1, [1, 2, 3]) + b"abc", 3, 1)
out += frame("D", 2, column(1, [1]), 1, 1)
out += frame("D", 4, column(1, [2, 3]), 2, 1)
out += frame("D", 5, column(1, [1, 2]), 2, 1)
out += frame("D", 6, column(1, [0, 1, 1]) + column(2, [1, 1, 2]), 3, 1)
out += open("block", "rb").read()
end = struct.pack("<Q", 3) + (13).to_bytes(16, "little")
out += frame("E", 0, end + struct.pack("<Q", len(out) + 64), 3)
open("page.pfs", "wb").write(out)
END
    "$program" dump page.pfs >got
    tail -n 1 got | grep -x whole
    [ "$(grep -c ':7}$' got)" = 1 ]
    [ "$(grep -c ':1}$' got)" = 1 ]
    [ "$(grep -c ':5}$' got)" = 1 ]
}

@test "a measure without name and unit is summed and compared like others" {
    PATH=$PROFUTILS_BIN:$PATH
    python3 "$PROFUTILS_SRC/tests/check/make_stream.py" >x.pfs <<'END'
{"measures": [{"name": "", "unit": ""}], "records": [{"stack": [["main"]], "values": {"": 7}}, {"stack": [["f"]], "values": {"": 2}}]}
END
    proftop -n 0 -t ndjson x.pfs | python3 -c 'import json, sys
assert [json.loads(line)["flat"] for line in sys.stdin] == [7, 2]'
    profmerge x.pfs x.pfs | proftop -t ndjson -n 1 | grep -q '"flat":14,'
    profdiff x.pfs x.pfs >out
    profmerge x.pfs x.pfs | profdiff -t pfs x.pfs - | profcat -t folded | diff - <(printf 'f 2 4\nmain 7 14\n')
}

@test "a segment with two equal measures is refused" {
    PATH=$PROFUTILS_BIN:$PATH
    # a scale of 0 counts as 1, so the rows of the table differ and the measures do not
    python3 "$PROFUTILS_SRC/tests/check/make_stream.py" >x.pfs <<'END'
{"measures": [{"name": "cpu", "num": 1}, {"name": "cpu", "num": 0}], "records": [{"stack": [["main"]], "values": {"cpu": 2}}]}
END
    for program in proftop proffilter profmerge; do
        status=0
        "$program" x.pfs -o out 2>err || status=$?
        [ "$status" -eq 3 ]
        grep -q '^[a-z]*: x.pfs: offset [0-9]*: damaged table: measure 2 repeats measure 1$' err
    done
}

@test "a reader may skip the side of a measure; without a side, the suffix of the name decides" {
    PATH=$PROFUTILS_BIN:$PATH
    make_stream=$PROFUTILS_SRC/tests/check/make_stream.py
    for before in before ''; do
        python3 "$make_stream" >x.pfs <<END
{"measures": [{"name": "n.before", "side": "$before"}, {"name": "n.after", "side": "${before:+after}"}],
 "records": [{"stack": [["main"]], "values": {"n.before": 7, "n.after": 4}}, {"stack": [["f"]], "values": {"n.after": 2}}]}
END
        profcat -t folded x.pfs | diff - <(printf 'f 0 2\nmain 7 4\n')
        "$program" dump x.pfs | grep '^measure' | sed 's/.*,//' | diff - <(printf 'after\nbefore\n')
    done
    # a name that does not show the side gets its ending
    python3 "$make_stream" >x.pfs <<'END'
{"measures": [{"name": "x", "side": "delta"}, {"name": "y"}], "records": [{"stack": [["main"]], "values": {"x": 7, "y": 4}}]}
END
    profcat -t pfs x.pfs | profcat --canonical >y.pfs
    "$program" dump y.pfs | grep '^measure' | sed 's/.*,//' | diff - <(printf 'delta\n\n')
    profcat -t ndjson y.pfs | grep -q '"values":{"x.delta":7,"y":4}'
    # profdiff writes the side; a reader that skips it has three measures of three names. The field's number without bit
    # 15 is from a newer version
    printf 'a 3\n' >a.folded
    printf 'a 5\n' >b.folded
    profdiff -t pfs a.folded b.folded >d.pfs
    python3 - "$reference" <<'END'
import importlib.util, struct, sys
spec = importlib.util.spec_from_file_location("pfs", sys.argv[1])
pfs = importlib.util.module_from_spec(spec)
spec.loader.exec_module(pfs)
data = open("d.pfs", "rb").read()
assert data.count(struct.pack("<HB", 0x800D, 0)) == 1
sides = [line.split(",")[-1] for line in pfs.Reader(data).lines if line.startswith("measure")]
assert sides == ["after", "before", "delta"], sides
pfs.LATER = {}
reader = pfs.Reader(data)
assert reader.result == "whole" and len(reader.measures) == 3, reader.result
column, frame = pfs.column_bytes, pfs.frame_bytes
out = frame("H", 0, struct.pack("<BB6x", 1, 0)) + frame("D", 1, column(1, [1]) + b"a", 1, 1)
out += frame("D", 2, column(1, [1]) + column(13, [1]), 1, 1)
out += frame("E", 0, bytes(24) + struct.pack("<Q", len(out) + 64))
open("newer.pfs", "wb").write(out)
END
    [ "$("$program" dump newer.pfs | tail -n 1)" = newer ]
    [ "$(python3 "$reference" dump newer.pfs | tail -n 1)" = newer ]
}
