# examples/fleet/rollup: five minutes become hours, and hours days; late and damaged profiles, runs that are killed.

bats_require_minimum_version 1.5.0
load ../lib/expect

NOON=1793707200 # 2026-11-03T12:00 UTC

# put NAME FOLDED...: a profile of a host
put()
{
    local name=$1
    shift
    printf '%s\n' "$@" | profcat --set-label "host=${name#*.}" -o "prof/minutes/.$name" -t pfs -
    mv "prof/minutes/.$name" "prof/minutes/$name.pfs"
}

setup_file()
{
    PATH=$PROFUTILS_BIN:$PATH
    mkdir -p "$BATS_FILE_TMPDIR/made/prof/minutes"
    cd "$BATS_FILE_TMPDIR/made" || return
    # from 2026-11-02T22 to 2026-11-03T11: two profiles an hour of each of two hosts. `work` has 995 of 1000 of each, and
    # `rare` another function in each profile.
    k=0
    for hour in 02T22 02T23 03T00 03T01 03T10 03T11; do
        for half in 00 30; do
            for host in a b; do
                k=$((k + 1))
                put 2026-11-$hour$half.$host 'main;work 995' "main;rare$k 5" || return
            done
        done
    done
}

setup()
{
    PATH=$PROFUTILS_BIN:$PATH
    cp -a "$BATS_FILE_TMPDIR/made" "$BATS_TEST_TMPDIR/here"
    cd "$BATS_TEST_TMPDIR/here" || return
}

rollup() { SHARE=1% "$PROFUTILS_SRC/examples/fleet/rollup" prof "$@"; }
folded() { profcat -t folded "$1" | paste -sd, -; }
have() { (cd prof && find "$@" -name '[0-9]*' | sort | paste -sd ' ' -); }

@test "periods that are over become one file; amounts are exact, and small stacks are (other)" {
    rollup $NOON
    [ "$(have hours)" = "hours/2026-11-02T22.pfs hours/2026-11-02T23.pfs hours/2026-11-03T00.pfs hours/2026-11-03T01.pfs hours/2026-11-03T10.pfs hours/2026-11-03T11.pfs" ]
    [ "$(have days)" = "days/2026-11-02.pfs" ]
    [ "$(folded prof/hours/2026-11-03T10.pfs)" = "main;(other) 20,main;work 3980" ]
    [ "$(folded prof/days/2026-11-02.pfs)" = "main;(other) 40,main;work 7960" ]
    # each host has its own records
    [ "$(proftop --by=label:host -t csv prof/days/2026-11-02.pfs | grep -c ',4000,')" -eq 2 ]
    # an hour that is not over stays, and so do parts
    rm -r prof/hours prof/days
    rollup $((NOON - 1))
    [ "$(have hours | wc -w)" -eq 5 ]
    [ "$(have minutes | wc -w)" -eq 24 ]
}

