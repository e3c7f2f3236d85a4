# Every example runs, the README shows the programs' real output, and the formats of HACKING.md work.

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

# CDPATH is for those who type cd
@test "examples find their files from any directory" {
    mkdir -p other/examples/data/words
    cd "$PROFUTILS_SRC" || return
    for example in demo change; do
        LC_ALL=C.UTF-8 CDPATH=$BATS_TEST_TMPDIR/other "examples/$example" >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err"
        LC_ALL=C.UTF-8 "examples/$example" | diff - "$BATS_TEST_TMPDIR/out"
        [ ! -s "$BATS_TEST_TMPDIR/err" ]
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

# shown PATH: what HACKING.md shows under the line PATH
shown()
{
    awk -v path="$1" '$0 == path { inside = 1; next } inside && /^[^ ]/ { exit } inside { print substr($0, 5) }' \
        "$PROFUTILS_SRC/HACKING.md"
}

@test "the formats of HACKING.md compile, are built into profcat, and read their files" {
    mkdir codec
    sed -n 's/^    +\(PF_FORMAT(.*\)/\1/p' "$PROFUTILS_SRC/HACKING.md" | cat "$PROFUTILS_SRC/libcommon/codec/formats.def" - >codec/formats.def
    [ "$(tail -n 2 codec/formats.def | tr '\n' ' ')" = "PF_FORMAT(trail) PF_FORMAT(trek) " ]
    for name in trail trek; do shown "libcommon/format/$name.c" >$name.c; done
    # the compiler and the options of the build; codec/formats.def comes from here
    build="$(cat "$PROFUTILS_BUILD/config.flags") -std=c11 -D_POSIX_C_SOURCE=200809L -D_XOPEN_SOURCE=700 -D_FILE_OFFSET_BITS=64"
    $build -I. -I"$PROFUTILS_BUILD" -I"$PROFUTILS_SRC/libcommon" -Wall -Wextra -Wshadow -Wstrict-prototypes -Wconversion \
        -Werror -c "$PROFUTILS_SRC/libcommon/codec/registry.c" trail.c trek.c
    read -ra libraries < <(sed -n 's/^LIBS = //p' "$PROFUTILS_BUILD/Makefile")
    $build -o profcat "$PROFUTILS_BUILD"/tools/profcat{,_options}.o registry.o trail.o trek.o "$PROFUTILS_BUILD/libcommon.a" \
        "${libraries[@]}"

    shown tests/corpus/trail/small.trail | sed '/./!d; s/<TAB>/\t/' >small.trail
    ./profcat -t folded small.trail | diff - <(printf '%s\n' 'main 45' 'main;parse;read_line 1200')

    printf '%s' "$(shown tests/corpus/trek/small.trek)" >make.sh
    sh make.sh >small.trek
    ./profcat -t text small.trek >got
    awk '/^`profcat -t text small.trek`/ { getline; while ((getline line) > 0 && line ~ /^    /) print substr(line, 5); exit }' \
        "$PROFUTILS_SRC/HACKING.md" >want
    [ "$(wc -l <want)" -eq 6 ]
    diff want <(grep -v '^metadata  profutils' got)
    for size in $(seq 0 $(($(wc -c <small.trek) - 1))); do
        head -c "$size" small.trek >cut.trek
        status=0
        ./profcat -f trek cut.trek >/dev/null 2>err || status=$?
        [ "$status" -eq 3 ] || { echo "cut after $size bytes: status $status"; cat err; return 1; }
    done
}
