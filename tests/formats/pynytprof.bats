# Pynytprof files: read, written, summed. Expected numbers come from the format's description and from a decoder in
# check/pynytprof.py, which is compared with the results that came with the files.

bats_require_minimum_version 1.5.0

load ../lib/expect

setup()
{
    cd "$BATS_TEST_TMPDIR" || return
    PATH=$PROFUTILS_BIN:$PATH
    files=$CORPUS/pynytprof
}

check() { python3 "$PROFUTILS_SRC/tests/check/pynytprof.py" "$@"; }

@test "every file reads as its decoder says" { check read direct "$CORPUS"; }
@test "every file, converted to the native stream, reads as its decoder says" { check read pfs "$CORPUS"; }
@test "every file, written as Pynytprof, reads as its decoder says" { check read pynytprof "$CORPUS"; }
@test "every file, converted to the native stream and written as Pynytprof, reads as its decoder says" { check read both "$CORPUS"; }
@test "written files have the layout of Pynytprof's note and all that was read" { check written "$CORPUS"; }
@test "every damaged or unusual file has its message" { check bad "$CORPUS"; }
@test "forms that the corpus lacks are read, and values that do not fit are refused" { check made .; }

@test "a time of 0 in all lines or all calls stays 0 through the native stream" {
    command -v python3 >/dev/null || skip "no python3"
    python3 - <<'PYTHON'
import struct
chunk = lambda tag, body=b"": tag + struct.pack("<I", len(body)) + body
for name, inclusive, own in (("own", 0, 7), ("inclusive", 5000, 0)):
    row = struct.pack("<IIIQQ", 1, 2, 3, inclusive, own)
    with open(name + ".nyt", "wb") as out:
        out.write(b"NYTProf 5 0\n:ticks_per_sec=10000000\n\n" + chunk(b"F", struct.pack("<4I", 1, 0x10, 0, 0) + b"/a.py\0") +
                  chunk(b"S", row) + chunk(b"D", struct.pack("<II", 1, 0) + b"a\0" + struct.pack("<II", 2, 0) + b"b\0") +
                  chunk(b"C", row) + chunk(b"E"))
PYTHON
    for kind in own inclusive; do
        profcat $kind.nyt -t pynytprof >direct.nyt
        tail -c 111 $kind.nyt | cmp - <(tail -c 111 direct.nyt)
        profcat $kind.nyt -t pfs | profcat -t pynytprof | cmp - direct.nyt
    done
}

# columns OPTION...: function, flat and cum of a table, in nanoseconds
columns() { proftop -q -t tsv "$@" | tail -n +2 | cut -f 2,9,11 | tr '\t' ' '; }

