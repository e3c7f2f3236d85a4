# proffilter: which records are kept, how their frames change, and the files of a split.

load ../lib/expect

setup_file()
{
    cd "$BATS_FILE_TMPDIR" || return
    cat >small.folded <<'END'
main;a;b 3
main;a;a;c 5
main;d 2
start;b;a;b;e 7
END
    check=$PROFUTILS_SRC/tests/check/proffilter.py
    if command -v python3 >/dev/null 2>&1; then
        for seed in 1 2 3; do python3 "$check" stream "$seed" "random$seed.pfs" || return; done
    fi
}

setup()
{
    cd "$BATS_FILE_TMPDIR" || return
    set -o pipefail
    PATH=$PROFUTILS_BIN:$PATH
    sections=$CORPUS/statprofiler/sections-nested.out
    bad=0
}

same()
{
    cmp -s "$1" "$2" || { diff -u "$1" "$2" | head -40; return 1; }
}

# Rows without their numbers and without the removed amounts, sorted, to compare outputs that differ in the order of
# records
rows() { profcat -t ndjson "$@" | sed 's/^{"id":[0-9]*,//; s/,"removed":\[[^]]*\]}$/}/' | sort; }

# A table of OPTIONS => RECORDS, each of them STACK COUNT, separated by commas
holds()
{
    while IFS= read -r line; do
        options=${line%% => *} want=${line#* => }
        eval "proffilter $options -t folded small.folded" 2>err | sort | paste -sd, | sed 's/,/, /g' | sed '/^$/d' >got
        [ -s got ] || echo none >got
        [ "$(cat got)" = "$want" ] || { echo "proffilter $options: $(cat got), expected $want"; cat err; bad=1; }
    done
    [ "$bad" -eq 0 ]
}

@test "--focus and --ignore select records by their frames" {
    holds <<'END'
-F c => main;a;a;c 5
--focus='^a$' => main;a;a;c 5, main;a;b 3, start;b;a;b;e 7
-F c -F d => main;a;a;c 5, main;d 2
-F a -F c -I b => main;a;a;c 5, main;d 2
-I a => none
-I '^a$' => main;d 2
--leaf=b => main;a;b 3
--leaf='b|e' --root=main => main;a;b 3
--root=start => start;b;a;b;e 7
--leaf=main => none
--kind=sample => main;a;a;c 5, main;a;b 3, main;d 2, start;b;a;b;e 7
--kind=flat => none
--kind=flat --kind=sample -F d => main;d 2
--fixed-strings -F '^a$' => none
--fixed-strings -F 'tar' => start;b;a;b;e 7
-i -F START => start;b;a;b;e 7
--invert -F c => main;a;b 3, main;d 2, start;b;a;b;e 7
--invert => none
--min-value=3 => main;a;a;c 5, main;a;b 3, start;b;a;b;e 7
--min-value=41.17% => start;b;a;b;e 7
--min-value=41.18% => none
--min-value=29.4% => main;a;a;c 5, start;b;a;b;e 7
--min-value=6 --invert => main;a;a;c 5, main;a;b 3, main;d 2
--min-value=20% --invert -F a => main;a;b 3, main;d 2
-F 'b|d' --min-value=3 => main;a;b 3, start;b;a;b;e 7
END
}

@test "--hide, --show and similar options remove frames" {
    holds <<'END'
--hide='^a$' => main;b 3, main;c 5, main;d 2, start;b;b;e 7
--hide='a' => b 3, b;b;e 7, c 5, d 2
--hide=main --hide=a --hide=d => b 3, b;b;e 7, c 5
--show='^[ab]$' => a;a 5, a;b 3, b;a;b 7
--show='^[ab]$' --hide=b => a 10, a;a 5
--show-from='^a$' => a;a;c 5, a;b 3, a;b;e 7
--show-from=b --hide='^a$' => b 3, b;b;e 7
--prune-from='^a$' => main;a 3, main;a;a 5, main;d 2, start;b;a 7
--prune-from=b => main;a;a;c 5, main;a;b 3, main;d 2, start;b;a;b 7
--show-from=b --prune-from='^a$' => b 3, b;a 7
--collapse-recursion => main;a;b 3, main;a;c 5, main;d 2, start;b;a;b;e 7
--collapse-recursion --hide='^a$' => main;b 3, main;c 5, main;d 2, start;b;e 7
--max-depth=1 => main 10, start 7
--max-depth=2 => main;a 8, main;d 2, start;b 7
--max-depth=3 --collapse-recursion => main;a;b 3, main;a;c 5, main;d 2, start;b;a 7
--max-depth=2 --prune-from=e => main;a 8, main;d 2, start;b 7
-F c --hide=c => main;a;a 5
END
}

@test "--rename renames frames like sed" {
    holds <<'END'
--rename='s/a/X/' => mXin;X;X;c 5, mXin;X;b 3, mXin;d 2, stXrt;b;X;b;e 7
--rename='s/a/X/' --rename='s/X/&&/' => mXXin;XX;XX;c 5, mXXin;XX;b 3, mXXin;d 2, stXXrt;b;XX;b;e 7
--rename='function:s/[abc]/n/g' => mnin;d 2, mnin;n;n 3, mnin;n;n;n 5, stnrt;n;n;n;e 7
END
    # Compares one rename at a time with sed itself, on the names of frames
    printf 'main;a,b;__ANON__[/x/y.pm:12];abcabc 1\nstart;b(c);[x]*.+;q\\w 2\n' >names.folded
    tr ';' '\n' <names.folded | sed 's/ [0-9]*$//; /^$/d' >names
    while IFS= read -r command; do
        sed -E "$command" names | grep -v '^$' >want
        proffilter --rename="$command" -t folded names.folded 2>err | tr ';' '\n' | sed 's/ [0-9]*$//; /^$/d' | sort >got
        sort want >sorted
        same sorted got || { echo "with $command"; bad=1; }
    done <<'END'
s/a/X/
s/a/X/g
s/[a-c]+/<&>/g
s/b*/x/g
s/^/X/
s/$/!/g
s/(.)(.)/\2\1/
s|/x/|:|
s,a\,b,comma,
s/\[.*\]/\&&\\/
s/MAIN/m/
s/MAIN/m/i
s/x/\//
END
    # an escaped delimiter means the delimiter itself, as in POSIX
    proffilter --rename='s.\..dot.' -t folded names.folded | grep -qF '[x]*dot+'
    proffilter --rename='s+\++plus+' -t folded names.folded | grep -qF '[x]*.plus'
    [ "$bad" -eq 0 ]
}

@test "--rename and --trim-path also change files, images and labels" {
    command -v python3 >/dev/null 2>&1 || skip "no python3"
    check=$PROFUTILS_SRC/tests/check/proffilter.py
    for options in --trim-path=/usr/lib/ '--rename=file:s,^.*/,,' '--rename=image:s/[a-z]/I/g' '--rename=label:host:s/web/net/' \
        '--rename=label:section:s/re/do/' '--granularity=file --rename=file:s/lib/bil/' '--granularity=image --rename=image:s/b/d/' \
        '--granularity=file --collapse-recursion' '--root-label=section --leaf-label=size --leaf-label=host'; do
        # shellcheck disable=SC2086  # several options
        python3 "$check" case random1.pfs $options
    done
}

@test "random command lines give the records that the manual promises" {
    command -v python3 >/dev/null 2>&1 || skip "no python3"
    check=$PROFUTILS_SRC/tests/check/proffilter.py
    python3 "$check" cases 1 40 random1.pfs random2.pfs random3.pfs small.folded
    for file in sections-nested recursion string-evals.src-none; do
        [ ! -f "$CORPUS/statprofiler/$file.out" ] || python3 "$check" cases 2 25 "$CORPUS/statprofiler/$file.out"
    done
}

@test "two filters in a pipe select the records that both select" {
    while IFS='|' read -r one two; do
        for file in "$sections" small.folded; do
            eval "proffilter $one '$file' 2>/dev/null | proffilter $two 2>/dev/null >piped.pfs"
            eval "proffilter $two '$file' 2>/dev/null | proffilter $one 2>/dev/null >turned.pfs"
            eval "proffilter $one $two '$file' 2>/dev/null >both.pfs"
            for name in piped turned both; do rows "$name.pfs" >"$name"; done
            same both piped
            same both turned
        done
    done <<'END'
--section=req|--focus='db|b'
--focus=a|--leaf='c|spin'
--no-section|--ignore=c
--label=op|--root=main
--min-value=3|--focus=a
END
}

@test "--section in two filters selects records inside both; --section twice in one filter, inside either" {
    [ -f "$sections" ] || skip "no such file"
    # every row names its sections
    profcat -t ndjson "$sections" >all
    grep -E '"sections":\[[^]]*"req"' all | grep -cE '"sections":\[[^]]*"db"' >want
    proffilter --section=req "$sections" | proffilter --section=db | profcat -c >got
    same want got
    grep -cE '"sections":\[[^]]*"(req|render)"' all >want
    proffilter --section=render --section=req "$sections" | profcat -c >got
    same want got
    grep -cE '"sections":\[\]' all >want
    proffilter --no-section "$sections" | profcat -c >got
    same want got
    grep -cE '"sections":\[[^]]*""' all >want
    proffilter --section='' "$sections" | profcat -c >got
    same want got
}

@test "times of the measure have units" {
    [ -f "$sections" ] || skip "no such file"
    for pair in 3ms:3000000 0.003s:3000000 3000us:3000000 3000000ns:3000000 3M:3000000; do
        proffilter --min-value="${pair%:*}" "$sections" 2>/dev/null | rows >got
        proffilter --min-value="${pair#*:}" "$sections" 2>/dev/null | rows >want
        [ -s want ]
        same want got
    done
    proffilter -m samples --min-value=2 "$sections" 2>err | profcat -c >got
    [ "$(cat got)" = 0 ]
    got=0
    proffilter -m samples --min-value=2ms "$sections" 2>err >/dev/null || got=$?
    [ "$got" -eq 2 ]
    grep -q "2ms is a time, but 'samples' counts count" err
}

@test "each filter of a pipe adds the sums that it removed to the metadata" {
    proffilter -F '^a$' small.folded | proffilter -F c | profcat -t text >got
    grep -q '^metadata  profutils  removed  sample samples count 2 1/1 1$' got
    grep -q '^metadata  profutils  removed  sample samples count 10 1/1 2$' got
    proffilter --hide=main --hide=d --hide=a small.folded | profcat -t text >got
    grep -q '^metadata  profutils  removed  sample samples count 2 1/1 1$' got
    proffilter -F . small.folded | profcat -t text >got
    ! grep -q removed got || return 1
    proffilter -F nothing small.folded 2>/dev/null | profcat -t text >got
    grep -q '^measure  sample samples  count' got
    grep -q 'removed  sample samples count 17 1/1 4$' got
    # sums have 128 bits
    printf 'a 9000000000000000000\nb 9000000000000000000\nc;a 9000000000000000000\nd 3\n' >big.folded
    proffilter -F d big.folded | profcat -t text >got
    grep -q 'removed  sample samples count 27000000000000000000 1/1 3$' got
    proffilter --min-value=33.333333% big.folded 2>/dev/null | profcat -c >got
    proffilter --min-value=33.333334% big.folded 2>/dev/null | profcat -c >>got
    [ "$(paste -sd, got)" = 3,0 ]
}

# says TEXT OPTION...: the command prints TEXT on standard error with status 0, and nothing with -q
says()
{
    local want=$1 got=0
    shift
    proffilter "$@" >/dev/null 2>err || got=$?
    grep -qxF "proffilter: $want" err && [ "$got" -eq 0 ] || { echo "proffilter $*: status $got, expected: $want"; cat err; bad=1; }
    mv err first
    proffilter -q "$@" >/dev/null 2>err || got=$?
    [ ! -s err ] && [ "$got" -eq 0 ] || { echo "proffilter -q $*: status $got"; cat err; bad=1; }
}

@test "a warning about an expression that matches nothing lists what the profile has" {
    says "no record is in section 'rqe'; this folded profile has no sections" --section=rqe small.folded
    says "no record has a label 'host'; the inputs have no labels" -l host small.folded
    says "no frame matches 'nope'" -F a -F nope small.folded
    says "no frame matches 'nope'" --hide=nope small.folded
    says "no frame matches 'nope'" --show=nope small.folded
    says "no frame matches 'nope'" --show-from=nope small.folded
    # no message if the frames were removed, or if the record was not selected
    for options in '--show=nope --hide=b --rename=s/x//' '-F nope --hide=other'; do
        # shellcheck disable=SC2086  # several options
        says "no frame matches 'nope'" $options small.folded
        [ "$(wc -l <first)" -eq 1 ] || { cat first; bad=1; }
    done
    says "no record has a leaf frame that matches --leaf" --leaf=main small.folded
    says "no record has a root frame that matches --root" --root='^b$' small.folded
    says "no record is of kind 'edge'; kinds here: sample" --kind=edge --kind=sample small.folded
    says "no record has a time" --time=1,2s small.folded
    says "'s/nope//' renames nothing" --rename=s/nope// small.folded
    says "no file is below '/usr'" --trim-path=/usr/ small.folded
    says "no record has a label 'host'" --root-label=host small.folded
    says "2 sample records below 5 left out, 29.41 % of 'samples'" --min-value=5 small.folded
    says "1 sample record below 15% left out, 11.76 % of 'samples'" --min-value=15% small.folded
    [ -f "$sections" ] || return "$bad"
    says "no record is in section 'rqe'; sections here: '', a, b, db, dies, guarded, never-ended, outer, render, req" \
        --section=rqe --section=req "$sections"
    says "no record has a label 'po'; labels here: op, section" -l po "$sections"
    says "no label 'section' matches '^q'; values here: '', a, b, db, dies, guarded, never-ended, outer, render, req" \
        -l section=^q "$sections"
    proffilter --section=req "$sections" -o req.pfs
    says "every record is in a section" --no-section req.pfs
    proffilter --no-section "$sections" -o outside.pfs
    says "no record is in section 'x'; this statprofiler profile has no sections" --section=x outside.pfs
    [ "$bad" -eq 0 ]
}

@test "a long list of names is shortened" {
    command -v python3 >/dev/null 2>&1 || skip "no python3"
    profcat --set-label host=first small.folded -o hosts.pfs
    for k in $(seq 200); do profcat --set-label "host=machine-$k" small.folded; done >>hosts.pfs
    proffilter -l host=nope hosts.pfs 2>err >/dev/null
    grep -qE "values here: first, machine-1, machine-10, .* and [0-9]+ more$" err
    [ "$(wc -c <err)" -lt 900 ]
}

@test "--exit-code exits 1 if no record is left" {
    for options in '-F c:0' '-F nope:1' '--section=x:1' '--invert:1' '--hide=.:1' '--kind=sample:0'; do
        got=0
        # shellcheck disable=SC2086
        proffilter ${options%:*} -e small.folded >/dev/null 2>&1 || got=$?
        [ "$got" -eq "${options#*:}" ] || { echo "${options%:*}: $got"; bad=1; }
    done
    # damage to an input determines the status
    profcat small.folded | head -c 300 >cut.pfs
    got=0
    proffilter -F nope -e cut.pfs >/dev/null 2>&1 || got=$?
    [ "$got" -eq 3 ]
    [ "$bad" -eq 0 ]
}

@test "invalid expressions and combinations exit 2" {
    while IFS= read -r line; do
        options=${line%% => *} want=${line#* => }
        got=0
        eval "proffilter $options small.folded" >out 2>err || got=$?
        [ "$got" -eq 2 ] && [ ! -s out ] && grep -qF -e "$want" err || { echo "$options: status $got"; cat err; bad=1; }
    done <<'END'
-F '(' => invalid regular expression '('
--show='a{2,1}' => invalid regular expression
--section=a --no-section => exclude each other
--invert --hide=a => edits of frames
--invert --max-depth=3 => edits of frames
--invert -g file => edits of frames
--max-depth=0 => from 1 to 1048575
--max-depth=99999999999999999999 => from 1 to 1048575
--max-depth=-1 => from 1 to 1048575
--granularity=module => module
--kind=meta => meta
--time=1 => FROM,TO
--time=, => FROM,TO
--time=1,2h => FROM,TO
--time=1,2,3 => FROM,TO
--min-value=x => --min-value takes
--min-value=-1 => --min-value takes
--min-value=101% => --min-value takes
--min-value=99999999999999999999 => --min-value takes
--min-value= => --min-value takes
--label= => KEY=RE
--label==x => KEY=RE
--label='k=(' => invalid regular expression
--rename=x => s/RE/TEXT/
--rename=s/x => s/RE/TEXT/
--rename=s/x/y => s/RE/TEXT/
--rename=s/x/y/q => flag 'q'
--rename='s/x/\1/' => no group \1
--rename='s/(/y/' => invalid regular expression
--rename=label:s/x/y/ => label:KEY:
--rename=nothing:s/x/y/ => s/RE/TEXT/
--trim-path= => --trim-path
--split=op => -o with one %s
--split=op -o x.pfs => -o with one %s
--split=op -o '%s%s.pfs' => -o with one %s
--split=op -o '%d%s.pfs' => -o with one %s
--split= -o '%s.pfs' => --split takes
END
    [ "$bad" -eq 0 ]
}

# together DIR: its files hold each record of the split input once
together()
{
    rows "$1" >want
    rows "$2"/* >got
    same want got
}

@test "the files of --split together are the input" {
    for key in section op section; do
        rm -rf to && mkdir to
        [ ! -f "$sections" ] || { proffilter --split=$key -o 'to/%s.pfs' "$sections" && together "$sections" to; }
        for k in 1 2 3; do
            rm -rf to && mkdir to
            [ -f random$k.pfs ] || continue
            for of in $key image size host; do
                rm -f to/*
                proffilter --split="$of" -o 'to/%s.pfs' random$k.pfs
                together random$k.pfs to
            done
        done
    done
    [ -f "$sections" ] || return 0
    # the outermost section is the first that a row names
    rm -rf to && mkdir to
    proffilter --split=section -o 'to/%s.pfs' "$sections"
    for name in req a outer; do
        profcat -t ndjson "$sections" | grep -c "\"sections\":\\[\"$name\"" >want
        profcat -c "to/$name.pfs" >got
        same want got
    done
    # each file has all metadata of the input
    for file in to/*; do profcat -H "$file"; done | sort | uniq -c | awk '{ print $1 }' | sort -u >got
    ls to | wc -l | tr -d ' ' >want
    same want got
}

@test "each value of --split has a file of its own" {
    rm -rf to && mkdir to
    printf 'main 1\n' >one.folded
    k=0
    for value in plain _none _empty ..up . / 'a b' 'a%20b' a%b 'é' $'\351' $'new\nline' _other '5=' "$(printf 'x%.0s' $(seq 150))$(printf '\303\251%.0s' $(seq 60))" \
        "$(printf 'x%.0s' $(seq 150))$(printf '\303\251%.0s' $(seq 61))"; do
        profcat --set-label "key=$value" one.folded
        k=$((k + 1))
    done >values.pfs
    profcat one.folded >>values.pfs
    proffilter --split=key -o 'to/%s.%%.pfs' values.pfs
    [ "$(ls to | wc -l)" -eq $((k + 1)) ] || { ls to; return 1; }
    for name in plain %5Fnone %5Fempty %2E%2Eup %2E %2F a%20b a%2520b a%25b %C3%A9 %E9 new%0Aline _other 5%3D _none; do
        [ -f "to/$name.%.pfs" ] && [ "$(profcat -c "to/$name.%.pfs")" = 1 ] || { echo "no $name"; ls to; return 1; }
    done
    together values.pfs to
}

@test "--split works with more files than may be open at a time" {
    rm -rf to few && mkdir to few
    awk 'BEGIN { for (i = 0; i < 900; i++) printf "main;f%d %d\n", i % 7, i + 1 }' >long.folded
    proffilter --rename='s/f/g/' long.folded >long.pfs
    # 300 values with three records each, interleaved, so that no file can be closed early
    for k in $(seq 300); do awk "NR % 300 == $k % 300" long.folded >part.folded && profcat --set-label "key=v$k" part.folded; done >many.pfs
    cat many.pfs many.pfs | profcat >twice.pfs
    (ulimit -n 90 && TMPDIR=nowhere proffilter --split=key -o 'to/%s.pfs' twice.pfs)
    [ "$(ls -A to | wc -l)" -eq 300 ]
    [ "$(profcat -c to/v123.pfs)" = 6 ]
    together twice.pfs to
    # there are too few descriptors to keep any part open
    (ulimit -n 10 && proffilter --split=key -o 'few/%s.pfs' twice.pfs)
    diff -r to few
}

@test "--split --canonical warns of what all files leave out, as without --canonical" {
    rm -rf to && mkdir to
    printf 'main;f 1\nmain;g 2\n' >f.folded
    profcat --set-label key=b --set-label zone=z f.folded -o b.pfs
    profcat -f folded:measure=wall/us --set-label key=a --set-label rack=7 f.folded -o a.pfs
    for order in '' --canonical; do
        proffilter --split=key $order -t folded -o 'to/%s.folded' b.pfs b.pfs a.pfs 2>err
        # the keys are in the order of occurrence
        sed 's/left out: \([a-z]*\), \([a-z]*\), \([a-z]*\) (/left out\n\1\n\2\n\3\n(/' err | sort >got
        sort <<'EOF' | same - got
(proffilter --root-label=KEY makes frames of them)
key
proffilter: warning: folded: 2 of 6 records have no 'samples' and are left out, the first in a.pfs (-m chooses another measure)
proffilter: warning: folded: labels have no place and are left out
rack
zone
EOF
    done
}

@test "--split to a missing directory is an error with a message" {
    got=0
    proffilter --split=op -o 'nowhere/%s.pfs' small.folded 2>err || got=$?
    [ "$got" -eq 4 ]
    grep -q '^proffilter: .*nowhere/_none.pfs.*No such file or directory' err
    [ ! -e nowhere ]
}

@test "the files of --split have the format of their suffix" {
    rm -rf to && mkdir to
    proffilter --split=op -o 'to/%s.folded' small.folded
    sort small.folded >want
    sort to/_none.folded >got
    same want got
    # the template decides the format, not the end of a value
    rm -f to/*
    for value in a.csv b.pstats; do profcat --set-label "key=$value" small.folded; done >values.pfs
    proffilter --split=key -o 'to/%s' values.pfs 2>err
    [ ! -s err ]
    together values.pfs to
    fails 2 "'to/%s.sgv': no format has the suffix .sgv" proffilter --split=key -o 'to/%s.sgv' values.pfs
    # a key that no record has is named, with the keys that exist; so are images
    rm -f to/*
    fails 0 "--split: no record has a label 'keyy'; labels here: key$" proffilter --split=keyy -o 'to/%s' values.pfs
    [ "$(ls to)" = _none ]
    fails 0 "--split: no record has an image" proffilter --split=image -o 'to/%s' values.pfs
    proffilter --split=key -o 'to/%s' small.folded values.pfs 2>err # one input of two has it
    [ ! -s err ]
    # values that begin with a minus sign
    rm -f to/*
    for value in -rf - a-b; do profcat --set-label "key=$value" small.folded; done >values.pfs
    proffilter --split=key -o 'to/%s' values.pfs
    [ "$(cd to && echo *)" = "%2D %2Drf a-b" ]
    # more parts than files may be open
    rm -f to/*
    for value in {1..40}; do profcat --set-label "key=v$value" small.folded -o "in$value.pfs"; done
    (ulimit -n 16; cat in?.pfs in??.pfs | proffilter --split=key -o 'to/%s.pfs')
    [ "$(ls to | wc -l)" = 40 ]
    for value in {1..40}; do cmp <(profcat -t folded "in$value.pfs") <(profcat -t folded "to/v$value.pfs"); done
    (ulimit -n 16; proffilter -j 4 --split=key -o 'to/%s.folded' in?.pfs in??.pfs) 2>err
    [ "$(ls to | wc -l)" = 80 ]
    # a loss that all parts have is reported once
    proffilter --split=key -o 'to/%s.cpuprofile' values.pfs 2>err
    [ "$(grep -c 'labels have no place and are left out: key ' err)" = 1 ]
    # records, labels and measures that are left out are counted over all files
    while read -r id kind key label measure; do
        printf '{"id":%d,"kind":"%s","stack":[{"function":"f"}],"labels":{"key":"%s","%s":"x"},"values":{"%s":1},"units":{"%s":"count"}}\n' \
            "$id" "$kind" "$key" "$label" "$measure" "$measure"
    done >kinds.ndjson <<'END'
1 sample a one hits
2 flat a one own
3 sample b two hits
4 flat b two own
5 flat b one own
6 sample c three other
7 sample c three hits
END
    rm -f to/*
    proffilter -f ndjson --split=key -t folded -o 'to/%s' kinds.ndjson 2>err
    sed 's/^proffilter: warning: folded: //; s/ (.*//' err >got
    printf '%s\n' "1 of 4 records have no 'hits' and are left out, the first in kinds.ndjson" \
        '3 flat records have no place and are left out' 'labels have no place and are left out: one, key, two, three' >want
    same want got
}

@test "names may hold any byte" {
    printf 'main;\377x\200;y 1\nmain;caf\303\251 2\nmain;\303 4\n' >bytes.folded
    while IFS=: read -r options want; do
        eval "proffilter $options -t folded bytes.folded" 2>/dev/null | awk '{ n += $NF } END { print n + 0 }' >got
        [ "$(cat got)" = "$want" ] || { echo "$options: $(cat got), expected $want"; bad=1; }
    done <<'END'
-F x:1
-F 'y$':1
-F '^.x.$':1
-F "$(printf '\377')":1
-F "$(printf '\303')":6
-F "$(printf '\303\251')":2
-F 'caf..$':2
-F 'caf.$':0
--fixed-strings -F "$(printf '\200')":1
--hide "$(printf '\303')" -F main:7
END
    [ "$bad" -eq 0 ]
    proffilter --rename="s/$(printf '\377')x/z/" -t folded bytes.folded | sort >got
    printf 'main;caf\303\251 2\nmain;\303 4\nmain;z\200;y 1\n' | sort >want
    same want got
    # bytes that are not valid UTF-8 are shown as Latin-1, and found as they are shown
    printf 'main;caf\351 1\nmain;caf\303\251 2\n' >latin1.folded
    while IFS=: read -r options want; do
        eval "proffilter $options -t folded latin1.folded" 2>/dev/null | awk '{ n += $NF } END { print n + 0 }' >got
        [ "$(cat got)" = "$want" ] || { echo "$options: $(cat got), expected $want"; bad=1; }
    done <<'END'
-F é:3
-F ^café$:3
--fixed-strings -F café:3
-F "$(printf '\351')":1
-F 'caf.$':1
-F 'caf..$':2
-F É:0
END
    [ "$bad" -eq 0 ]
    proffilter --rename=s/fé/fe/ -t folded latin1.folded >got
    [ "$(cat got)" = 'main;cafe 3' ]
    command -v python3 >/dev/null 2>&1 || skip "no python3"
    check=$PROFUTILS_SRC/tests/check/proffilter.py
    for options in '--focus=nul' '--focus=^nul$' '--focus=nul.nul' '--hide=nul$' '--rename=s/nul/x/g' '--rename=s/nul/x/'; do
        for k in 1 2 3; do python3 "$check" case random$k.pfs "$options"; done
    done
}

@test "stacks of 100,000 frames are filtered like others" {
    # f7 is the 9th, 30th and 32nd frame from the root
    awk 'BEGIN { printf "main"; for (i = 0; i < 99998; i++) printf ";f%d", i % 2 ? i : int(i / 4); print ";leaf 3\nmain;f7;g 4" }' >deep.folded
    while IFS=: read -r options want; do
        eval "proffilter $options -t folded deep.folded" 2>err >got || { cat err; return 1; }
        awk '{ n += split($1, stack, ";"); total += $NF } END { print n, total }' got >sum
        [ "$(cat sum)" = "$want" ] || { echo "$options: $(cat sum), expected $want"; bad=1; }
    done <<'END'
-F leaf:100000 3
--leaf=g:3 4
--root=main -I leaf:3 4
--show=leaf:1 3
--hide='^f':4 7
--show-from='^f7$':99994 7
--prune-from='^f7$':34 7
--max-depth=50000:50003 7
--collapse-recursion:100003 7
--rename=s/f/g/:100003 7
-g function --root-label=x:100003 7
END
    [ "$bad" -eq 0 ]
}

@test "metadata and source texts pass through" {
    for file in metadata big-eval-source sections-nested; do
        [ -f "$CORPUS/statprofiler/$file.out" ] || continue
        profcat -H "$CORPUS/statprofiler/$file.out" >want
        proffilter -F . "$CORPUS/statprofiler/$file.out" | profcat -H >got
        same want got
        proffilter --section=nothing "$CORPUS/statprofiler/$file.out" 2>/dev/null | profcat -H >got
        same want got
        profcat -t text "$CORPUS/statprofiler/$file.out" | grep '^source' >want || true
        proffilter --leaf=nothing "$CORPUS/statprofiler/$file.out" 2>/dev/null | profcat -t text | grep '^source' >got || true
        same want got
    done
}

@test "--canonical does not depend on the order of the input" {
    tac small.folded >turned.folded
    for options in '-F a' '--min-value=10%' '--hide=b'; do
        # shellcheck disable=SC2086
        proffilter --canonical $options - <small.folded >one.pfs 2>/dev/null
        # shellcheck disable=SC2086
        proffilter --canonical $options - <turned.folded >two.pfs 2>/dev/null
        cmp one.pfs two.pfs
    done
}

@test "differences from pprof are those of the manual" {
    # pprof 1.19: -prune_from=y.c and -tagfocus=host=5 remove nothing, -tagfocus=size=5 removes the first; -show_from
    # gives the same
    stream peer.pfs <<'END'
{"measures": [{"name": "samples", "main": 1}], "records": [
 {"stack": [["main", "m.c"], ["f", "x.c"], ["g", "y.c"], ["f", "x.c"], ["h", "z.c"]], "values": {"samples": 5}, "labels": [["size", 5]]},
 {"stack": [["main", "m.c"], ["k", "y.c"]], "values": {"samples": 3}, "labels": [["size", 15]]},
 {"stack": [["main", "m.c"], ["s"]], "values": {"samples": 4}, "labels": [["host", "5"]]}]}
END
    while IFS='>' read -r option want; do
        eval "proffilter $option -t folded peer.pfs" 2>/dev/null | paste -sd, >got
        [ "$(cat got)" = "$want" ] || { echo "$option: $(cat got), expected $want"; bad=1; }
    done <<'END'
--prune-from='y\.c'>main;f;g 5,main;k 3,main;s 4
--show-from='y\.c'>g;f;h 5,k 3
--label=size=5>main;f;g;f;h 5,main;k 3
--label=size=5:5>main;f;g;f;h 5
--label=host=5:5>main;s 4
--focus=k --focus=s>main;k 3,main;s 4
END
    [ "$bad" = 0 ]
}
