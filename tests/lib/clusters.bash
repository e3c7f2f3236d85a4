# Clusters on this machine for the tests of the engines: ssh hosts, Slurm, Dask. Each engine runs for real, with
# servers of its own that end with the test, on 127.0.0.1 and below one directory: load ../lib/clusters

export fleet=$PROFUTILS_SRC/examples/fleet
# servers are where only root's PATH looks
PATH=$PATH:/usr/sbin:/sbin

has_ssh() { command -v parallel && command -v ssh && command -v sshd && command -v ssh-keygen; } >/dev/null

# slurmd must be root
has_slurm()
{
    command -v munged && command -v slurmctld && command -v slurmd && command -v sbatch && command -v squeue &&
        command -v sinfo && command -v scancel && [ "$(id -u)" -eq 0 ]
} >/dev/null

has_dask() { command -v dask-scheduler && command -v dask-worker; } >/dev/null

# needs ENGINE: skips the test if the engine is not installed
needs()
{
    "has_$1" || skip "no $1 here: ./configure --install-deps=fleet as root installs it"
}

# make_profiles N DIR...: N small profiles of 64 programs, as folded stacks, the same on every machine, in turn to each directory
make_profiles()
{
    local count=$1
    shift
    mkdir -p "$@"
    printf '%s\n' "$@" | awk -v count="$count" '{ dirs[NR - 1] = $0 } END {
        for (i = 0; i < count; i++) {
            program = i % 64
            file = sprintf("%s/program%02d.%05d.folded", dirs[i % NR], program, i)
            for (k = 0; k < 150; k++)
                printf "main;program%d::run;f%d;g%d;h%d %d\n", program, k % 5, k % 30, (k * 7 + program) % 50, (i * 31 + k * 17) % 97 + 1 >file
            close(file)
        }
    }'
}

# same_as_one FILE INPUT...: FILE has the bytes of one merge of the inputs
same_as_one()
{
    local file=$1
    shift
    printf '%s\0' "$@" | profmerge --canonical -o one.pfs --files0-from=-
    cmp one.pfs "$file"
}

# spy_on_tasks: puts a profmerge before the real one that writes a line LIST ELEMENT to tasks.log for each task, and then
# runs the file before.LIST if there is one; LIST is the base name of the list file
spy_on_tasks()
{
    mkdir -p spy
    cat >spy/profmerge <<END
#!/bin/sh
case \$1 in
--task=*)
    list=\$(basename "\${1#--task=}")
    echo "\$list \${SLURM_ARRAY_TASK_ID-}" >>"$PWD/tasks.log"
    [ ! -f "$PWD/before.\$list" ] || . "$PWD/before.\$list"
    ;;
esac
exec "$PROFUTILS_BIN/profmerge" "\$@"
END
    chmod +x spy/profmerge
    PATH=$PWD/spy:$PATH
}

# hang_once LIST: the next run of this task writes its process id to the file hanging, and waits until it is killed
hang_once()
{
    cat >"before.$1" <<END
rm "$PWD/before.$1"
echo "\$\$ \${SLURM_ARRAY_JOB_ID-}_\${SLURM_ARRAY_TASK_ID-}" >"$PWD/hanging.new" && mv "$PWD/hanging.new" "$PWD/hanging"
exec sleep 100
END
}

# lists_of LEVEL <PLAN: the base names of the list files of a level
lists_of()
{
    awk -F '\t' -v level="$1" '$1 == level { sub(/.*\//, "", $3); print $3 }'
}

# hostile_names: goes to a directory, and sets inputs to profiles and plan to options of profmerge, with names that are options,
# patterns and code
# shellcheck disable=SC2016,SC2034  # names with $(touch owned), and plan, which the tests use
hostile_names()
{
    local name number=0
    inputs=()
    mkdir '%j it"s $(touch owned)'
    cd '%j it"s $(touch owned)' || return
    for name in -delete --retries=7 --run-tasks '$(touch owned)' '`touch owned`' "';touch owned;'" 'a b' 'a*' '%A' 'a"b' $'a\nb' task-1-0 ü; do
        number=$((number + 1))
        echo "main;f$number $number" >"./$name.folded"
        inputs+=("$name.folded")
    done
    plan=("--partials=part's "$'\r\f'"\$(touch owned)" --fan-in=4 -o all.pfs -- "${inputs[@]}")
}

