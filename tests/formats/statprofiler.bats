# StatProfiler files: read, written, summed. Expected numbers come from the profiler's own reader, from a decoder and an
# encoder in check/statprofiler.py, and from the format's description.

bats_require_minimum_version 1.5.0

setup()
{
    cd "$BATS_TEST_TMPDIR" || return
    PATH=$PROFUTILS_BIN:$PATH
    files=$CORPUS/statprofiler
}

check() { python3 "$PROFUTILS_SRC/tests/check/statprofiler.py" "$@"; }

# rows FILE...: weight in ticks of a millisecond, op, sections and frames, one record per line
rows()
{
    profcat -t ndjson "$@" | python3 -c '
import json, sys
for line in sys.stdin:
    row = json.loads(line)
    print(row["values"].get("wall", 0) // 1000000, *row["labels"].get("op", ["-"]), "+".join(row["sections"]) or "-",
          *("%s:%s:%d" % (f["function"], f["file"], f["line"]) for f in row["stack"]))'
}

@test "every file reads as the profiler's own reader says" { check read direct "$CORPUS"; }
@test "every file, converted to the native stream, reads as the profiler's own reader says" { check read pfs "$CORPUS"; }
@test "every file, written as StatProfiler, reads as the profiler's own reader says" { check read statprofiler "$CORPUS"; }
@test "every file, converted to the native stream and written as StatProfiler, reads as the profiler's own reader says" { check read both "$CORPUS"; }
@test "the files of a process are read in order, with sections carried over" { check series "$CORPUS"; }
@test "written files have the right form and all that was read" { check written "$CORPUS"; }
@test "files written in the dialect plan are read back, except for what the dialect cannot hold" { check plan "$CORPUS"; }
@test "sums by function and section equal those of the expected samples" { check sums "$CORPUS"; }
@test "every file of corpus/statprofiler/edge gives the status and rows of the table" { check edge "$CORPUS"; }
@test "forms that the corpus lacks are read" { check made .; }
@test "the dialect plan and the text form follow their description rule by rule" {
    PYTHONDONTWRITEBYTECODE=1 python3 "$PROFUTILS_SRC/tests/check/statprofiler_letter.py" "$CORPUS" .
}

@test "a file of several processes is refused with the names of both" {
    run -2 profcat -t statprofiler "$files"/fork.out.*.0000000[0-9]
    [[ $output == *"several processes"*00006a3*00006a3* ]]
}

@test "records with different lengths of a tick are refused" {
    profcat -t pfs "$files/edge/10-empty-profile.out" -o a.pfs
    profcat -t pfs "$files/edge/04-real-uncompressed.out" "$files/edge/01-plan-literal-msb.out" -o b.pfs
    run -2 profcat -t statprofiler b.pfs
    [[ $output == *"ticks of different lengths (1000000 and 10000000 ns)"* ]]
}

@test "inputs that count different things are refused" {
    printf 'main;work;read 3\n' >a.folded
    run -2 profcat -t statprofiler "$files/edge/04-real-uncompressed.out" a.folded
    [[ $output == *"count different things ('wall' and 'samples')"* ]]
}

@test "option tick gives the length of a tick if the file does not" {
    run -0 profcat -f statprofiler:tick=20000 -t ndjson "$files/edge/05-text.out"
    [[ ${lines[0]} == *'"wall":60000000'*'"wall":"nanoseconds"'* ]]
    run -2 profcat -f statprofiler:tick=fast "$files/edge/05-text.out" -t text
}

@test "counts become weights with an unknown tick, and labels that the format cannot hold are named" {
    printf 'main;work;read 3\nmain;work;parse 5\n' >a.folded
    run -0 --separate-stderr profcat --set-label host=web -f folded a.folded -t statprofiler -o a.out
    [[ $stderr == *"'samples' is not a time"* ]]
    [[ $stderr == *"labels have no place and are left out: host "* ]]
    run -0 profcat -t folded a.out
    [ "$output" = "$(sort a.folded)" ]
    run -0 --separate-stderr profcat -t statprofiler:tick=1000 a.folded -o b.out
    [ -z "$stderr" ]
    run -0 rows b.out
    [ "${lines[0]}" = "3 - - read::0 work::0 main::0" ]
}

@test "a weight over 32 bits is written as several samples" {
    printf 'a 10000000000\n' >a.folded
    profcat -t statprofiler:tick=1 a.folded -o a.out
    run -0 profcat -t ndjson a.out
    [ "${#lines[@]}" = 3 ]
    run -0 profcat -t folded a.out
    [ "$output" = "a 10000000000000" ] || [ "$output" = "a 10000000000" ]
}

@test "a weight below 0 is refused" {
    printf 'a -1\n' >a.folded
    run -2 profcat -t statprofiler -o a.out <(profcat a.folded)
    [ ! -e a.out ]
    [[ $output == *"no negative weights"* ]]
}

@test "marks of sections are made again from the labels after a filter" {
    run -0 rows <(proffilter --section req "$files/edge/41-nested-sections.out" | profcat -t statprofiler)
    frames="main::leaf:a.pl:3 main::top:a.pl:9 (main):a.pl:20"
    [ "${#lines[@]}" = 4 ]
    [ "${lines[0]}" = "2 nextstate req $frames" ]
    [ "${lines[1]}" = "4 nextstate req+db $frames" ]
    [ "${lines[2]}" = "8 nextstate req+db+req $frames" ]
    [ "${lines[3]}" = "16 nextstate req+db $frames" ]
}

@test "the output of a damaged input has no end record" {
    run -3 profcat -t statprofiler "$files/edge/15-truncated-mid-record.out"
    profcat -t statprofiler "$files/edge/15-truncated-mid-record.out" >a.out || true
    run -0 profcat -c a.out
    [[ $output == *"without an end record"* ]]
    profcat --salvage -t statprofiler "$files/edge/15-truncated-mid-record.out" -o b.out
    run -0 --separate-stderr profcat -c b.out
    [ -z "$stderr" ]
}