@test "for calls with only inclusive times, flat is the time of calls to a function minus the time of its own calls" {
    # in ticks of 100 ns: <module> calls main (1000), main calls größe (400) and 'a b;c' (7), größe itself (300)
    columns "$files/hand_basic.nyt" | sort >got
    printf '%s\n' '<module> 0 100000' 'a b;c 700 700' 'größe 40000 40000' 'main 59300 100000' | LC_ALL=C sort | diff - <(LC_ALL=C sort got)
    proftop "$files/hand_basic.nyt" | head -1 | grep -q '^incl: '
    # _run_code calls <module> (0), which calls fib (54453) and loop (8352); fib itself (223805)
    [ "$(columns -n 3 "$files/note_pypy_fib.nyt" | tr '\n' ,)" = "fib 5445300 5445300,loop 835200 835200,<module> 0 6280500," ]
    [ "$(proftop -q --tree -t tsv "$files/note_pypy_fib.nyt" | cut -f 3,4,9,10 | tail -n +3 | tr '\t\n' ' ,')" = \
        "1 <module> 0 6280500,2 fib 5445300 5445300,2 loop 835200 835200," ]
    # the total is the sum of the flat column in table, tree, difference and picture: (54453 + 8352) * 100 ns, whatever
    # the times of lines
    for view in 'proftop' 'proftop --tree' 'profcat --expand-edges -t json:flame'; do
        case $view in profcat*) form= ;; *) form='-t json' ;; esac
        # shellcheck disable=SC2086  # words
        [ "$($view -q $form "$files/note_pypy_fib.nyt" | python3 -c 'import json, sys
d = json.load(sys.stdin)
print(d["value"] if "value" in d else d["measures"][0]["total"])')" = 6280500 ]
    done
    profdiff -q "$files/note_pypy_fib.nyt" "$files/note_pypy_fib.nyt" | head -1 | grep -q '^incl: 6.28ms before, 6.28ms after'
    # calls of 0 ns give no times: the table is that of the lines, 444631 ticks of 100 ns
    proftop -q "$files/hist_d77364f.nyt" | head -1 | grep -q '^excl, cum incl: 44.46ms total, 10 records'
    # if calls have both times, lines get the time that functions do not: b took 20 of the 50 ticks of the lines, 50
    # with its calls
    python3 - <<'PYTHON'
import struct
chunk = lambda tag, data=b"": tag + struct.pack("<I", len(data)) + data
row = lambda *numbers: struct.pack("<IIIQQ", *numbers)
with open("both.nyt", "wb") as out:
    out.write(b"NYTProf 5 0\n:ticks_per_sec=10000000\n\n" + chunk(b"F", struct.pack("<4I", 0, 0x10, 0, 0) + b"/a.py\0") + chunk(b"S", row(0, 2, 3, 50, 50)) +
              chunk(b"D", struct.pack("<II", 1, 0) + b"a\0" + struct.pack("<II", 2, 0) + b"b\0") + chunk(b"C", row(1, 2, 3, 50, 20)) + chunk(b"E"))
PYTHON
    [ "$(columns both.nyt)" = "b 2000 5000" ]
    proftop both.nyt | head -1 | grep -q '^excl, cum incl: 5us total, 1 record'
    # calls that a filter removed contain each other, so they do not give the total before the
    # filter
    proffilter -q --ignore=loop "$files/note_pypy_fib.nyt" | proftop -q | head -1 | grep -q '^incl: 5.45ms total, 3 records'
    # no added measure, and the calls are the same as in the file
    run -0 --separate-stderr profcat "$files/hand_basic.nyt" -t ndjson
    [[ $output != *'"kind":"edge"'*'"excl"'* ]]
    for file in hand_basic note_pypy_fib; do
        profcat -q "$files/$file.nyt" -t pynytprof >written.nyt
        for kind in direct pfs; do
            [ $kind = direct ] || profcat -q "$files/$file.nyt" -t pfs | profcat -q -t pynytprof >written.nyt
            python3 - "$files/$file.nyt" written.nyt <<'PY'
import struct, sys
def calls(path):
    data = open(path, "rb").read()
    for at in range(len(data)):
        if data[at:at + 1] == b"C" and at + 5 <= len(data):
            size = struct.unpack_from("<I", data, at + 1)[0]
            if size and size % 28 == 0 and data[at + 5 + size:at + 6 + size] in (b"E", b"S"):
                return [struct.unpack_from("<IIIQQ", data, at + 5 + k) for k in range(0, size, 28)]
ours, theirs = calls(sys.argv[2]), calls(sys.argv[1])
assert theirs and [row[2:] for row in ours] == [row[2:] for row in theirs], (ours, theirs)
PY
        done
    done
    run -0 --separate-stderr profdiff -t csv "$files/hand_basic.nyt" "$files/hand_basic.nyt"
    [[ $output == *"main,,0,,incl,nanoseconds,59300,59300,0,100000,100000,0,"* ]]
}

