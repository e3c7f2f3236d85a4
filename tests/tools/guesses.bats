# Common wrong command lines: a word of another tool, a typing mistake, a file that is not a profile. The message says what
# to type instead.

bats_require_minimum_version 1.5.0

setup()
{
    cd "$BATS_TEST_TMPDIR" || return
    PATH=$PROFUTILS_BIN:$PATH
    corpus=$PROFUTILS_SRC/tests/corpus
    bad=0
    printf 'main;work 3\nmain;idle 2\n' >a.folded
    printf 'main;work 6\n' >b.folded
}

# says STATUS: a table of COMMAND => the end of its last message, not counting the hint at --help and a partial
# result
says()
{
    local want=$1 line command text got
    while IFS= read -r line; do
        command=${line%% => *} text=${line#* => } got=0
        eval "$command" >out 2>err </dev/null || got=$?
        grep -v '^Try \|input incomplete' err | tail -n 1 >message
        [ "$got" -eq "$want" ] && [[ $(cat message) == *"$text" ]] && continue
        echo "$command: status $got, expected $want and '$text'"
        cat err
        bad=1
    done
    [ "$bad" -eq 0 ]
}

@test "for words of pprof, perf and other tools the message names our option" {
    says 2 <<'END'
proftop -cum a.folded => unrecognized option '-cum'; type --cum
proftop -http=:0 a.folded => unrecognized option '-http'; type profcat -t html -o profile.html FILE
proftop -top a.folded => type -n N (the table of the top rows is the default)
proftop --top a.folded => type -n N (the table of the top rows is the default)
proftop -tree a.folded => type --tree
proftop -lines a.folded => type --by=line
proftop --buildid-dir=dbg a.folded => unrecognized option '--buildid-dir'; type --symbols-from=dbg
profdiff --exe=prog a.folded b.folded => unrecognized option '--exe'; type --binary=prog
profdiff --noinlines a.folded b.folded => unrecognized option '--noinlines'; type --no-inlines
profmerge --exe=prog a.folded => unrecognized option '--exe'; type profcat --binary=prog first
profmerge --symbols-from=dbg a.folded => unrecognized option '--symbols-from'; type profcat --symbols-from=dbg first
proftop --lines a.folded => type --by=line
proftop -nodecount=7 a.folded => type --limit=7
proftop -sample_index=cpu a.folded => type --sample-index=cpu
proftop -peek='a|b' a.folded => type --peek='a|b'
proftop --json a.folded => type -t json
proftop --csv a.folded => type -t csv
proftop --svg a.folded => type profcat -t svg
profdiff --html a.folded b.folded => type -t html
proftop --format=json a.folded => type -t json
profcat --format json a.folded => type -t FORMAT
profdiff --base=a.folded b.folded => type profdiff a.folded AFTER
proftop -diff_base=a.folded b.folded => type profdiff a.folded AFTER
proffilter --tagfocus=op=x a.folded => type --label=op=x
proffilter --tagfocus=x a.folded => type --label=KEY=x
proffilter --tagfocus=tenant:acme a.folded => type --label=tenant=acme
proffilter --tagfocus=bytes=1kb:32mb a.folded => type --label=bytes=1024:33554432
proffilter --tagfocus=bytes=1kb: a.folded => type --label=bytes=1024:
proffilter --tagfocus=thread=5 a.folded => type --label=thread=5:5
proffilter --tagignore='a b' a.folded => type --ignore-label='KEY=a b'
proftop -nodefraction=0.005 a.folded => type --min-percent=0.5
profdiff --threshold=5 a.folded b.folded => type --fail-above=5%
profcat --title='a, b' a.folded => type -t svg:title='a\, b'
profdiff --colors=mem a.folded b.folded => type -t svg:colors=mem
profdiff --colors=always a.folded b.folded => type --color=always
profcat --inverted a.folded => type -t svg:inverted=yes
profcat --reverse a.folded => type -t svg:reverse=yes
proftop --reverse a.folded => type profcat -t svg:reverse=yes -o profile.svg FILE
proftop --inverted a.folded => type --tree
proftop -5 a.folded => unrecognized option '-5'; type -n 5
profdiff -10 a.folded b.folded => unrecognized option '-10'; type -n 10
profcat -5 a.folded => unrecognized option '-5'; type proftop -n 5
proftop --dsos=libc a.folded => type proffilter --leaf=libc FILE | proftop
proftop --dsos a.folded => type --by=image
proftop --format=flamegraph a.folded => type profcat -t svg -o profile.svg FILE
profdiff --tagfocus=op=x a.folded b.folded => type --label=op=x
proffilter --filter=work a.folded => type --focus=work
proffilter -focus=work a.folded => type --focus=work
profcat --peek=main a.folded => type proftop --peek=main
profdiff --tree a.folded b.folded => type profdiff -t pfs BEFORE AFTER | proftop --tree
proftop --fail-above=5% a.folded => type profdiff --fail-above=5%
profdiff --fail-above=5 a.folded b.folded => --fail-above=5 has no unit: type --fail-above=5% (or 5ms, 5count, 5bytes)
profdiff --fail-above=0.5 a.folded b.folded => --fail-above=0.5 has no unit: type --fail-above=0.5% (or 0.5ms, 0.5count, 0.5bytes)
END
}

@test "each answer to an option of another tool is a command that works and selects something" {
    command -v python3 >/dev/null || skip "python3 is missing"
    mkdir empty
    cd empty
    python3 "$PROFUTILS_SRC/tests/check/hints.py" "$PROFUTILS_SRC/libcommon/cli/peers.c"
}

@test "what the message suggests does what the option does in the other tool" {
    printf 'main;a 70\nmain;b 25\nmain;c 4\nmain;d 1\n' >four.folded
    # rows of at least 5 %: main, a and b
    [ "$(proftop -n 0 --min-percent=5 -t csv four.folded | wc -l)" -eq 4 ]
    [ "$(proftop -n 2 -t csv four.folded | wc -l)" -eq 3 ]
    # a label with a number: pprof's 1kb:2kb has both ends
    for number in 1023 1024 2048 2049; do
        printf '{"id":1,"kind":"sample","stack":["f%d"],"labels":{"bytes":[{"num":%d,"unit":"bytes"}]},"values":{"n":1}}\n' $number $number
    done | profcat -f ndjson -t pfs -o bytes.pfs
    ! proffilter --tagfocus=bytes=1kb:2kb bytes.pfs 2>err || return 1
    command="proffilter $(sed -n '1s/.*; type //p' err) -t folded bytes.pfs"
    [ "$(eval "$command" | tr '\n' ' ')" = 'f1024 1 f2048 1 ' ]
    ! proffilter --tagfocus=bytes=2kb bytes.pfs 2>err || return 1
    command="proffilter $(sed -n '1s/.*; type //p' err) -t folded bytes.pfs"
    [ "$(eval "$command")" = 'f2048 1' ]
    # FlameGraph's title, reversed stacks, and an icicle graph
    ! profcat --title='a, "b" & c' four.folded 2>err || return 1
    eval "profcat $(sed -n '1s/.*; type //p' err) four.folded" | grep -q 'a, &quot;b&quot; &amp; c\|a, "b" &amp; c'
}

@test "for a misspelt option the message names the nearest option" {
    says 2 <<'END'
proftop --meazure=wall a.folded => did you mean --measure=wall
proftop --limt 3 a.folded => did you mean --limit
proffilter --sectoin=req a.folded => did you mean --section=req
proffilter --igonre=x a.folded => did you mean --ignore=x
proftop --sectoin=req a.folded => did you mean proffilter --section
proftop --qqqqqqqq a.folded => unrecognized option '--qqqqqqqq'
profcat -Y a.folded => invalid option -- 'Y'
END
}

@test "no message about an option sends control characters to the terminal" {
    while IFS='~' read -r argument want; do
        argument=$(printf %b "$argument")
        for program in profcat profmerge profdiff proffilter proftop; do
            ! "$program" "$argument" a.folded 2>err >out || return 1
            [[ $(head -n 1 err) == "$program: $want"* ]] || { echo "$program: $want" | diff - err; false; }
            [ "$(LC_ALL=C tr -d '\001-\011\013-\037\177' <err | wc -c)" -eq "$(wc -c <err)" ]
        done
    done <<'END'
--\0033[31mqqqqqqqq~unrecognized option '--\x1b[31mqqqqqqqq'
--qqqqqqqq=\0033~unrecognized option '--qqqqqqqq=\x1b'
--no=\0033~option '--no=\x1b' is ambiguous; possibilities: '--no
--no\0033\0033\0033\0033~unrecognized option '--no\x1b\x1b\x1b\x1b'
-\0033~invalid option -- '\x1b'
-q\0033~invalid option -- '\x1b'
-\0303\0251~invalid option -- 'é'
-\0302\0233~invalid option -- '\x9b'
-\0303~invalid option -- '\xc3'
--quiet=\0033~option '--quiet' doesn't allow an argument
--color=\0033~--color takes auto, always or never, not '\x1b'
END
}

@test "right, shortened and joined options are accepted" {
    for options in -n1 '-n 1' -qn1 --lim=1 '--limit 1' '-t csv' -tcsv '-m samples' -msamples --no-trunc --form; do
        # shellcheck disable=SC2086 # some have two words
        proftop $options a.folded >out
    done
    proftop -n 1 a.folded -- b.folded >out
    proffilter -F work a.folded >out
    proffilter -Fwork -i a.folded >out
    proftop --callers --json a.folded >out # the argument of an option
    cp a.folded ./--json
    proftop -- --json >out
}

@test "for every selection that proftop and profcat lack, the message has a pipe that works" {
    for option in $(grep '^option ' "$PROFUTILS_BUILD/tools/proffilter.opts" | sed 's/^option "\([^"]*\)".*/\1/'); do
        "$PROFUTILS_BIN/proftop" --help | grep -q -e "--${option}[ =]" && continue
        case $option in exit-code | split) continue ;; esac
        value=''
        if grep "^option \"$option\"" "$PROFUTILS_BUILD/tools/proffilter.opts" | grep -q typestr; then value=x; fi
        says 2 <<END
proftop --$option $value a.folded --cum => type: proffilter --$option ${value:+$value }a.folded | proftop --cum
profcat --$option $value a.folded -t csv => type: proffilter --$option ${value:+$value }a.folded | profcat -t csv
END
    done
    says 2 <<'END'
proftop -F work a.folded => unrecognized option '-F'; type: proffilter --focus work a.folded | proftop
proftop -lop=x -n3 -f folded a.folded => type: proffilter --label op=x -f folded a.folded | proftop -n3
proftop --tagfocus=op=x a.folded => type: proffilter --label op=x a.folded | proftop
proftop --tagfocus=x a.folded => type: proffilter --label KEY=x a.folded | proftop
profcat -tagignore=1kb:2kb a.folded => type: proffilter --ignore-label KEY=1024:2048 a.folded | profcat
proftop --hide "it's" 'a b' -- -x => type: proffilter --hide 'it'\''s' 'a b' -- -x | proftop
profdiff --hide=x a.folded b.folded => filter each input first: proffilter --hide x FILE -o FILTERED.pfs
END
    proftop --focus 'work|x' -t csv a.folded 2>err || true
    eval "$(sed -n 's/.*; type: //p' err)" | grep -q '^1,work,'
}

@test "for an input that cannot be read, the message has a command that works" {
    mkdir -p directory 'two words'
    cp a.folded directory
    echo 'no profile' >directory/other
    printf 'PERFILE2........' >perf.data
    says 3 <<'END'
proftop directory => it is a directory; type: proftop -r directory
profcat 'two words' => it is a directory; type: profcat -r 'two words'
proftop -r directory => type: proftop -r --keep-going directory
proftop perf.data => type: perf script -i perf.data | proftop
proffilter -j 2 a.folded perf.data => type: perf script -i perf.data | proffilter
profmerge out.pfs a.folded b.folded => type: profmerge -o out.pfs a.folded b.folded
profcat a.folded out.svg => type: profcat -o out.svg a.folded
profmerge a.folded out.pfs -o absent => cannot open 'out.pfs': No such file or directory
profmerge nothing a.folded => cannot open 'nothing': No such file or directory
END
    [ ! -e out.pfs ]
}

@test "for more than two operands, profdiff's message has a command with two sides" {
    for run in 1 2; do
        cp a.folded before$run.out
        cp b.folded after$run.out
    done
    cp a.folded 'a b'
    mkdir -p runs/old runs/new
    cp before*.out runs/old
    cp after*.out before1.out runs/new
    says 2 <<'END'
profdiff runs/old/* runs/new/* => there are 5; type: profdiff runs/old/ runs/new/
(cd runs/old && profdiff * ../new/*) => there are 5; type: profdiff ./ ../new/
profdiff runs/old/* a.folded => there are 3; type: profdiff runs/old/ a.folded
profdiff runs/old/* runs/new/after* => type: profdiff runs/old/ @<(ls runs/new/after*.out)
profdiff before*.out after*.out => there are 4; type: profdiff @<(ls before*.out) @<(ls after*.out)
profdiff after1.out before1.out before2.out => type: profdiff after1.out @<(ls before*.out)
profdiff a.folded before1.out 'a b' => type: profdiff a.folded @<(printf '%s\n' before1.out 'a b')
END
    profdiff before*.out after*.out 2>err || true
    eval "$(sed -n 's/.*; type: //p' err) -t json" >out
    grep -q '"runs_before":2,"runs_after":2' out
    profdiff runs/old/* runs/new/* 2>err || true
    eval "$(sed -n 's/.*; type: //p' err) -t json" >out
    grep -q '"runs_before":2,"runs_after":3' out
}

@test "if a directory or a list has a file in an unknown format, the message says how to leave it out" {
    mkdir -p junk
    cp a.folded junk/1.folded
    printf 'Runs of Monday, for the report.\n' >junk/README
    printf '%s\n' junk/README a.folded >list
    says 3 <<'END'
profdiff junk a.folded => junk/README: offset 0: unknown profile format (--formats lists the known formats); type: profdiff --keep-going junk a.folded
profdiff --stats @list => type: profdiff --keep-going @list
profmerge @list -o no.pfs => type: profmerge --keep-going @list
profmerge -r junk -o no.pfs => type: profmerge -r --keep-going junk
END
    for command in 'profdiff junk a.folded' 'profmerge @list -o some.pfs'; do
        $command 2>err || true
        got=0
        eval "$(sed -n 's/.*; type: //p' err) -t text -o some.out" >out 2>err || got=$?
        [ "$got" -eq 3 ]
        grep -q 'junk/README: offset 0: unknown' err
        [ -s some.out ]
        rm some.out
    done
    # an operand is what the user wants
    profmerge junk/README a.folded -o no.pfs 2>err || true
    [ "$(grep -c 'type:' err)" -eq 0 ]
}

@test "if frames have no names or no lines, proftop says how to get them" {
    printf 'perl 7 1.000000: 10 cycles:\n\t401000 [unknown] (/bin/x)\n\t402000 [unknown] (/bin/x)\n\n' >unknown.txt
    printf 'perl 7 1.000000: 10 cycles:\n\t401000 main+0x0 (/bin/x)\n\n' >known.txt
    cp "$corpus/gmon/nopie.gmon.out" gmon.out
    says 0 <<'END'
proftop unknown.txt => no frame has a name: --symbols=FILE (a perf map, or the output of nm) or --binary=PROG names addresses
proftop gmon.out => no address has a name; type: proftop --binary=PROG gmon.out
proftop --list main gmon.out => no frame has a line; type: proftop --binary=PROG --list main gmon.out
proftop --list 'ma(in|il)' known.txt => no frame has a line; type: perf script -F +srcline | proftop --list 'ma(in|il)'
proftop --list main a.folded => no frame has a line: the profile has no lines
END
    for command in 'proftop a.folded' 'proftop known.txt' 'proftop -q unknown.txt' 'proftop -t csv unknown.txt'; do
        $command >out 2>err
        [ ! -s err ] || { echo "$command"; cat err; return 1; }
    done
}

@test "for other tools' keys of --by and --sort the message names our key" {
    while read -r ours theirs; do
        proftop "$ours" -t csv a.folded >want
        proftop "$theirs" -t csv a.folded | cmp - want
    done <<'END'
--by=function --by=func
--sort=flat --sort=self
--sort=cum --sort=total
--by=image --by=dso
END
}

@test "for a table as input, the message says how to get records" {
    for options in '' -tcsv -tjson '-b section'; do
        # shellcheck disable=SC2086 # none or several
        profdiff $options a.folded b.folded >table
        for program in proftop proffilter profcat profmerge; do
            says 3 <<END
$program table => this is profdiff's table; use its records instead (profdiff -t pfs)
END
        done
    done
    proftop a.folded >top
    profdiff --stats a.folded b.folded >stats
    says 3 <<'END'
proffilter top => this is a table of proftop or pprof; use the profile itself
proftop stats => this is a table of profdiff --stats; use the profiles themselves
END
}
