# DCPI files and dcpicat text: read, written, joined, refused. Expected numbers come from the results next to the files,
# and from a decoder and an encoder in check/dcpi.py.

bats_require_minimum_version 1.5.0

setup()
{
    cd "$BATS_TEST_TMPDIR" || return
    PATH=$PROFUTILS_BIN:$PATH
    files=$CORPUS/dcpi/valid
}

check() { python3 "$PROFUTILS_SRC/tests/check/dcpi.py" "$@"; }

@test "every file reads as its decoder says, and is written again byte for byte" { check valid "$CORPUS"; }
@test "every malformed file is refused with the class of its error" { check malformed "$CORPUS"; }
@test "files are joined, or refused with the reason" { check ops "$CORPUS"; }
@test "a file cut anywhere is refused, and so is the file written from it" { check cut "$CORPUS"; }
@test "joined files have canonical chunks for every stride" { check random .; }
@test "files of several events and images can be read together and split again" { check split .; }
@test "dcpicat text is read and written" { check text .; }
@test "slow producers are understood" { check slow .; }
@test "tables show addresses, images, events and names" { check tables .; }

@test "records that dcpi cannot hold are refused with the reason" {
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

@test "--salvage keeps the counts before the damage" {
    head -c 140 "$files/v01_single_chunk.prof" >short
    run -0 --separate-stderr profcat --salvage -t dcpi short -o out
    [[ $stderr == *"truncated-chunk: "*" 2 records kept"* ]]
    run -0 --separate-stderr proftop --by=address -t csv out
    [ "${#lines[@]}" = 3 ]
}

@test "the error about version 1.01 names the version" {
    sed 's/^version.*/version pdb-1.01/' "$files/v21_nt_variant.prof" >new
    run -3 profcat new
    [[ $output == *"unsupported-version: "*"pdb-1.01"*dcpicat* ]]
}

@test "--canonical keeps the separators between words and values of header lines" {
    sed -e 's/^label run1/label\t  run1/; s/^frobnicate a/frobnicate   a/' "$files/v10_unknown_lines.prof" >tabs.prof
    sed -n '1,/^samples/p' tabs.prof | LC_ALL=C sort >want
    profcat --canonical -t dcpi tabs.prof >one
    profmerge --canonical -t pfs tabs.prof tabs.prof | profcat --canonical -t dcpi >two
    for out in one two; do
        sed -n '1,/^samples/p' "$out" | LC_ALL=C sort | diff -a want -
    done
}

# cat_of FILE SHARE COUNT [COUNT]: writes dcpicat text of counts at 0x1000 and 0x1004, with a period
# of 63488
cat_of()
{
    printf 'name v\nimage 19970328081403c0c18b\npath /v\nepoch 199805191724\nplatform w\ntext_start 0x1000\ntext_size 0x1000\n' >"$1"
    printf 'event %d cycles:63488:%d\n0x1000 %d\n' $(($3 + ${4:-0})) "$2" "$3" >>"$1"
    [ -z "${4:-}" ] || printf '0x1004 %d\n' "$4" >>"$1"
}

# flat OPTION...: amount and address of each row
flat() { proftop -b address -t tsv "$@" | tail -n +2 | cut -f 9,14 | LC_ALL=C sort | tr '\t\n' ' ,'; }

@test "the share of time in which an event was counted changes the events of a count" {
    cat_of half 5000 3 1
    cat_of whole 10000 5
    cat_of third 3333 3
    cat_of double 10000 2
    sed -i 's/63488/126976/' double
    # a count of `half` is worth 63488 * 2 events
    [ "$(flat -u events half)" = "126976 0x1004,380928 0x1000," ]
    [ "$(flat half)" = "1 0x1004,3 0x1000," ]
    # 3 * 126976 + 5 * 63488, whichever program adds them
    [ "$(flat half whole)" = "126976 0x1004,698368 0x1000," ]
    [ "$(profmerge half whole | flat -u events)" = "126976 0x1004,698368 0x1000," ]
    [ "$(profcat half whole | flat -u events)" = "126976 0x1004,698368 0x1000," ]
    profdiff -b address -t csv whole half | grep -c ',events,\(0,126976,126976\|317440,380928,63488\),' | grep -qx 2
    # 634880000 / 3333 events per count, rounded once, in the output
    profcat third | proftop -u events | grep -q '^cycles: 571,449.14 events total'
    proftop half third | grep -q '^cycles: 1,079,353.14 events total'
    profdiff third half | grep -q '^cycles: 571,449.14 before, 507,904 after'
    # counts of equal shares stay counts, and so do counts that are worth the same number of events
    [ "$(profmerge -t dcpicat half half | tail -n 3 | tr -s ' \n' ' ,')" = "event 8 cycles:63488:5000,0x000000001000 6,0x000000001004 2," ]
    [ "$(profmerge -t dcpicat half double | tail -n 3 | tr -s ' \n' ' ,')" = "event 6 cycles:63488:5000,0x000000001000 5,0x000000001004 1," ]
    [ "$(profcat third | profcat -t dcpicat | sed -n 's/  */ /; s/^event //p')" = "3 cycles:63488:3333" ]
    # in files without shares
    run -2 profmerge -t dcpicat half whole
    [[ $output == *"the events 'cycles'"* ]]
    run -2 profcat -t dcpi third -o out
    [[ $output == *"634880000/3333 events"* ]]
    [ "$(profcat -q -t dcpi half | sed -n '/^period/p')" = "period 126976" ]
}

@test "an image without a known event has no dcpicat text" {
    profcat -t json "$PROFUTILS_SRC/tests/corpus/dcpicat/no_counts.txt" | sed 's/,{"origin":"dcpicat","key":"event","value":"[^"]*"}//g' >without.json
    grep -q '"key":"image"' without.json
    run -0 --separate-stderr profcat -t dcpicat without.json
    [ -z "$output" ]
    [ "$stderr" = "profcat: warning: dcpicat: metadata have no place and are left out: image" ]
}

@test "metadata of a cut head do not become the head of the next image" {
    profcat -t json "$PROFUTILS_SRC/tests/corpus/dcpicat/no_counts.txt" >good.json
    # before the good head there is a head that is cut after its line `image`
    sed 's/{"origin":"dcpicat","key":"image"/{"origin":"dcpicat","key":"image","value":"cut"},&/' good.json >cut.json
    grep -q '"value":"cut"' cut.json
    profcat -t dcpicat cut.json | sed 1d >got
    profcat -t dcpicat good.json | sed 1d | diff - got
}

@test "an event of one image with two periods, or two shares, has a profile of dcpicat text for each" {
    head='image                19970328081403c0c18b
label                %s
path                 /v
epoch                19980519172%d
platform             w
text_start           0x000000001000
text_size            0x000000001000
event                %d %s
'
    # shellcheck disable=SC2059  # the head is a format
    {
        printf "name                 v\n$head" one 4 4 cycles:63488:10000
        printf 'event                2 imiss:4096:10000\n0x000000001000       3       2\n0x000000001004       1       0\n'
        printf "name                 v\n$head" two 5 5 cycles:63498:10000
        printf '0x000000001000       5\n'
        printf "name                 v\n$head" three 6 7 cycles:63488:5000
        printf '0x000000001008       7\n'
    } >want
    # each profile has the header of its own source, and the text is the same byte for byte
    profcat -t dcpicat want | diff want -
    profcat want | profcat -t dcpicat | diff want -
    sed -n '1,12p' want >one
    sed -n '13,22p' want >two
    sed -n '23,32p' want >three
    profcat -t dcpicat one two three | diff want -
    # 4 * 63488 + 5 * 63498 + 7 * 2 * 63488
    profcat -t dcpicat one two three | proftop -b address -u events - | grep -q '^cycles: 1,460,274 events total'
    # DCPI files give the same
    cat_of a 10000 3 1
    cat_of b 10000 5
    sed -i 's/63488/63498/' b
    for file in a b; do profcat -q -t dcpi "$file" >"$file.dcpi"; done
    profcat -t dcpicat a.dcpi b.dcpi >both
    [ "$(sed -n '/^event\|^0x/p' both | tr -s ' \n' ' ,')" = "event 4 cycles:63488:10000,0x000000001000 3,0x000000001004 1,event 5 cycles:63498:10000,0x000000001000 5," ]
    profcat -t dcpicat both | diff both -
    # pprof has one period for all samples: 4 + 5 counts of different periods cannot be added, but
    # events can
    run -3 profcat -t pprof a.dcpi b.dcpi -o out
    [[ $output == *"measure 'cycles' has several periods (profmerge converts the values to events)"* ]]
    # 4 * 63488 + 5 * 63498
    profmerge -t pprof a.dcpi b.dcpi | proftop - | grep -q '^cycles: 571,442 events total'
}

@test "events whose names share their first 60 bytes are two events" {
    long=$(printf '%060d' 0 | tr 0 e)
    {
        printf 'name                 v\nimage                20010904031500a1b2c3\nlabel                before\n'
        printf 'path                 /v\nepoch                200109050607\nplatform             elm\n'
        printf 'text_start           0x000000001000\ntext_size            0x000000001000\n'
        printf 'event                4 %sa\nevent                2 %sb\n0x000000001000       4       2\n' "$long" "$long"
    } >both.txt
    run -2 profcat -t dcpi both.txt
    [ "$output" = "profcat: merge-mismatch: a dcpi file holds one event, and the profile has '${long}a' and '${long}b' (proffilter -m chooses one)" ]
}

@test "an address before the start of its image's text is refused" {
    python3 "$PROFUTILS_SRC/tests/check/make_stream.py" >x.pfs <<'END'
{"measures": [{"name": "cycles", "unit": "count", "kind": "flat", "main": 1}],
 "records": [{"kind": "flat", "values": {"cycles": 3},
              "at": {"image": ["v", "20010904031500a1b2c3", 0, 0, 0, 4096, 4096], "address": 4092}}]}
END
    for format in dcpi dcpicat; do
        run -2 profcat -t "$format" x.pfs
        [ "$output" = "profcat: unrepresentable: the address 0xffc lies before the start of the text of 'v', 0x1000" ]
    done
}