@test "a merge keeps flags, size and time of files" {
    python3 - <<'PY'
import struct
chunk = lambda tag, body=b"": tag + struct.pack("<I", len(body)) + body
line = lambda fid: struct.pack("<IIIQQ", fid, 1, 1, 10, 10)
def write(name, *files):
    body = b"".join(struct.pack("<4I", fid, flags, size, mtime) + path + b"\0" for fid, flags, size, mtime, path in files)
    with open(name, "wb") as out:
        out.write(b"NYTProf 5 0\n\n" + chunk(b"F", body) + chunk(b"S", b"".join(line(row[0]) for row in files)) +
                  chunk(b"D") + chunk(b"C") + chunk(b"E"))
write("a.nyt", (0, 0x10, 180, 1700, b"/a.py"), (1, 0, 20, 1600, b"/b.py"))
write("b.nyt", (0, 0, 20, 1600, b"/b.py"), (1, 0x10, 180, 1700, b"/a.py"))
write("newer.nyt", (0, 0, 190, 1800, b"/a.py"))
PY
    # files FILE: number, flags, size, time and path
    files_of() { python3 -c '
import struct, sys
data = open(sys.argv[1], "rb").read()
at = data.index(b"\n\nF") + 3
size, at = struct.unpack_from("<I", data, at)[0], at + 4
end = at + size
while at < end:
    nul = data.index(b"\0", at + 16)
    print(*struct.unpack_from("<4I", data, at), data[at + 16:nul].decode())
    at = nul + 1' "$1"; }
    run -0 --separate-stderr profmerge a.nyt b.nyt -t pynytprof -o merged.nyt
    [ -z "$stderr" ]
    [ "$(files_of merged.nyt)" = "$(printf '%s\n' '0 16 180 1700 /a.py' '1 0 20 1600 /b.py')" ]
    profmerge a.nyt -t pfs | profmerge - b.nyt -t pfs | profcat -t pynytprof | cmp - merged.nyt
    for order in 'a.nyt newer.nyt' 'newer.nyt a.nyt'; do
        # shellcheck disable=SC2086  # words
        run -0 --separate-stderr profmerge $order -t pynytprof -o merged.nyt
        [[ $stderr == *"inputs have different flags, sizes or times of one file: the newest time is used" ]]
        [ "$(files_of merged.nyt)" = "$(printf '%s\n' '0 0 190 1800 /a.py' '1 0 20 1600 /b.py')" ]
    done
    # converted from another format: only the first file has its source
    printf '%s' '{"measures": [{"name": "time", "kind": "flat", "unit": "nanoseconds"}], "records": [
        {"kind": "flat", "at": ["", "/a.py", 1], "values": {"time": 500}}, {"kind": "flat", "at": ["", "/b.py", 1], "values": {"time": 500}}]}' |
        python3 "$PROFUTILS_SRC/tests/check/make_stream.py" >made.pfs
    profcat -q made.pfs -t pynytprof -o made.nyt
    [ "$(files_of made.nyt)" = "$(printf '%s\n' '0 16 0 0 /a.py' '1 0 0 0 /b.py')" ]
}

@test "one warning counts the lines with more exclusive than inclusive time" {
    run -0 --separate-stderr profcat -c "$files/note_pypy_fib.nyt"
    # of ten lines those of 193 in 188, 63849 in 212, 7153 in 7027, 244594 in 6308 and 3996 in 3971 ticks
    [ "$stderr" = "profcat: warning: $files/note_pypy_fib.nyt: 5 lines have more exclusive than inclusive time" ]
}

@test "records that the format cannot hold are refused with the reason" {
    printf 'main;work 3\n' >a.folded
    run -2 profcat -t pynytprof a.folded -o a.nyt
    [[ $output == *"pynytprof cannot hold sample records"* ]]
    [ ! -e a.nyt ]
}

