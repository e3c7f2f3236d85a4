# profmerge --keep-share: small stacks become (other), and every amount that remains is exact.

bats_require_minimum_version 1.5.0
load ../lib/expect

setup()
{
    cd "$BATS_TEST_TMPDIR" || return
    set -o pipefail
    PATH=$PROFUTILS_BIN:$PATH
    check=$PROFUTILS_SRC/tests/check/rollup.py
    stream=$PROFUTILS_SRC/tests/check/make_stream.py
    printf 'a;b;c 5\na;b;d 3\na;e 90\nf 2\n' >one.folded
    bad=0
}

python() { command -v python3 >/dev/null 2>&1 || skip "no python3"; }

# A table of OPTIONS => RECORDS, each of them STACK COUNT, separated by commas
gives()
{
    while IFS= read -r line; do
        options=${line%% => *} want=${line#* => }
        eval "profmerge -t folded $options" 2>err | paste -sd, | sed 's/,/, /g; /^$/d' >got
        [ "$(cat got)" = "$want" ] || { echo "profmerge $options: $(cat got), expected $want"; cat err; bad=1; }
    done
    [ "$bad" -eq 0 ]
}

# a has 98 of 100, a;b 8, a;b;c 5, a;b;d 3, a;e 90, f 2
@test "stacks below the share become (other) under their parent; a stack with exactly the share stays" {
    gives <<'END'
--keep-share=0 one.folded => a;b;c 5, a;b;d 3, a;e 90, f 2
--keep-share=2% one.folded => a;b;c 5, a;b;d 3, a;e 90, f 2
--keep-share=2.000001 one.folded => (other) 2, a;b;c 5, a;b;d 3, a;e 90
--keep-share=3.5% one.folded => (other) 2, a;b;(other) 3, a;b;c 5, a;e 90
--keep-share=6 one.folded => (other) 2, a;b;(other) 8, a;e 90
--keep-share=8.000001% one.folded => (other) 2, a;(other) 8, a;e 90
--keep-share=98% one.folded => (other) 2, a;(other) 98
--keep-share=100% one.folded => (other) 100
--keep-share=50% --keep-share=0% one.folded => a;b;c 5, a;b;d 3, a;e 90, f 2
END
}

@test "the amount counts after all inputs are summed, with their weights and labels" {
    printf 'a;b 1\na;c 99\n' >x.folded
    printf 'a;b 99\na;c 1\n' >y.folded
    gives <<'END'
--keep-share=10% x.folded => a;(other) 1, a;c 99
--keep-share=10% x.folded y.folded => a;b 100, a;c 100
--keep-share=10% -w 100:x.folded y.folded => a;(other) 199, a;c 9901
END
    # over all labels: a;c of host x is 1 % of the total, a;c of both hosts 50 %
    profmerge --label-source=host --keep-share=10% x.folded y.folded -t ndjson >got
    [ "$(wc -l <got)" -eq 4 ]
    # the records of (other) keep their labels
    profmerge --label-source=host --keep-share=51% x.folded y.folded -t ndjson |
        sed 's/.*"labels":\(.*\),"stack":\[{"function":"\([^"]*\)".*"values":{"samples":\([0-9]*\)}.*/\1 \2 \3/' >got
    printf '%s\n' '{"host":["x.folded"]} (other) 100' '{"host":["y.folded"]} (other) 100' | diff - got
}

@test "stacks of negative amounts count with their magnitude, and a total of 0 hides nothing" {
    printf 'a;b 100\na;c 3\nd 7\n' >before.folded
    printf 'a;b 3\na;c 100\nd 6\n' >after.folded
    # the magnitudes are 97, 97 and 1: a is 0 in total, but 194 of 195
    gives <<'END'
--keep-share=5% after.folded -w -1:before.folded => (other) -1, a;b -97, a;c 97
END
    profmerge --keep-share=5% -w 1:after.folded -w -1:after.folded -t ndjson >got
    [ "$(wc -l <got)" -eq 3 ]
    ! grep other got || false
}

@test "a share that is no percentage is refused" {
    for share in 101 -1 x '' % 5%% 1e-2 0.000000001% 5ms nan; do
        fails 2 "^profmerge: --keep-share takes a percentage from 0 to 100, not '" profmerge --keep-share="$share" one.folded
    done
}

@test "every record of random merges is the one computed from the records of the inputs" {
    python
    for seed in 1 2 3 4; do python3 "$check" random "$seed" 25; done
}

@test "the same share of its own output changes nothing, in every format with stacks" {
    python
    for file in "$PROFUTILS_SRC"/tests/corpus/*/small.* "$PROFUTILS_SRC"/tests/corpus/bpftrace/*.json; do
        profcat -q "$file" >/dev/null 2>&1 || continue
        for share in 0.7% 30; do python3 "$check" again $share "$file"; done
    done
}

@test "with --canonical the order of the inputs does not matter" {
    python
    # two measures of which none is marked: with --canonical the first by name is the main one
    echo '{"measures":[{"name":"m"},{"name":"b"}],"records":[{"stack":[["x"]],"values":{"m":1,"b":99}},
           {"stack":[["y"]],"values":{"m":99,"b":1}}]}' | python3 "$stream" >mb
    echo '{"measures":[{"name":"b"},{"name":"m"}],"records":[{"stack":[["z"]],"values":{"m":1,"b":1}}]}' | python3 "$stream" >bm
    profmerge --canonical --keep-share=5% mb bm >xy
    profmerge --canonical --keep-share=5% bm mb >yx
    cmp xy yx
    profcat -t folded -m b xy | paste -sd, >got
    echo '(other) 2,x 99' | diff - got
    # -m chooses the measure that decides
    profmerge --keep-share=5% -m m -t folded mb bm | paste -sd, >got
    echo '(other) 2,y 99' | diff - got
    # a measure that not all inputs have does not decide either
    echo '{"measures":[{"name":"m"}],"records":[{"stack":[["x"]],"values":{"m":1}}]}' | python3 "$stream" >m
    profmerge --keep-share=5% --measures=intersect -t folded mb m | paste -sd, >got
    echo '(other) 2,y 99' | diff - got
}

@test "flat records and edges stay, and a profile without samples says so" {
    python
    echo '{"measures":[{"name":"lines","kind":"flat"}],"records":[{"kind":"flat","at":["f"],"values":{"lines":1}},
           {"kind":"flat","at":["g"],"values":{"lines":999}}]}' | python3 "$stream" >flat
    profmerge --canonical flat >want
    profmerge --canonical --keep-share=50% flat >got 2>err
    cmp want got
    grep -q '^profmerge: warning: --keep-share has no effect: the inputs have no samples' err
    profmerge --keep-share=50% flat one.folded -t ndjson 2>err | grep -c '"kind":"flat"' >got
    [ "$(cat got)" -eq 2 ]
    [ ! -s err ]
}

@test "nothing counts as removed, and what filters removed stays removed" {
    proffilter --ignore=f one.folded >kept.pfs
    profmerge kept.pfs | profcat -t ndjson | sed 's/.*"removed":/removed:/' | sort -u >want
    profmerge --keep-share=50% kept.pfs | profcat -t ndjson | sed 's/.*"removed":/removed:/' | sort -u >got
    diff want got
    profmerge --keep-share=50% kept.pfs | proftop | head -1 >got
    profmerge kept.pfs | proftop | head -1 | diff - got
}

@test "shares of shares are not the share of all: x is small on each host, and not in all" {
    # x has 0.9 % of each host; a share of 0.9 % keeps x, but the hosts were cut at 1 %
    for host in 0 1 2 3 4 5 6 7 8 9; do
        printf 'main;f%s 991\nmain;x 9\n' $host >$host.folded
        profmerge --keep-share=1% $host.folded -o $host.pfs
    done
    # 90 of 10000 are 0.9 %
    profmerge --keep-share=0.9% -t folded ?.folded | grep -v 'f. 991' >got
    echo 'main;x 90' | diff - got
    profmerge --keep-share=0.9% -t folded ?.pfs | grep -v 'f. 991' >got
    echo 'main;(other) 90' | diff - got
}

@test "a sum of small stacks that overflows 64 bits is named" {
    printf 'a;b 9000000000000000000\na;c 9000000000000000000\nz 1\n' >big.folded
    fails 3 "of '\(other\)': the sum of measure 'samples' overflows 64 bits" profmerge --keep-share=60% big.folded -t folded
    profmerge --keep-share=60% --saturate big.folded -t folded 2>/dev/null | paste -sd, >got
    echo '(other) 1,a;(other) 9223372036854775807' | diff - got
}
