# --threads: the same output and messages with any number of threads, for all inputs of the tests, also damaged ones.

bats_require_minimum_version 1.5.0

setup()
{
    cd "$BATS_TEST_TMPDIR" || return
    set -o pipefail
    PATH=$PROFUTILS_BIN:$PATH
    corpus=${CORPUS:-$PROFUTILS_SRC/tests/corpus}
    bad=0
}

# Every file of the corpora, profile or not, one name per line
inputs() { find "$corpus" "$PROFUTILS_SRC/tests/bad" -type f | LC_ALL=C sort; }

# alike COMMAND...: status, output and messages are the same with one thread and with several
alike()
{
    local threads status
    timeout 120 "$@" -j 1 >want 2>want.err && status=0 || status=$?
    for threads in 2 7; do
        timeout 120 "$@" -j "$threads" >got 2>got.err && got=0 || got=$?
        [ "$got" = "$status" ] || { echo "$*: exit $got with $threads threads, $status with one"; bad=1; }
        cmp want got && cmp want.err got.err || { echo "$*: differs with $threads threads"; diff want.err got.err | head; bad=1; }
    done
}

@test "all inputs, even damaged ones, give the same output with any number of threads" {
    inputs >list
    [ "$(wc -l <list)" -gt 100 ]
    alike profcat --keep-going -t pfs @list
    [ "$(wc -c <want)" -gt 100000 ]
    alike profcat --keep-going --salvage -t text --label-source @list
    alike profcat --keep-going --probe -t ndjson @list
    [ "$bad" -eq 0 ]
}

@test "times are selected with any number of threads" {
    for start in 1 2 3; do
        printf 'prog 100 %s.000000: 10 cycles: \n\t1000 main (/bin/prog)\n\n' "${start}0" "${start}1" >$start.perf
    done
    alike proffilter --time=0s,21s -t ndjson 1.perf 2.perf 3.perf
    [ "$(wc -l <want)" -eq 3 ] # 10, 11 and 20 seconds
    [ "$bad" -eq 0 ]
}

@test "merges and tables are the same with any number of threads" {
    for format in "$corpus"/*/; do
        find "$format" -type f | LC_ALL=C sort >list
        alike profmerge --keep-going --salvage --force -t pfs @list
        alike proftop --keep-going -n 0 @list
    done
    [ "$bad" -eq 0 ]
}

@test "reading stops at the first bad input with any number of threads" {
    inputs | sed -n 1,60p >list
    alike profcat -t pfs @list
    grep . want.err
    [ "$bad" -eq 0 ]
}

@test "files of a series share open sections, in any order and between other inputs" {
    find "$corpus/statprofiler" -name '*.[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]' | LC_ALL=C sort -r >series
    [ "$(wc -l <series)" -gt 5 ]
    printf 'a 1\n' >other.folded
    awk '{ print; print "other.folded" }' series >list
    alike profcat --keep-going -t text @list
    [ "$bad" -eq 0 ]
    ln -s "$corpus/statprofiler" again
    sed 's/.*statprofiler/again/' list >b
    alike profdiff @list @b # every file is a separate run
    [ "$bad" -eq 0 ]
}

@test "a comparison is the same with any number of threads" {
    mkdir before after
    for run in 1 2 3 4 5; do
        printf 'main;a %d\nmain;b %d\n' $((100 + run)) $((50 - run)) >before/$run.folded
        printf 'main;a %d\nmain;b %d\n' $((150 + run)) $((50 + run)) >after/$run.folded
    done
    alike profdiff before after
    alike profdiff -t ndjson before after
    [ "$bad" -eq 0 ]
}

@test "with a pipe among the inputs, all inputs are read one after the other" {
    printf 'a 1\n' >one.folded
    printf 'b 2\n' >two.folded
    for threads in 1 4; do printf 'c 3\n' | profcat -j "$threads" -t csv one.folded - two.folded >got."$threads"; done
    [ "$(sed 1d got.4 | wc -l)" -eq 3 ]
    cmp got.1 got.4
}

@test "a closed output pipe stops the threads" {
    for i in $(seq 300); do printf 'a;b%d 1\nc 2\n' "$i"; done >many.folded
    # 4.8 MB, more than any pipe holds
    for i in $(seq 200); do echo many.folded; done >list
    python3 - "$PROFUTILS_BIN/profcat" <<'PYTHON'
import signal, subprocess, sys
process = subprocess.Popen([sys.argv[1], "-j", "3", "-t", "text", "@list"], stdout=subprocess.PIPE,
                           preexec_fn=lambda: signal.signal(signal.SIGPIPE, signal.SIG_DFL))
process.stdout.read(10)
process.stdout.close()
assert process.wait(timeout=60) == -signal.SIGPIPE
PYTHON
}

@test "the number of threads is checked" {
    printf 'a 1\n' >one.folded
    for number in -1 1025 x '' 99999999999999; do
        run -2 profcat -j "$number" one.folded
        [[ $output == *"--threads takes a number from 0"* ]] || { echo "$number: $output"; bad=1; }
    done
    profcat -j 0 -t folded one.folded | diff one.folded -
    [ "$bad" -eq 0 ]
}

@test "threads are clean under the sanitizers" {
    [ -n "$PROFUTILS_SAN_BIN" ] || skip "the compiler cannot link the sanitizers"
    PATH=$PROFUTILS_SAN_BIN:$PATH
    inputs >list
    timeout 300 profcat --keep-going -j 4 -t pfs @list >got 2>err || status=$?
    [ "${status:-0}" -eq 3 ] || { tail -40 err; false; }
    ! grep -E 'Sanitizer|runtime error' err || return 1
    profmerge --keep-going -q -j 4 -t text @list >/dev/null 2>err || true # measures of all formats cannot be added
    ! grep -E 'Sanitizer|runtime error' err || return 1
}
