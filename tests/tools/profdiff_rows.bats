# The rows of a difference: which functions, sections and files are the same on both sides. Every expected number
# follows from the few records next to it.

load ../lib/expect

bats_require_minimum_version 1.5.0

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
# 17-18 interval 19 p 20 q 21 verdict 22 status 23 what --by adds

@test "--by chooses the rows and adds a column for the key" {
    stream one.pfs <<'END'
{"measures": [{"name": "wall", "unit": "nanoseconds", "num": 1000000, "raw_unit": "tick", "nature": "sampled", "main": 1}],
 "records": [{"stack": [["main", "a.pl", 9], ["P::f", "P.pm", 3, 0, "/lib/p", 32]], "labels": [["host", "a"], ["section", "s"]], "values": {"wall": 2}},
  {"stack": [["main", "a.pl", 8]], "labels": [["host", "b"]], "values": {"wall": 4}}]}
END
    stream two.pfs <<'END'
{"measures": [{"name": "wall", "unit": "nanoseconds", "num": 500000, "raw_unit": "tick", "nature": "sampled", "main": 1}],
 "records": [{"stack": [["main", "a.pl", 9], ["P::f", "P.pm", 4, 0, "/lib/p", 48]], "labels": [["host", "a"], ["section", "s"]], "values": {"wall": 7}}]}
END
    # ticks of different lengths: both are times
    [ "$(cells 1,6,7-12,21,22 one.pfs two.pfs | tr '\n' ,)" = \
        "main nanoseconds 4000000 0 -4000000 6000000 3500000 -2500000 ~ unclear,P::f nanoseconds 2000000 3500000 1500000 2000000 3500000 1500000 ~ unclear," ]
    [ "$(cells 23,7,8 -b section one.pfs two.pfs)" = "2000000 3500000 s" ]
    [ "$(cells 23,7,8 -b label:host one.pfs two.pfs | tr '\n' ,)" = "4000000 0 b,2000000 3500000 a," ]
    [ "$(cells 23,7,8 -b address one.pfs two.pfs | tr '\n' ,)" = "4000000 0,0 3500000 0x30,2000000 0 0x20," ]
    [ "$(cells 1,3,9 -b line -s delta one.pfs two.pfs | tr '\n' ,)" = "P::f 4 3500000,main 9 0,P::f 3 -2000000,main 8 -4000000," ]
    [ "$(cells 23,9 -b package one.pfs two.pfs | tr '\n' ,)" = "-4000000,1500000 P," ]
    [ "$(profdiff -t csv -b section one.pfs two.pfs | head -n 1 | tr , '\n' | tail -n 1)" = section ]
    fails 2 "--by takes function" profdiff -b nothing one.pfs two.pfs
    fails 3 "another unit" profdiff -u ticks one.pfs two.pfs
}

@test "a library that is mapped to another address is the same library" {
    command -v python3 >/dev/null || skip "python3 is missing"
    # both runs have 1, 10 and 100 samples: in a library with a build id, in one without, and in memory without a file
    python3 "$PROFUTILS_SRC/tests/check/profmerge.py" slid .
    for by in function address line; do
        expect cells 1,4,7,8,22 --by=$by --sort=name run0.pfs run1.pfs <<'END'
0x7f0000100123 /tmp/1/lib.so 1 1 same
0x7f0000110123 /lib/plain.so 10 10 same
0x7f0000120123 //anon 0 100 added
0x7f0000420123 //anon 100 0 removed
END
    done
    expect cells 4,7,8,22 --by=image --sort=name run1.pfs run0.pfs <<'END'
//anon 100 100 same
/lib/plain.so 10 10 same
/tmp/1/lib.so 1 1 same
END
    profdiff -t folded run0.pfs run1.pfs | LC_ALL=C sort >folded
    expect cat folded <<'END'
0x7f0000100123 1 1
0x7f0000110123 10 10
0x7f0000120123 0 100
0x7f0000420123 100 0
END
    profdiff -t pfs run0.pfs run1.pfs | proftop -n 0 -t tsv -m samples.before | cut -f 2,5,9 | tail -n +2 | tr '\t' ' ' | LC_ALL=C sort >top
    expect cat top <<'END'
0x7f0000100123 /tmp/1/lib.so 1
0x7f0000110123 /lib/plain.so 10
0x7f0000420123 //anon 100
END
    # the third run has the lowest address: rows of the earlier runs get that address
    printf 'run0.pfs\nrun1.pfs\n' >mapped.list
    expect cells 1,7,8 --sort=name --normalize run0.pfs @mapped.list <<'END'
0x7f0000100123 9009009 9009009
0x7f0000110123 90090090 90090090
0x7f0000120123 0 450450450
0x7f0000420123 900900901 450450450
END
}

