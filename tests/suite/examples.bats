# Every example runs, and the README shows the programs' real output.

setup()
{
    PATH=$PROFUTILS_BIN:$PATH
    cd "$BATS_TEST_TMPDIR" || return
}

@test "every example runs without a message" {
    for example in "$PROFUTILS_SRC"/examples/*; do
        [ -x "$example" ] && [ -f "$example" ] || continue
        LC_ALL=C.UTF-8 "$example" >out 2>err || { echo "$example: status $?"; cat err; return 1; }
        [ -s out ] && [ ! -s err ] || { echo "$example:"; cat err; return 1; }
    done
}

@test "the demo filters a real profile by section" {
    "$PROFUTILS_SRC/examples/demo" >out
    grep -q '^\$ profcat requests.out | proffilter --section req | proftop$' out
    # 175 of 274 ticks of a millisecond are in req: the weights that the profiler's own reader gives
    grep -q '^wall: 175ms, 64 % of 274ms, 81 samples' out
}

# The README's blocks begin with a command line and continue with its exact output.
@test "the README shows the real output of the programs" {
    cd "$PROFUTILS_SRC/examples/data" || return
    shown=0
    awk -v to="$BATS_TEST_TMPDIR/block" '
        /^    \$ / { n++; print substr($0, 7) >(to n ".sh"); inside = 1; next }
        inside && /^    / { print substr($0, 5) >(to n ".want"); next }
        { inside = 0 }' "$PROFUTILS_SRC/README.md"
    for script in "$BATS_TEST_TMPDIR"/block*.sh; do
        [ -f "${script%.sh}.want" ] || continue
        LC_ALL=C.UTF-8 sh "$script" >"${script%.sh}.got"
        diff -u "${script%.sh}.want" "${script%.sh}.got"
        shown=$((shown + 1))
    done
    [ "$shown" -ge 2 ]
}

@test "so many formats are read and written as the README says" {
    read -r reads writes < <(profcat --formats | awk '{ reads += $2 ~ /r/; writes += $2 ~ /w/ } END { print reads, writes }')
    read -r read written < <(sed -n 's/^Five small programs read more than \([0-9]*\) formats, write more than \([0-9]*\),.*/\1 \2/p' "$PROFUTILS_SRC/README.md")
    [ "$reads" -gt "$read" ]
    [ "$writes" -gt "$written" ]
}

@test "the pictures of the README are drawn by the programs" {
    cd "$PROFUTILS_SRC/examples/data" || return
    proffilter --section req requests.out -t svg | diff - ../requests.svg
    profdiff -q words/before words/after -t svg | diff - ../difference.svg
    [ "$(grep -c 'examples/[a-z]*\.svg' "$PROFUTILS_SRC/README.md")" -eq 2 ]
}

@test "the format of HACKING.md compiles" {
    awk '/^libcommon\/format\// { inside = 1; next } inside && /^[^ ]/ { exit } inside { print substr($0, 5) }' \
        "$PROFUTILS_SRC/HACKING.md" >trail.c
    grep -q '^const struct pf_format pf_format_trail' trail.c
    ${CC:-cc} -std=c11 -D_POSIX_C_SOURCE=200809L -D_XOPEN_SOURCE=700 -I"$PROFUTILS_BUILD" -I"$PROFUTILS_SRC/libcommon" \
        -Wall -Wextra -Werror -fsyntax-only trail.c
}
