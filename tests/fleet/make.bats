# GNU make on the plan of profmerge: --plan=make | make -f -

load ../lib/expect
load ../lib/clusters

setup_file()
{
    cd "$BATS_FILE_TMPDIR" || return
    make_profiles 130 in
    printf '%s\n' in/* >list
}

setup()
{
    PATH=$PROFUTILS_BIN:$PATH
    cd "$BATS_TEST_TMPDIR" || return
    ln -s "$BATS_FILE_TMPDIR/in" in
    ln -s "$BATS_FILE_TMPDIR/list" list
    spy_on_tasks
    # those of the make that runs the tests
    unset MAKEFLAGS MAKELEVEL
    plan=(--partials=partials --fan-in=16 -o all.pfs @list)
}

plan_and_make()
{
    profmerge --plan=make "${plan[@]}" >plan
    make -s -j2 -f - <plan
}

@test "make gives the bytes of one merge; the second run has nothing to merge but the last" {
    plan_and_make
    same_as_one all.pfs in/*
    [ "$(wc -l <tasks.log)" -gt 8 ]
    rm tasks.log
    plan_and_make
    same_as_one all.pfs in/*
    [ ! -e tasks.log ] || [ "$(wc -l <tasks.log)" -le 1 ]
}

@test "make and its tasks are killed: the same command does what is left" {
    killed=$(profmerge --plan=tasks "${plan[@]}" | lists_of 1 | sed -n 4p)
    hang_once "$killed"
    plan_and_make 2>err 3>&- &
    until_true test -s hanging
    kill_tree KILL $!
    plan_and_make
    same_as_one all.pfs in/*
    # two tasks were in flight
    [ "$(cut -d ' ' -f 1 tasks.log | sort | uniq -d | wc -l)" -le 2 ]
}

@test "a bad input: make fails, and with --keep-going and a manifest the others are counted" {
    mkdir bad
    head -c 200 "$PROFUTILS_SRC/examples/data/requests.out" >bad/torn.out
    ls in/* bad/* >list.bad
    plan=(--partials=partials --fan-in=16 -o all.pfs @list.bad)
    fails 2 'bad/torn.out' plan_and_make
    [ ! -e all.pfs ]
    plan=(--partials=partials --fan-in=16 --keep-going --manifest=manifest -o all.pfs @list.bad)
    fails 2 'bad/torn.out' plan_and_make
    grep 'bad/torn.out' manifest | grep -q '"counted": *false'
    [ "$(grep -c '"counted": *true' manifest)" -eq 130 ]
    same_as_one all.pfs in/*
}

@test "names of directories and inputs are names, whatever is in them" {
    hostile_names
    plan_and_make
    same_as_one all.pfs "${inputs[@]}"
    [ -z "$(find .. -name owned)" ]
}