@test "string evals with the same text at the same place are the same, whatever their numbers" {
    # sub f is made by evals 2 and 4 of one run and 5 and 7 of the other, from the same text; g from texts that differ
    run_of()
    {
        stream "$1" <<END
{"measures": [{"name": "samples", "role": "count", "main": 1}], "records": [
    {"stack": [["main"], ["f", "(eval $2)[e.pl:3]", 1, 1]], "values": {"samples": $5}},
    {"stack": [["main"], ["f", "(eval $2)[e.pl:3]", 1, 1], ["f", "(eval $3)[e.pl:3]", 1, 1]], "values": {"samples": $6}},
    {"stack": [["main"], ["g", "(eval $4)[e.pl:4]", 1, 1]], "values": {"samples": 7}}],
 "texts": $7}
END
    }
    texts() { printf '[["(eval %d)[e.pl:3]", 1, "sub f {}"], ["(eval %d)[e.pl:3]", 1, "sub f {}"], ["(eval %d)[e.pl:4]", 1, "%s"]]' "$@"; }
    run_of old.pfs 2 4 3 30 5 "$(texts 2 4 3 'sub g { 1 }')"
    run_of new.pfs 5 7 8 20 10 "$(texts 5 7 8 'sub g { 2 }')"
    run_of bare.pfs 7 7 8 1 1 '[]'
    # f calls itself through two of the evals: its 35 and 30 samples count once
    for column in "" --cum; do
        expect cells 1,2,7-12 --sort=name $column old.pfs new.pfs <<'END'
f (eval 2)[e.pl:3] 35 30 -5 35 30 -5
g (eval 3)[e.pl:4] 7 0 -7 7 0 -7
g (eval 8)[e.pl:4] 0 7 7 0 7 7
main  0 0 0 42 37 -5
END
    done
    expect cells 2,7-9 --by=file --sort=name old.pfs new.pfs <<'END'
 0 0 0
(eval 2)[e.pl:3] 35 30 -5
(eval 3)[e.pl:4] 7 0 -7
(eval 8)[e.pl:4] 0 7 7
END
    # the source texts of the other run show which evals are the same
    expect cells 1,2,7-12 --sort=name bare.pfs new.pfs <<'END'
f (eval 5)[e.pl:3] 2 30 28 2 30 28
g (eval 8)[e.pl:4] 7 7 0 7 7 0
main  0 0 0 9 37 28
END
    [ "$(profdiff -t pfs old.pfs new.pfs | profcat -c)" -eq 4 ]
    profdiff -t pfs old.pfs new.pfs | proftop -n 0 -t tsv -m samples.delta | cut -f 2,3,9,11 | tail -n +2 | tr '\t' ' ' | LC_ALL=C sort >top
    expect cat top <<'END'
f (eval 2)[e.pl:3] -5 -5
g (eval 3)[e.pl:4] -7 -7
g (eval 8)[e.pl:4] 7 7
main  0 -5
END
}

# --- a release in another directory --------------------------------------------------------------------------

@test "a hint names functions that only differ in the file, and --by=name joins them" {
    for side in p:100 p/v2:120; do
        printf '# callgrind format\nevents: Ir\nfl=/%s/w.c\nfn=main\n1 10\nfn=hot\n5 %d\nfn=init\n7 1\n' "${side%:*}" "${side#*:}" >"${side//[^0-9]/}.cg"
        printf 'fl=/usr/same.c\nfn=same\n1 5\n' >>"${side//[^0-9]/}.cg"
    done
    printf 'fl=/p/gone.c\nfn=gone\n1 5\n' >>100.cg
    hint='^\.\.\. 3 functions are gone with one file or image and new with another under the same name: --by=name joins them$'
    profdiff -t text 100.cg 2120.cg | grep -q "$hint"
    profdiff -n 1 --only=more 100.cg 2120.cg | grep -q "$hint"
    run profdiff --fail-above=5% 100.cg 2120.cg
    [ "$status" -eq 1 ]
    grep -q "$hint" <<<"$output"
    for options in --by=name --by=file "-t csv" "-t json" "-t ndjson"; do
        # shellcheck disable=SC2086  # two words
        profdiff $options 100.cg 2120.cg >out
        [ -s out ]
        if grep -q "under the same name" out; then
            return 1
        fi
    done
    grep -v '^fl=/usr' 100.cg | sed '/fn=same/,$d; /fn=main/,+1d; /fn=init/,$d' >one.cg
    profdiff -t text one.cg 2120.cg | grep -q '^\.\.\. 1 function is gone with one file'
}

