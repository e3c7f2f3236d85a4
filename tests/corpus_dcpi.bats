# DCPI files and dcpicat text: read, written, joined, refused. The numbers come from what stands beside the files, and from a decoder
# and an encoder in check/dcpi.py.

bats_require_minimum_version 1.5.0

setup()
{
    cd "$BATS_TEST_TMPDIR" || return
    PATH=$PROFUTILS_BIN:$PATH
    files=$CORPUS/dcpi/valid
}

check() { python3 "$PROFUTILS_SRC/tests/check/dcpi.py" "$@"; }

@test "every file reads as it should, and comes back byte by byte" { check valid "$CORPUS"; }
@test "every malformed file is refused with its class" { check malformed "$CORPUS"; }
@test "files are joined, or refused with the reason" { check ops "$CORPUS"; }
@test "a file cut anywhere is refused, and so is what was written of it" { check cut "$CORPUS"; }
@test "joined files have canonical chunks, at every stride" { check random .; }
@test "files of several events and images are read together and taken apart" { check split .; }
@test "dcpicat text is read and written" { check text .; }
@test "slow producers are understood" { check slow .; }
@test "addresses, images, events and names in tables" { check tables .; }

@test "what dcpi cannot hold is refused, with the reason" {
    printf 'main;work 3\n' >a.folded
    for to in dcpi dcpicat; do
        run -2 profcat -t "$to" a.folded -o out
        [[ $output == *"$to cannot hold sample records"* ]]
        [ ! -e out ]
    done
    run -2 profcat -t dcpi "$CORPUS"/nytprof/*.nyt -o out
    [[ $output == *"holds counts by address of an image; "* ]]
    [ ! -e out ]
}

@test "a file with a damaged footer leaves the old output in place" {
    echo old >out
    head -c -1 "$files/v01_single_chunk.prof" >short
    printf '\7' >>short
    run -3 profcat -t dcpi short -o out
    [ "$(cat out)" = old ]
}

@test "what was read before the damage is kept with --salvage" {
    head -c 140 "$files/v01_single_chunk.prof" >short
    run -0 --separate-stderr profcat --salvage -t dcpi short -o out
    [[ $stderr == *"truncated-chunk: "*" 2 records kept"* ]]
    run -0 --separate-stderr proftop --by=address -t csv out
    [ "${#lines[@]}" = 3 ]
}

@test "version 1.01 is named" {
    sed 's/^version.*/version pdb-1.01/' "$files/v21_nt_variant.prof" >new
    run -3 profcat new
    [[ $output == *"unsupported-version: "*"pdb-1.01"*dcpicat* ]]
}

@test "--canonical keeps what separates word and value of a header line" {
    sed -e 's/^label run1/label\t  run1/; s/^frobnicate a/frobnicate   a/' "$files/v10_unknown_lines.prof" >tabs.prof
    sed -n '1,/^samples/p' tabs.prof | LC_ALL=C sort >want
    profcat --canonical -t dcpi tabs.prof >one
    profmerge --canonical -t pfs tabs.prof tabs.prof | profcat --canonical -t dcpi >two
    for out in one two; do
        sed -n '1,/^samples/p' "$out" | LC_ALL=C sort | diff -a want -
    done
}
