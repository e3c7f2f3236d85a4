# profdiff: every expected number follows from the few records next to it, or comes from the independent computation in
# tests/check/profdiff.py.

load ../lib/expect

bats_require_minimum_version 1.5.0

setup_file()
{
    cd "$BATS_FILE_TMPDIR" || return
    # 8 of 8 and 0 of 6 samples on one side: p = 2 / 2^8 and 2 / 2^6; of three tests q = 0.0078125 * 3, 0.03125 * 3 / 2 and 1,
    # of which two are below 0.05: hints
    printf 'main;old 8\nmain;same 3\n' >x.folded
    printf 'main;new 6\nmain;same 3\n' >y.folded
    mkdir before after
    for run in 1 2 3; do
        printf 'main;f %d\nmain;g 1000\n' $((1000 + run)) >before/$run.folded
        printf 'main;f %d\nmain;g 1000\n' $((1500 + run)) >after/$run.folded
    done
    printf 'main;f 10' >cut.folded # a missing line end is not damage, but a stream cut short is
    printf 'main;f 10\nmain;g\n' >bad.folded
}

setup()
{
    cd "$BATS_FILE_TMPDIR" || return
    PATH=$PROFUTILS_BIN:$PATH
    table=profdiff
    export PYTHONDONTWRITEBYTECODE=1
    unset NO_COLOR
}

# The columns of cells:
# 1 function 2 file 3 line 4 image 5 measure 6 unit 7-9 flat before after delta 10-12 cum 13 ratio 14 points 15-16 runs
# 17-18 interval of the delta 19 p 20 q 21 verdict 22 status 23 what --by adds

@test "the table is exactly the expected table" {
    expect profdiff -t text x.folded y.folded <<'END'
samples: 11 before, 9 after, -2 (-18.18% of before)               x.folded, y.folded
points: share of the total after, less share of the total before
    before     after      delta  points  change       verdict
        11         9         -2       0  -18.2% ~                          total
         8         0         -8  -72.73       - ~ removed (-)  ##########  old
         0         6         +6  +66.67       - ~ added (+)    ########    new
         0         0          0       0       - = same                     main
         3         3          0   +6.06      0% = same                     same
one run on a side: nothing tells a change from chance (~); (+) (-): significant if runs did not vary
nothing tested; total -18.18%
END
    expect profdiff -n 1 -o table x.folded y.folded </dev/null
    grep -q '^\.\.\. 3 functions not shown; -n 0 for all$' table
    [ "$(grep -c ' ~ ' table)" -eq 2 ]
}

@test "json and csv follow the schema and keep the order of keys" {
    expect profdiff -t ndjson -n 1 x.folded y.folded <<'END'
{"row":"total","function":"","file":"","line":0,"image":"","measure":"samples","unit":"count","flat_before":11,"flat_after":9,"flat_delta":-2,"cum_before":11,"cum_after":9,"cum_delta":-2,"ratio":0.8181818182,"ratio_low":null,"ratio_high":null,"ratio_q_low":null,"ratio_q_high":null,"points":0.0,"runs_before":1,"runs_after":1,"ci_low":null,"ci_high":null,"tested":false,"p":null,"q":null,"verdict":"~","hint":"","status":"unclear"}
{"row":"function","function":"old","file":"","line":0,"image":"","measure":"samples","unit":"count","flat_before":8,"flat_after":0,"flat_delta":-8,"cum_before":8,"cum_after":0,"cum_delta":-8,"ratio":null,"ratio_low":null,"ratio_high":null,"ratio_q_low":null,"ratio_q_high":null,"points":-72.72727273,"runs_before":1,"runs_after":1,"ci_low":null,"ci_high":null,"tested":false,"p":null,"q":null,"verdict":"~","hint":"-","status":"removed"}
END
    expect profdiff -t json -n 1 --only=added x.folded y.folded <<'END'
{"schema":"profutils.diff/2","meta":{"tool":"profdiff","inputs":["x.folded","y.folded"],"source_format":"folded","complete":true,"metadata":[]},"measures":[{"name":"samples","unit":"count","kind":"sample","total_before":11,"total_after":9,"total_delta":-2,"test":"none","compared":"flat","tests":0,"min_delta":0.01,"spread_total":null,"spread_rows":null,"spread_shares":null,"found_ratio":null,"runs_for_10_percent":null,"gate_found_total":null,"gate_found_ratio":null,"lacking_before":0,"lacking_after":0}],"rows":[
{"row":"total","function":"","file":"","line":0,"image":"","measure":"samples","unit":"count","flat_before":11,"flat_after":9,"flat_delta":-2,"cum_before":11,"cum_after":9,"cum_delta":-2,"ratio":0.8181818182,"ratio_low":null,"ratio_high":null,"ratio_q_low":null,"ratio_q_high":null,"points":0.0,"runs_before":1,"runs_after":1,"ci_low":null,"ci_high":null,"tested":false,"p":null,"q":null,"verdict":"~","hint":"","status":"unclear"},
{"row":"function","function":"new","file":"","line":0,"image":"","measure":"samples","unit":"count","flat_before":0,"flat_after":6,"flat_delta":6,"cum_before":0,"cum_after":6,"cum_delta":6,"ratio":null,"ratio_low":null,"ratio_high":null,"ratio_q_low":null,"ratio_q_high":null,"points":66.66666667,"runs_before":1,"runs_after":1,"ci_low":null,"ci_high":null,"tested":false,"p":null,"q":null,"verdict":"~","hint":"+","status":"added"}
]}
END
    profdiff -t csv x.folded y.folded >table.csv
    [ "$(head -n 1 table.csv | tr , '\n' | wc -l)" -eq 29 ]
    [ "$(wc -l <table.csv)" -eq 6 ]
    grep -q '^function,main,,0,,samples,count,0,0,0,11,9,-2,,,,,,0.0,1,1,,,false,,,=,,same$' table.csv
}

@test "comparisons of random runs equal an independent computation" {
    command -v python3 >/dev/null || skip "python3 is missing"
    timeout 300 python3 "$PROFUTILS_SRC/tests/check/profdiff.py" "$PROFUTILS_BIN" random 40 20140616
}

@test "the laws of differences hold for random profiles" {
    command -v python3 >/dev/null || skip "python3 is missing"
    local pairs=100
    [ -z "${PROFUTILS_LAWS:-}" ] || pairs=500
    timeout 600 python3 "$PROFUTILS_SRC/tests/check/profdiff_laws.py" "$PROFUTILS_BIN" "$pairs" 3
}

@test "differences and statistics of dcpi profiles equal the reference" {
    command -v python3 >/dev/null || skip "python3 is missing"
    timeout 60 python3 "$PROFUTILS_SRC/tests/check/profdiff.py" "$PROFUTILS_BIN" dcpi "$CORPUS/dcpi"
}

@test "a profile of any format does not differ from itself" {
    [ -d "$CORPUS/statprofiler" ] || skip "no corpus"
    for profile in "$CORPUS"/statprofiler/sections-nested.out "$CORPUS"/nytprof/anon_c0.nyt "$CORPUS"/dcpi/valid/v03_many_chunks.prof x.folded; do
        [ -f "$profile" ] || continue
        for by in function line section; do
            profdiff -t tsv -b $by "$profile" "$profile" >table
            [ "$(tail -n +2 table | cut -f 27,29 | sort -u)" = "$(printf '=\tsame')" ] || [ "$by" = section ] || { echo "$profile by $by"; cat table; return 1; }
            tail -n +2 table | awk -F '\t' '$10 != 0 || $13 != 0 || $29 != "same" { print; bad = 1 } END { exit bad }'
        done
        profdiff "$profile" "$profile" -t pfs | profcat -t ndjson | grep -oE '"[a-z_]*\.delta":-?[0-9]+' | sort -u >deltas
        [ -s deltas ]
        ! grep -v ':0$' deltas || return 1
    done
}

