# fleet-parallel on ssh servers of this machine: hosts that die, hang, refuse, or have damaged profiles.

load ../lib/expect
load ../lib/clusters

setup_file()
{
    needs ssh
    export PATH=$PROFUTILS_BIN:$PATH
    cd "$BATS_FILE_TMPDIR" || return
    # a host whose tar sends half of the stream and then hangs
    mkdir slow
    cat >slow/tar <<END
#!/bin/sh
$(command -v tar) "\$@" | { head -c 1000; touch "$PWD/half"; exec sleep 100; }
END
    chmod +x slow/tar
    PORT=$((20000 + RANDOM % 10000)) "$fleet/trial-hosts" start fleet 6 3>&-
    rm fleet/host[1-6]/*
    make_profiles 90 fleet/host[1-6]
    # what fleet-parallel has by default, with less patience
    export SSH="ssh -F $PWD/fleet/ssh_config" TRIES=1 PARTIALS=$PWD/partials
}

teardown_file()
{
    cd "$BATS_FILE_TMPDIR" || return
    if [ -d fleet ]; then "$fleet/trial-hosts" stop fleet; fi
}

setup()
{
    cd "$BATS_TEST_TMPDIR" || return
    ln -s "$BATS_FILE_TMPDIR/fleet" fleet
    hosts=$BATS_FILE_TMPDIR/fleet/hosts
    inputs=$BATS_FILE_TMPDIR/fleet
}

teardown()
{
    # a test that failed may have left it stopped
    kill -CONT "$(cat "$BATS_FILE_TMPDIR/fleet/.sshd/host3.pid")" || true
}

# with_path HOST PATH: starts the host again with this PATH
with_path()
{
    "$fleet/trial-hosts" stop fleet "$1"
    sed -i "s|^SetEnv PATH=.*|SetEnv PATH=$2|" "fleet/.sshd/$1.config"
    "$fleet/trial-hosts" again fleet "$1" 3>&-
}

@test "six hosts give the bytes of one merge, and a manifest" {
    "$fleet/fleet-parallel" -m manifest -o all.pfs "$hosts" 2>err
    [ ! -s err ]
    same_as_one all.pfs "$inputs"/host?/*
    [ "$(grep -c '^{"host":"host[1-6]",.*"counted": *true' manifest)" -eq "$(ls "$inputs"/host?/* | wc -l)" ]
    # the second time the hosts have partials
    [ -n "$(ls "$PARTIALS")" ]
    "$fleet/fleet-parallel" -o again.pfs "$hosts"
    cmp all.pfs again.pfs
}

@test "-l labels the records with their host" {
    "$fleet/fleet-parallel" -l -o all.pfs "$hosts"
    proftop --by=label:host -t csv all.pfs | grep -oE 'host[0-9]' | sort | tr '\n' ' ' >got
    [ "$(cat got)" = 'host1 host2 host3 host4 host5 host6 ' ]
    # each host has the sum of its files
    for n in 1 2; do
        want=$(cat fleet/host$n/* | awk '{ sum += $NF } END { print sum }')
        proffilter --label=host="^host$n\$" all.pfs -t folded | awk -v want="$want" '{ sum += $NF } END { exit sum != want }'
    done
}

@test "options of profmerge, names and directories reach the hosts as they are" {
    mkdir "$BATS_TEST_TMPDIR/it's  a \$HOME"
    printf 'main;a 1\nmain;b 2\n' >"it's  a \$HOME/x y.txt"
    printf 'main;c 4\n' >"it's  a \$HOME/other.log"
    printf '# a comment\n\nhost1\t%s/it'\''s  a $HOME\n' "$PWD" >own
    NAMES='*y.txt' "$fleet/fleet-parallel" -o all.folded own --focus='b$|; exit 1'
    [ "$(cat all.folded)" = 'main;b 2' ]
}

@test "dead hosts are named, the others are counted: killed in the middle, refused, hanging, no key, no profiles" {
    with_path host2 "$BATS_FILE_TMPDIR/slow:$PATH"
    kill -STOP "$(cat fleet/.sshd/host3.pid)"
    "$fleet/trial-hosts" stop fleet host4
    sed -i 's|^AuthorizedKeysFile .*|AuthorizedKeysFile none|' fleet/.sshd/host5.config
    with_path host5 "$PATH"
    sed 's|fleet/host6$|&/empty|' "$hosts" >hosts
    echo "host1.invalid" >>hosts
    rm -f "$BATS_FILE_TMPDIR/half"

    "$fleet/fleet-parallel" -m manifest -o all.pfs hosts 2>err 3>&- &
    until_true test -e "$BATS_FILE_TMPDIR/half"
    kill_tree KILL "$(cat fleet/.sshd/host2.pid)"
    status=0
    wait $! || status=$?
    [ "$status" -eq 3 ]
    same_as_one all.pfs "$inputs"/host1/*
    for host in host2 host3 host4 host5 host1.invalid; do
        grep -q "^fleet-parallel: $host: not counted: the host is unreachable, or the connection broke$" err || { cat err; return 1; }
        grep -q "^{\"host\":\"$host\",\"counted\":false,\"reason\":\"the host" manifest
    done
    grep -q "^fleet-parallel: host6: not counted: it has no such profiles$" err
    grep -q '^host4: .*Connection refused' err
    grep -q '^host5: .*Permission denied' err
    ! grep -q 'host1: ' err || return 1

    # all hosts are back
    kill -CONT "$(cat fleet/.sshd/host3.pid)"
    sed -i 's|^AuthorizedKeysFile .*|AuthorizedKeysFile '"$BATS_FILE_TMPDIR"'/fleet/.sshd/authorized|' fleet/.sshd/host5.config
    "$fleet/trial-hosts" again fleet host4 3>&-
    with_path host2 "$PATH"
    with_path host5 "$PATH"
    "$fleet/fleet-parallel" -o all.pfs "$hosts"
    same_as_one all.pfs "$inputs"/host?/*
}

@test "a host that sends only half, or needs too long, is not counted" {
    with_path host2 "$BATS_FILE_TMPDIR/slow:$PATH"
    status=0
    TIMEOUT=4 "$fleet/fleet-parallel" -o all.pfs "$hosts" 2>err || status=$?
    [ "$status" -eq 3 ]
    grep -q '^fleet-parallel: host2: not counted: it needed too much time$' err
    same_as_one all.pfs "$inputs"/host[13456]/*
    with_path host2 "$PATH"
}

@test "a damaged profile is named, and left out as a whole" {
    head -c 200 "$PROFUTILS_SRC/examples/data/requests.out" >fleet/host3/torn.out
    status=0
    "$fleet/fleet-parallel" -m manifest -o all.pfs "$hosts" 2>err || status=$?
    rm fleet/host3/torn.out
    [ "$status" -eq 3 ]
    grep -q '^host3: .*torn.out' err
    grep '"host":"host3".*torn.out' manifest | grep -q '"counted": *false'
    same_as_one all.pfs "$inputs"/host?/*
}

@test "a host whose measures do not fit is named, with the reason" {
    # counts with a period, as a profiler records them, and without
    echo '{"measures": [{"name": "samples", "period": 10}], "records": [{"stack": [["m"]], "values": {"samples": 3}}]}' | stream periods.pfs
    mkdir only
    mv periods.pfs only
    sed "s|^host3 .*|host3 $PWD/only|" "$hosts" >hosts
    status=0
    "$fleet/fleet-parallel" -m manifest -o all.pfs hosts 2>err || status=$?
    [ "$status" -eq 3 ]
    grep -q '^fleet-parallel: host3: not counted: .*period' err
    [ "$(grep '"counted":false' manifest | grep -c '^{"host":"host3",.*period')" -eq 1 ]
    same_as_one all.pfs "$inputs"/host[12456]/*
}

@test "no host at all: status 3 and no output; a wrong command line: status 2" {
    echo host1.invalid >none
    status=0
    "$fleet/fleet-parallel" -o all.pfs none 2>err || status=$?
    [ "$status" -eq 3 ]
    grep -q '^fleet-parallel: host1.invalid: not counted: the host is unreachable' err
    [ ! -e all.pfs ]
    printf 'host1\nhost1 /tmp\n' >twice
    for words in "-o all.pfs" "-o all.pfs missing" "hosts" "-x -o all.pfs $hosts" "-o all.pfs twice"; do
        status=0
        # shellcheck disable=SC2086  # words
        "$fleet/fleet-parallel" $words 2>err || status=$?
        [ "$status" -eq 2 ]
    done
    "$fleet/fleet-parallel" --help | grep -q '^Usage: fleet-parallel '
}
