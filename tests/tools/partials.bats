# profmerge --partials: a merge in a tree gives the bytes of one merge, and goes on where it was killed.

bats_require_minimum_version 1.5.0
load ../lib/expect

setup()
{
    cd "$BATS_TEST_TMPDIR" || return
    set -o pipefail
    PATH=$PROFUTILS_BIN:$PATH
    check=$PROFUTILS_SRC/tests/check/partials.py
    for i in 1 2 3 4 5 6 7 8 9; do
        printf 'main;f%d;g %d\n' "$i" $((i * 11)) >"$i.folded"
    done
    printf 'x 1\n' >time.folded
    profcat -f folded:measure=x/ns time.folded -o time.pfs
    profcat -f folded:measure=x/bytes time.folded -o bytes.pfs
}

python() { command -v python3 >/dev/null 2>&1 || skip "no python3"; }

# fleet COUNT DIR: profiles of 8 programs with 2000 stacks each
fleet()
{
    mkdir "$2"
    awk -v count="$1" -v to="$2" 'BEGIN {
        srand(1)
        for (k = 0; k < count; k++) {
            file = sprintf("%s/program%d-%03d.folded", to, k % 8, k)
            for (line = 0; line < 2000; line++) {
                n = int(rand() ^ 2 * 3000)
                printf "main;m%d;f%d;g%d;h%d %d\n", k % 8, n % 11, n % 101, n, 1 + int(rand() * 100) >file
            }
            close(file)
        }
    }'
}

# faults VARIABLE=VALUE COMMAND...: runs the command with a fault (tests/faults/faults.c)
faults()
{
    # CC may contain options
    # shellcheck disable=SC2086
    [ -f faults.so ] || ${CC:-cc} -shared -fPIC -O -o faults.so "$PROFUTILS_SRC/tests/faults/faults.c" -ldl 2>/dev/null ||
        skip "no LD_PRELOAD here"
    if grep -qs fsanitize "$PROFUTILS_BUILD/config.flags"; then skip "the sanitizers want to be loaded first"; fi
    env "$1" LD_PRELOAD="$PWD/faults.so" "${@:2}"
}

# temporaries: the files in parts that no result has
temporaries() { find parts -name '.*' -type f; }

@test "random profiles of the corpus: one process, make and tasks give the bytes of one merge" {
    python
    for seed in 1 2; do python3 "$check" random "$seed" 12 "$PROFUTILS_SRC/tests/corpus"; done
}

@test "one input changed makes one partial of each level again, one more or less at most two" {
    python
    python3 "$check" changes 1 20
}

@test "a merge that is killed goes on where it was, and leaves no temporary file" {
    python
    fleet 96 in
    python3 "$check" killed 1 20 in
}

@test "three merges at once over one directory" {
    python
    fleet 96 in
    python3 "$check" together 1 4 in
}

@test "options, weights and output formats are those of one merge" {
    while read -r options; do
        rm -rf parts
        eval "profmerge -q --canonical $options -o one [1-9].folded"
        eval "profmerge -q --partials=parts --fan-in=2 $options -o two [1-9].folded"
        cmp one two || { echo "$options"; return 1; }
        eval "profmerge -q --partials=parts --fan-in=2 $options -o three [1-9].folded"
        cmp one three
    done <<'END'
-t pfs
-t folded
-t pprof -z0
-t ndjson -m samples
-t json
-t csv
-t svg
-t text
-t json:flame
-w 3:2.folded -w -2:5.folded -w 2:2.folded -t pfs
-g function --label-source=host -t pfs
-f folded:measure=wall/ms -t pfs
--focus=f[2-5] --labels=none -t pfs
--replicates=4 -t pfs
--replicates=4 --labels=none -t pfs
--label-source=host --labels=host --replicates=4 -t pfs
--max-input=100 -t pfs
--keep-share=10% -t pfs
-j2 -z6 -t pfs
END
}

