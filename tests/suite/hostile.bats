# Hostile inputs and arguments: memory, time, terminals, spreadsheets.
load ../lib/expect

setup()
{
    cd "$BATS_TEST_TMPDIR" || return
    PATH=$PROFUTILS_BIN:$PATH
}

@test "a small file that unpacks to gigabytes takes no more memory than promised; --max-input refuses it" {
    command -v python3 >/dev/null || skip "python3 is missing"
    python3 "$PROFUTILS_SRC/tests/check/bombs.py" "$PROFUTILS_BIN"
    printf 'a 1\n' >x.folded
    fails 2 "profcat: --max-input takes a size such as 500M or 64G, not '1x'" profcat --max-input=1x x.folded
}

@test "a record with more than 65535 labels is refused, because no stream can hold it" {
    row() # KEY FIRST LAST: a row whose labels or sections have these numbers
    {
        printf '{"id":1,"kind":"sample","sections":[%s],"labels":{%s},"stack":["a"],"values":{"w":1},"units":{"w":"count"}}\n' \
            "$([ "$1" = sections ] && seq -s, "$2" "$3" | sed 's/[0-9][0-9]*/"&"/g')" \
            "$([ "$1" = labels ] && seq -s, "$2" "$3" | sed 's/[0-9][0-9]*/"&":["v"]/g')"
    }
    for key in sections labels; do
        row $key 10001 75535 >most.ndjson
        row $key 10001 75536 >more.ndjson
        profcat -t pfs -o most.pfs most.ndjson
        [ "$(profcat -q -t ndjson most.pfs | wc -l)" -eq 1 ]
        fails 3 'a record of more than 65535 labels' profcat -t pfs more.ndjson
    done
    { printf 'goroutine profile: total 1\n1 @ 0x1\n# labels: {'; seq -s, 10001 75537 | sed 's/[0-9][0-9]*/"&":"v"/g'; echo '}'; } >go.txt
    fails 3 'a record of more than 65535 labels' profcat -t pfs go.txt
    { printf '@[\n    f\n, '; seq -s', ' 10001 75537 | tr -d '\n'; printf ']: 1\n'; } >keys.txt
    fails 3 'a record of more than 65535 labels' profcat -f bpftrace -t pfs keys.txt
}

@test "a section that is open more than once counts once, however sections and labels are nested" {
    # Worked out by hand: the records have 1, 2, 4, 8 and 16. a: 1 + 2 + 4 + 8, b: 2 + 4 + 8, c: 8; the record of 16 has
    # no section.
    stream x.pfs <<'END'
{"measures": [{"name": "wall", "unit": "count"}],
 "records": [{"stack": [["f"]], "labels": [["host", "h"], ["section", "a"], ["tid", 1]], "values": {"wall": 1}},
             {"stack": [["f"]], "labels": [["host", "h"], ["section", "a"], ["section", "b"], ["tid", 1]], "values": {"wall": 2}},
             {"stack": [["f"]], "labels": [["host", "h"], ["section", "a"], ["section", "b"], ["section", "a"]], "values": {"wall": 4}},
             {"stack": [["f"]], "labels": [["section", "b"], ["section", "a"], ["section", "b"], ["section", "c"]], "values": {"wall": 8}},
             {"stack": [["f"]], "labels": [["host", "h"]], "values": {"wall": 16}}]}
END
    expect cells 6,9 --by=section x.pfs <<'END'
a 15
b 14
c 8
END
    expect cells 9 --by=label:tid x.pfs <<'END'
3
END
}

@test "regular expressions on which regcomp fails badly are refused" {
    printf 'aaa;b 1\n' >x.folded
    deep() { head -c "$1" /dev/zero | tr '\0' '('; printf a; head -c "$1" /dev/zero | tr '\0' ')'; }
    while IFS='|' read -r status said expression; do
        case $expression in deep*) expression=$(deep "${expression#deep }") ;; esac
        got=0
        (ulimit -v 2000000 && proffilter -q -t folded --focus="$expression" x.folded) >out 2>err || got=$?
        if [ "$got" -ne "$status" ] || { [ -n "$said" ] && ! grep -q "$said" err; }; then
            echo "${expression:0:60}: status $got, expected $status and '$said'"
            cat err
            return 1
        fi
    done <<'END'
