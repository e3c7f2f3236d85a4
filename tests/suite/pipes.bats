# Streams in pipes: joining, cutting, changing bits, names of inputs, and the order of a series.

bats_require_minimum_version 1.5.0

setup_file()
{
    cd "$BATS_FILE_TMPDIR" || return
    printf 'a;b 3\na 1\n' >tiny.folded
    printf 'main;work;read 3\nmain;work;parse 5\nmain;idle 2\n' >a.folded
    printf 'main;work;parse 7\nmain;exit 1\n' >b.folded
    for name in tiny a b; do "$PROFUTILS_BIN/profcat" "$name.folded" -o "$name.pfs" || return; done
    "$PROFUTILS_BIN/profcat" -z 6 a.folded -o a.deflated.pfs
    gzip -c a.folded >a.folded.gz
    sections=$CORPUS/statprofiler/sections-nested.out
    if [ -f "$sections" ]; then "$PROFUTILS_BIN/profcat" "$sections" -o s.pfs; fi
}

setup()
{
    cd "$BATS_FILE_TMPDIR" || return
    PATH=$PROFUTILS_BIN:$PATH
}

# top FILE...: the whole table, without the names of the inputs
top() { proftop -n 0 -t csv "$@"; }

same()
{
    cmp -s "$1" "$2" || { diff -u "$1" "$2" | head -40; return 1; }
}

# stages COMMAND...: sends the command's stream through two more programs; puts their statuses in got, messages in e1 e2
# e3, the table in out. Call it as "stages ... || :", because a status in the middle must not end the test.
stages()
{
    "$@" 2>e1 | proffilter 2>e2 | proftop -n 0 -t csv >out 2>e3
    got="${PIPESTATUS[*]}"
}

# series NAME: the files of one process in the corpus, in the order of their ordinals
series() { ls "$CORPUS"/statprofiler/"$1".out.*.0000000[0-9] 2>/dev/null; }

@test "streams joined by cat are one stream" {
    cat a.pfs b.pfs | top >got1
    profcat a.pfs b.pfs | top >got2
    top a.pfs b.pfs >got3
    profcat a.folded b.folded | top >got4
    same got1 got2
    same got1 got3
    same got1 got4
    [ "$(cat a.pfs b.pfs a.pfs | profcat -c)" = "$(cat a.folded b.folded a.folded | wc -l)" ]
    if [ -f s.pfs ]; then
        cat s.pfs a.pfs s.pfs | top >got5
        profcat "$CORPUS/statprofiler/sections-nested.out" a.folded s.pfs | top >got6
        same got5 got6
    fi
}

@test "inputs of several formats can be mixed, plain, deflated or gzipped" {
    top a.folded a.folded a.folded a.folded >want
    top a.folded a.pfs a.deflated.pfs a.folded.gz >got1
    cat a.pfs a.deflated.pfs a.pfs a.deflated.pfs | top >got2
    gzip -c a.pfs | cat - <(gzip -c a.pfs) | top - a.pfs a.folded >got3
    for k in 1 2 3; do same want got$k; done
}

@test "a pipe of programs without options does not change a byte" {
    profcat a.pfs | profcat | profcat - >got1
    cmp a.pfs got1
    proffilter a.pfs | proffilter >got2
    profcat -t ndjson a.pfs >want
    profcat -t ndjson got2 >got
    same want got
}

@test "a segment cut at any byte makes every program of a pipe exit 3" {
    size=$(wc -c <tiny.pfs)
    [ "$size" -gt 500 ]
    [ "$size" -lt 4000 ]
    for ((cut = 1; cut < size; cut++)); do
        head -c "$cut" tiny.pfs >cut.pfs
        stages profcat cut.pfs || :
        [ "$got" = '3 3 3' ] && [ -s e1 ] && [ -s e2 ] && [ -s e3 ] && grep -q "^profcat: cut.pfs: offset [0-9]*: " e1 ||
            { echo "cut at $cut of $size: statuses $got"; cat e1 e2 e3; return 1; }
    done
}

