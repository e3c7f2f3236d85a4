# How processor time grows with each dimension of a profile: the only timed test of the project.

@test "twice the samples, depth, sections, labels, measures, files, nodes or columns take about twice the time" {
    command -v python3 >/dev/null || skip "python3 is missing"
    ! grep -qs fsanitize "$PROFUTILS_BUILD/config.flags" || skip "the sanitizers take time of their own"
    cd "$BATS_TEST_TMPDIR"
    python3 "$PROFUTILS_SRC/tests/check/scaling.py" "$PROFUTILS_BIN" >"$PROFUTILS_BUILD/check/scaling.txt" || {
        cat "$PROFUTILS_BUILD/check/scaling.txt"
        return 1
    }
}