@test "a second run changes nothing; a late profile counts in its hour and its day" {
    rollup $NOON
    stat -c '%n %i %Y' prof/hours/* prof/days/* >before
    rollup $((NOON + 60))
    stat -c '%n %i %Y' prof/hours/* prof/days/* | diff before -
    # with an old time of modification, as rsync -t keeps it
    put 2026-11-02T2205.c 'main;work 1000'
    touch -d 2026-11-02T22:10Z prof/minutes/2026-11-02T2205.c.pfs
    rollup $((NOON + 120))
    [ "$(folded prof/hours/2026-11-02T22.pfs)" = "main;(other) 20,main;work 4980" ]
    [ "$(folded prof/days/2026-11-02.pfs)" = "main;(other) 40,main;work 8960" ]
    [ "$(stat -c '%n %i %Y' prof/hours/* prof/days/* | diff before - | grep -c '^>')" -eq 2 ]
}

@test "minutes go after two days, hours after two weeks, days after a year, and no amount is lost" {
    rollup $NOON
    rollup $((NOON + 2 * 86400 - 3600))
    [ "$(have minutes | wc -w)" -eq 4 ] # the hour at 11 o'clock is just two days ago
    rollup $((NOON + 3 * 86400))
    [ -z "$(have minutes)" ]
    [ "$(have hours | wc -w)" -eq 6 ]
    [ "$(folded prof/days/2026-11-03.pfs)" = "main;(other) 80,main;work 15920" ]
    rollup $((NOON + 16 * 86400))
    [ -z "$(have hours)" ]
    [ "$(have days)" = "days/2026-11-02.pfs days/2026-11-03.pfs" ]
    rollup $((NOON + 365 * 86400))
    [ "$(have days)" = "days/2026-11-03.pfs" ]
    # a machine that was off for a week catches up
    cp -a "$BATS_FILE_TMPDIR/made/prof/minutes" prof
    rm -r prof/days
    rollup $((NOON + 7 * 86400))
    [ -z "$(have minutes)" ]
    [ "$(folded prof/days/2026-11-03.pfs)" = "main;(other) 80,main;work 15920" ]
}

@test "a profile that comes after its hour was cleared stays and is named" {
    rollup $((NOON + 5 * 86400))
    put 2026-11-02T2205.c 'main;work 1000'
    fails 3 "^rollup: damaged, or too late for hours/2026-11-02T22.pfs: minutes/2026-11-02T2205.c.pfs$" rollup $((NOON + 5 * 86400))
    [ "$(folded prof/hours/2026-11-02T22.pfs)" = "main;(other) 20,main;work 3980" ]
    [ "$(have minutes)" = minutes/2026-11-02T2205.c.pfs ]
    # the clock is set back: the hour is not made anew of this profile alone
    rollup $((NOON + 60))
    [ "$(folded prof/hours/2026-11-02T22.pfs)" = "main;(other) 20,main;work 3980" ]
    [ "$(have minutes)" = minutes/2026-11-02T2205.c.pfs ]
}

@test "a profile that is in no hour stays, whatever the clocks said" {
    rollup $NOON
    # the clock was ahead when the hour was made
    touch -c -d 2099-01-01 prof/merged/2026-11-02T22 prof/hours/2026-11-02T22.pfs
    rollup $((NOON + 5 * 86400))
    put 2026-11-02T2205.c 'main;work 1000'
    put 2026-11-02T2200.a 'main;work 1'
    fails 3 "^rollup: damaged, or too late for hours/2026-11-02T22.pfs: minutes/2026-11-02T2205.c.pfs$" rollup $((NOON + 5 * 86400))
    [ "$(have minutes)" = "minutes/2026-11-02T2200.a.pfs minutes/2026-11-02T2205.c.pfs" ]
}

@test "profiles that are linked or have other permissions are the same profiles" {
    rollup $NOON
    cp -al prof backup
    chmod 600 prof/minutes/*
    stat -c '%n %i' prof/hours/* >before
    rollup $((NOON + 60))
    stat -c '%n %i' prof/hours/* | diff before -
    rollup $((NOON + 5 * 86400))
    [ -z "$(have minutes)" ]
}

@test "a run that was killed between an hour and its list makes the hour again, and only then removes its parts" {
    rollup $NOON
    cp prof/merged/2026-11-02T22 old.list
    put 2026-11-02T2205.c 'main;work 1000'
    rollup $((NOON + 60))
    cp old.list prof/merged/2026-11-02T22
    rm prof/merged/2026-11-02T23
    rollup $((NOON + 5 * 86400))
    [ "$(folded prof/hours/2026-11-02T22.pfs)" = "main;(other) 20,main;work 4980" ]
    [ "$(folded prof/hours/2026-11-02T23.pfs)" = "main;(other) 20,main;work 3980" ]
    [ "$(folded prof/days/2026-11-02.pfs)" = "main;(other) 40,main;work 8960" ]
    [ -z "$(have minutes)" ]
}

@test "a file with another name stays and is named: no name is a pattern, an option or code" {
    cp prof/minutes/2026-11-03T0000.a.pfs one.pfs
    names=('2************' '2026-11-0?T2200.a' '-delete' '2026-11-02T2200.a b' $'2026-11-02T2200.a\n2026-11-03T0000.a'
        $'2026-11-02T2200.\033]0;owned\a' '2026-11-02T22' '2026-99-02T2200.a' '2026-11-02T2200.$(touch owned)'
        '2026-11-02T2200.`touch owned`' "2026-11-02T2200.';touch owned;'" '2026-11-02T2200.a|touch owned' '2026-11-02T2200.\"')
    for name in "${names[@]}"; do cp one.pfs "prof/minutes/$name.pfs"; done
    ln -s ../../one.pfs prof/minutes/2026-11-02T2206.link.pfs
    mkfifo prof/minutes/2026-11-02T2207.fifo.pfs
    mkdir prof/minutes/2026-11-02T2208.folder.pfs prof/hours prof/days
    cp one.pfs 'prof/hours/2**********.pfs'
    cp one.pfs 'prof/days/2026-11-0[1-9].pfs'
    find prof -name '*.pfs' ! -name '2026-11-0[23]T[0-9][0-9][0-9][0-9].[ab].pfs' | sort >strange
    # a year and a day later no profile is left
    fails 3 "^rollup: not a file with the name of a profile: minutes/2\*{12}.pfs$" timeout 60 "$PROFUTILS_SRC/examples/fleet/rollup" prof $((NOON + 366 * 86400))
    find prof -name '*.pfs' | sort | diff strange -
    [ ! -e owned ]
    [ ! -e prof/owned ]
    # one line for each, without control bytes
    [ "$(grep -c '^rollup: not a file with the name of a profile: [ -~]*$' err)" -eq "$(find prof/minutes prof/hours prof/days -mindepth 1 -print0 | tr -cd '\0' | wc -c)" ]
    [ "$(grep -vc '^rollup: ' err)" -eq 0 ]
    [ -z "$(find prof/merged prof/cleared -type f)" ]
}

@test "the directory may have any name" {
    for name in -delete '(' '!' "it's \$(touch owned) | \`id\`"; do
        rm -rf -- "./$name"
        cp -a "$BATS_FILE_TMPDIR/made/prof" "./$name"
        SHARE=1% "$PROFUTILS_SRC/examples/fleet/rollup" "$name" $((NOON + 5 * 86400))
        [ "$(folded "./$name/days/2026-11-02.pfs")" = "main;(other) 40,main;work 7960" ]
        [ -z "$(ls "./$name/minutes")" ]
    done
    [ ! -e owned ]
    [ -d prof/minutes ]
}

@test "a damaged profile is named, and the others count" {
    head -c 300 prof/minutes/2026-11-02T2230.b.pfs >cut.pfs
    cat cut.pfs >prof/minutes/2026-11-02T2230.b.pfs
    printf x >prof/minutes/2026-11-03T0000.z.pfs
    fails 3 "2026-11-02T2230.b.pfs" rollup $NOON
    grep -q 2026-11-03T0000.z.pfs err
    [ "$(folded prof/hours/2026-11-03T00.pfs)" = "main;(other) 20,main;work 3980" ]
    [ "$(have hours | wc -w)" -eq 6 ]
    # nothing to merge: no file, and the next run tries again
    printf x >prof/minutes/2026-11-01T0000.z.pfs
    fails 3 "2026-11-01T0000.z.pfs" rollup $NOON
    [ ! -e prof/hours/2026-11-01T00.pfs ]
    # damaged profiles stay when the others go, and are named. Nothing of them is counted
    fails 3 "^rollup: damaged, or too late for hours/2026-11-02T22.pfs: minutes/2026-11-02T2230.b.pfs$" rollup $((NOON + 5 * 86400))
    grep -q '^rollup: damaged, or too late for hours/2026-11-03T00.pfs: minutes/2026-11-03T0000.z.pfs$' err
    [ "$(have minutes)" = "minutes/2026-11-01T0000.z.pfs minutes/2026-11-02T2230.b.pfs minutes/2026-11-03T0000.z.pfs" ]
    [ "$(folded prof/hours/2026-11-02T22.pfs)" = "main;(other) 15,main;work 2985" ]
    fails 2 "^usage: rollup DIR" "$PROFUTILS_SRC/examples/fleet/rollup" nowhere
}

# The lists have inodes and times
results() { (cd prof && find . | sort && find . -name '*.pfs' | sort | xargs cksum); }

@test "a run that is killed at any moment is repeated, with the same result and no litter" {
    rollup $((NOON + 7 * 86400))
    results >want
    for wait in 0.02 0.05 0.1 0.13 0.2 0.3 0.4 0.6 0.8 1.0; do
        rm -rf prof
        cp -a "$BATS_FILE_TMPDIR/made/prof" .
        SHARE=1% setsid "$PROFUTILS_SRC/examples/fleet/rollup" prof $((NOON + 7 * 86400)) &
        sleep $wait
        kill -KILL -- -$! 2>/dev/null || kill -KILL $! 2>/dev/null || true # it had ended
        wait $! || true
        flock prof/.lock true # a killed process may still be waiting for the disk
        rollup $((NOON + 7 * 86400))
        results | diff want -
    done
}
