# profdiff --stats: the median of each row, the run with the greatest amount, and the rows in which a run stands out.

bats_require_minimum_version 1.5.0
load ../lib/expect

setup_file()
{
    cd "$BATS_FILE_TMPDIR" || return
    PATH=$PROFUTILS_BIN:$PATH
    mkdir hosts
    # JSON::decode: 100, 102, 98, 410, 101, 99, 100; odd only on web3; work 890 to 896
    k=0
    for decode in 100 102 98 410 101 99 100; do
        k=$((k + 1))
        { printf 'main;JSON::decode %s\nmain;work %s\n' $decode $((889 + k)); [ $k -ne 3 ] || echo 'main;odd 60'; } >hosts/web$k
        profcat --set-label host=web$k -o web$k.pfs hosts/web$k || return
    done
    profmerge -o fleet.pfs web?.pfs
}

setup()
{
    cd "$BATS_FILE_TMPDIR" || return
    set -o pipefail
    PATH=$PROFUTILS_BIN:$PATH
}

@test "each row has its median, and the greatest run with its ratio to the median" {
    # JSON::decode: 98 99 100 100 101 102 410: median 100, ratio 4.1; work: 890 .. 896, median 893
    profdiff --stats --runs=label:host -t csv fleet.pfs | cut -d , -f 1,16-18 >got
    printf '%s\n' function,median,max_ratio,max_run odd,0.0,,web3 JSON::decode,100.0,4.1,web4 work,893.0,1.003359462,web7 | diff - got
    # an even number of runs: the median of 1 and 4 is 2.5
    printf 'f 1\n' >p.folded
    printf 'f 4\n' >q.folded
    [ "$(profdiff --stats -t csv p.folded q.folded | tail -n 1 | cut -d , -f 16-)" = 2.5,1.6,q.folded ]
    # all runs the same, or one: no run is the greatest
    [ "$(profdiff --stats -t csv p.folded p.folded | tail -n 1 | cut -d , -f 16-)" = 1.0,, ]
    [ "$(profdiff --stats -t ndjson p.folded | sed 's/.*"median"/"median"/')" = '"median":1.0,"max_ratio":null,"max_run":null}' ]
}

@test "sentences below the table name the rows in which a run stands out" {
    profdiff --stats --runs=label:host -o /dev/stdout fleet.pfs | tail -n 2 >got
    printf '%s\n' 'web4 has 4.1 times the median in JSON::decode: 410, median 100.00' 'web3 has 60 in odd, the median is 0' | diff - got
    # times are spent; a row that is not shown is named too
    mkdir -p times
    for k in 1 2 3 4 5 6 7; do profcat -f folded:measure=wall/ms -o times/web$k.pfs hosts/web$k; done
    profdiff --stats -n 1 -o /dev/stdout times | tail -n 2 >got
    printf '%s\n' 'times/web4.pfs spends 4.1 times the median in JSON::decode: 410ms, median 100ms' \
        'times/web3.pfs spends 60ms in odd, the median is 0' | diff - got
    # machine formats have rows alone
    [ "$(profdiff --stats -t csv hosts | wc -l)" -eq 4 ]
}

@test "more than three rows are counted, two runs and small rows name nobody" {
    mkdir -p many
    for k in 1 2 3 4; do
        for f in a b c d e; do echo "$f $((k == 3 ? 900 : 100))"; done >many/$k
        echo "small $((k == 2 ? 9 : 1))" >>many/$k
    done
    profdiff --stats -o /dev/stdout many | tail -n 4 >got
    printf 'many/3 has 9.0 times the median in %s: 900, median 100.00\n' a b c >want
    echo '... a run stands out in 2 more functions' >>want
    diff want got
    [ "$(profdiff --stats -o /dev/stdout many/1 many/3 | grep -c 'stands\|times the')" -eq 0 ]
}

@test "a value of one stream names its run; a value of several streams gets the name of the stream" {
    profmerge -o east.pfs web[1-4].pfs
    profmerge -o west.pfs web[4-7].pfs
    profdiff --stats --runs=label:host -t csv east.pfs web[5-7].pfs | cut -d , -f 18 >got
    printf '%s\n' max_run web3 web4 web7 | diff - got
    profdiff --stats --runs=label:host -t csv east.pfs west.pfs | cut -d , -f 18 >got
    printf '%s\n' max_run web3 'east.pfs: host=web4' web7 | diff - got
}

@test "a name of a run cannot break the table or control the terminal" {
    profcat --set-label "host=$(printf 'x\033[2J\ny,"z')" -o evil.pfs hosts/web4
    profdiff --stats --runs=label:host -o /dev/stdout web[1-3].pfs evil.pfs >got
    grep -q '^x\\x1b\[2J\\x0ay,"z has 4.1 times the median in JSON::decode' got
    [ "$(tr -d '\n -~' <got | wc -c)" -eq 0 ]
    profdiff --stats --runs=label:host -t ndjson web[1-3].pfs evil.pfs | grep -q '"max_run":"x\\u001b\[2J\\ny,\\"z"}$'
}

@test "groups of runs stand out as their means" {
    # runs of 100 and 300 are the group 1-of-2, a run of 100 is the group 2-of-2
    for run in 1:100 1:300 2:100; do
        echo "f ${run#*:}" | profcat --set-label "replicate=${run%:*}-of-2" -o "group.$run.pfs" -
    done
    profmerge --replicates=2 -o groups.pfs group.*.pfs
    [ "$(profdiff --stats -t csv groups.pfs | grep ^f, | cut -d , -f 16-)" = 150.0,1.333333333,1-of-2 ]
}

@test "random fleets have the medians and outliers of an independent computation, and the verdicts of the single files" {
    command -v python3 >/dev/null || skip "no python3"
    python3 "$PROFUTILS_SRC/tests/check/outliers.py" 1 12
}

@test "hosts of a merged stream: table by host, comparison by host and by groups" {
    profmerge -m samples -t csv fleet.pfs >/dev/null
    [ "$(proftop --by=label:host -t csv fleet.pfs | grep -c web)" -eq 7 ]
    mkdir -p after
    for k in 1 2 3 4 5 6 7; do
        sed 's/work \(.*\)/work 1\1/' hosts/web$k >after/web$k
        profcat --set-label host=web$k -o after.$k.pfs after/web$k
    done
    profmerge -o after.pfs after.?.pfs
    diff <(profdiff -t csv hosts after) <(profdiff -t csv --runs=label:host fleet.pfs after.pfs)
    # groups of the single files, and of the same files merged one by one in a tree
    for side in hosts after; do
        profmerge --replicates=3 --replicates-by=name -o $side.all.pfs $side/*
        profmerge --replicates=3 --replicates-by=name -o $side.a.pfs $side/web[1-3]
        profmerge --replicates=3 --replicates-by=name -o $side.b.pfs $side/web[4-7]
        profmerge -o $side.tree.pfs $side.a.pfs $side.b.pfs
    done
    diff <(profdiff -t csv hosts.all.pfs after.all.pfs) <(profdiff -t csv hosts.tree.pfs after.tree.pfs)
}