@test "partials of other options, weights or contents are other partials" {
    python
    profmerge --partials=parts -o x.pfs [1-3].folded
    ls parts/*.pfs >first
    profmerge --partials=parts -g function -o x.pfs [1-3].folded
    profmerge --partials=parts -w 2:1.folded -o x.pfs [1-3].folded
    profmerge --partials=parts -o y.pfs ./1.folded [23].folded
    [ "$(ls parts/*.pfs | wc -l)" -eq 4 ]
    printf 'main;f1;g 12\n' >1.folded
    profmerge --partials=parts -o x.pfs [1-3].folded
    [ "$(ls parts/*.pfs | wc -l)" -eq 5 ]
    # same size and times in the past: the index does not hide a change of the bytes
    printf 'main;f1;g 13\n' >1.folded
    profmerge --partials=parts -t folded [1-3].folded | grep -x 'main;f1;g 13'
    touch -d '2020-01-01' 1.folded
    profmerge --partials=parts -o x.pfs [1-3].folded
    printf 'main;f1;g 14\n' >1.folded
    touch -d '2020-01-01' 1.folded
    profmerge --partials=parts -t folded [1-3].folded | grep -x 'main;f1;g 14'
    # these options change no partial
    profmerge --partials=parts -j2 -q -t folded --fan-in=99 [1-3].folded >/dev/null
    [ "$(ls parts/*.pfs | wc -l)" -eq 7 ]
}

@test "a torn, a missing and an unknown input stop the merge, or are left out as a whole and named" {
    head -c 9000 "$PROFUTILS_SRC/tests/corpus/statprofiler/deep-stack.depth1000.out" >torn.out
    printf 'no profile' >none
    fails 3 'torn.out: offset .*the file ends' profmerge --partials=parts -o x.pfs --manifest=rows [1-9].folded torn.out
    fails 3 "cannot open 'gone'" profmerge --partials=parts -o x.pfs --manifest=rows [1-9].folded gone
    fails 3 "cannot read '.': it is a directory" profmerge --partials=parts -o x.pfs [1-9].folded .
    [ ! -e x.pfs ]
    [ ! -e rows ]
    profmerge --canonical [1-9].folded -o one.pfs
    for again in 1 2; do
        fails 3 'torn.out: .*the file ends' profmerge --partials=parts --keep-going --fan-in=3 -o two.pfs --manifest=rows gone none torn.out [1-9].folded
        grep -q "cannot open 'gone'" err
        grep -q 'none: .*unknown profile format' err
        grep -q 'warning: 3 of 12 inputs are left out' err
        [ "$(grep -c . err)" -eq 4 ]
        cmp one.pfs two.pfs
        [ "$(grep -c '"counted":true' rows)" -eq 9 ]
    done
    grep -x '{"counted":true,"input":"3.folded","weight":"1","format":"folded","complete":true,"records":1,"measures":\[{"name":"samples","unit":"count","kind":"sample","total":33}\],"chosen":true,"reason":""}' rows
    grep '{"counted":false,"input":"torn.out",.*"complete":false,.*"reason":"offset [0-9]*: the file ends' rows
    # a strict merge does not use partials in which inputs are missing
    fails 3 'torn.out' profmerge --partials=parts --fan-in=3 -o two.pfs torn.out [1-9].folded
    # nothing is left
    rm two.pfs
    fails 3 'none of 2 inputs is counted' profmerge --partials=parts --keep-going -o two.pfs none torn.out
    [ ! -e two.pfs ]
}

@test "hosts with unlike measures: the later one is left out and named, in every tree" {
    for fan_in in 2 3 5 7 64; do
        rm -rf parts
        fails 3 "(bytes|time).pfs: .*measure 'x' is in" profmerge --partials=parts --keep-going --fan-in=$fan_in -o two.pfs --manifest=rows \
            [1-9].folded time.pfs bytes.pfs
        grep '"counted":false' rows >left
        [ "$(wc -l <left)" -ge 1 ]
        # the result is the merge of the inputs that are counted
        sed -n 's/^{"counted":true,"input":"\([^"]*\)".*/\1/p' rows | xargs profmerge --canonical -o one.pfs
        cmp one.pfs two.pfs
    done
    fails 3 "measure 'x' is in" profmerge --partials=parts -o x.pfs time.pfs bytes.pfs
}