@test "--by=name also joins frames in the picture of a difference" {
    for side in p:100 v:120; do
        printf '# callgrind format\nevents: Ir\nfl=/%s/w.c\nfn=hot\n5 %d\n' "${side%:*}" "${side#*:}" | profcat -q --expand-edges -o "${side%:*}.pfs"
    done
    profdiff p.pfs v.pfs -t svg | grep -c '<title>hot' >count
    [ "$(cat count)" = 2 ]
    for to in "-t svg --by=name" "--by=name -o joined.svg" "-t svg:by=name" "-t svg:title=x --by=name"; do
        rm -f joined.svg
        # shellcheck disable=SC2086  # several words
        profdiff $to p.pfs v.pfs >out
        [ ! -e joined.svg ] || cat joined.svg >out
        [ "$(grep -c '<title>hot' out)" = 1 ]
        grep -q '<title>hot (before 100, after 120 ' out
    done
    profdiff --by=name -t html p.pfs v.pfs -o out
    fails 2 "svg.*by.*function" profdiff --by=file -t svg p.pfs v.pfs
    fails 2 "\-\-by is for tables" profdiff --by=name -t folded p.pfs v.pfs
    fails 2 "\-\-limit is for tables" profdiff --by=name -n 1 -t svg p.pfs v.pfs
}

@test "--by=section compares a run with many sections and a run with one section or without sections" {
    local measures='{"measures": [{"name": "wall", "unit": "nanoseconds", "main": 1}], "records": ['
    [ -z "$PROFUTILS_SAN_BIN" ] || PATH=$PROFUTILS_SAN_BIN:$PATH
    record() { printf '{"stack": [["f"]], "labels": [["section", "s%d"]], "values": {"wall": 5}}' "$1"; }
    { printf '%s' "$measures"; for k in $(seq 2 200); do record "$k"; printf ','; done; record 1; printf ']}'; } | stream many.pfs
    { printf '%s' "$measures"; record 1; printf ']}'; } | stream one.pfs
    { printf '%s' "$measures"; printf ']}'; } | stream none.pfs
    for few in one none; do
        profdiff --by=section -n 0 -t tsv many.pfs "$few.pfs" >got
        [ "$(tail -n +3 got | wc -l)" -eq 200 ]
        [ "$(tail -n +3 got | grep -c removed)" -eq "$([ "$few" = one ] && echo 199 || echo 200)" ]
    done
}

@test "a row is added or removed by the amounts that are compared" {
    printf 'main;f 10\n' >called.folded
    printf 'main;f 10\nmain;wrap;f 3\nmain;own 2\n' >wrapped.folded
    # flat amounts of wrap are 0 on both sides
    [ "$(cells 1,7,8,21,22 -s name called.folded wrapped.folded | paste -sd,)" = "f 10 13 ~ unclear,main 0 0 = same,own 0 2 ~ added,wrap 0 0 = same" ]
    [ "$(cells 1,10,11,21,22 -s name --cum called.folded wrapped.folded | paste -sd,)" = "f 10 13 ~ unclear,main 10 15 ~ unclear,own 0 2 ~ added,wrap 0 3 ~ added" ]
    [ "$(cells 1,22 -s name --reverse called.folded wrapped.folded | paste -sd,)" = "f unclear,main same,own removed,wrap same" ]
    profdiff -t text -s name called.folded wrapped.folded | grep -qE '= same +wrap$'
    [ "$(cells 1 --only=added called.folded wrapped.folded)" = own ]
}

# titles ARGUMENT...: the frames of the flame graph of a difference
titles() { profdiff -t svg "$@" | sed -n 's/^<g><title>\(.*\); function: .*/\1/p' | sort; }