@test "a cut second segment makes every program exit 3, and the first segment still counts" {
    size=$(wc -c <tiny.pfs)
    for cut in 1 31 32 33 $((size / 2)) $((size - 8)) $((size - 1)); do
        { cat a.pfs; head -c "$cut" tiny.pfs; } >cut.pfs
        stages profcat cut.pfs || :
        [ "$got" = '3 3 3' ] && grep -q parse out || { echo "cut at $cut: statuses $got"; cat e1 e2 e3 out; return 1; }
    done
}

@test "a damaged input of another format makes every program of a pipe exit 3" {
    file=$CORPUS/statprofiler/sections-nested.out
    [ -f "$file" ] || skip "no such file in this corpus"
    size=$(wc -c <"$file")
    for cut in 5 20 200 $((size / 2)) $((size - 3)); do
        head -c "$cut" "$file" >cut.out
        stages profcat cut.out || :
        [ "$got" = '3 3 3' ] || { echo "cut at $cut: statuses $got"; cat e1 e2 e3; return 1; }
    done
}

@test "a stream of a killed producer is incomplete" {
    mkfifo feed
    { sh -c 'echo $$ >pid; exec profcat - <feed'; } 2>e1 | proffilter 2>e2 | proftop >out 2>e3 &
    exec 9>feed
    cat a.folded >&9
    until [ -s pid ]; do sleep 0.02; done
    kill -KILL "$(cat pid)"
    got=0
    wait $! || got=$?
    exec 9>&-
    [ "$got" -eq 3 ]
    [ -s e2 ]
    [ -s e3 ]
}

@test "a cut exactly between two segments is a valid stream" {
    size=$(wc -c <a.pfs)
    cat a.pfs b.pfs | head -c "$size" >first
    top a.pfs >got1
    top first >got2
    same got1 got2
}

@test "a flipped bit in any byte is detected" {
    size=$(wc -c <tiny.pfs)
    od -An -v -tu1 tiny.pfs | tr -s ' ' '\n' | sed '/^$/d' >bytes
    at=0
    while read -r byte; do
        flipped=$(printf '%03o' $((byte ^ 1 << at % 8)))
        { head -c "$at" tiny.pfs; printf '%b' "\\0$flipped"; tail -c +$((at + 2)) tiny.pfs; } >flipped.pfs
        got=0
        profcat flipped.pfs >out 2>err || got=$?
        [ "$got" -eq 3 ] && grep -qE 'offset [0-9]+|unknown profile format' err ||
            { echo "bit $((at % 8)) of byte $at of $size: status $got"; cat err; return 1; }
        at=$((at + 1))
    done <bytes
    [ "$at" -eq "$size" ]
}

@test "standard input is -, or is read without operands" {
    top a.folded >want
    top <a.folded >got1
    top - <a.folded >got2
    top b.pfs - <a.folded >got3
    top b.pfs a.folded >got4
    same want got1
    same want got2
    same got3 got4
}

@test "names of inputs come from @LIST and --files0-from" {
    top a.folded b.pfs >want
    printf 'a.folded\nb.pfs\n' >list
    printf 'a.folded\nb.pfs' >list.open
    printf 'a.folded\0b.pfs\0' >list0
    printf 'a.folded\0b.pfs' >list0.open
    top @list >got1
    top @list.open >got2
    top --files0-from=list0 >got3
    top --files0-from=list0.open >got4
    printf 'a.folded\0b.pfs\0' | top --files0-from=- >got5
    printf 'b.pfs\n' | top a.folded @/dev/stdin >got6
    for k in 1 2 3 4 5 6; do same want got$k; done
    cp a.folded $'odd\nname' && printf 'odd\nname\0b.pfs\0' | top --files0-from=- >got7
    same want got7
    run proftop --files0-from=list0 a.folded
    [ "$status" -eq 2 ]
    # 30,000 names from a pipe that is filled slowly, so that a read may end anywhere in a name
    mkdir -p many && printf 'm;a 1\n' >many/12345
    (printf './'; for ((k = 0; k < 30000; k++)); do printf 'many/12345\0'; done) >many0
    [ "$({ head -c 100000 many0; sleep 0.1; tail -c +100001 many0; } | profmerge -t folded --files0-from=-)" = "m;a 30000" ]
    [ "$(profmerge -t folded --files0-from=many0)" = "m;a 30000" ]
}