@test "an input that changes while it is merged is not counted" {
    # opened for the series, for the hash, and to be read
    for number in 1 2 3 4 5; do
        rm -rf parts
        printf 'main;f1;g 1\n' >1.folded
        profmerge --canonical [2-9].folded -o one.pfs
        got=0
        faults FAULT_CHANGE=1.folded:$number profmerge --partials=parts --keep-going --manifest=rows -o two.pfs [1-9].folded 2>err || got=$?
        [ "$(wc -c <1.folded)" -eq 13 ] || break
        if [ "$got" -eq 3 ] && grep -q '1.folded: the file changed while it was read' err; then
            cmp one.pfs two.pfs
            grep '"counted":false,"input":"1.folded"' rows
            touch seen
        fi
        printf 'main;f1;g 1\n' >1.folded
        rm -rf parts
        fails 3 '1.folded' faults FAULT_CHANGE=1.folded:$number profmerge --partials=parts -o no.pfs [1-9].folded || [ "$number" -le 1 ]
    done
    [ -e seen ]
    # a file that is damaged only while it is read is never the name of a partial
    printf 'main;f1;g 1\n' >1.folded
    profmerge --canonical [1-9].folded -o one.pfs
    profmerge --partials=parts -o two.pfs [1-9].folded
    cmp one.pfs two.pfs
}

@test "an input that cannot be read once is left out, and read again by the next run" {
    profmerge --canonical [1-9].folded -o one.pfs
    rm -f seen
    for number in $(seq 1 60); do
        rm -rf parts
        got=0
        # 1: reads
        faults FAULT_CALL=1:$number profmerge --partials=parts --fan-in=3 --keep-going --manifest=rows -o two.pfs [1-9].folded 2>err || got=$?
        [ "$got" -eq 3 ] || continue
        grep -q '"counted":false.*Input/output error' rows || continue
        touch seen
        profmerge --partials=parts --fan-in=3 --keep-going -o two.pfs [1-9].folded
        cmp one.pfs two.pfs
    done
    [ -e seen ]
}

@test "the hash of a file that has just changed is not kept: a change in the same tick has no other time" {
    touch -d '1 minute ago' [1-9].folded
    profmerge --partials=parts -o x.pfs [1-3].folded
    [ "$(grep -c . parts/index)" -eq 2 ]
    sleep 2.1
    profmerge --partials=parts -o x.pfs [1-3].folded
    [ "$(grep -c . parts/index)" -eq 5 ]
}

