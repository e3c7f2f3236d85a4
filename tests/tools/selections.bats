# Record selections in profdiff and profmerge: the same as with a proffilter before each input.

bats_require_minimum_version 1.5.0
load ../lib/expect

setup_file()
{
    cd "$BATS_FILE_TMPDIR" || return
    mkdir -p own/before own/after
    cp "$PROFUTILS_SRC/tests/corpus/ndjson/sections.ndjson" own
    # runs whose records have sections, labels, several measures and kinds
    if command -v python3 >/dev/null 2>&1; then
        for run in before/1 before/2 before/3 after/1 after/2 after/3; do
            case $run in before*) cost=${run#*/}00 ;; *) cost=${run#*/}50 ;; esac
            python3 "$PROFUTILS_SRC/tests/check/make_stream.py" >"own/$run.pfs" <<END || return
{"measures": [{"name": "wall", "unit": "nanoseconds", "num": 1000, "raw_unit": "tick", "main": 1}, {"name": "calls", "kind": "edge"}],
 "records": [{"stack": [["main"], ["page", "lib/Page.pm", 3]], "labels": [["section", "req"], ["host", "a.b"]], "values": {"wall": $cost}},
             {"stack": [["main"], ["query", "lib/DB.pm", 7]], "labels": [["section", "req"], ["section", "db"], ["host", "axb"]], "values": {"wall": 40}},
             {"stack": [["main"], ["Page", "lib/Page.pm", 9]], "labels": [["bytes", 5]], "values": {"wall": 7}},
             {"kind": "edge", "caller": ["main"], "callee": ["page", "lib/Page.pm", 3], "values": {"calls": 2}}]}
END
        done
    fi
}

setup()
{
    cd "$BATS_FILE_TMPDIR" || return
    set -o pipefail
    PATH=$PROFUTILS_BIN:$PATH
    corpus=$PROFUTILS_SRC/tests/corpus
    bad=0
}

# filtered DIRECTORY OPTION...: writes each file of DIRECTORY through proffilter with these options, under the same name
# below `filtered`
filtered()
{
    local directory=$1 file
    shift
    rm -rf filtered
    cp -r "$directory" filtered
    (cd "$directory" && find . -type f | sed 's|^\./||') >files
    while IFS= read -r file; do
        (cd "$directory" && proffilter -q -t pfs "$@" "$file") >"filtered/$file" || return
    done <files
}

# alike DIRECTORY PROGRAM ARGUMENT... -- SELECTION...: the program gives the same for DIRECTORY with the selection as
# for `filtered` without it
alike()
{
    local directory=$1 program=$2 arguments=() one=0 two=0
    shift 2
    while [ "$1" != -- ]; do
        arguments+=("$1")
        shift
    done
    shift
    (cd filtered && "$program" -q "${arguments[@]}") >want 2>/dev/null || one=$?
    (cd "$directory" && "$program" -q "${arguments[@]}" "$@") >got 2>err || two=$?
    [ "$one" -eq "$two" ] && cmp -s want got && return
    echo "$directory: $program ${arguments[*]} $*: status $two, of filtered files $one"
    cat err
    diff -a want got | cut -c 1-150 | head -n 10
    bad=1
}

@test "profdiff and profmerge with a selection equal proffilter before them" {
    command -v python3 >/dev/null || skip "python3 is missing"
    while read -r line; do
        eval "options=($line)"
        filtered own "${options[@]}"
        alike own profdiff -t json -n 0 before after -- "${options[@]}"
        alike own profdiff -t pfs before after -- "${options[@]}"
        alike own profmerge --canonical -t pfs -r before after -- "${options[@]}"
        alike own profmerge -j 3 -w 0.5:after/1.pfs after/2.pfs sections.ndjson -t text -- "${options[@]}"
    done <<'END'
--section=req
--section='d*' --section=nothing
--no-section
--label=host=a.b
--label=host=a.b --fixed-strings
--label=bytes=1:9
--ignore-label=host
-F page
-F page -i
-I 'DB\.pm'
-F main -I page --section=req
END
    [ "$bad" -eq 0 ]
}

