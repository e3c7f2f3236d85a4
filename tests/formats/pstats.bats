# Dumps of Python's profilers, compared with Python's own marshal and pstats (check/pystats.py).

bats_require_minimum_version 1.5.0

setup()
{
    cd "$BATS_TEST_TMPDIR" || return
    PATH=$PROFUTILS_BIN:$PATH
}

check() { python3 "$PROFUTILS_SRC/tests/check/pystats.py" "$@"; }

@test "every dump reads as Python reads it" { check read direct "$CORPUS"; }
@test "every dump, converted to the native stream, reads as Python reads it" { check read pfs "$CORPUS"; }
@test "flat and cumulative times and calls equal those of pstats, and none exceeds the total" { check tables "$CORPUS"; }
@test "the packages of a dump are the modules of its files and functions in C" { check packages "$CORPUS"; }
@test "written as NYTProf and Pynytprof, functions keep their calls, exclusive and inclusive times" { check written "$CORPUS"; }
@test "dumps of all versions of marshal, of Python 2 and of the module profile are read" { check made .; }

refused() { # BYTES WANTED
    printf "$1" >bad
    run -3 profcat -f pstats -c bad
    [[ $output == *"$2"* ]] || { echo "$output" && false; }
}

@test "damage is reported with its offset" {
    refused '{)\3z\1ai\1\0\0\0z\1b)\5' 'offset 16: the input ends inside an object'
    refused '{)\2z\1az\1b' 'a function is not (file, line, name)'
    refused '{)\3z\1ai\1\0\0\0z\1bi\0\0\0\0' 'the value of a function is not (calls, calls, time, time, callers)'
    refused '{c' 'an unexpected kind of object'
    refused '{r\0\0\0\0' 'a reference to an undefined object'
    refused '{R\0\0\0\0' 'a reference to an undefined string'
    refused '{)))\1)\1)\1)\1)\1)\1)\1)\1)\1)\1)\1)\1)\1)\1)\1)\1)\1)\1' 'nested more than 16'
    refused '{(\377\377\377\377' 'a size below 0'
    refused '{s\377\377\377\177' 'a string longer than 16 MiB'
    refused '{00' 'bytes after the end'
    refused '[0' 'expected a dict'
}

@test "times that overflow 64 bits are refused" {
    python3 -c 'import marshal, sys; sys.stdout.buffer.write(marshal.dumps({("f", 1, "g"): (1, 1, 1e10, 1.0, {})}))' >big
    run -3 profcat -c big
    [[ $output == *'over 64 bits of nanoseconds'* ]]
    python3 -c 'import marshal, sys; sys.stdout.buffer.write(marshal.dumps({("f", 1, "g"): (1, 2**63, 1.0, 1.0, {})}))' >big
    run -3 profcat -c big
    [[ $output == *'a whole number of more than 64 bits'* ]]
}

@test "own and cumulative times become self and inclusive costs of callgrind" {
    dump=$PROFUTILS_SRC/tests/corpus/pstats/small.pstats
    profcat -q -t callgrind "$dump" >out
    table() { proftop -n 0 --min-percent=0 --by=name -t csv "$1" | cut -d, -f2,8,10 | sort; }
    table "$dump" >want
    table out >have
    [ "$(wc -l <want)" -gt 10 ]
    diff want have
}