@test "files of Pynytprof and NYTProf are not confused" {
    for file in "$files"/hand_*.nyt "$files"/hist_*.nyt "$files"/note*.nyt; do
        run --separate-stderr profcat --probe "$file"
        case $file:$output in
        *hand_banner_line1.nyt:* | *hand_line1_nonl.nyt:* | *hist_f362938.nyt:* | *hist_fa38dfd.nyt:*) ;;
        *": pynytprof"*) ;;
        *) echo "$output" && false ;;
        esac
    done
    for file in "$CORPUS"/nytprof/*.nyt; do
        run --separate-stderr profcat --probe "$file"
        [[ $output != *": pynytprof"* ]]
    done
}

@test "a NYTProf process record is not read as a Pynytprof record, even if a letter and a length follow" {
    command -v python3 >/dev/null || skip "no python3"
    python3 - >genuine.nyt <<'PYTHON'
import struct, sys
process = b"P" + bytes([7, 1]) + struct.pack("<d", 1795208887.25)
comment = b"#12345F" + b"a" * 60 + b"\n"
sys.stdout.buffer.write(b"NYTProf 5 0\n" + process + comment * 100 + b"p" + bytes([7]) + struct.pack("<d", 1795208888.25))
PYTHON
    run profcat --probe genuine.nyt
    [[ $output == *": nytprof ("* ]]
}

@test "tables show edges and lines" {
    run -0 proftop -t csv --by=line -n 0 "$files/hand_basic.nyt"
    [[ $output == *"/srv/app/main.py,2,"* ]]
    run -0 proftop -t json --edges "$files/hand_basic.nyt"
    [[ $output == *'"caller":"main"'*'"callee":"größe"'* ]]
}

@test "renamed files and subs appear only under the new name, and keep their numbers" {
    command -v python3 >/dev/null || skip "no python3"
    python3 - <<'PYTHON'
import struct
chunk = lambda tag, body=b"": tag + struct.pack("<I", len(body)) + body
row = lambda *words: struct.pack("<IIIQQ", *words)
file = lambda number, size, name: struct.pack("<4I", number, 0x10, size, 99) + name + b"\0"
sub = lambda number, name: struct.pack("<II", number, 0) + name + b"\0"
for name, top, prefix in (("before", b"/w/ \xc3\xa9/", b"m."), ("after", b"", b"n.")):
    with open(name + ".nyt", "wb") as out:  # a file below the path, one that no line is of, one beside it; a sub that nobody calls
        out.write(b"NYTProf 5 0\n:ticks_per_sec=10000000\n\n" +
                  chunk(b"F", file(3, 5, top + b"a b.py") + file(5, 6, top + b"unused.py") + file(4, 7, b"/w/c.py")) +
                  chunk(b"S", row(3, 1, 2, 30, 30) + row(4, 9, 1, 5, 5)) +
                  chunk(b"D", sub(1, prefix + b"f") + sub(7, prefix + b"never") + sub(2, prefix + b"g")) +
                  chunk(b"C", row(1, 2, 1, 4, 4)) + chunk(b"E"))
PYTHON
    set -- '--trim-path=/w/ é' --rename='function:s/^m/n/'
    chunks() { tail -c +"$(grep -abo "^F" "$1" | head -1 | cut -d: -f1)" "$1"; }
    proffilter "$@" before.nyt -t pynytprof >direct.nyt
    cmp <(chunks after.nyt) <(chunks direct.nyt)
    proffilter "$@" before.nyt -t pfs | profcat -t pynytprof | cmp - direct.nyt
    profcat before.nyt -t pfs | proffilter "$@" -t pynytprof | cmp - direct.nyt
    # for all files of the corpus, no output contains the old path
    tried=0
    for file in "$files"/*.nyt; do
        profcat -t pfs "$file" >whole.pfs 2>err || continue
        path=$(proftop -q -n 0 --by=file --kind=flat -t tsv whole.pfs 2>err | awk -F'\t' 'NR > 1 && $3 ~ "^/.*/" { sub("/[^/]*$", "", $3); print $3; exit }')
        [ -n "$path" ] || continue
        proffilter --trim-path="$path" whole.pfs -t pynytprof -o trimmed.nyt
        ! grep -av "^[:!#]" trimmed.nyt | grep -aF -- "$path/" || { echo "$file: $path"; return 1; }
        tried=$((tried + 1))
    done
    [ "$tried" -gt 10 ]
}

@test "metadata with a file name that has a NUL are refused" {
    printf '{"schema":"profutils.samples/1","rows":[],"meta":{"metadata":[%s]}}' \
        '{"origin":".pynytprof","key":"file","value":"0 16 10 20 a\u0000b"}' >nul.json
    fails 2 "pynytprof ends names with a NUL; this name has a NUL inside: 'a" profcat -f json -t pynytprof nul.json -o nul.pynyt
    [ ! -e nul.pynyt ]
}

@test "two million lines become rows one batch at a time, in little memory" {
    python3 - <<'PY'
import struct
def chunk(tag, body): return tag + struct.pack("<I", len(body)) + body
with open("many.nyt", "wb") as out:
    out.write(b"NYTProf 5 0\n#Perl profile database. Generated by Pynytprof on Mon Jul  7 2025\n:ticks_per_sec=10000000\n\n")
    out.write(chunk(b"S", struct.pack("<IIIQQ", 1, 2, 3, 5, 5) * 2000000) + chunk(b"E", b""))
PY
    [ "$(ulimit -t 20; ulimit -v 125000; profcat -t csv many.nyt | wc -l)" -eq 2000001 ]
}
