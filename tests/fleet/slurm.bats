# fleet-slurm on a real Slurm with one node: Debian's munge, slurmctld and slurmd, without cgroups.

load ../lib/clusters

setup_file()
{
    needs slurm
    export PATH=$PROFUTILS_BIN:$PATH
    cd "$BATS_FILE_TMPDIR" || return
    make_profiles 130 in
    printf '%s\n' in/* >list
    start_slurm
}

teardown_file()
{
    cd "$BATS_FILE_TMPDIR" || return
    if [ -d slurm ]; then stop_slurm; fi
}

setup()
{
    cd "$BATS_TEST_TMPDIR" || return
    ln -s "$BATS_FILE_TMPDIR/in" in
    ln -s "$BATS_FILE_TMPDIR/list" list
    export PAUSE=1
    spy_on_tasks
    plan=(--partials=partials --fan-in=16 -o all.pfs @list)
}

@test "levels of job arrays give the bytes of one merge; the second run has one task" {
    "$fleet/fleet-slurm" "${plan[@]}" 2>err
    same_as_one all.pfs in/*
    tasks=$(wc -l <tasks.log)
    [ "$tasks" -gt 8 ]
    grep -q "^fleet-slurm: try 1: $tasks tasks on [2-9] levels$" err
    "$fleet/fleet-slurm" "${plan[@]}" 2>err
    same_as_one all.pfs in/*
    grep -q '^fleet-slurm: try 1: 1 tasks on 1 levels$' err
    # neither jobs nor files remain
    [ -z "$(squeue --noheader)" ]
    [ -z "$(find . -name 'fleet-slurm.*')" ]
}

@test "a long level has several tasks in an element" {
    ARRAY=3 "$fleet/fleet-slurm" "${plan[@]}"
    same_as_one all.pfs in/*
    [ "$(wc -l <tasks.log)" -gt 8 ]
    [ "$(cut -d ' ' -f 2 tasks.log | sort -u | tr '\n' ' ')" = '0 1 2 ' ]
}

# ran_twice LIST: this task and no other of the plan ran twice
ran_twice()
{
    [ "$(cut -d ' ' -f 1 tasks.log | sort | uniq -d)" = "$1" ]
    same_as_one all.pfs in/*
}

@test "a task that is cancelled runs again, alone" {
    killed=$(profmerge --plan=tasks "${plan[@]}" | lists_of 1 | sed -n 2p)
    hang_once "$killed"
    "$fleet/fleet-slurm" "${plan[@]}" 2>err 3>&- &
    until_true test -s hanging
    scancel "$(cut -d ' ' -f 2 hanging)"
    wait $!
    ran_twice "$killed"
}

@test "a task that is killed runs again, alone" {
    killed=$(profmerge --plan=tasks "${plan[@]}" | lists_of 1 | tail -n 1)
    hang_once "$killed"
    "$fleet/fleet-slurm" "${plan[@]}" 2>err 3>&- &
    until_true test -s hanging
    kill -KILL "$(cut -d ' ' -f 1 hanging)"
    wait $!
    ran_twice "$killed"
}

@test "a task without enough memory runs again with more, alone" {
    # 200,000 stacks need more than 80 MiB, the other profiles less than 20
    awk 'BEGIN { for (i = 0; i < 200000; i++) printf "main;a%d;b%d;c%d 1\n", i % 1000, i % 7919, i }' >large.folded
    MEMORY=50 ULIMIT=yes "$fleet/fleet-slurm" "${plan[@]}" large.folded 2>err
    same_as_one all.pfs in/* large.folded
    grep -q 'large.folded: out of memory' err
    twice=$(cut -d ' ' -f 1 tasks.log | sort | uniq -d)
    [ "$(echo "$twice" | wc -l)" -eq 1 ]
    grep -q large.folded "partials/$twice"
}

@test "the script is killed: the same command does what is left" {
    killed=$(profmerge --plan=tasks "${plan[@]}" | lists_of 1 | tail -n 1)
    hang_once "$killed"
    "$fleet/fleet-slurm" "${plan[@]}" 2>err 3>&- &
    script=$!
    until_true test -s hanging
    kill_tree KILL $script
    scancel --user="$(id -un)"
    until_true node_is_idle
    "$fleet/fleet-slurm" "${plan[@]}" 2>err
    ran_twice "$killed"
}

@test "a bad input: status 3 and no output, or with --keep-going the others and a manifest" {
    mkdir bad
    head -c 200 "$PROFUTILS_SRC/examples/data/requests.out" >bad/torn.out
    ls in/* bad/* >with_bad
    status=0
    TRIES=1 "$fleet/fleet-slurm" --partials=partials --fan-in=16 -o all.pfs @with_bad 2>err || status=$?
    [ "$status" -eq 3 ]
    grep -q 'bad/torn.out' err
    [ ! -e all.pfs ]
    status=0
    "$fleet/fleet-slurm" --partials=partials --fan-in=16 --keep-going --manifest=manifest -o all.pfs @with_bad 2>err || status=$?
    [ "$status" -eq 3 ]
    grep -q 'bad/torn.out' err
    grep 'bad/torn.out' manifest | grep -q '"counted": *false'
    [ "$(grep -c '"counted": *true' manifest)" -eq 130 ]
    same_as_one all.pfs in/*
}

@test "names of directories and inputs are names, whatever is in them" {
    hostile_names
    "$fleet/fleet-slurm" "${plan[@]}" 2>err || { cat err; return 1; }
    same_as_one all.pfs "${inputs[@]}"
    [ -z "$(find .. -name owned)" ]
    [ -z "$(find .. -name 'fleet-slurm.*')" ]
    for name in 'a\b' $'a\nb'; do
        mkdir "$name"
        status=0
        (cd "$name" && "$fleet/fleet-slurm" "${plan[@]}") 2>err || status=$?
        [ "$status" -eq 2 ]
        grep -q '^fleet-slurm: sbatch cannot use this directory' err
    done
}