@test "a directory is read with -r, and refused without -r" {
    mkdir -p dir/sub
    cp a.folded dir/1
    cp b.pfs dir/sub/2
    top a.folded b.pfs >want
    top -r dir >got
    same want got
    run proftop dir
    [ "$status" -eq 3 ]
    [[ $output == *dir*-r* || $output == *irectory* ]]
}

@test "an empty input is not an empty profile: exit 3" {
    for program in profcat proffilter proftop; do
        got=0
        : | "$program" 2>err >out || got=$?
        [ "$got" -eq 3 ] && grep -q "^$program: .*empty" err || { echo "$program: $got"; cat err; return 1; }
        got=0
        "$program" /dev/null 2>err >out || got=$?
        [ "$got" -eq 3 ]
    done
}

@test "--salvage keeps the records before the damage, with a warning" {
    { cat a.pfs; head -c 300 b.pfs; } >cut.pfs
    proftop --salvage -n 0 -t csv cut.pfs >got 2>err
    grep -q 'warning: cut.pfs: offset [0-9]*: .*kept' err
    top a.pfs >want
    same want got
    stages profcat --salvage cut.pfs || :
    [ "$got" = '0 0 0' ]
    same want out
}

@test "--keep-going skips a bad input, reads the others and exits 3" {
    head -c 500 b.pfs >cut.pfs
    got=0
    proftop --keep-going -n 0 -t csv a.pfs cut.pfs missing b.pfs >out 2>err || got=$?
    [ "$got" -eq 3 ]
    grep -q 'cut.pfs: offset' err
    grep -q "cannot open 'missing': No such file" err
    grep -q exit out
    grep -q idle out
}

@test "the files of a series are read in the order of their ordinals, in any order of operands" {
    tried=0
    for name in split fork stop-start xsubs-slowops; do
        # shellcheck disable=SC2046 # names of the corpus
        for id in $(series "$name" | sed 's/.*\.out\.//; s/\..*//' | sort | uniq -d); do
            mapfile -t files < <(series "$name" | grep "\.$id\.")
            profcat -t ndjson "${files[@]}" >want 2>err
            ! grep ordinal err || return 1
            mapfile -t orders < <(permutations "${#files[@]}")
            for order in "${orders[@]}"; do
                given=()
                for k in $order; do given+=("${files[k]}"); done
                profcat -t ndjson "${given[@]}" >got 2>err
                same want got || { echo "$name.$id in the order $order"; return 1; }
                ! grep ordinal err || return 1
                tried=$((tried + 1))
            done
        done
    done
    [ "$tried" -gt 0 ] || skip "no series in this corpus"
}

# permutations N: all orders of 0..N-1 (N up to 4), one per line
permutations()
{
    awk -v n="$1" 'function go(prefix, used, k) {
        if (length(used) == n) { print prefix; return }
        for (k = 0; k < n; k++) if (!index(used, k "")) go(prefix k " ", used k)
    }
    BEGIN { go("", "") }'
}

@test "a warning names the missing ordinal of a series" {
    mapfile -t files < <(series fork | grep 6a3b)
    [ "${#files[@]}" -eq 4 ] || skip "no series of four in this corpus"
    profcat "${files[0]}" "${files[3]}" "${files[2]}" -t ndjson >out 2>err
    grep -qE 'warning: .*ordinal 2' err || { cat err; return 1; }
    profcat "${files[3]}" -t ndjson >out 2>err
    grep -qE 'warning: .*(ordinals? 1|1 to 3|1\.\.3)' err || { cat err; return 1; }
}

