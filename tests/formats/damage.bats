# Damaged inputs: every reader in one process under the sanitizers, then the programs on inputs that must not use
# much memory.
load ../lib/expect

@test "every reader handles whole, cut and mutated inputs without a finding of the sanitizers" {
    [ -n "$PROFUTILS_DAMAGE" ] || skip "no sanitizers here"
    got=0
    ASAN_OPTIONS=quarantine_size_mb=8:max_allocation_size_mb=1024 UBSAN_OPTIONS=abort_on_error=1:print_stacktrace=1 \
        "$PROFUTILS_DAMAGE" --mutations "${PROFUTILS_MUTATIONS:-1000}" "$CORPUS" "$PROFUTILS_SRC/tests/corpus" \
        >"$PROFUTILS_BUILD/check/damage.txt" 2>&1 || got=$?
    cat "$PROFUTILS_BUILD/check/damage.txt"
    [ "$got" -eq 0 ]
}

setup()
{
    cd "$BATS_TEST_TMPDIR" || return
    PATH=$PROFUTILS_BIN:$PATH
}

# poor COMMAND...: runs it with 400 MB of address space, less than the sanitizers alone need
poor()
{
    if grep -qs fsanitize "$PROFUTILS_BUILD/config.flags"; then
        "$@"
    else
        (ulimit -v 400000 && "$@")
    fi
}

# refused FILE PATTERN: every program exits with 3 and a message with the place
refused()
{
    for program in profcat proffilter proftop profdiff; do
        got=0
        after=()
        [ "$program" != profdiff ] || after=("$1")
        poor "$program" "$1" "${after[@]}" >out 2>err || got=$?
        if [ "$got" -ne 3 ] || ! grep -qE "^$program: .*$1: .*($2)" err; then
            echo "$program $1: status $got"
            cat err
            return 1
        fi
    done
}

@test "every program refuses each file of tests/bad with the place of the damage" {
    tried=0
    while IFS='|' read -r _ file _ pattern _; do
        file=$(echo "$file" | tr -d ' ')
        pattern=$(echo "$pattern" | sed 's/^ *//; s/ *$//')
        for program in profcat proffilter proftop profdiff; do
            got=0
            after=()
            [ "$program" != profdiff ] || after=("$PROFUTILS_SRC/tests/bad/$file")
            poor "$program" -f "${file%%/*}" "$PROFUTILS_SRC/tests/bad/$file" "${after[@]}" >out 2>err || got=$?
            if [ "$got" -ne 3 ] || ! grep -qE "^$program: .*$file: ($pattern)" err; then
                echo "$program $file: status $got"
                cat err
                return 1
            fi
        done
        tried=$((tried + 1))
    done < <(grep '^| [a-z]*/' "$PROFUTILS_SRC/tests/bad/README.md")
    [ "$tried" -eq "$(find "$PROFUTILS_SRC/tests/bad" -mindepth 2 -type f | wc -l)" ]
}

@test "a gzip of a gigabyte of zeros is refused in little memory" {
    head -c 1000000000 /dev/zero | gzip -1 >zeros.gz
    refused zeros.gz 'unknown profile format'
}

@test "a line without end is refused in little memory" {
    { echo 'main;work 1'; head -c 150000000 /dev/zero | tr '\0' x; } | gzip -1 >line.gz
    refused line.gz 'offset 12: line longer'
}

@test "a cut gzip and a gzip with a wrong checksum are refused with the place" {
    for k in 1 2 3 4 5 6 7 8; do echo "main;work$k $k"; done | gzip >good.gz
    size=$(wc -c <good.gz)
    head -c $((size - 3)) good.gz >cut.gz
    { head -c $((size - 8)) good.gz; printf 'abcd'; tail -c 4 good.gz; } >wrong.gz
    refused cut.gz 'offset [0-9]+: '
    refused wrong.gz 'offset [0-9]+: '
}

@test "--salvage counts the lost bytes of a gzip file in the same bytes as the offset" {
    for k in 1 2 3 4 5 6 7 8; do echo "main;work$k $k"; done >good.folded
    # The end of the data is reached, but their checksum is wrong; 4 bytes follow it.
    gzip -c good.folded >good.gz
    size=$(wc -c <good.gz)
    { head -c $((size - 8)) good.gz; printf 'abcd'; tail -c 4 good.gz; } >wrong.gz
    fails 0 'warning: wrong.gz: offset [0-9]+: .*records kept(, [1-8] bytes of the file lost)?$' profcat --salvage -t folded wrong.gz
    # Other damage is placed in the uncompressed contents.
    { head -n 3 good.folded; echo bad; tail -n 4 good.folded; } >bad.folded
    gzip -c bad.folded >bad.gz
    place="offset $(grep -b bad bad.folded | cut -d: -f1): .*; 3 records kept, $(($(wc -c <bad.folded) - $(grep -b bad bad.folded | cut -d: -f1))) bytes lost"
    fails 0 "$place" profcat --salvage -f folded -t folded bad.gz
    # Damage in the middle of many.
    python3 -c 'import random
random.seed(9)
for k in range(20000): print("main;%x" % random.getrandbits(64), k)' | gzip >large.gz
    size=$(wc -c <large.gz)
    { head -c $((size / 2)) large.gz; head -c $((size - size / 2)) /dev/zero | tr '\0' '\377'; } >half.gz
    fails 0 'bytes of the file lost' profcat --salvage -t folded half.gz
    read -r at lost < <(sed -n 's/.*offset \([0-9]*\):.*, \([0-9]*\) bytes of the file lost.*/\1 \2/p' err)
    [ "$((at + lost))" -eq "$size" ]
    [ "$at" -ge $((size / 2)) ]
}

@test "files that are not profiles are named by their type" {
    printf '\177ELF\2\1\1' >elf
    printf 'PK\3\4' >zip
    printf 'no profile at all, just words\nand more of them\n' >words
    head -c 5000 /dev/zero >zeros
    refused elf 'ELF'
    refused zip 'zip'
    refused words 'unknown profile format|line 1'
    refused zeros 'unknown profile format'
}

@test "the error of a sum that overflows 64 bits names the record; totals over 64 bits are exact" {
    printf 'main;work 9223372036854775807\nmain;idle 1\nmain;work 1\n' >big.folded
    got=0
    proftop big.folded >out 2>err || got=$?
    [ "$got" -eq 3 ]
    grep -q '^proftop: big.folded: record 3: the sum of .* overflows 64 bits' err
    profcat big.folded | profcat --probe --no-group >out
    grep -q 'samples: 9223372036854775809 ' out
}