@test "pictures and records join the functions of two builds of a program, as the table does" {
    # build IDENTIFIER FIRST-LINE-OF-F ADDRESS SAMPLES-OF-F MORE: main calls f
    build()
    {
        stream "$1.pfs" <<END
{"measures": [{"name": "samples", "nature": "sampled", "role": "count", "main": 1}], "records": [
    {"stack": [{"name": "main", "file": "m.c", "start": 9, "line": 12, "image": ["/bin/app", "$1", 4096, 99999], "address": 5000},
               {"name": "f", "file": "m.c", "start": $2, "line": 4, "image": ["/bin/app", "$1", 4096, 99999], "address": $3}], "values": {"samples": $4}}$5]}
END
        profcat "$1.pfs" -t pprof -o "$1.pb"
    }
    build aa 2 6000 10 ''
    build bb 3 7000 13 ', {"stack": [{"name": "added", "file": "m.c", "start": 30, "line": 31, "image": ["/bin/app", "bb", 4096, 99999], "address": 8000}], "values": {"samples": 2}}'
    [ "$(cells 1,7,8 -s name aa.pb bb.pb | paste -sd,)" = "added 0 2,f 10 13,main 0 0" ]
    expect titles aa.pb bb.pb <<'END'
added (before 0, after 2 samples, +2, new
f (before 10, after 13 samples, +3, +30.00%, ratio 1.30
main (before 10, after 13 samples, +3, +30.00%, ratio 1.30
END
    # a joined function has no address and the least first line; a function of one build keeps its address and build id
    records() { profdiff -t pfs -m samples "$@" | profcat -t ndjson | python3 -c '
import json, sys
for line in sys.stdin:
    row = json.loads(line)
    print(" ".join("{function}:{start_line}:{line}:{image}:{address}".format(**frame) for frame in row["stack"]), *row["values"].values())'; }
    expect records aa.pb bb.pb <<'END'
f:2:4:/bin/app: main:9:12:/bin/app: 10 13 3
added:30:31:/bin/app:0x1f40 0 2 2
END
    expect records --images=apart aa.pb bb.pb <<'END'
f:2:4:/bin/app:0x1770 main:9:12:/bin/app:0x1388 10 0 -10
f:3:4:/bin/app:0x1b58 main:9:12:/bin/app:0x1388 0 13 13
added:30:31:/bin/app:0x1f40 0 2 2
END
    # the same build twice: records keep addresses
    expect records aa.pb aa.pb <<'END'
f:2:4:/bin/app:0x1770 main:9:12:/bin/app:0x1388 10 10 0
END
    # no record fell
    [ "$(profdiff -t pfs --drop-negative aa.pb bb.pb | profcat -t ndjson | grep -c .)" = 2 ]
}

@test "pictures join the functions of a program with one name before and another after, unless --images=apart" {
    script() { printf 'app 7 1.0: %d cycles:\n\t%s f+0x0 (%s)\n\t7f00 start+0x0 (/lib/libc.so)\n\n' "$@"; }
    script 10 401000 /srv/1/app >one.txt
    script 13 401010 /srv/2/app >two.txt
    [ "$(cells 1,4,7,8 -s name one.txt two.txt | paste -sd,)" = "f /srv/1/app 10 13,start /lib/libc.so 0 0" ]
    expect titles one.txt two.txt <<'END'
f (before 10, after 13 cycles, +3, +30.00%, ratio 1.30
start (before 10, after 13 cycles, +3, +30.00%, ratio 1.30
END
    [ "$(titles --images=apart one.txt two.txt | grep '^f')" = "f (before 0, after 13 cycles, +13, new
f (before 10, after 0 cycles, -10, -100.00%, gone" ]
    for by in joined:1 apart:2; do
        [ "$(profdiff -t json:flame --images=${by%:*} one.txt two.txt | grep -o '"name":"f"' | wc -l)" = ${by#*:} ]
    done
    # the same address without a name is another place in another build
    for side in 1 2; do
        stream $side.pfs <<END
{"measures": [{"name": "samples", "role": "count", "main": 1}], "records": [
    {"stack": [{"name": "f", "image": "/srv/$side/app"}, {"image": "/srv/$side/app", "address": 4096}], "values": {"samples": 4}}]}
END
    done
    [ "$(cells 1,4,7,8,10,11 -s name 1.pfs 2.pfs | paste -sd,)" = "0x1000 /srv/1/app 4 0 4 0,0x1000 /srv/2/app 0 4 0 4,f /srv/1/app 0 0 4 4" ]
    expect titles 1.pfs 2.pfs <<'END'
0x1000 (before 0, after 4 samples, +4, new
0x1000 (before 4, after 0 samples, -4, -100.00%, gone
f (before 4, after 4 samples, +0, +0.00%, ratio 1.00
END
}