@test "runs are compared by the moderated t, two runs by Welch's t" {
    # f: 1001..1003 and 1501..1503; g does not change
    expect cells 1,7-9,13,15,16,21,22 -s name before after <<'END'
f 1002 1502 500 1.499001996 3 3 + more
g 1000 1000 0 1.0 3 3 = same
main 0 0 0  3 3 = same
END
    profdiff -t text before after >table
    grep -q "^samples: 2,002 before, 2,502 after per run, +500 (+24.98% of before)  *before (3 runs), after (3 runs)$" table
    grep -q "^moderated t over 3 and 3 runs; + -: q < 0.05 over 2 functions tested;" table
    [ "$(tail -n 1 table)" = "1 function up, 0 down, 2 unchanged or too noisy; total +24.98% (p < 0.001)" ]
    # a variance of a half on each side, one degree of freedom each: t = 500 / sqrt(1/2), of two degrees of freedom
    printf '%s\n' before/1.folded before/2.folded >few
    printf '%s\n' after/1.folded after/2.folded >few2
    profdiff -t text @few @few2 | grep -q "^Welch's t over 2 and 2 runs"
    # p = 1 - t / sqrt(2 + t^2) = 1 - 1 / sqrt(1 + 4e-6)
    [ "$(cells 1,19,21 -s name @few @few2 | tr '\n' ,)" = "f 1.999994e-06 +,g 1.0 =,main  =," ]
    [ "$(cells 1,21 -s name --test=welch before after | tr '\n' ,)" = "f +,g =,main =," ]
    # Fieller's interval: the variance of each mean of f is 1; t = 4.3027 for two degrees of freedom; roots by Python's floats.
    # g is 2 before, with a variance of 1: not significantly different from 0, so the ratio may be arbitrarily large
    mkdir fieller1 fieller2
    printf 'f 100\ng 1\n' >fieller1/1.folded && printf 'f 102\ng 3\n' >fieller1/2.folded
    printf 'f 200\ng 60\n' >fieller2/1.folded && printf 'f 202\ng 61\n' >fieller2/2.folded
    for side in "" --reverse; do
        profdiff -s name $side fieller1 fieller2 -t ndjson | python3 -c '
import json, sys
for row in map(json.loads, list(sys.stdin)[1:]):
    print(row["function"], *(row[end] if row[end] is None else f"{row[end]:.6f}" for end in ("ratio_low", "ratio_high")))'
    done >got
    # the other way round: 1 / 2.088753 and 1 / 1.898682; the interval of g holds 0, so it has no reciprocal
    printf '%s\n' "f 1.898682 2.088753" "g None None" "f 0.478755 0.526681" | diff - <(head -n 3 got)
    [[ "$(tail -n 1 got)" == "g -"* ]]
    [ "$(profdiff -s name fieller1 fieller2 | grep -cF ' .. ')" -eq 2 ] # the total and f
    fails 2 "--test takes moderated or welch" profdiff --test=t before after
    # a directory, a list of its files and the runs in another order are the same
    profdiff -t csv before after >want
    ls before/* >list
    (ls after/* | sort -r) >list2
    profdiff -t csv @list @list2 | cmp want -
    # means of counts are exact
    printf 'f 2\n' >two && printf 'f 3\n' >three && printf 'f 1\n' >one
    printf '%s\n' two three >list
    printf '%s\n' one two >list2
    [ "$(cells 7-9,13,22 @list @list2)" = "2.5 1.5 -1 0.6 unclear" ]
}

@test "counts with different numbers of decimals can be compared" {
    printf 'a 10\n' >ten.folded
    printf 'a 10.5\nb 0.125\n' >more.folded
    expect cells 1,6-9,13,22 -s name ten.folded more.folded <<'END'
a count 10 10.5 0.5 1.05 unclear
b count 0 0.125 0.125  added
END
    profdiff -t text ten.folded more.folded >table
    grep -q '^samples: 10 before, 10.62 after, +0.62 (+6.25% of before)' table
    grep -q '^ *10  *10.5  *+0.5 .* a$' table
    grep -q '^ *0  *0.12  *+0.12 ' table
    profdiff -t json ten.folded more.folded | grep -q '"total_before":10,"total_after":10.625,"total_delta":0.625,'
    # 10 tenths are one
    printf 'a 1\n' >one.folded
    printf 'a 1.0\nb 0.5\n' >one-tenths.folded
    [ "$(cells 1,9,21 -s name one.folded one-tenths.folded | tr '\n' ,)" = "a 0 =,b 0.5 ~," ]
    # a side may have several runs
    printf '%s\n' ten.folded more.folded >mixed
    [ "$(cells 1,7-9 -s name ten.folded @mixed | head -n 1)" = "a 10 10.25 0.25" ]
    [ "$(cells 1,7,9-13 --stats -s name ten.folded more.folded | head -n 1)" = "a 20.5 2 10.25 0.3535533906 10 10.5" ]
    # parts of a count are not a unit for -u
    profdiff -u ticks -t csv ten.folded more.folded | diff - <(profdiff -t csv ten.folded more.folded)
    # 2^62 thousands overflow 64 bits when counted in eighths
    printf 'a 4611686018427387904\n' >great.folded
    fails 3 "overflows 64 bits in the common unit of all runs" profdiff -t csv great.folded more.folded
}

@test "means of counts are exact, and so are the numbers computed from them" {
    mkdir fifths fifths2 sixtieths sixtieths2
    for run in 1 2 3 4 5; do # 1.4 and 1.6
        printf 'f %d\ng 3\n' $((run < 4 ? 1 : 2)) >fifths/$run.folded
        printf 'f %d\ng 3\n' $((run < 3 ? 1 : 2)) >fifths2/$run.folded
    done
    # points: 1.6 / 4.6 - 1.4 / 4.4 and 3 / 4.6 - 3 / 4.4
    expect cells 1,7-14,22 -s name fifths fifths2 <<'END'
f 1.4 1.6 0.2 1.4 1.6 0.2 1.142857143 2.964426877 unclear
g 3 3 0 3 3 0 1.0 -2.964426877 same
END
    profdiff -t text fifths fifths2 >table
    grep -q '^samples: 4.4 before, 4.6 after per run, +0.2 (+4.55% of before)' table
    grep -q '^ *1.4  *1.6  *+0.2  *+2.96  *+14.3% ' table
    # the middle of the interval is the difference
    profdiff -t ndjson fifths fifths2 | python3 -c '
import json, sys
row = json.loads(next(sys.stdin))
assert abs((row["ci_low"] + row["ci_high"]) / 2 - 0.2) < 1e-9, row'
    for run in $(seq 60); do # 27 / 60 = 0.45 and (36 + 2 * 24) / 60 = 1.4: 211.1 % more
        printf 'f %d\nmain 5\n' $((run <= 27)) >sixtieths/$run.folded
        printf 'f %d\nmain 5\n' $((run <= 24 ? 2 : 1)) >sixtieths2/$run.folded
    done
    profdiff -t csv --fail-above=500% sixtieths sixtieths2 >/dev/null
    profdiff -t csv --fail-above=212% sixtieths sixtieths2 >/dev/null
    [ "$(profdiff -t csv --fail-above=50% sixtieths sixtieths2 | tail -n +2 | cut -d , -f 2,8-10,14)" = "f,0.45,1.4,0.95,3.111111111" ]
    run profdiff -t csv --fail-above=0 sixtieths sixtieths2
    [ "$status" -eq 1 ]
    profdiff -t csv --fail-above=1count sixtieths sixtieths2 >/dev/null
    # times are whole nanoseconds: 4 / 3 and 5 / 3; the exact means differ by a quarter
    for run in 1 1 2 1 2 2; do
        stream time$((++number)).pfs <<END
{"measures": [{"name": "wall", "unit": "nanoseconds", "main": 1}], "records": [{"stack": [["f"]], "values": {"wall": $run}}]}
END
    done
    printf 'time%d.pfs\n' 1 2 3 >list
    printf 'time%d.pfs\n' 4 5 6 >list2
    [ "$(cells 6-9,13,22 @list @list2)" = "nanoseconds 1 2 1 1.25 unclear" ]
    # raw counts have decimals, whatever their unit
    [ "$(cells 6-9,13 -u ticks @list @list2)" = "nanoseconds 1.333333 1.666667 0.333333 1.25" ]
}

@test "a subdirectory is one run, and so is a tree of processes" {
    mkdir -p deep/one/below deep/two
    cp before/1.folded deep/one/below/a.folded
    cp before/2.folded deep/one/b.folded
    cp before/3.folded deep/two/c.folded
    cp x.folded deep/.hidden
    # (1001 + 1002 + 1003) / 2 runs
    [ "$(cells 1,7,15 -s name deep after | head -n 1)" = "f 1503 2" ]
    [ -d "$CORPUS/statprofiler" ] || skip "no corpus"
    # as with the profiler's reader: 128 + 36 + 65 + 39 + 16 ticks of a millisecond in a parent and its children; 1479
    # ticks of half a millisecond in another
    mkdir trees
    cp "$CORPUS"/statprofiler/fork.out.*0000000? "$CORPUS"/statprofiler/split.out.*.0000000? trees
    profdiff -q -t json trees trees -m wall | grep -q '"total_before":511750000,"total_after":511750000,'
    [ "$(cells 15 -q trees trees | sort -u)" = 2 ]
    # copies of a run count as runs
    mkdir copies
    cp "$CORPUS"/statprofiler/fork.out.00006a3d*.00000001 copies/1 && cp copies/1 copies/2
    [ "$(cells 15 copies trees -q | sort -u)" = 2 ]
}

@test "counts with different periods are compared as events" {
    for period in 1000 3000; do
        stream $period.pfs <<END
{"measures": [{"name": "cycles", "kind": "flat", "nature": "sampled", "period": $period}],
 "records": [{"kind": "flat", "at": ["f"], "values": {"cycles": 30}}]}
END
    done
    # a sample after is worth three times as much, so one in four of 60 is expected there: 2 * P(30 or more) is 5e-5
    [ "$(cells 6-9,21 1000.pfs 3000.pfs)" = "events 30000 90000 60000 ~" ]
    [ "$(profdiff -t ndjson 1000.pfs 3000.pfs | grep -c '"hint":"+"')" -eq 2 ]
    [ "$(cells 6-9 -u events 1000.pfs 1000.pfs)" = "events 30000 30000 0" ]
    [ "$(cells 6-9 1000.pfs 1000.pfs)" = "count 30 30 0" ]
    stream none.pfs <<'END'
{"measures": [{"name": "cycles", "kind": "flat", "nature": "sampled"}], "records": [{"kind": "flat", "at": ["f"], "values": {"cycles": 30}}]}
END
    fails 3 "cannot be compared" profdiff -t csv 1000.pfs none.pfs
}

# ticked FILE NUM F FSAMPLES G GSAMPLES: amounts in units of NUM ns with their numbers of samples
ticked()
{
    stream "$1" <<END
{"measures": [{"name": "wall", "unit": "nanoseconds", "num": $2, "raw_unit": "tick", "nature": "sampled", "main": 1},
  {"name": "samples", "nature": "sampled", "role": "count"}],
 "records": [{"stack": [["f"]], "values": {"wall": $3, "samples": $4}}, {"stack": [["g"]], "values": {"wall": $5, "samples": $6}}]}
END
}

# hints OPTION...: name, delta and hint of each row, by name
hints()
{
    profdiff -t tsv -s name "$@" | awk -F '\t' '$1 == "function" { printf "%s %s %s,", $2, $10, $28 }'
}

@test "hints weigh samples that stand for different amounts on the two sides" {
    ticked fine.pfs 1000000 1000 1000 40 40
    ticked coarse.pfs 10000000 99 99 12 12
    # 1 ms and 10 ms: one sample in 11 is expected after; p of f 0.98, of g 0.0041 (by Python's fractions), q of g twice its p
    [ "$(hints fine.pfs coarse.pfs)" = "f -10000000 ,g 80000000 +," ]
    [ "$(hints coarse.pfs fine.pfs)" = "f 10000000 ,g -80000000 -," ]
    profdiff -t text fine.pfs coarse.pfs | grep -q '; a sample stands for 1ms before, 10ms after$'
    # periods that only the amounts show, as in pprof
    ticked period1.pfs 1 1000000000 1000 40000000 40
    ticked period10.pfs 1 990000000 99 120000000 12
    [ "$(hints period1.pfs period10.pfs)" = "$(hints fine.pfs coarse.pfs)" ]
    # one run of 100 samples of 1 ms against three with 33 of 10 ms: 3 in 13 are expected there
    ticked one.pfs 1000000 100 100 1 1
    ticked third.pfs 10000000 11 11 1 1
    printf '%s\n' third.pfs third.pfs third.pfs >thirds
    [ "$(hints one.pfs @thirds)" = "f 10000000 ,g 9000000 ," ]
    # shares need no amounts
    [ "$(hints --normalize fine.pfs fine.pfs)" = "f 0 ,g 0 ," ]
}

@test "if samples stand for different or unknown amounts, there are no hints" {
    ticked fine.pfs 1000000 1000 1000 40 40
    ticked coarse.pfs 10000000 99 99 12 12
    ticked heavy.pfs 10000000 150 99 12 12 # some weigh more than one tick
    [ "$(hints fine.pfs heavy.pfs)" = "f 500000000 ,g 80000000 ," ]
    profdiff -t text fine.pfs heavy.pfs | grep -q '^one run on a side: nothing tells a change from chance (~)$'
    profdiff -t json fine.pfs heavy.pfs | grep -q '"test":"none"'
    printf '%s\n' fine.pfs coarse.pfs >list # both kinds on one side
    [ "$(hints fine.pfs @list)" = "f -5000000 ,g 40000000 ," ]
    # the same clock: a hint needs both numbers of samples and amounts; f has as many samples, but six times the amount
    ticked light.pfs 1000000 10 10 15 10
    ticked heavy.pfs 1000000 60 10 15 10
    [ "$(hints light.pfs heavy.pfs)" = "f 50000000 ,g 0 ," ]
}

@test "a change of exact counts is real; a change of times of one run on each side is unknown" {
    for calls in 5 6; do
        stream $calls.pfs <<END
{"measures": [{"name": "calls", "nature": "exact", "role": "count"}, {"name": "time", "unit": "nanoseconds", "nature": "timed"}],
 "records": [{"stack": [["f"]], "values": {"calls": $calls, "time": $calls}}, {"stack": [["g"]], "values": {"calls": 2, "time": 2}}]}
END
    done
    [ "$(cells 1,9,19,21,22 -m calls 5.pfs 6.pfs | tr '\n' ,)" = "f 1  + more,g 0  = same," ]
    [ "$(cells 1,9,19,21,22 -m time 5.pfs 6.pfs | tr '\n' ,)" = "f 1  ~ unclear,g 0  = same," ]
    [ "$(cells 1,5,9,21 -m time -m calls 5.pfs 6.pfs | tr '\n' ,)" = "f time 1 ~,g time 0 =,f calls 1 +,g calls 0 =," ]
    profdiff -t text -m calls 5.pfs 6.pfs | grep -q '^exact counts: any change is real$'
    profdiff -t text -m time 5.pfs 6.pfs | grep -q 'nothing tells a change from chance'
}

@test "--sort, --only, -n, --drop-negative and --reverse work as the manual says" {
    printf 'a 10\nb 100\nc 7\nd 50\n' >p.folded
    printf 'a 30\nb 60\nd 50\ne 3\n' >q.folded
    order() { cells 1 "$@" p.folded q.folded | tr -d '\n'; }
    [ "$(order)" = baced ]
    [ "$(order -s delta)" = aedcb ]
    [ "$(order -s name)" = abcde ]
    [ "$(order -s ratio)" = eadbc ]
    # p: a 0.0022, b 0.0019, c 2 / 2^7, e 2 / 2^3, d 1; b before a
    [ "$(order -s q)" = baced ]
    [ "$(order --only=added)" = e ]
    [ "$(order --only=removed)" = c ]
    [ "$(order --only=same)" = d ]
    # one run is not enough for a direction; three are
    [ "$(order --only=more)" = "" ]
    [ "$(order --only=less)" = "" ]
    [ "$(order --only=significant)" = "" ]
    mkdir ps qs
    for run in 1 2 3; do
        sed "s/ \(.*\)/ \1.$run/" p.folded >ps/$run.folded
        sed "s/ \(.*\)/ \1.$run/" q.folded >qs/$run.folded
    done
    [ "$(cells 1 --only=more ps qs)" = a ]
    [ "$(cells 1 --only=less ps qs)" = b ]
    [ "$(cells 1 --only=significant ps qs | tr -d '\n')" = bace ]
    [ "$(order -n 2)" = ba ]
    [ "$(order -n 2 --only=same)" = d ]
    [ "$(order --drop-negative)" = aed ]
    [ "$(cells 1,7-9,22 --reverse -n 1 ps qs)" = "b 60.2 100.2 40 more" ]
    profdiff -t csv --reverse p.folded q.folded >want
    profdiff -t csv q.folded p.folded >got
    diff <(grep -v '^row' want) <(grep -v '^row' got)
    fails 2 "--sort takes abs" profdiff -s size p.folded q.folded
    fails 2 "--only takes added" profdiff --only=new p.folded q.folded
}

@test "a ratio certainly within --min-delta makes a row equal" {
    mkdir near1 near2
    for run in 1 2 3; do
        printf 'f %d\ng %d\n' $((1000000 + run * 1000)) $((500000 + run * 70000)) >near1/$run.folded
        printf 'f %d\ng %d\n' $((1001000 + run * 1000)) $((501000 + run * 70000)) >near2/$run.folded
    done
    # f: a standard deviation of 0.1 % and a difference of 0.1 %; g: one of 11 %
    [ "$(cells 1,21 -s name near1 near2 | tr '\n' ,)" = "f =,g ~," ]
    [ "$(cells 1,21 -s name --min-delta=0.1% near1 near2 | tr '\n' ,)" = "f ~,g ~," ]
    [ "$(cells 1,21 -s name --min-delta=60% near1 near2 | tr '\n' ,)" = "f =,g =," ]
    fails 2 "--min-delta takes a change of the ratio" profdiff --min-delta=-1 near1 near2
    fails 2 "--min-delta takes a change of the ratio" profdiff --min-delta=5ms near1 near2
}

@test "rows below --min-percent are not tested" {
    mkdir small1 small2
    for run in 1 2 3; do
        printf 'f %d\ng %d\n' $((100000 + run)) $((150 + run)) >small1/$run.folded
        printf 'f %d\ng %d\n' $((100000 + run)) $((400 + run)) >small2/$run.folded
    done
    # g: 152 + 402 of 200,558, 0.28 %
    [ "$(cells 1,21 -s name small1 small2 | tr '\n' ,)" = "f =,g +," ]
    [ "$(cells 1,20,21,22 -s name --min-percent=0.5 small1 small2 | tr '\n' ,)" = "f 1.0 = same,g  . unclear," ]
    profdiff -t text --min-percent=0.5 small1 small2 | grep -q '; \.: below 0.5%, not tested$'
}

@test "--normalize keeps columns with one name and different units apart in streams and pictures" {
    row() { printf '{"id":1,"kind":"sample","labels":{},"stack":[{"function":"%s"}],"values":{"n":%s},"units":{"n":"%s"}}\n' "$@"; }
    { row f 1 count; row g 3 count; row f 4 bytes; row g 1 bytes; } >units.ndjson
    profdiff --normalize -f ndjson -t pfs units.ndjson units.ndjson >units.pfs
    profcat -t json units.pfs | python3 -c '
import json, sys
rows = [{key: value for key, value in row["values"].items() if key.endswith("before") and value} for row in json.load(sys.stdin)["rows"]]
want = [{"n.before": 250000000, "n/bytes.before": 800000000}, {"n.before": 750000000, "n/bytes.before": 200000000}]
assert rows == want, rows'
}

@test "shares of a total that is tiny beside its parts are clipped to 64 bits" {
    stream cancel.pfs <<'END'
{"measures": [{"name": "bytes", "unit": "bytes"}],
 "records": [{"stack": [["f"]], "values": {"bytes": 4611686018427387904}}, {"stack": [["g"]], "values": {"bytes": -4611686018427387903}}]}
END
    # 2^62 / 1 of a total of 1 byte
    for program in profdiff ${PROFUTILS_SAN_BIN:+"$PROFUTILS_SAN_BIN"/profdiff}; do
        $program -t tsv -s name --normalize cancel.pfs cancel.pfs | cut -f 2,8,9,28,29 | tail -n 2 | tr '\t\n' ' ,' >got
        [ "$(cat got)" = "f 9223372036854775807 9223372036854775807  same,g -9223372036854775807 -9223372036854775807  same," ] || { cat got; false; }
    done
}

@test "--normalize compares shares" {
    printf 'f 30\ng 70\n' >p.folded
    printf 'f 60\ng 140\n' >q.folded
    [ "$(cells 1,6,7-9,21 --normalize p.folded q.folded | tr '\n' ,)" = "f ppb 300000000 300000000 0 =,g ppb 700000000 700000000 0 =," ]
    profdiff -t text --normalize p.folded q.folded | grep -q '^ *30.00% *30.00% *0%'
    fails 2 "a time cannot bound shares" profdiff --normalize --fail-above=5ms p.folded q.folded
    profdiff -b section p.folded q.folded -o nothing.txt
    grep -q '^no record has a value$' nothing.txt
}

@test "--fail-above exits 1 and shows only what certainly rose by more" {
    mkdir p q
    for run in 1 2 3; do
        for row in a:1000 b:1000 c:1000 d:1000; do printf '%s %d\n' ${row%:*} $((${row#*:} + run)); done >p/$run.folded
        # a rose by 30 %, b by 5 % and c by 50 % on average, but c varies by 800 of 1500; e is new
        for row in a:1300 b:1050 d:700 e:40; do printf '%s %d\n' ${row%:*} $((${row#*:} + run)); done >q/$run.folded
        printf 'c %d\n' $((run * 800 - 100)) >>q/$run.folded
    done
    rose() { profdiff --fail-above="$1" p q -t tsv | cut -f 1,2 | sed '1d; s/function.//' | sort | tr -d '\n\t'; }
    [ "$(rose 4%)" = abe ]
    [ "$(rose 6%)" = ae ]
    [ "$(rose 20%)" = ae ]
    [ "$(rose 31%)" = e ]
    # a: 1001..1003 and 1301..1303
    [ "$(rose 290count)" = a ]
    [ "$(rose 301count)" = "" ]
    got=0
    profdiff --fail-above=4% p q >out || got=$?
    [ "$got" -eq 1 ]
    grep -q '^3 of 5 functions rose by more than 4% of what they were before$' out
    [[ "$(tail -n 1 out)" == "3 functions up, 1 down, 1 unchanged or too noisy; total "* ]]
    run profdiff --fail-above=4% p q -o rose.tsv # the run succeeded and the condition is met, so the file is written
    [ "$status" -eq 1 ]
    grep -q more rose.tsv
    profdiff --fail-above=400count p q >table
    # R's power.t.test: (4408.5 / 4008.5) * 2 ^ delta = 1.6148
    grep -q '^0 of 5 functions rose by more than 400count; a rise of the total above 61% would be found$' table
    profdiff --fail-above=0 p p >table
    # the total alone
    for run in 1 2 3; do
        printf 'a %d\n' $((1280 + run)) >q/$run.folded
        printf 'a %d\n' $((1000 + run)) >p/$run.folded
    done
    [ "$(rose 25%)" = atotal ]
    [ "$(rose 29%)" = "" ]
    # one run: nothing can be told, unless numbers of samples are judged as if runs did not vary
    printf 'a 1000\nb 1000\nc 1000\nd 3\n' >p.folded
    printf 'a 1300\nb 1050\nc 700\nd 6\ne 40\n' >q.folded
    fails 2 "--fail-above needs two runs a side, better five: one run does not show how much runs vary" profdiff --fail-above=4% p.folded q.folded
    run profdiff --force --fail-above=4% p.folded q.folded -t tsv
    [ "$status" -eq 1 ]
    [ "$(printf '%s\n' "${lines[@]}" | cut -f 2 | tr -d '\n')" = functionae ]
    for time in 1 3; do
        stream t$time.pfs <<END
{"measures": [{"name": "time", "unit": "nanoseconds", "nature": "timed"}, {"name": "calls", "nature": "exact", "role": "count"}],
 "records": [{"stack": [["f"]], "values": {"time": ${time}000000, "calls": ${time}000}}]}
END
    done
    fails 2 "--fail-above needs two runs a side" profdiff --force --fail-above=1999us t1.pfs t3.pfs -t tsv
    # exact counts need no more runs
    run profdiff -m calls --fail-above=199% t1.pfs t3.pfs
    [ "$status" -eq 1 ]
    profdiff -m calls --fail-above=200% t1.pfs t3.pfs
    # a damaged input gives no decision
    run profdiff --fail-above=5% p bad.folded
    [ "$status" -eq 3 ]
    run profdiff --keep-going --fail-above=5% p bad.folded
    [ "$status" -eq 3 ]
    fails 2 "--fail-above takes" profdiff --fail-above=much p q
    profdiff --fail-above=300bytes p q >table
    run profdiff --fail-above=0.27k p q
    [ "$status" -eq 1 ]
}

@test "the difference passes through a pipe, and before + delta = after" {
    profdiff -t pfs x.folded y.folded | proffilter -F 'old|new' | proftop -t csv -n 0 >got
    [ "$(cut -d , -f 2,7,9,11 got | tail -n +2 | sort | tr '\n' ' ')" = "main,samples.delta,0,-2 new,samples.delta,6,6 old,samples.delta,-8,-8 " ]
    [ "$(profdiff -t pfs x.folded y.folded | proftop -t csv -s name -m samples.before -m samples.after | grep -c '^1,main')" -eq 2 ]
    profdiff -t pfs before after | profcat -t ndjson | sed 's/.*"stack":[[]{"function":"\([a-z]*\)".*\("values".*\),"units.*/\1 \2/' | sort >got
    [ "$(cat got)" = 'f "values":{"samples.before":1002,"samples.after":1502,"samples.delta":500}
g "values":{"samples.before":1000,"samples.after":1000,"samples.delta":0}' ]
    # falls are left out
    profdiff -t pfs --drop-negative x.folded y.folded | profcat -t ndjson | grep -c . >count
    [ "$(cat count)" -eq 2 ]
    # labels keep records separate, and -m names measures of the runs
    profdiff -t pfs -m samples x.folded y.folded | profcat -t ndjson | grep -q '"samples.delta":-8'
    fails 2 "there is no measure 'nothing'" profdiff -m nothing -t pfs x.folded y.folded -o absent.pfs
    [ ! -e absent.pfs ]
}

@test "means of small stacks over several runs are exact" {
    # 100 stacks of one sample in each of three runs before, 200 after; each stack is in one run, so that its mean is a
    # third
    mkdir thin thinner
    for run in 0 1 2; do
        seq -f "main;leaf${run}_%g 1" 100 >thinner/$run.folded
        seq -f "main;leaf${run}_%g 1" 200 >thin/$run.folded
    done
    profdiff thinner thin -o thin.pfs
    profcat thin.pfs -t svg >thin.svg
    grep -q '<title>main (before 100, after 200 samples, +100, +100.00%, ratio 2.00)</title>' thin.svg
    # the same but for the verdicts and the colours that follow from them
    plain() { sed -E 's/; (function|total): [^)]*\)<\/title>/)<\/title>/; s/, pale is not significant//; s/ (fill|class)="[^"]*"//g' "$1"; }
    plain thin.svg >want
    profdiff thinner thin -t svg -o verdicts.svg
    grep -q '; function: ' verdicts.svg
    plain verdicts.svg | cmp - want
    [ "$(profcat thin.pfs -t json:flame | head -c 71)" = '{"name":"all","value":200,"self":0,"children":[{"name":"main","value":2' ]
    [ "$(proftop -t csv -s name thin.pfs | grep ',main,' | cut -d , -f 9-11)" = "0,0.0,100" ]
    proftop --tree -t text thin.pfs -n 0 | grep -q '^ *100 .* main$'
    profcat thin.pfs -t ndjson | grep '"leaf1_150"' | grep -q '"samples.before":0,"samples.after":0.333333,"samples.delta":0.333333},"units":{"samples.before":"count"'
    profcat -t folded thin.pfs >thin.folded 2>said
    grep -q "'samples.before': counts are rounded to 6 decimals" said
    grep -q '^main;leaf1_1 0.333333 0.333333$' thin.folded
    # five and two runs: tenths, written as they are
    mkdir runs5 runs2
    for run in 1 2 3 4 5; do
        echo "f $run" >runs5/$run.folded
    done
    printf 'f 1\n' >runs2/1.folded
    printf 'g 2\n' >runs2/2.folded
    expect profdiff runs5 runs2 -t folded <<'END'
f 3 0.5
g 0 1
END
    # means of ticks are fractions of ticks, and times are still times
    for run in 1 2; do
        python3 "$PROFUTILS_SRC/tests/check/make_stream.py" >tick$run.pfs <<END
{"measures": [{"name": "wall", "unit": "nanoseconds", "num": 10000000, "raw_unit": "tick", "main": 1}],
 "records": [{"stack": [["f"]], "values": {"wall": $run}}, {"stack": [["g"]], "values": {"wall": 3}}]}
END
    done
    printf '%s\n' tick1.pfs tick2.pfs >list
    profdiff tick1.pfs @list -t pfs -o ticks.pfs
    [ "$(proftop -t csv -s name ticks.pfs | grep ',f,' | cut -d , -f 8-9)" = "nanoseconds,5000000" ]
    [ "$(proftop -u ticks -m wall.before -t csv -s name ticks.pfs | grep ',g,' | cut -d , -f 8-9)" = "tick,3" ]
}

@test "fractional means are read back from other formats, or a warning says that they are rounded" {
    mkdir many and
    printf 'f 1\ng 4\n' >many/1.folded # f 4/3, g 8/3
    printf 'f 1\ng 2\n' >many/2.folded
    printf 'f 2\ng 2\n' >many/3.folded
    printf 'f 1\nh 1\n' >and/1.folded # f 7/3, g 1, h 1/3
    printf 'f 3\n' >and/2.folded
    printf 'f 3\ng 3\n' >and/3.folded
    profdiff many and -t pfs -o thirds.pfs
    for format in pprof callgrind json ndjson; do
        profcat thirds.pfs -t $format -o thirds.$format 2>said
        [ ! -s said ]
        profcat thirds.$format -t ndjson | python3 -c '
import json, sys
for line in sys.stdin:
    row = json.loads(line)
    assert set(row["units"].values()) == {"count"}, row
    print(row["stack"][0]["function"], *(row["values"]["samples." + side] for side in ("before", "after", "delta")))
' | sort >got
        printf 'f 1.333333 2.333333 1\ng 2.666667 1 -1.666667\nh 0 0.333333 0.333333\n' | diff -u - got
        # sums of thirds have the right value
        [ "$(proftop -t csv -m samples.after -n 1 thirds.$format | tail -n 1 | cut -d , -f 2,8-9)" = f,count,2.333333 ]
    done
    grep -q '^events: samples.delta_(1/3count) samples.before_(1/3count) samples.after_(1/3count)$' thirds.callgrind
    profcat thirds.callgrind -t callgrind | cmp - thirds.callgrind
    # decimals
    fails 0 'weights with endless decimals are cut after 18 decimals' profcat thirds.pfs -t speedscope
    grep -q '"weights":\[1.333333333333333333,2.666666666666666666\]' out
    for format in speedscope cpuprofile; do
        fails 0 'endless decimals' profcat -m samples.before thirds.pfs -t $format
        profcat out -t ndjson | python3 -c '
import json, sys
for line in sys.stdin:
    row = json.loads(line)
    number, unit = row["values"]["samples.before"], row["units"]["samples.before"]
    assert unit == "count", row
    print(row["stack"][0]["function"], "%.5f" % number)
' >got
        printf 'f 1.33333\ng 2.66667\n' | diff -u - got
    done
    # whole numbers only
    fails 2 'is not a whole number of ticks' profcat -m samples.before thirds.pfs -t statprofiler:tick=10
    for run in 1 2 3; do
        stream whole$run.pfs <<END
{"measures": [{"name": "bytes", "unit": "bytes"}, {"name": "stmts", "kind": "flat", "role": "count"}, {"name": "calls", "kind": "edge", "role": "count"}],
 "records": [{"stack": [["f"]], "values": {"bytes": $((run * run))}}, {"kind": "flat", "at": ["f", "f.pl", 3], "values": {"stmts": $((run * run))}},
             {"kind": "edge", "caller": ["f", "f.pl", 3], "callee": ["g", "f.pl", 9], "values": {"calls": $((run * run))}}]}
END
    done
    printf 'whole%d.pfs\n' 1 2 3 >whole # 14/3
    profdiff @whole whole1.pfs -t pfs -o whole.pfs
    fails 0 'sizes are rounded to whole bytes' profcat -m bytes.before whole.pfs -t heapprofile
    grep -q '"selfSize":5' out
    fails 0 'calls are rounded to whole numbers' profcat -m calls.before whole.pfs -t pynytprof
    profcat -t ndjson out | grep -q '"calls":5'
    fails 2 "'stmts.before' is not counted in whole numbers" profcat -m stmts.before whole.pfs -t nytprof
    # parts of a tick are nanoseconds in formats without ticks: 5/3 of 10 ms
    for run in 1 2; do
        stream tick$run.pfs <<END
{"measures": [{"name": "wall", "unit": "nanoseconds", "num": 10000000, "raw_unit": "tick"}], "records": [{"stack": [["f"]], "values": {"wall": $run}}]}
END
    done
    printf 'tick%d.pfs\n' 1 2 2 >ticks
    profdiff @ticks tick1.pfs -t pfs | profcat -t pprof | profcat -t ndjson | grep -q '"wall.before":16666667,"wall.after":10000000,"wall.delta":-6666667},"units":{"wall.before":"nanoseconds"'
    # costs in thirds and call costs in whole units get one unit in callgrind
    stream mixed.pfs <<'END'
{"measures": [{"name": "Ir", "kind": "flat", "den": 3, "raw_unit": "1/3 count"}, {"name": "Ir", "kind": "edge", "role": "inclusive"}],
 "records": [{"kind": "flat", "at": ["f"], "values": {"Ir": 4}}, {"kind": "edge", "caller": ["f"], "callee": ["g"], "values": {"Ir": 3}}]}
END
    profcat -t callgrind mixed.pfs | grep -A 9 '^events: Ir_(1/3count)$' | tr '\n' , | grep -q ',0 4,.*,calls=0 0,0 9,'
}

@test "a difference in folded has two columns, like difffolded.pl's" {
    expect profdiff -t folded x.folded y.folded <<'END'
main;new 0 6
main;old 8 0
main;same 3 3
END
    profdiff -t pfs x.folded y.folded | proffilter -F new | profcat -t folded >got
    [ "$(cat got)" = "main;new 0 6" ]
    profdiff x.folded y.folded -o two.folded
    profdiff -t folded x.folded y.folded | cmp - two.folded
    fails 2 "cannot hold the values before" profdiff -t statprofiler x.folded y.folded
}

@test "--stats counts runs without records" {
    stream none.pfs <<<'{"measures": [{"name": "wall", "unit": "nanoseconds"}], "records": []}'
    profdiff --stats none.pfs none.pfs | head -n 1 | grep '^wall: 0 in 2 runs '
}

@test "--stats has the statistics of each row over all runs" {
    # 2 and 4: mean 3, deviation sqrt(2), range 2 of 6; 0 and 6: mean 3, deviation sqrt(18)
    printf 'f 2\ng 6\n' >p.folded
    printf 'f 4\n' >q.folded
    expect profdiff --stats -t ndjson p.folded q.folded <<'END'
{"function":"g","file":"","line":0,"image":"","measure":"samples","unit":"count","sum":6,"sum_pct":50.0,"n":2,"mean":3.0,"sd":4.242640687,"min":0,"max":6,"range":6,"range_pct":100.0,"median":3.0,"max_ratio":2.0,"max_run":"p.folded"}
{"function":"f","file":"","line":0,"image":"","measure":"samples","unit":"count","sum":6,"sum_pct":50.0,"n":2,"mean":3.0,"sd":1.414213562,"min":2,"max":4,"range":2,"range_pct":33.33333333,"median":3.0,"max_ratio":1.333333333,"max_run":"q.folded"}
END
    expect profdiff --stats p.folded q.folded -o /dev/stdout <<'END'
samples: 12 in 2 runs                                             p.folded, q.folded
sum%: of the total of all runs; range%: max - min, of the sum
  range%        sum   sum%    n       mean         sd        min     median        max max/med   max in
    100%          6 50.00%    2       3.00       4.24          0       3.00          6     2.0 p.folded  g
  33.33%          6 50.00%    2       3.00       1.41          2       3.00          4    1.33 q.folded  f
END
    [ "$(profdiff --stats -t csv before after | grep '^f,' | cut -d , -f 7,9,10,12-14)" = 7512,6,1252.0,1001,1503,502 ]
    [ "$(profdiff --stats -t tsv -s name p.folded | cut -f 1,11,14 | tail -n +2 | tr '\t\n' ' ,')" = "f  0,g  0," ]
    profdiff --stats -t json p.folded q.folded | grep -q '^{"schema":"profutils.stats/1",.*"total":12,'
    fails 2 "--stats compares nothing" profdiff --stats --fail-above=5% p.folded q.folded
    fails 2 "--stats sorts by" profdiff --stats -s q p.folded
}

@test "differences and sums that overflow 64 bits are refused with the name of the measure" {
    stream low.pfs <<'END'
{"measures": [{"name": "n"}], "records": [{"stack": [["f"]], "values": {"n": -9000000000000000000}}]}
END
    stream high.pfs <<'END'
{"measures": [{"name": "n"}], "records": [{"stack": [["f"]], "values": {"n": 9000000000000000000}}, {"stack": [["g"]], "values": {"n": 1}}]}
END
    fails 3 "measure 'n' for 'f' overflows 64 bits" profdiff -t csv low.pfs high.pfs
    fails 3 "record 1: measure 'n' overflows 64 bits" profdiff -t pfs -o absent.pfs low.pfs high.pfs
    [ ! -e absent.pfs ]
    # means near the end of 64 bits are exact
    printf '%s\n' high.pfs high.pfs >list
    [ "$(cells 7,8,9 -n 1 high.pfs @list)" = "9000000000000000000 9000000000000000000 0" ]
    # halves of them overflow 64 bits: (9e18 + 9e18 + 1) / 2 is rounded to even then
    stream higher.pfs <<'END'
{"measures": [{"name": "n"}], "records": [{"stack": [["f"]], "values": {"n": 9000000000000000001}}]}
END
    printf '%s\n' high.pfs higher.pfs >odd
    profdiff -t pfs @odd high.pfs | profcat -t ndjson | grep -q '"n.before":9000000000000000000,"n.after":9000000000000000000,"n.delta":0'
    mkdir -p dir/run && cp high.pfs dir/run/1.pfs && cp high.pfs dir/run/2.pfs
    fails 3 "the sum of measure 'n' overflows 64 bits" profdiff -t csv high.pfs dir
    # totals have 128 bits: 2 * (2^63 - 1)
    printf 'x 9223372036854775807\ny 9223372036854775807\n' >p.folded
    [ "$(cells 1,7-9,21 p.folded p.folded | tr '\n' ,)" = "x 9223372036854775807 9223372036854775807 0 =,y 9223372036854775807 9223372036854775807 0 =," ]
    profdiff -t json --min-delta=10% p.folded p.folded |
        grep -q '"total_before":18446744073709551614,"total_after":18446744073709551614,"total_delta":0,.*"min_delta":0.1,'
}

@test "the default is the table, even in a pipe; -t or the suffix of -o asks for a stream" {
    LC_ALL=C profdiff x.folded y.folded | cat >piped
    profdiff x.folded y.folded >table
    profdiff x.folded y.folded -o written
    grep -q '^samples: 11 before' table
    cmp piped table
    cmp written table
    profdiff -t pfs x.folded y.folded | head -c 4 | grep -q PFS
    profdiff x.folded y.folded -o diff.pfs && profcat --probe diff.pfs | grep -q pfs
    profdiff x.folded y.folded -o diff.json && head -c 30 diff.json | grep -q '"profutils.diff/2"'
    profdiff x.folded y.folded -o diff.folded.gz && profdiff x.folded y.folded -t folded | cmp - <(gzip -dc diff.folded.gz)
    profdiff x.folded y.folded -o diff.jsonl && profdiff x.folded y.folded -t ndjson | cmp - diff.jsonl
    for suffix in pb.gz speedscope.json callgrind nyt; do
        fails 2 "cannot hold the values before and after" profdiff x.folded y.folded -o "no.$suffix"
        [ ! -e "no.$suffix" ]
    done
    fails 2 "--limit is for tables.*, not 'pfs'" profdiff -n 3 x.folded y.folded -o no.pfs
    fails 2 "--limit is for tables" profdiff -n 3 -t pfs x.folded y.folded
    fails 2 "csv has no option 'explode' for writing" profdiff -t csv:explode x.folded y.folded
}

@test "operands that cannot be compared are refused with the reason" {
    fails 2 "expected two operands, BEFORE and AFTER; there is 1" profdiff x.folded
    fails 2 "there are 3" profdiff x.folded y.folded x.folded
    fails 2 "expected the sets" profdiff --stats
    fails 2 "standard input can be only one run" profdiff - - </dev/null
    mkdir nothing
    fails 3 "nothing: the set has no runs" profdiff nothing x.folded
    : >empty
    fails 3 "no runs" profdiff @empty x.folded
    fails 3 "^profdiff: cannot open 'missing': No such file" profdiff x.folded missing
    [ -z "$output" ]
    fails 3 "^profdiff: cannot open 'missing': No such file" profdiff -t json missing x.folded
    [ -z "$output" ]
    fails 3 "missing: this run is left out" profdiff --keep-going x.folded missing
    [ -z "$output" ]
    profdiff x.folded - -t csv <y.folded | cut -d , -f 9 >got
    profdiff x.folded y.folded -t csv | cut -d , -f 9 | cmp - got
    stream other.pfs <<'END'
{"measures": [{"name": "wall", "unit": "nanoseconds"}], "records": [{"stack": [["f"]], "values": {"wall": 2}}]}
END
    fails 2 "the input has no flat records" profdiff --kind=flat -t csv x.folded y.folded
    fails 2 "the input has no flat records" profdiff --kind=flat -t pfs -o absent.pfs x.folded y.folded
    fails 3 "other.pfs: this side has no measure 'samples' to compare; its measures: wall" profdiff -t csv x.folded other.pfs
    [ -z "$output" ]
    # --fail-above must not succeed if a side lacks the measure
    fails 3 "other.pfs: this side has no measure 'samples' to compare" profdiff --fail-above=5% -t csv x.folded other.pfs
    [ -z "$output" ]
    fails 3 "x.folded: this side has no measure 'wall'" profdiff --fail-above=5% -t csv -m wall x.folded other.pfs
    printf '{"measures": [], "records": []}' >none.json
    stream none.pfs <none.json
    fails 0 "no records and no measures" profdiff -t csv none.pfs none.pfs
    fails 3 "no records and no measures: --fail-above" profdiff --fail-above=5% -t csv none.pfs none.pfs
}

@test "after an input that ends too early nothing is said of measures that may follow" {
    local row='{"kind":"sample","sections":[],"labels":{},"stack":["f"],"values":{"%s":2},"units":{"%s":"count"}}\n'

    # shellcheck disable=SC2059  # the row is the format
    { printf "$row" wall wall >whole.ndjson && printf "$row" other other >some.ndjson && cat some.ndjson whole.ndjson >both.ndjson; }
    head -c -9 both.ndjson >cut.ndjson
    fails 3 "some.ndjson: this side has no measure 'wall' to compare; its measures: other" profdiff whole.ndjson some.ndjson
    for gate in "" --fail-above=5%; do
        fails 3 "^profdiff: cut.ndjson: .*the JSON text ends in the middle" profdiff -t csv $gate whole.ndjson cut.ndjson
        [ -z "$output" ]
        [ "$(wc -l <err)" -eq 1 ]
    done
}

@test "a measure in two units that cannot be converted is refused in all outputs" {
    stream time.pfs <<'END'
{"measures": [{"name": "wall", "unit": "nanoseconds", "num": 1000000, "raw_unit": "tick", "nature": "sampled", "main": 1}],
 "records": [{"stack": [["f"]], "values": {"wall": 9}}]}
END
    stream ticks.pfs <<'END'
{"measures": [{"name": "wall", "unit": "tick", "nature": "sampled", "main": 1}], "records": [{"stack": [["f"]], "values": {"wall": 9}}]}
END
    units="ticks.pfs: measure 'wall' is in 'nanoseconds' in one run and in 'tick' in another: the runs cannot be compared"
    fails 3 "$units" profdiff -t csv time.pfs ticks.pfs
    [ -z "$output" ]
    fails 3 "$units" profdiff -t text -m wall --fail-above=5% time.pfs ticks.pfs
    fails 3 "$units" profdiff -t csv --stats time.pfs ticks.pfs
    fails 3 "$units" profdiff -t pfs -o absent.pfs time.pfs ticks.pfs
    [ ! -e absent.pfs ]
    fails 3 "time.pfs: measure 'wall' is in 'tick' in one run and in 'nanoseconds' in another" profdiff -t csv ticks.pfs time.pfs
    [ "$(cells 6,7,8 ticks.pfs ticks.pfs)" = "tick 9 9" ]
    # if one run of each side has the measure, it is compared
    profmerge -q --force time.pfs ticks.pfs -o both.pfs
    [ "$(cells 5-8 -m wall both.pfs both.pfs)" = "wall nanoseconds 9000000 9000000" ]
    profdiff both.pfs ticks.pfs -o both-ticks.pfs
    profcat -t ndjson both-ticks.pfs | grep -q '"units":.*nanoseconds.*tick'
}

@test "a bad run is named; --keep-going leaves it out and exits 3" {
    mkdir bad && cp before/1.folded before/2.folded bad && cp bad.folded bad/0.folded
    fails 3 "bad/0.folded: offset 10: line 2: the count" profdiff -t csv bad after
    [ -z "$output" ]
    fails 3 "bad/0.folded: this run is left out" profdiff --keep-going -t csv bad after
    # shellcheck disable=SC2154
    [ "$(echo "$output" | grep '^function,f,' | cut -d , -f 8,9,20,21)" = 1001.5,1502,2,3 ]
    fails 3 "no run could be read" profdiff --keep-going -t csv bad.folded after
    [ -z "$output" ]
    # the last run was read only partly, and the output says so
    fails 3 "input incomplete: result is partial" profdiff -t json before bad.folded
    echo "$output" | grep -q '"complete":false'
    # --salvage counts the whole records
    profdiff --salvage -q -t tsv x.folded bad.folded | grep -q $'^function\tf'
    fails 3 "bad/0.folded" profdiff -t pfs -o absent.pfs bad after
    [ ! -e absent.pfs ]
}

@test "with --keep-going a run that cannot be compared does not change the result" {
    mkdir all good
    stream good/1.pfs <<'END'
{"measures": [{"name": "cycles", "period": 10, "nature": "sampled"}, {"name": "level"}], "records": [
 {"stack": [["m"], ["f"]], "values": {"cycles": 3, "level": 1}}, {"stack": [["m"]], "values": {"cycles": 40}}]}
END
    stream good/5.pfs <<'END'
{"measures": [{"name": "cycles", "period": 10, "nature": "sampled"}, {"name": "level"}], "records": [
 {"stack": [["m"], ["f"]], "values": {"cycles": 5, "level": 7}}, {"stack": [["m"]], "values": {"cycles": 42}}]}
END
    # a run without a period; two runs of another unit; a sum that overflows 64 bits in its second
    # record
    stream bare.pfs <<'END'
{"measures": [{"name": "level"}, {"name": "cycles", "nature": "sampled"}], "records": [
 {"stack": [["m"], ["f"]], "values": {"cycles": 9, "level": 9}}, {"stack": [["m"], ["h"]], "values": {"cycles": 8}}]}
END
    stream unit.pfs <<'END'
{"measures": [{"name": "level"}, {"name": "cycles", "unit": "bytes"}], "records": [{"stack": [["m"], ["f"]], "values": {"cycles": 9, "level": 9}}]}
END
    stream over.pfs <<'END'
{"measures": [{"name": "level"}, {"name": "cycles", "period": 15}], "records": [
 {"stack": [["m"], ["f"]], "values": {"cycles": 9223372036854775807, "level": 2}}, {"stack": [["m"], ["f"]], "values": {"cycles": 1}}]}
END
    cp good/* all
    cp bare.pfs all/2.pfs
    cp unit.pfs all/3.pfs
    cp unit.pfs all/4.pfs
    cp over.pfs all/6.pfs
    stream one.pfs <<'END'
{"measures": [{"name": "cycles", "period": 10, "nature": "sampled"}, {"name": "level"}], "records": [
 {"stack": [["m"], ["f"]], "values": {"cycles": 6, "level": 2}}, {"stack": [["m"]], "values": {"cycles": 40}}]}
END
    # means of 3 and 5, of 40 and 42; f is below m
    [ "$(profdiff -q -t csv -s name good one.pfs | sed 1,2d | cut -d , -f 2,8,9 | tr '\n' ' ')" = "f,4,6 m,41,40 " ]
    for options in "-t csv" "-t csv -m level -m cycles" "--cum -t tsv -m cycles -m level" "-t text" "-t folded" "-t folded --normalize"; do
        for sides in "@ one.pfs" "one.pfs @"; do
            # shellcheck disable=SC2086  # options
            profdiff -q $options ${sides/@/good} >want
            sed -i 's/good/all/g' want
            # shellcheck disable=SC2086
            fails 3 'all/2.pfs: this run is left out' profdiff --keep-going $options ${sides/@/all}
            diff -u want out
            for number in 2 3 4 6; do
                grep -q "^profdiff: all/$number.pfs: .*\(cannot be\|overflows 64\)" err || { echo "$options: $number"; cat err; return 1; }
            done
            [ "$(grep -c 'is left out' err)" -eq 4 ]
            # shellcheck disable=SC2086
            { profdiff -q -t pfs ${sides/@/good} | profcat -t text; } >want
            profdiff -q --keep-going -t pfs ${sides/@/all} 2>err | profcat -t text 2>err | grep -v '^incomplete' >got || true
            diff -u <(sed 's/good/all/g' want) got
        done
    done
    fails 3 'all/2.pfs: ' profdiff -t csv all one.pfs
    [ -z "$output" ]
    fails 3 'bare.pfs: no run could be read' profdiff --keep-going -t csv one.pfs bare.pfs
    [ -z "$output" ]
}

@test "the head says how much runs vary, which rises would be found, and how many runs a rise by 10 % needs" {
    # R's power.t.test for the logarithms: n = 3, sd = 0.1287180005, power 0.8; two-sided p < 0.05 gives the ratio 1.315199
    # and, for log2(1.1), 14.78 runs; the gate is one-sided: 1.05 * 1.315199 at p < 0.025, 1.05 * 1.247873 at p < 0.05
    mkdir advice && cd advice
    mkdir before after
    for run in 1 2 3; do
        echo "f $((9000000 + run * 1000000))" >before/$run.folded
        echo "f $((9500000 + run * 1000000))" >after/$run.folded
    done
    run -0 profdiff before after
    [ "${lines[2]}" = "runs vary: totals by 9.3%, functions by 9.3% (median)" ]
    [ "${lines[3]}" = "3 and 3 runs: rises above 32% of a function of 1% of the total would be found; +10% needs about 15 runs a side" ]
    run -0 profdiff --fail-above=5% before after
    [ "${lines[4]}" = "0 of 1 function rose by more than 5% of what they were before; a rise of the total above 38%, or of a function of 1% of the total above 31%, would be found" ]
    run -0 profdiff -t json --fail-above=5% before after
    about=$(printf '%s' "$output" | grep -o '"spread_total".*"gate_found_ratio":[0-9.]*' | sed 's/\(\.[0-9]\{4\}\)[0-9]*/\1/g')
    [ "$about" = '"spread_total":0.0933,"spread_rows":0.0933,"spread_shares":4.4444e-08,"found_ratio":1.3151,"runs_for_10_percent":15,"gate_found_total":1.3809,"gate_found_ratio":1.3102' ]
    # runs that are slower as a whole: shares do not vary
    for run in 1 2 3; do
        for side in before after; do printf 'f %d\ng %d\n' $((run * 1000)) $((run * 3000)) >$side/$run.folded; done
    done
    printf 'f 2010\ng 6000\n' >after/2.folded
    run -0 profdiff before after
    [[ ${lines[2]} == "runs vary: totals by 74%, functions by 74% (median), with --normalize by 0."* ]]
    # nothing is tested, or nothing varies: no advice
    run -0 profdiff before/1.folded after/1.folded
    [[ $output != *"runs vary"* ]] && [[ $output != *"would be found"* ]] || false
}

@test "--fail-above with two runs on a side takes the less certain of two tests" {
    # R: t.test(after, 1.05 * before, alternative = "greater")$p.value is 0.0148, with var.equal = TRUE 0.0750; 60 more: 0.0051
    mkdir unequal && cd unequal
    mkdir before after more
    for amount in 1000 1001; do echo "f $amount" >before/$amount.folded; done
    for amount in 1040 1075 1090 1110 1130 1150; do
        echo "f $amount" >after/$amount.folded
        echo "f $((amount + 60))" >more/$amount.folded
    done
    run -0 profdiff --fail-above=5% before after
    run -1 profdiff --fail-above=5% before more
}

@test "functions of two programs whose names alone differ are joined, unless --images=apart" {
    mkdir images && cd images
    for run in 1 2 3; do
        for side in old:/srv/1/app:1000 new:/srv/2/app-2:1300; do
            IFS=: read -r name image amount <<<"$side"
            printf 'app 7 1.0: %d cycles:\n\t401000 f+0x0 (%s)\n\t7f00 start+0x0 (/lib/libc.so)\n\napp 7 1.1: 500 cycles:\n\t401100 g+0x0 (%s)\n\n' \
                $((amount + run)) "$image" "$image" >$name$run.txt
        done
    done
    ls old?.txt >old
    ls new?.txt >new
    # means of 1001, 1002, 1003 and of 1301, 1302, 1303
    [ "$(cells 1,4,7,8 -s name @old @new | paste -sd,)" = "f /srv/1/app 1002 1302,g /srv/1/app 500 500,start /lib/libc.so 0 0" ]
    [ "$(cells 1,4,7,8 -s name -b line @old @new | paste -sd,)" = "f /srv/1/app 1002 1302,g /srv/1/app 500 500,start /lib/libc.so 0 0" ]
    run -0 profdiff @old @new
    [ "${lines[2]}" = "one program: /srv/1/app before, /srv/2/app-2 after (--images=apart keeps their functions apart)" ]
    [ "$(cells 1,4,7,8 -s name --images=apart @old @new | paste -sd,)" = \
        "f /srv/1/app 1002 0,f /srv/2/app-2 0 1302,g /srv/1/app 500 0,g /srv/2/app-2 0 500,start /lib/libc.so 0 0" ]
    # a second image that only one side has: nobody can tell which images belong together
    printf 'app 7 1.0: 3 cycles:\n\t401000 h+0x0 (/srv/2/other)\n\n' >>new2.txt
    cells 1,4,7,8 -s name @old @new | grep -qx 'f /srv/1/app 1002 0'
}

@test "profdiff --binary and --symbols name addresses" {
    printf '0000000000401000 0000000000000100 T named\n' >names
    printf 'app 7 1.0: 10 cycles:\n\t401010 [unknown] (/bin/x)\n\n' >a.txt
    [ "$(cells 1,7,8 --symbols=names a.txt a.txt)" = "named 10 10" ]
}

@test "V8's hits are the numbers of samples" {
    # two functions of 3 and 2 samples of 1 ms: hints count samples, which are too few, and not microseconds
    for side in before:'2,2,2,3,3' after:'2,3,3,3,3'; do
        printf '{"nodes":[{"id":1,"callFrame":{"functionName":"(root)","url":"","lineNumber":-1,"columnNumber":-1,"scriptId":"0"},"children":[2,3]},{"id":2,"callFrame":{"functionName":"f","url":"a.js","lineNumber":1,"columnNumber":0,"scriptId":"1"}},{"id":3,"callFrame":{"functionName":"g","url":"a.js","lineNumber":9,"columnNumber":0,"scriptId":"1"}}],"startTime":0,"endTime":5000,"samples":[%s],"timeDeltas":[0,1000,1000,1000,1000]}' "${side#*:}" >"${side%%:*}.cpuprofile"
    done
    run -0 profdiff before.cpuprofile after.cpuprofile
    [[ $output == *"(+) (-): significant if runs did not vary"* ]]
    [ "$(cells 1,7,8,21 -s name before.cpuprofile after.cpuprofile | paste -sd,)" = "f 3000000 1000000 ~,g 2000000 4000000 ~" ]
}