@test "selections equal proffilter for files of all formats, alone and together" {
    mkdir -p mixed
    names=(plain.folded hand_events.out threads.speedscope hand_multifid.nyt synth_calls.nyt sections-nested.out cpu_labels.pb.gz)
    for name in "${names[@]}"; do cp "$corpus"/*/"$name" mixed; done
    for options in '-I a' '-F [b-m]' '--no-section'; do
        # shellcheck disable=SC2086 # some have two words
        filtered mixed $options
        # shellcheck disable=SC2086
        alike mixed profmerge --canonical -t text "${names[@]}" -- $options
        for name in "${names[@]}"; do
            # shellcheck disable=SC2086
            alike mixed profdiff -t ndjson -n 0 "$name" "$name" -- $options
        done
    done
    [ "$bad" -eq 0 ]
}

@test "--time in profdiff and profmerge selects by the times of the inputs" {
    mkdir -p timed
    for run in 1 2 3 4; do
        for at in 1 2 3 4 5 6; do
            printf 'perl 7 %s.000000: %s cycles:\n\t401000 work+0x0 (/bin/x)\n\t402000 part%s+0x0 (/bin/x)\n\n' "$at" $((run * 10)) "$at"
        done >"timed/$run.txt"
    done
    filtered timed --time=2s,5s
    alike timed profmerge --canonical -t text 1.txt 2.txt 3.txt -- --time=2s,5s
    alike timed profdiff -t json -n 0 1.txt 4.txt -- --time=2s,5s
    # three records of 10 + 20 and of 40
    [ "$(profmerge -q --time=2s,5s timed/1.txt timed/2.txt | proftop -t csv -m cycles -n 1 | tail -n 1 | cut -d , -f 9)" = 90 ]
    [ "$(profdiff -q -t csv -m cycles --time=2s,5s timed/1.txt timed/4.txt | sed -n 's/^function,work,.*,count,\([0-9]*,[0-9]*\),.*/\1/p')" = 30,120 ]
    [ "$bad" -eq 0 ]
}

@test "an expression that matches in no input is reported once; a match in one input is enough" {
    printf 'main;old 8\n' >old.folded
    printf 'main;new 6\n' >new.folded
    for program in profdiff profmerge; do
        "$program" -t csv -F old -F nix old.folded new.folded >got 2>err
        [ "$(grep -c 'no frame matches' err)" -eq 1 ]
        grep -q "^$program: no frame matches 'nix'$" err
        "$program" -t csv --section=rqe old.folded new.folded >got 2>err
        [ "$(grep "^$program: .*section 'rqe'" err)" = "$program: no record is in section 'rqe'; this folded profile has no sections" ]
        "$program" -q -t csv --section=rqe old.folded new.folded >got 2>err
        [ ! -s err ]
        fails 2 "a\\[" "$program" -F 'a[' old.folded new.folded
        fails 2 "exclude each other" "$program" --section=a --no-section old.folded new.folded
        fails 2 "time takes" "$program" --time=5 old.folded new.folded
        # an input that could not be read may have matching records
        printf 'bad\n' >bad.folded
        fails 3 "bad.folded" "$program" -f folded -t csv -F new bad.folded new.folded
        run grep -c 'no frame matches' err
        [ "$output" -eq 0 ]
    done
    # measures that are not chosen are kept, as by a filter
    profmerge -F old old.folded new.folded | proftop >got
    grep -q '^samples: 8, 57 % of 14' got
}

@test "an input without selected records has the amount 0, and still has the measure" {
    names=()
    for file in "$corpus"/*/*; do # the first good file of each folder
        folder=${file%/*}
        [ "$folder" != "$last" ] && proftop -q -t csv "$file" >out 2>err && [ "$(wc -l <out)" -gt 1 ] || continue
        last=$folder
        names+=("$file")
    done
    [ "${#names[@]}" -ge 20 ]
    for file in "${names[@]}"; do
        profdiff -q -t json -n 1 "$file" "$file" | from_json '[[m["name"], m["kind"]] for m in d["measures"]]' >want
        profdiff -q -t json -F 'no such function' "$file" "$file" 2>err | from_json '[[m["name"], m["kind"]] for m in d["measures"]]' >got
        [ ! -s err ] && diff want got || { echo "$file"; cat err; false; }
    done
    # such a run does not choose the kind of the records: NYTProf's calls are compared, whichever run comes first
    nyt=$corpus/nytprof
    profdiff -t json -F main::mk "$nyt/evals_z.nyt" "$nyt/anon_c0.nyt" >from
    profdiff -t json -F main::mk "$nyt/anon_c0.nyt" "$nyt/evals_z.nyt" >to
    from_json '[d["measures"][0][key] for key in ("kind", "total_before", "total_after")]' <from >want
    from_json '[d["measures"][0][key] for key in ("kind", "total_after", "total_before")]' <to >got
    diff want got
    grep -q '^\["edge", 0, [1-9]' got
    # also of runs that proffilter writes
    proffilter -q -F main::mk "$nyt/evals_z.nyt" -o none.pfs
    profdiff -t json -F main::mk none.pfs "$nyt/anon_c0.nyt" | from_json '[d["measures"][0][key] for key in ("kind", "total_before", "total_after")]' | diff want -
}
