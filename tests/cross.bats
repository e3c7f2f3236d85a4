# Every format into every other: it converts with the losses it declares, or says why not.

setup()
{
    cd "$BATS_TEST_TMPDIR" || return
    PATH=$PROFUTILS_BIN:$PATH
    corpus=${CORPUS:-$PROFUTILS_SRC/tests/corpus}
}

@test "every pair of formats converts or is refused with a reason" {
    python3 "$PROFUTILS_SRC/tests/check/cross.py" "$corpus"
}

@test "kinds without a place are left out with a word, and refused where they are all there is" {
    nyt=$PROFUTILS_SRC/tests/corpus/nytprof/gotos_blocks.nyt
    run profcat -t folded -o calls.folded "$nyt"
    [ "$status" -eq 0 ]
    [[ $output =~ "folded: "[0-9]+" flat and "[0-9]+" edge records have no place and are left out" ]]
    [ -s calls.folded ]
    profcat "$nyt" | proffilter --kind=sample | profcat -t folded 2>said | cmp - calls.folded
    [ ! -s said ]
    run profcat -t folded -o none.folded "$PROFUTILS_SRC/tests/corpus/dcpi/valid/v01_single_chunk.prof"
    [ "$status" -eq 2 ]
    [[ $output == *"folded cannot hold flat records"* ]]
    [ ! -e none.folded ]
}