# until_true COMMAND...: waits at most a minute until the command succeeds
until_true()
{
    local i
    for i in $(seq 600); do
        if "$@" >/dev/null 2>&1; then return 0; fi
        sleep 0.1
    done
    echo "a minute passed without: $*"
    return 1
}

# kill_tree SIGNAL PID: sends the signal to a process and all its descendants
kill_tree()
{
    local pids
    pids=$(cat /proc/[0-9]*/stat 2>/dev/null | awk -v top="$2" '
        { pid = $1; sub(/.*\) /, ""); parent[pid] = $2 }
        END { for (pid in parent) for (p = pid; p; p = parent[p]) if (p == top) { print pid; break } }')
    # a machine that dies stops as a whole: no process may see that another process ended, and react
    # shellcheck disable=SC2086  # a list
    {
        [ "$1" != KILL ] || kill -STOP $pids
        kill "-$1" $pids
    } 2>/dev/null || true
}

# start_slurm: munged, slurmctld and slurmd with two processors, all below ./slurm
start_slurm()
{
    local dir=$PWD/slurm port=$((20000 + RANDOM % 10000)) name
    name=$(uname -n)
    name=${name%%.*}
    mkdir -p "$dir/munge" "$dir/state" "$dir/spool"
    chmod 755 "$dir/munge"
    head -c 128 /dev/urandom >"$dir/key"
    chmod 400 "$dir/key"
    # --force: it may run as root, and below directories that others may write
    munged --force --key-file="$dir/key" --socket="$dir/munge/socket" --pid-file="$dir/munge/pid" --log-file="$dir/munge/log" \
        --seed-file="$dir/munge/seed" >"$dir/munged.out" 2>&1 || { cat "$dir/munged.out"; return 1; }
    cat >"$dir/slurm.conf" <<END
ClusterName=trial
SlurmctldHost=$name(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$dir/munge/socket
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd.pid
SlurmctldLogFile=$dir/slurmctld.log
SlurmdLogFile=$dir/slurmd.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=none
SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=0,bf_interval=1
SlurmdParameters=config_overrides
KillWait=2
NodeName=$name NodeAddr=127.0.0.1 CPUs=2 RealMemory=100000
PartitionName=main Nodes=ALL Default=YES State=UP
END
    # named, so that slurmd does not look for a cgroup file system, which a container may lack
    echo CgroupPlugin=cgroup/v1 >"$dir/cgroup.conf"
    export SLURM_CONF=$dir/slurm.conf
    for daemon in slurmctld slurmd; do
        "$daemon" >"$dir/$daemon.out" 2>&1 3>&- || { cat "$dir/$daemon.out" "$dir/$daemon.log"; return 1; }
    done
    until_true node_is_idle || { cat "$dir"/*.log; return 1; }
}

node_is_idle() { [ "$(sinfo --noheader --format=%T)" = idle ]; }

stop_slurm()
{
    scancel --quiet --user="$(id -un)" || true
    cat slurm/slurmd.pid slurm/slurmctld.pid slurm/munge/pid | while read -r pid; do
        while kill "$pid" 2>/dev/null; do sleep 0.1; done
    done
}

# start_dask: a scheduler and two workers that are not started again when they die; sets $scheduler to the address, $dask
# to the process ids of all three, $workers to those of the workers
start_dask()
{
    local port=$((20000 + RANDOM % 10000)) i
    scheduler=tcp://127.0.0.1:$port workers=''
    dask-scheduler --host 127.0.0.1 --port "$port" --no-dashboard >dask.log 2>&1 3>&- &
    dask=$!
    for i in 1 2; do
        dask-worker "$scheduler" --no-nanny --nthreads 1 --no-dashboard --local-directory "dask.$i" >"dask.$i.log" 2>&1 3>&- &
        workers="$workers $!"
    done
    dask="$dask$workers"
}

stop_dask()
{
    local pid
    # a worker that loses its scheduler while it ends can wait for ever
    for pid in $dask; do kill -KILL "$pid" 2>/dev/null || true; done
    wait 2>/dev/null
}
