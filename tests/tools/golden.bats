# Complete outputs: each tests/golden/NAME.sh is a command line on a real profile, and NAME.expected its output with
# messages and exit status. 'make golden' writes the expected files again; review the difference.

setup()
{
    PATH=$PROFUTILS_BIN:$PATH
    cd "$PROFUTILS_SRC/examples/data" || return
}

@test "tables, dumps and messages are those of the expected files" {
    different=0
    for script in "$PROFUTILS_SRC"/tests/golden/*.sh; do
        name=${script##*/}
        got=$BATS_TEST_TMPDIR/$name
        status=0
        LC_ALL=C bash -o pipefail "$script" >"$got" 2>&1 || status=$?
        echo "status $status" >>"$got"
        if [ -n "$PROFUTILS_GOLDEN" ]; then
            cp "$got" "${script%.sh}.expected"
        elif ! diff -u "${script%.sh}.expected" "$got"; then
            echo "in $name: $(cat "$script")"
            different=$((different + 1))
        fi
    done
    [ "$different" -eq 0 ]
}
