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