@test "sections are carried over from one file of a series to the next" {
    mapfile -t files < <(series split)
    [ "${#files[@]}" -eq 2 ] || skip "no series of two in this corpus"
    whole=$(profcat "${files[@]}" -t ndjson | grep -c '"sections":\["')
    alone=$(for file in "${files[@]}"; do profcat "$file" -t ndjson 2>/dev/null; done | grep -c '"sections":\["')
    [ "$whole" -gt "$alone" ]
}

# A large file is unpacked by another thread, input from a pipe is not.
@test "a compressed file reads the same as through a pipe: whole, cut, damaged, with several members, before other files" {
    command -v python3 >/dev/null || skip "no python3"
    python3 - <<'PYTHON'
import gzip, random
choose = random.Random(7)
text = "".join(f"main;f{choose.randrange(10**6)};g{choose.randrange(10**6)} {choose.randrange(1, 1000)}\n" for _ in range(90_000)).encode()
whole = gzip.compress(text, 6)
assert len(whole) > 550_000, len(whole)
flipped = bytearray(whole)
flipped[400_000] ^= 0x55
checksum = bytearray(whole)
checksum[-6] ^= 1
half = len(text) // 2
half = text.index(b"\n", half) + 1
variants = {"whole": whole, "cut": whole[:500_000], "cut_at_end": whole[:-4], "flipped": bytes(flipped), "checksum": bytes(checksum),
            "members": gzip.compress(text[:half]) + gzip.compress(text[half:]), "padded": whole + bytes(5000), "garbage": whole + b"no gzip",
            "cut_member": whole + whole[:300_000]}
for name, data in variants.items():
    open(name + ".gz", "wb").write(data)
open("whole.folded", "wb").write(text)
PYTHON
    for file in *.gz; do
        for options in '' --salvage; do
            # shellcheck disable=SC2086  # none or one
            profcat $options -t csv "$file" >got 2>err && status=0 || status=$?
            # shellcheck disable=SC2086
            cat "$file" | profcat $options -t csv - >want 2>want.err && wanted=0 || wanted=$?
            # the number of lost bytes is known only for a file
            sed "s/$file/-/; s/, [0-9]* bytes of the file lost//" err | cmp -s - want.err && cmp -s got want && [ "$status" -eq "$wanted" ] ||
                { echo "$file $options: $status, through a pipe $wanted"; cat err want.err; false; }
        done
    done
    profcat -t folded whole.gz | cmp - <(profcat -t folded whole.folded)
    # the next file is opened early, but its failure is reported in order
    run -3 --separate-stderr profcat -t folded whole.gz absent.gz members.gz
    [[ $stderr == "profcat: cannot open 'absent.gz'"* ]]
    profcat whole.gz | head -c 1000 | wc -c | grep -qx '1000'
}

@test "if the first bytes of a pipe do not decide the format, more bytes are awaited" {
    {
        printf '# ========\n# captured on    : Sat Nov 21 06:18:39 2026\n'
        sleep 0.3
        printf '# ========\n#\n'
        sleep 0.3
        printf 'prog  7 12.500000:          1 cycles:\n\t    55d0 work (/bin/prog)\n\t    55e0 main (/bin/prog)\n\n'
    } | profcat --probe - >said
    grep -q -- '-: perf-script (' said
}

@test "records in a live pipe are passed on at once" {
    mkfifo live
    profcat - <live 2>err | profcat -t ndjson - 2>>err | cat >out &
    exec 9>live
    # more than the detection of the format may wait for
    { echo 'main;first 1'; cat a.folded a.folded a.folded; } >&9
    seen=no
    for ((tries = 0; tries < 250; tries++)); do
        if grep -q first out; then seen=yes; break; fi
        sleep 0.02
    done
    exec 9>&-
    wait
    [ "$seen" = yes ]
}
