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
    # a host that sends what the file `answer` prints
    mkdir hostile
    printf '#!/bin/sh\nexec sh "%s/answer"\n' "$PWD" >hostile/tar
    chmod +x hostile/tar
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
    cd "$BATS_TEST_TMPDIR" || return
    # a test that failed may have left them so
    kill -CONT "$(cat fleet/.sshd/host3.pid)" || true
    if grep -qE '^SetEnv .*/(slow|hostile):' fleet/.sshd/host2.config; then with_path host2 "$PATH"; fi
    if [ -f forced.pid ]; then kill "$(cat forced.pid)"; fi
}

# with_path HOST PATH: starts the host again with this PATH
with_path()
{
    "$fleet/trial-hosts" stop fleet "$1"
    sed -i "s|^SetEnv .*|SetEnv \"PATH=$2\"|" "fleet/.sshd/$1.config"
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
    TIMEOUT=15 "$fleet/fleet-parallel" -o all.pfs "$hosts" 2>err || status=$?
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

# archive FILE MEMBER TYPE CONTENT...: makes the archive of a host. TYPE: file, link or hard (to CONTENT), fifo, device, folder, hole
# (so many bytes)
archive()
{
    command -v python3 >/dev/null || skip "python3 is missing"
    python3 - "$@" <<'END'
import io, sys, tarfile
types = {"link": tarfile.SYMTYPE, "hard": tarfile.LNKTYPE, "fifo": tarfile.FIFOTYPE, "device": tarfile.CHRTYPE, "folder": tarfile.DIRTYPE}
with tarfile.open(sys.argv[1], "w:gz", compresslevel=1) as archive:
    for name, kind, content in zip(*[iter(sys.argv[2:])] * 3):
        member = tarfile.TarInfo(name)
        data = b""
        if kind == "file":
            data = open(content, "rb").read()
        elif kind == "hole":
            data = bytes(int(content))
        else:
            member.type, member.linkname, member.devmajor, member.devminor = types[kind], content, 1, 5
        member.size = len(data)
        archive.addfile(member, io.BytesIO(data))
END
}

# refused REASON: host2 sends the file archive. It is named and left out, and nothing of it is in the manifest or elsewhere
refused()
{
    local status=0
    echo "cat '$PWD/archive'" >"$BATS_FILE_TMPDIR/answer"
    TMPDIR=$PWD/work LIMIT=4 timeout 100 "$fleet/fleet-parallel" -m manifest -o all.pfs two 2>err || status=$?
    [ "$status" -eq 3 ] || { echo "status $status"; cat err; return 1; }
    grep -q "^fleet-parallel: host2: not counted: $1" err || { cat err; return 1; }
    [ "$(grep -c '"host":"host2"' manifest)" -eq 1 ]
    grep -q '^{"host":"host2","counted":false,"reason":"' manifest
    [ "$(grep -c secret manifest)" -eq 0 ]
    cmp one.pfs all.pfs
    [ -z "$(ls work)" ]
}

@test "an archive of a host is data: links, devices, other files and damaged rows make nothing here, and the host is left out" {
    sed -n '1,2p' "$hosts" >two
    mkdir work
    "$fleet/fleet-parallel" -m good -o all.pfs two
    grep '"host":"host2"' good | sed 's/"host":"host2",//' >rows
    profmerge --canonical "$inputs"/host2/* -o stream.pfs
    echo '{"secret":1}' >secret
    with_path host2 "$BATS_FILE_TMPDIR/hostile:$PATH"

    # a good archive is counted, whatever else is in it, and the others are not made
    archive archive ../../../outside file secret /tmp/outside.$$ file secret stream.pfs file stream.pfs manifest file rows manifest.d folder -
    echo "cat '$PWD/archive'" >"$BATS_FILE_TMPDIR/answer"
    "$fleet/fleet-parallel" -m manifest -o all.pfs two
    diff good manifest
    same_as_one all.pfs "$inputs"/host[12]/*
    [ ! -e /tmp/outside.$$ ]
    profmerge --canonical "$inputs"/host1/* -o one.pfs

    for kind in link hard fifo device folder; do
        archive archive stream.pfs file stream.pfs manifest $kind "$PWD/secret"
        refused 'its manifest is damaged$'
        archive archive stream.pfs $kind "$PWD/secret" manifest file rows
        refused 'offset 0: no frame'
    done
    archive archive stream.pfs file stream.pfs
    refused 'its stream is cut, or larger than 4 MiB$'
    archive archive stream.pfs file secret manifest file rows
    refused 'offset 0: '
    head -c 1000 <(gunzip -c archive) >archive.new && mv archive.new archive
    refused 'its stream is cut'
    archive archive stream.pfs hole 9999999 manifest file rows
    refused 'its stream is cut, or larger than 4 MiB$'
    archive archive stream.pfs file stream.pfs manifest hole 9999999
    refused 'its stream is cut, or larger than 4 MiB$'

    # the manifest: text, rows that are not alone on a whole line, a row of another host, a member that is twice, missing or of another
    # type, bytes that are not UTF-8 or not JSON, an empty line, no row
    row=$(head -n 1 rows)
    members=${row#\{} input='"input":"'
    rows=(secret$'\n' "$row secret"$'\n' "$row$row"$'\n' "$row" "${row%\}}"$'\n' "{\"host\":\"host1\",$members"$'\n' "${row%\}},\"host\":\"host1\"}"$'\n'
        "${row%\}},\"\u0068ost\":\"host1\"}"$'\n'
        "${row%\}},\"x\":secret}"$'\n' "${row/$input/$input$'\351'}"$'\n' "${row/$input/$input$'\033'}"$'\n' "${row/$input/$input\\x}"$'\n'
        "${row/$input/$input\"}"$'\n' "${row/true/1}"$'\n' "${row/'"reason"'/'"because"'}"$'\n' "$row"$'\n\n' $'\n' '')
    for line in "${rows[@]}"; do
        printf '%s' "$line" >damaged
        archive archive stream.pfs file stream.pfs manifest file damaged
        refused 'its manifest is damaged$' || { cat -A damaged; return 1; }
    done
    # a later version may add members at the end
    sed 's/}$/,"later":[{"a":1,"b":"\\"host\\":"}],"more":null}/' rows >later
    archive archive stream.pfs file stream.pfs manifest file later
    "$fleet/fleet-parallel" -m manifest -o all.pfs two
    [ "$(grep -c '^{"host":"host2".*,"more":null}$' manifest)" -eq "$(wc -l <rows)" ]
}

@test "what a host prints does not control the terminal, and it cannot print, send or wait for ever" {
    sed -n '1,2p' "$hosts" >two
    with_path host2 "$BATS_FILE_TMPDIR/hostile:$PATH"
    profmerge --canonical "$inputs"/host1/* -o one.pfs
    printf 'a\033]0;owned\007b\rc\303\244\302\233d\342\200\256e\n\351f\n' >says
    echo "cat '$PWD/says' >&2" >"$BATS_FILE_TMPDIR/answer"
    fails 3 '^fleet-parallel: host2: not counted: its stream is cut' "$fleet/fleet-parallel" -o all.pfs two
    grep -qxF 'host2: a\x1b]0;owned\x07b\x0dcä\x9bd\u{202e}e' err
    grep -qxF 'host2: éf' err
    cmp one.pfs all.pfs

    for endless in 'exec yes' 'exec yes >&2' 'head -c 5000000 /dev/zero'; do
        echo "$endless" >"$BATS_FILE_TMPDIR/answer"
        LIMIT=4 fails 3 '^fleet-parallel: host2: not counted: it sent more than 4 MiB$' timeout 100 "$fleet/fleet-parallel" -o all.pfs two
        [ "$(wc -l <err)" -lt 1010 ]
        cmp one.pfs all.pfs
    done
    echo 'exec sleep 1000' >"$BATS_FILE_TMPDIR/answer"
    TIMEOUT=15 fails 3 '^fleet-parallel: host2: not counted: it needed too much time$' timeout 100 "$fleet/fleet-parallel" -o all.pfs two
    cmp one.pfs all.pfs
}

@test "a wrong or repeated name in the file HOSTS: status 2 and the line; nothing runs and nothing is written" {
    echo old >all.pfs
    while IFS= read -r name; do
        printf '# hosts\n\nhost1\n%b /tmp\n' "$name" >wrong
        fails 2 '^fleet-parallel: wrong:4: (not a name of a host|this host is named twice): [^[:cntrl:]]*$' "$fleet/fleet-parallel" -m manifest -o all.pfs wrong
        [ "$(wc -l <err)" -eq 1 ]
    done <<'END'
a&b
a|b
a"b
x|;1eid>&2;#
x|;1e\0040id
$(touch\0040owned)
`id`
a;b
a'b
a\\b
a/b
../a
.a
-a
-oProxyCommand=id
a@-oProxyCommand=id
:streams
:hosts
@a
a@
a*
[::1]
a\0033[31m
a\r
a\0000b
b\0303\0244r
host1
END
    [ ! -e owned ]
    [ ! -e manifest ]
    [ "$(cat all.pfs)" = old ]
    printf '# none\n' >wrong
    fails 2 'wrong names no host$' "$fleet/fleet-parallel" -o all.pfs wrong
}

# The names are aliases of the first host
@test "hosts with the names of patterns, of work files and of other hosts are hosts" {
    names=(hosts streams merged partials list a.b axb a-b a:b u@a A_b)
    sed "s/^Host host1\$/Host host1 ${names[*]/#u@/}/" fleet/ssh_config >config
    : >named
    for name in "${names[@]}"; do
        mkdir -p "in/$name"
        echo "main;$name 1" | profcat -t pfs -o "in/$name/x.pfs" -
        echo "${name/#u@/$(id -un)@} $PWD/in/$name" >>named
    done
    # a.b is a pattern of axb, whose measures do not fit
    echo '{"measures": [{"name": "samples", "period": 10}], "records": [{"stack": [["m"]], "values": {"samples": 3}}]}' | stream in/axb/x.pfs
    status=0
    SSH="ssh -F $PWD/config" "$fleet/fleet-parallel" -l -m manifest -o all.pfs named 2>err || status=$?
    [ "$status" -eq 3 ]
    [ "$(grep -c 'not counted' err)" -eq 1 ]
    grep -q '^fleet-parallel: axb: not counted: .*period' err
    [ "$(grep -c '"counted":true' manifest)" -eq 10 ]
    grep -q '^{"host":"a.b","counted":true,' manifest
    proftop -n 0 --by=label:host -t csv all.pfs >table
    for name in hosts streams merged partials list a.b a-b a:b A_b "$(id -un)@a"; do grep -qF "$name" table; done
}

@test "a directory, a pattern or an option is a word on the host, whatever is in it" {
    # the login directory has profiles too, and keeps them
    mkdir -p home
    sed "s|^AllowUsers .*|&\nForceCommand cd '$PWD/home' \&\& eval \"\$SSH_ORIGINAL_COMMAND\"|" fleet/.sshd/host1.config >forced.config
    sed -i "s|^Port .*|Port $((20000 + RANDOM % 10000))|; s|^PidFile .*|PidFile $PWD/forced.pid|" forced.config
    sed "s|^  Port.*|  Port $(sed -n 's/^Port //p' forced.config)|" fleet/ssh_config >config
    "$(command -v sshd)" -f "$PWD/forced.config" -E "$PWD/forced.log" 3>&-
    mkdir home/keep
    echo 'main;kept 1' >home/keep/kept.folded
    for name in -delete -fprint '(' '!' ',' -L '-exec touch owned ;' '$(touch owned)' '`touch owned`' "'; touch owned; '" 'a"b' 'x\\' END_OF_LINE END_OF_SCRIPT; do
        mkdir -- "home/$name"
        echo 'main;found 2' >"home/$name/f.folded"
        echo "host1 $name" >own
        SSH="ssh -F $PWD/config" PARTIALS="-p '\$(touch owned)" "$fleet/fleet-parallel" -o all.folded own --focus="found|'\$(touch owned)
"
        [ "$(cat all.folded)" = 'main;found 2' ]
        [ -e home/keep/kept.folded ]
        [ ! -e home/owned ]
    done
}

@test "trial-hosts stops its own servers only, and refuses names that mean something to ssh" {
    for name in -x '(' ü; do
        PORT=$((20000 + RANDOM % 10000)) PATH="$PATH:/a b/c" "$fleet/trial-hosts" start "$name" 2 >out 3>&-
        ssh -F "./$name/ssh_config" host2 'echo "$PATH"' | grep -q ':/a b/c$'
        # the number of a server that crashed belongs to another process now
        server=$(cat "./$name/.sshd/host1.pid")
        sleep 1000 3>&- &
        echo $! >"./$name/.sshd/host1.pid"
        echo -1 >"./$name/.sshd/host3.pid"
        timeout 20 "$fleet/trial-hosts" stop "$name"
        kill $!
        [ -z "$(find "./$name" -name '*.pid')" ]
        echo "$server" >"./$name/.sshd/host1.pid"
        "$fleet/trial-hosts" stop "$name" host1
        until_true test ! -e "/proc/$server"
    done
    for name in 'a b' 'a%h' '$(touch owned)' "a'b" 'a"b' 'a\b' 'a*' $'a\nb'; do
        fails 2 '^trial-hosts: ssh needs a directory without blanks, quotes and the characters' "$fleet/trial-hosts" start "$name" 1
    done
    for words in 'start new -f%g' 'start new 1;id' 'stop -x ../../x' 'stop -x *' 'again -x host' 'again -x'; do
        # shellcheck disable=SC2086  # words
        fails 2 '^Usage: trial-hosts' "$fleet/trial-hosts" $words
    done
    [ ! -e owned ]
}
