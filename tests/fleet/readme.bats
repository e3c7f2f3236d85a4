# The README's section "Many hosts", as a new user types it.

load ../lib/expect
load ../lib/clusters

setup()
{
    cd "$BATS_TEST_TMPDIR" || return
    sed -n '/^## Many hosts/,/^## [^M]/s/^    //p' "$PROFUTILS_SRC/README.md" >lines
    export PATH=$PROFUTILS_BIN:$fleet:$PATH
}

teardown()
{
    cd "$BATS_TEST_TMPDIR" || return
    if [ -d trial ]; then "$fleet/trial-hosts" stop trial; fi
}

@test "three hosts: from the first line to the flame graph" {
    needs ssh
    # all but the first line, which has built the programs
    sed -n 1p lines | grep -q '^./configure -q --install-deps=fleet && make '
    sed -n 2,4p lines >script
    [ "$(tail -n 1 script)" = 'profcat fleet.pfs -o fleet.html && trial-hosts stop trial' ]
    PORT=$((20000 + RANDOM % 10000)) sh -eu script >out 2>err 3>&-
    [ ! -s err ]
    # each host has the sample profile of 274 ms
    [ "$(grep -c '^ *274ms .* host[123]$' out)" -eq 3 ]
    grep -q '<html' fleet.html
    # the servers are gone
    for pid in trial/.sshd/*.pid; do [ ! -e "$pid" ]; done
}

@test "one machine: the line with make" {
    make_profiles 200 runs
    sed -n 's/^| [^|]* | `\(profmerge .*--plan=make.*\)` |$/\1/p' "$PROFUTILS_SRC/README.md" | tr -d '\\' >script
    [ "$(wc -l <script)" -eq 1 ]
    unset MAKEFLAGS MAKELEVEL
    sh -eu script >out 2>err
    same_as_one all.pfs runs/*
}
