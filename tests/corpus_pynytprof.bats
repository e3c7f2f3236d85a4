# Pynytprof files: read, written, summed. The numbers come from a decoder in check/pynytprof.py, which is held against what came
# with the files, and from the format's description.

bats_require_minimum_version 1.5.0

setup()
{
    cd "$BATS_TEST_TMPDIR" || return
    PATH=$PROFUTILS_BIN:$PATH
    files=$CORPUS/pynytprof
}

check() { python3 "$PROFUTILS_SRC/tests/check/pynytprof.py" "$@"; }

@test "every file reads as its decoder says" { check read direct "$CORPUS"; }
@test "every file reads so after the native stream" { check read pfs "$CORPUS"; }
@test "every file reads so after being written as Pynytprof" { check read pynytprof "$CORPUS"; }
@test "every file reads so after both" { check read both "$CORPUS"; }
@test "what is written is the note's layout and holds all that was read" { check written "$CORPUS"; }
@test "every damaged or odd file has its message" { check bad "$CORPUS"; }
@test "forms that no corpus has are read, and what does not fit is refused" { check made .; }

@test "a time of 0 in all lines or all calls stays 0 on the way through the native stream" {
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

@test "what the format cannot hold is refused, with the reason" {
    printf 'main;work 3\n' >a.folded
    run -2 profcat -t pynytprof a.folded -o a.nyt
    [[ $output == *"pynytprof cannot hold sample records"* ]]
    [ ! -e a.nyt ]
}

@test "no file is taken for one of NYTProf, nor one of those for Pynytprof's" {
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

@test "a process record of NYTProf with a letter and a length where a bare one ends is none" {
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

@test "edges and lines show in tables" {
    run -0 proftop -t csv --by=line -n 0 "$files/hand_basic.nyt"
    [[ $output == *"/srv/app/main.py,2,"* ]]
    run -0 proftop -t json --edges "$files/hand_basic.nyt"
    [[ $output == *'"caller":"main"'*'"callee":"größe"'* ]]
}
