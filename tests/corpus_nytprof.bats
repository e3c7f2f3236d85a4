# NYTProf files: read, written, summed. The numbers come from Devel::NYTProf's own loader and tools, and from a decoder in
# check/nytprof.py.

bats_require_minimum_version 1.5.0

setup()
{
    cd "$BATS_TEST_TMPDIR" || return
    PATH=$PROFUTILS_BIN:$PATH
}

check() { python3 "$PROFUTILS_SRC/tests/check/nytprof.py" "$@"; }

@test "every file reads as the profiler's own loader says" { check read direct "$CORPUS"; }
@test "every file reads so after the native stream" { check read pfs "$CORPUS"; }
@test "call stacks are those that nytprofcalls finds" { check calls direct "$CORPUS"; }