2|nested repeats of more than 65536 in all|(((a{255}){255}){255})
2|nested repeats of more than 65536 in all|((a{255}){255}){2}
0||(a{255}){255}
2|a repeat count over 255|a{256}
2|a repeat count over 255|a{1,300}
2|a repeat count over 255|a{,300}
2|a repeat count over 255|a{99999999999}
0||[a{300}]
0||[[:alpha:]{300}]
0||a\{300}
2|more than 2048 choices|((((((((((((((((((((((a+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)
2|more than 2048 choices|.+++++++++++++++++x
2|more than 2048 choices|((a?){255}){255}
2|more than 2048 choices|((a|){255}){255}
2|more than 2048 choices|((a{0,1}){255}){9}
0||((a?){255}){8}
0||a+++++++++++x?
2|too long when written out|((abcdefghijklmnopqrst){255}){255}
0||deep 1000
2|groups nested more than 1000 deep|deep 1001
2|groups nested more than 1000 deep|deep 30000
END
    proffilter -q -t folded --fixed-strings --focus='a{300}' x.folded
}

@test "a link back to a directory that contains it is skipped with a warning" {
    mkdir -p runs/a runs/b
    printf 'x 1\n' >runs/a/1.folded
    printf 'y 2\n' >runs/b/2.folded
    ln -s . runs/self
    ln -s .. runs/a/up
    ln -s ../../runs runs/b/again
    expect profcat -q -r -t folded runs <<'END'
x 1
y 2
END
    fails 0 "^profcat: warning: 'runs/self': a link back to a directory that contains it; skipped$" profcat -r -t folded runs
    [ "$(grep -c 'skipped' err)" -eq 3 ]
    # a side of profdiff is a directory too: two runs, not five
    profdiff --stats -t csv runs runs 2>err >out
    [ "$(grep -c 'skipped' err)" -eq 6 ]
    expect profdiff -q --stats -t csv runs runs < <(rm runs/self runs/a/up runs/b/again; profdiff --stats -t csv runs runs)
}

@test "-r follows links: a file with two links is read twice" {
    mkdir -p tree/a
    printf 'x 5\n' >tree/a/x.folded
    ln -s a tree/b
    ln -s a tree/c
    ln -s a/x.folded tree/y.folded
    # the file and three ways to it
    [ "$(profmerge -r -t folded tree)" = "x 20" ]
}

@test "messages escape characters that control a terminal or change the direction of text, like tables" {
    fails 3 '^proftop: cannot open .x\\x9b31my\\u\{202e\}z\\x1b\\xe9é.:' proftop "$(printf 'x\302\23331my\342\200\256z\033\351é')"
}

# shown COMMAND: the command's output on a terminal has no control characters but line feeds, tabs and, with colours, those of
# our own tables
shown()
{
    terminal "stty cols 200; $1" | tr -d '\r' >on_terminal
    if LC_ALL=C grep -qP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\xaa-\xae]|\xff' on_terminal; then
        echo "$1"
        cat -v on_terminal
        return 1
    fi
}

@test "on a terminal no output has characters that control it; a file or a pipe gets the bytes of the names" {
    needs_terminal
    printf 'main;\033[31mred\033[0m;\302\233bell\007\r;x\342\200\256y\377 5\nmain;b\001\177 7\n' >odd.folded
    printf 'main;\033[31mred\033[0m 9\n' >other.folded
    profcat --set-label "$(printf 'k\033=v\033[5m')" -t pfs -o odd.pfs odd.folded
    for to in $(profcat --formats | awk '$2 ~ /w/ { print $1 }'); do
        grep -q 'is not for a terminal' <<<"$(terminal "profcat -t $to odd.pfs")" || shown "profcat -t $to odd.pfs"
    done
    for to in text csv tsv json ndjson; do
        for options in '' --tree --callers=bell --list=bell; do shown "proftop --color=never -t $to $options odd.pfs"; done
        for options in '' --stats; do shown "profdiff --color=never -t $to $options odd.folded other.folded"; done
        for options in -H --probe; do shown "profcat $options -t $to odd.pfs"; done
    done
    shown 'profdiff -t folded odd.folded other.folded'
    shown 'profmerge --manifest=/dev/tty -o x.pfs odd.folded other.folded'
    mkdir "$(printf 'a\033')"
    # shellcheck disable=SC2016  # for the other shell
    shown 'profmerge --plan=make --partials="$(printf "a\033")" odd.folded'
    # colours are only those of the table
    terminal 'stty cols 200; TERM=xterm proftop --color=always odd.folded' | sed 's/\x1b\[[0-9;]*m//g' | grep -qF '\x1b[31mred'
    # folded stacks cannot hold a carriage return
    tr '\r' ' ' <odd.folded >want
    profcat -q -t folded odd.pfs | cmp - want
    profcat -q -t folded -o copy odd.pfs
    cmp copy want
    # characters of several bytes stay whole wherever a buffer ends
    awk 'BEGIN { for (k = 0; k < 40000; k++) printf "\303\251%d;\303\274\342\202\254\360\237\230\200%d 1\n", k % 7, k }' >long.folded
    profcat -t folded -o want long.folded
    terminal 'profcat -t folded long.folded' | tr -d '\r' | cmp - want
}

@test "-t csv:guard and tsv:guard put a ' before cells that a spreadsheet takes for formulas" {
    printf '=cmd;-x 1\n-5;+3.2e5 2\n@a,b;+a 3\n-1.;-.5 4\n-;-e5 5\n' >x.folded
    expect profcat -f folded -t csv:guard x.folded <<'END'
kind,sections,labels,stack,function,file,line,samples
sample,,,'=cmd;-x,'-x,,0,1
sample,,,'-5;+3.2e5,+3.2e5,,0,2
sample,,,"'@a,b;+a",'+a,,0,3
sample,,,'-1.;-.5,-.5,,0,4
sample,,,'-;-e5,'-e5,,0,5
END
    profcat -f folded -t tsv x.folded | cut -f 5 >plain
    profcat -f folded -t tsv:guard x.folded | cut -f 5 >guarded
    sed "s/^\(-x\|+a\|-e5\)/'\1/" plain | diff - guarded
    expect proftop -f folded -t csv:guard -s name x.folded < <(proftop -f folded -t csv -s name x.folded |
        sed "s/,\([-+=@][^0-9.,][^,]*\|-\),/,'\1,/; s/\"@/\"'@/")
    fails 2 "unknown form 'csv:gard'" proftop -f folded -t csv:gard x.folded
}