@test "a partial that cannot be removed or is damaged each time: an error, no endless repetition" {
    profmerge --partials=parts --fan-in=2 -o x.pfs [1-9].folded
    for file in parts/*.pfs; do echo damaged >"$file"; done
    printf 'main;f1;g 12\n' >1.folded
    got=0
    faults FAULT_UNLINK=1 profmerge --partials=parts --fan-in=2 -o y.pfs [1-9].folded 2>err || got=$?
    [ "$got" -eq 4 ]
    [ ! -e y.pfs ]
    grep -q "cannot remove 'parts/.*, which is damaged" err
}

@test "an input that changes after the plan: exit 3, no output, and a new plan goes on" {
    profmerge --partials=parts --fan-in=2 --plan=tasks -o two.pfs [1-9].folded >plan
    printf 'main;f1;g 1000\n' >4.folded
    while IFS=$'\t' read -r level output list; do
        got=0
        profmerge --task="$list" 2>err || got=$?
        if [ "$got" -ne 0 ]; then
            [ "$got" -eq 3 ]
            grep -qE 'make the plan again' err
            [ ! -e "$output" ]
            touch refused
        fi
    done <plan
    [ -e refused ]
    [ ! -e two.pfs ]
    profmerge --partials=parts --fan-in=2 --plan=tasks -o two.pfs [1-9].folded >again
    [ "$(wc -l <again)" -lt "$(wc -l <plan)" ]
    cut -f3 again | while read -r list; do profmerge --task="$list"; done
    profmerge --canonical [1-9].folded | cmp - two.pfs
    # tasks that are cut, of something else, or gone
    list=$(tail -n 1 again | cut -f3)
    head -n 4 "$list" >cut.task
    fails 3 'not a whole task' profmerge --task=cut.task
    fails 3 'not a line of a task' profmerge --task=1.folded
    fails 3 "cannot open 'gone'" profmerge --task=gone
    sed -i 's/^stage.*/&\noption --granularity=line/' "$(head -n 1 again | cut -f3)"
    rm -f parts/*.pfs
    fails 3 'another version of the program, or was edited' profmerge --task="$(head -n 1 again | cut -f3)"
    fails 3 'missing: make the plan again' profmerge --task="$list"
}

@test "names with blanks, quotes, dollars and line feeds in plans" {
    mkdir 'in dir'
    for i in 1 2 3 4 5; do printf 'main;h%d %d\n' $i $i >"in dir/a \$(x) '%41#$i
.folded"; done
    printf 'main;h6 6\n' >"$(printf 'in dir/\377.folded')"
    profmerge --canonical -r 'in dir' -o one.pfs
    # shellcheck disable=SC2016  # not a variable
    odd='d $x:#'"'"' "1'
    profmerge --partials="$odd" --fan-in=2 --plan=make -r 'in dir' -o 'three $.pfs' >plan
    command -v make >/dev/null || skip "no make"
    make -s -f plan
    cmp one.pfs 'three $.pfs'
    # without -o the output is that of make, which has nothing else
    profmerge --partials=silent --fan-in=2 --plan=make -r 'in dir' | MAKEFLAGS='' MAKELEVEL='' make -f - >two.pfs
    cmp one.pfs two.pfs
    profmerge --partials="$odd" --fan-in=2 --plan=tasks -r 'in dir' -o 'four $.pfs' >tasks
    [ "$(wc -l <tasks)" -eq 1 ]
    task=$BATS_TEST_TMPDIR/$(cut -f3 tasks)
    (cd / && profmerge --task="$task")
    cmp one.pfs 'four $.pfs'
    fails 2 'cannot name the directory' profmerge --partials='a;b' --plan=make 1.folded
    [ ! -e 'a;b' ]
}

@test "a damaged partial, or the rows beside it, are made again" {
    profmerge --canonical [1-9].folded -o one.pfs
    profmerge --partials=parts --fan-in=2 -o two.pfs --manifest=rows [1-9].folded
    for file in parts/*.pfs parts/*.ndjson parts/index; do
        for change in cut byte empty; do
            rm -rf copy
            cp -r parts copy
            damaged=copy/${file#parts/}
            case $change in
            cut) head -c 200 "$file" >"$damaged" ;;
            byte) sed '1s/[0-9f]/X/' "$file" >"$damaged" ;;
            *) : >"$damaged" ;;
            esac
            # the same inputs: only the last partial is read
            profmerge -q --partials=copy --fan-in=2 -o two.pfs --manifest=again [1-9].folded
            cmp one.pfs two.pfs
            cmp rows again
            # a new input: the partials beside it are read
            printf 'main;f1;g 12\n' >1.folded
            profmerge -q --partials=copy --fan-in=2 -o three.pfs --manifest=again [1-9].folded 2>err
            profmerge --canonical [1-9].folded | cmp - three.pfs
            [ "$(wc -l <again)" -eq 9 ]
            printf 'main;f1;g 11\n' >1.folded
        done
    done
}

@test "a partial, its rows or both under the name of another partial are made again" {
    profmerge --partials=parts --fan-in=3 -o two.pfs --manifest=rows [1-9].folded
    profmerge --canonical [1-9].folded -o one.pfs
    cmp one.pfs two.pfs
    # the sums of the lines, by awk
    want=$(awk '{ sum += $2 } END { print sum }' [1-9].folded)
    for a in parts/*.pfs; do
        for b in parts/*.pfs; do
            [ "$a" != "$b" ] || continue
            for suffixes in pfs ndjson 'pfs ndjson'; do
                rm -rf copy
                cp -r parts copy
                from=copy/$(basename "$a" .pfs) to=copy/$(basename "$b" .pfs)
                for suffix in $suffixes; do
                    mv "$from.$suffix" aside
                    mv "$to.$suffix" "$from.$suffix"
                    mv aside "$to.$suffix"
                done
                # only the last partial is read
                profmerge --partials=copy --fan-in=3 -o two.pfs --manifest=again [1-9].folded
                cmp one.pfs two.pfs
                cmp rows again
                # the partials beside a changed input are read
                printf 'main;f1;g 12\n' >1.folded
                [ "$(profmerge --partials=copy --fan-in=3 --manifest=again -t folded [1-9].folded |
                    awk '{ sum += $2 } END { print sum }')" -eq $((want + 1)) ]
                [ "$(grep -c '"counted":true' again)" -eq 9 ]
                printf 'main;f1;g 11\n' >1.folded
            done
        done
    done
    # -v says why a partial is made again
    first=$(ls parts/*.pfs | head -n 1)
    for file in parts/*.pfs; do [ "$file" = "$first" ] || cp "$first" "$file"; done
    printf 'main;f1;g 12\n' >1.folded
    profmerge -v --partials=parts --fan-in=3 -o two.pfs [1-9].folded 2>err
    profmerge --canonical [1-9].folded | cmp - two.pfs
    grep -E "^profmerge: 'parts/[0-9a-f]{32}.pfs' is damaged, or is another partial: the partial is made again" err
}

@test "rows of an older version, whose last line has only a check: the partial is made again" {
    profmerge --partials=parts --fan-in=3 -o two.pfs --manifest=rows [1-9].folded
    cp two.pfs one.pfs
    for file in parts/*.ndjson; do sed -i '$ s/.* //' "$file"; done
    profmerge --partials=parts --fan-in=3 -o two.pfs --manifest=again [1-9].folded
    cmp one.pfs two.pfs
    cmp rows again
}

@test "a task under the name of another task is refused; plans with other outputs keep their tasks" {
    profmerge --partials=parts --fan-in=3 --plan=tasks -t folded -o one.folded [1-9].folded >one.plan
    profmerge --partials=parts --fan-in=3 --plan=tasks -t ndjson -o two.ndjson [1-9].folded >two.plan
    cut -f3 one.plan | while read -r list; do profmerge --task="$list"; done
    profmerge --canonical -t folded [1-9].folded | cmp - one.folded
    [ ! -e two.ndjson ]
    one=$(tail -n 1 one.plan | cut -f3) two=$(tail -n 1 two.plan | cut -f3)
    cp "$one" saved
    cp "$two" "$one"
    rm one.folded
    fails 3 'renamed or edited: make the plan again' profmerge --task="$one"
    sed 's/one.folded/three.folded/' saved >"$one"
    fails 3 'renamed or edited: make the plan again' profmerge --task="$one"
    for file in one.folded three.folded two.ndjson; do [ ! -e "$file" ]; done
    rm parts/*.pfs
    first=$(sed -n 1p one.plan | cut -f3) second=$(sed -n 2p one.plan | cut -f3)
    cp "$second" "$first"
    fails 3 'renamed or edited: make the plan again' profmerge --task="$first"
    ls parts/*.pfs && return 1
    profmerge --task="$second"
}

@test "--prune removes what this merge does not need, and nothing else" {
    profmerge --partials=parts --fan-in=2 -o x.pfs [1-9].folded
    ls parts >all
    echo keep >parts/notes
    mkdir parts/0123456789abcdef0123456789abcdef.pfs
    profmerge --partials=parts --fan-in=2 --plan=tasks -o x.pfs [1-5].folded >/dev/null
    profmerge --partials=parts --fan-in=3 -o x.pfs [1-5].folded
    rmdir parts/0123456789abcdef0123456789abcdef.pfs
    profmerge --partials=parts --fan-in=2 --prune -o x.pfs [1-9].folded
    [ -e parts/notes ]
    rm parts/notes
    ls parts | diff all -
    fails 2 'needs --partials' profmerge --prune 1.folded
    fails 2 'cannot be combined with --plan' profmerge --prune --partials=parts --plan=make 1.folded
    # inputs that lie in the directory stay
    ls parts/*.pfs >kept
    # shellcheck disable=SC2046  # a word for each name
    profmerge --partials=parts --prune -o y.pfs $(cat kept)
    ls parts/*.pfs | comm -13 - kept | diff /dev/null -
    profmerge --partials=parts --fan-in=2 --prune -o x.pfs [1-9].folded
    # another program holds the directory
    command -v flock >/dev/null || skip "no flock"
    flock -s parts/lock sh -c 'profmerge --partials=parts --prune -o x.pfs 1.folded 2>err'
    grep -q "another run uses 'parts': nothing was removed" err
    [ "$(ls parts | wc -l)" -ge "$(wc -l <all)" ]
    profmerge --partials=parts --prune -o x.pfs 1.folded
    [ "$(ls parts/*.pfs | wc -l)" -eq 1 ]
}

@test "an empty directory that may not be written: the message says so" {
    command -v unshare >/dev/null || skip "no unshare"
    mkdir parts
    unshare -rm mount --bind parts parts 2>/dev/null || skip "no mounts here"
    fails 4 "cannot open 'parts/lock': Read-only file system" unshare -rm sh -c \
        'mount --bind parts parts && mount -o remount,ro,bind parts && profmerge --partials=parts -o x.pfs 1.folded'
}

@test "a run that waits for a lock says so after a second, once" {
    command -v flock >/dev/null || skip "no flock"
    profmerge --partials=parts --plan=tasks -o x.pfs [1-9].folded >plan
    first=$(head -n 1 plan | cut -f3)
    while read -r said options; do
        flock -x parts/lock sleep 1.6 &
        until ! flock -sn parts/lock true; do sleep 0.05; done
        # shellcheck disable=SC2086  # several options
        profmerge $options 2>err
        wait
        [ "$(grep -c "^profmerge: warning: waiting for another run that removes files from '.*parts'$" err)" -eq "$said" ] ||
            { echo "$options"; cat err; return 1; }
    done <<END
1 --partials=parts -o x.pfs 1.folded
1 --task=$first
0 -q --partials=parts -o x.pfs 1.folded
END
    # a short wait is not worth a message
    flock -x parts/lock sleep 0.3 &
    until ! flock -sn parts/lock true; do sleep 0.05; done
    profmerge --partials=parts -o x.pfs 1.folded 2>err
    wait
    [ ! -s err ]
}

@test "a file system without locks: the same result, no file of another run is removed, --prune is refused" {
    profmerge --canonical [1-9].folded -o one.pfs
    mkdir parts
    echo other >parts/.new.0123456789abcdef
    faults FAULT_FLOCK=1 profmerge --partials=parts --fan-in=2 -o two.pfs [1-9].folded
    cmp one.pfs two.pfs
    [ -e parts/.new.0123456789abcdef ]
    fails 2 'has no locks' faults FAULT_FLOCK=1 profmerge --partials=parts --prune -o two.pfs [1-9].folded
    for k in 1 2 3 4; do
        rm -rf together
        for part in 1 2 3; do
            faults FAULT_FLOCK=1 profmerge --partials=together --fan-in=2 -o "$part.pfs" [1-9].folded &
        done
        wait
        for part in 1 2 3; do cmp one.pfs "$part.pfs"; done
        [ -z "$(find together -name '.*' -type f)" ]
    done
    profmerge --partials=parts --fan-in=2 -o two.pfs [1-9].folded
    [ -z "$(temporaries)" ]
}

@test "no space on the device: exit 4, and the next run goes on" {
    profmerge --canonical [1-9].folded -o one.pfs
    for size in 0 100 1000 1500 3000 6000 9000; do
        rm -rf parts two.pfs
        got=0
        faults FAULT_WRITE=$size profmerge --partials=parts --fan-in=2 -o two.pfs [1-9].folded 2>err || got=$?
        if [ "$got" -ne 0 ]; then
            [ "$got" -eq 4 ]
            grep -q 'No space left on device' err
            [ ! -e two.pfs ]
            touch full
        fi
        [ ! -d parts ] || [ -z "$(temporaries)" ]
        profmerge --partials=parts --fan-in=2 -o two.pfs [1-9].folded
        cmp one.pfs two.pfs
    done
    [ -e full ]
}

@test "what cannot be merged in a tree is refused" {
    while IFS='|' read -r message options; do
        # shellcheck disable=SC2086  # several options
        fails 2 "$message" profmerge --partials=parts $options
        [ ! -e parts ]
    done <<'END'
--mean cannot be combined|--mean 1.folded
--normalize cannot be combined|--normalize=total 1.folded
takes whole weights|-w 1/2:1.folded 2.folded
takes whole weights|-w 0.3:1.folded
not standard input|-
not standard input|1.folded -
--fan-in takes a number from 2|--fan-in=1 1.folded
--plan takes make or tasks|--plan=slurm 1.folded
END
    fails 2 'takes the name of a directory' profmerge --partials= 1.folded
    fails 2 '--fan-in needs --partials' profmerge --fan-in=3 1.folded
    fails 4 "'1.folded' is not a directory" profmerge --partials=1.folded 2.folded
    fails 2 'write --task=FILE in full' profmerge --tas=x
}

@test "a task has the options of its plan" {
    profmerge --partials=parts --plan=tasks -o x.pfs [1-9].folded >plan
    first=$(head -n 1 plan | cut -f3) last=$(tail -n 1 plan | cut -f3)
    fails 3 'has other options than the plan' profmerge --task="$first" --focus=f1
    profmerge -v -j2 --task="$first"
    fails 2 'focus cannot be combined with --task: give it to the plan' profmerge --task="$last" --focus=f1
    fails 2 'weight cannot be combined with --task' profmerge --task="$last" -w 2:1.folded
    [ ! -e x.pfs ]
    # the last step only reads: the directory may be read-only
    command -v unshare >/dev/null || skip "no unshare"
    mkdir there
    unshare -rm mount --bind there there 2>/dev/null || skip "no mounts here"
    unshare -rm sh -c 'mount --bind parts parts && mount -o remount,ro,bind parts && profmerge --task="$0"' "$last"
    profmerge --canonical [1-9].folded | cmp - x.pfs
}

@test "--manifest of one merge" {
    fails 2 'name one file' profmerge -o x.pfs --manifest=x.pfs 1.folded
    printf 'main;f 1\nbroken' >broken.folded
    head -c 3000 "$PROFUTILS_SRC/tests/corpus/statprofiler/deep-stack.depth1000.out" >torn.out
    profmerge --manifest=rows -w 2:1.folded -w 1/6:2.folded -w -0.5:3.folded -o x.pfs
    printf '%s\n' '1.folded 2' '2.folded 1/6' '3.folded -1/2' >want
    sed 's/.*"input":"\([^"]*\)","weight":"\([^"]*\)".*/\1 \2/' rows | diff want -
    fails 3 torn profmerge --keep-going --manifest=rows 1.folded torn.out gone -o x.pfs
    sed 's/{"counted":\([a-z]*\),"input":"\([^"]*\)".*"complete":\([a-z]*\),.*/\2 \1 \3/' rows >got
    printf '%s\n' '1.folded true true' 'torn.out true false' 'gone false false' | diff - got
    rm rows
    fails 3 torn profmerge --manifest=rows 1.folded torn.out -o x.pfs
    [ ! -e rows ]
    # two inputs that fail have a reason each
    fails 3 "measure 'x' is in" profmerge --keep-going --manifest=rows time.pfs bytes.pfs none 2.folded -o x.pfs
    [ "$(sed -n 's/.*"reason":"\([^"]*\)"}/\1/p' rows | sort -u | grep -c .)" -eq 2 ]
}
