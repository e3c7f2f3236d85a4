# Every program with one failing system call: memory, reads, writes, closes, opens, renames, fstats, threads. This is a
# sample; make check-faults runs all.

@test "if one system call fails, the output is right, or there is a true message and no file is left" {
    ! grep -qs fsanitize "$PROFUTILS_BUILD/config.flags" || skip "the sanitizers want to be loaded first"
    status=0
    "$PROFUTILS_SRC/tests/faults/run" -n 9000 >out 2>&1 || status=$?
    [ "$status" -ne 77 ] || skip "no LD_PRELOAD here"
    [ "$status" -eq 0 ] || { cat out; false; }
    # a sweep that tests almost nothing must not pass
    tail -n 1 out | awk '{ exit !($1 > 7000 && $5 == 0) }' || { tail -n 5 out; false; }
}

setup()
{
    cd "$BATS_TEST_TMPDIR" || return
}
