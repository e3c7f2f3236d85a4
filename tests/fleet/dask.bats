# fleet-dask.py on a scheduler and two workers of Dask.

load ../lib/clusters

setup_file()
{
    needs dask
    export PATH=$PROFUTILS_BIN:$PATH
    cd "$BATS_FILE_TMPDIR" || return
    make_profiles 130 in
    printf '%s\n' in/* >list
}

setup()
{
    cd "$BATS_TEST_TMPDIR" || return
    ln -s "$BATS_FILE_TMPDIR/in" in
    ln -s "$BATS_FILE_TMPDIR/list" list
    spy_on_tasks
    start_dask
    plan=(--partials=partials --fan-in=16 -o all.pfs @list)
}

teardown()
{
    cd "$BATS_TEST_TMPDIR" || return
    stop_dask
}

# The module belongs to Debian's own Python.
fleet_dask()
{
    /usr/bin/python3 "$fleet/fleet-dask.py" --scheduler="$scheduler" "$@"
}

@test "the graph gives the bytes of one merge; the second run has one task" {
    fleet_dask "${plan[@]}"
    same_as_one all.pfs in/*
    [ "$(wc -l <tasks.log)" -gt 8 ]
    rm tasks.log
    fleet_dask "${plan[@]}"
    same_as_one all.pfs in/*
    [ "$(wc -l <tasks.log)" -eq 1 ]
}

@test "a worker that is killed in the middle loses nothing" {
    hang_once "$(profmerge --plan=tasks "${plan[@]}" | lists_of 1 | sed -n 3p)"
    fleet_dask "${plan[@]}" 2>err 3>&- &
    until_true test -s hanging
    task=$(cut -d ' ' -f 1 hanging)
    worker=$(awk '{ sub(/.*\) /, ""); print $2 }' "/proc/$task/stat")
    case " $workers " in *" $worker "*) ;; *) echo "$worker is not a worker: $workers"; return 1 ;; esac
    kill_tree KILL "$worker"
    wait $!
    same_as_one all.pfs in/*
}

@test "a task that is killed runs again" {
    killed=$(profmerge --plan=tasks "${plan[@]}" | lists_of 1 | tail -n 1)
    hang_once "$killed"
    fleet_dask "${plan[@]}" 2>err 3>&- &
    client=$!
    until_true test -s hanging
    kill -KILL "$(cut -d ' ' -f 1 hanging)"
    wait $client
    same_as_one all.pfs in/*
    [ "$(cut -d ' ' -f 1 tasks.log | sort | uniq -d)" = "$killed" ]
}

@test "the client is killed: the same command does what is left" {
    hang_once "$(profmerge --plan=tasks "${plan[@]}" | lists_of 1 | tail -n 1)"
    fleet_dask "${plan[@]}" 2>err 3>&- &
    client=$!
    until_true test -s hanging
    kill -KILL $client
    kill -KILL "$(cut -d ' ' -f 1 hanging)"
    fleet_dask "${plan[@]}"
    same_as_one all.pfs in/*
}

@test "a bad input: status 3 and no output, or with --keep-going the others and a manifest" {
    mkdir bad
    head -c 200 "$PROFUTILS_SRC/examples/data/requests.out" >bad/torn.out
    ls in/* bad/* >with_bad
    status=0
    fleet_dask --partials=partials --fan-in=16 -o all.pfs @with_bad 2>err || status=$?
    [ "$status" -eq 3 ]
    grep -q 'bad/torn.out' err
    [ ! -e all.pfs ]
    status=0
    fleet_dask --partials=partials --fan-in=16 --keep-going --manifest=manifest -o all.pfs @with_bad 2>err || status=$?
    [ "$status" -eq 3 ]
    grep -q 'bad/torn.out' err
    grep 'bad/torn.out' manifest | grep -q '"counted": *false'
    [ "$(grep -c '"counted": *true' manifest)" -eq 130 ]
    same_as_one all.pfs in/*
}

@test "a wrong command line: status 2; no scheduler: status 4" {
    status=0
    fleet_dask --no-such-option in/* 2>err || status=$?
    [ "$status" -eq 2 ]
    status=0
    scheduler=tcp://127.0.0.1:1 fleet_dask "${plan[@]}" 2>err || status=$?
    [ "$status" -eq 4 ]
    fleet_dask --help | grep -q '^usage: fleet-dask.py'
}

@test "names of directories and inputs are names, whatever is in them" {
    hostile_names
    fleet_dask "${plan[@]}" 2>err || { cat err; return 1; }
    same_as_one all.pfs "${inputs[@]}"
    [ -z "$(find .. -name owned)" ]
}
