# System failures, for every program and every format it writes: a full disk, a closed pipe, files that cannot be
# written or read. Each test is a table of runs; a row that fails is shown, and the others still run.

setup_file()
{
    cd "$BATS_FILE_TMPDIR" || return
    printf 'main;work;read 3\nmain;work;parse 5\nmain;idle 2\n' >small.folded
    { echo '# a comment'; cat small.folded; } >commented.folded
    # Longer than every buffer, in every format
    awk 'BEGIN { for (i = 0; i < 30000; i++) printf "main;Some::Package%d::handler;Some::Other%d::method %d\n", i % 300, i, i % 9 + 1 }' >big.folded
    "$PROFUTILS_BIN/profcat" big.folded -o big.pfs
    ${CC:-cc} -shared -fPIC -O -o faults.so "$PROFUTILS_SRC/tests/faults/faults.c" -ldl || true
    for ggo in "$PROFUTILS_SRC"/tools/*.ggo; do
        program=$(basename "$ggo" .ggo)
        [ "$program" != common ] || continue
        echo "$program"
    done >programs
    # Rows of PROGRAM FORMAT, for each format that the program writes
    while read -r program; do
        for format in $("$PROFUTILS_BIN/profcat" --formats -q); do
            ! run_row small.folded >out 2>/dev/null || [ ! -s out ] || echo "$program $format"
        done
    done <programs >rows
}

setup()
{
    cd "$BATS_FILE_TMPDIR" || return
    bad=0
    exec 8>&1 # messages of wrong are shown wherever a row's output goes
}

# wrong TEXT...: records a failure of the current row
wrong()
{
    echo "$program -t $format: $*" >&8
    [ ! -s err ] || sed 's/^/    /' err >&8
    bad=$((bad + 1))
}

# expect STATUS PATTERN COMMAND...: the command ends with this status and a message that matches
expect()
{
    local want=$1 pattern=$2 got=0
    shift 2
    "$@" 2>err || got=$?
    [ "$got" -eq "$want" ] || wrong "status $got, expected $want: $*"
    grep -qE "^$program: .*($pattern)" err || wrong "no message with '$pattern': $*"
}

# compose ARGUMENT...: makes the command of the current row. A program that compares two sets gets the inputs
# as one of them.
compose()
{
    command=("$PROFUTILS_BIN/$program" "$@")
    [ "$program" = profdiff ] || return 0
    command=("$PROFUTILS_BIN/$program")
    : >list
    while [ $# -gt 0 ]; do
        case $1 in
        -t | -o) command+=("$1" "$2") && shift ;;
        --files0-from=*) command+=("$1") && return ;;
        -?*) command+=("$1") ;;
        *) echo "$1" >>list ;;
        esac
        shift
    done
    case $(wc -l <list) in
    0) ;;
    1) command+=("$(cat list)" small.folded) ;;
    *) command+=(@list small.folded) ;;
    esac
}

run_row()
{
    compose -t "$format" "$@"
    "${command[@]}"
}

# shim VARIABLE=VALUE ARGUMENT...: runs the current row with a fault
shim()
{
    [ -f faults.so ] || skip "no LD_PRELOAD here"
    ! grep -qs fsanitize "$PROFUTILS_BUILD/config.flags" || skip "the sanitizers want to be loaded first"
    local variable=$1
    shift
    compose -t "$format" "$@"
    env "$variable" LD_PRELOAD="$PWD/faults.so" "${command[@]}"
}

# fresh: makes the output folder, with an old file in it
fresh() { rm -rf to && mkdir to && echo "the old file" >to/out; }
is_fresh() { [ "$(ls -A to)" = out ] && [ "$(cat to/out)" = "the old file" ] || wrong "the old file is gone or something lies beside it: $(ls -A to)"; }

@test "the table of command lines has every program with several formats" {
    while read -r program; do
        [ "$(grep -c "^$program " rows)" -ge 5 ] || { echo "few formats for $program:"; cat rows; bad=1; }
    done <programs
    [ -s programs ]
    [ "$bad" -eq 0 ]
}

@test "a full disk at standard output exits 4 with a message" {
    [ -c /dev/full ] || skip "no /dev/full"
    while read -r program format; do
        expect 4 'standard output.*No space left' run_row small.folded >/dev/full
        expect 4 'standard output.*No space left' run_row -q big.pfs >/dev/full
        [ "$(wc -l <err)" -eq 1 ] || wrong "more than one line"
    done <rows
    [ "$bad" -eq 0 ]
}

@test "--help, --version, --formats and inspections report a full disk too" {
    [ -c /dev/full ] || skip "no /dev/full"
    format=none
    while read -r program; do
        for option in --help --version --formats '--formats -v'; do
            # shellcheck disable=SC2086 # two words
            expect 4 'No space left' "$PROFUTILS_BIN/$program" $option >/dev/full
        done
    done <programs
    program=profcat
    for option in --probe -H -c --frames; do
        [ -z "$("$PROFUTILS_BIN/profcat" $option commented.folded)" ] ||
            expect 4 'No space left' "$PROFUTILS_BIN/profcat" $option commented.folded >/dev/full
    done
    [ "$bad" -eq 0 ]
}

# into_closed_pipe: starts the program after the reader of the pipe is certainly gone
into_closed_pipe()
{
    local got
    compose "$@"
    got=$(python3 - "${command[@]}" <<'END'
import os, subprocess, sys
reader, writer = os.pipe()
os.close(reader)
print(subprocess.run(sys.argv[1:], stdout=writer, stderr=open("err", "wb"), check=False).returncode)
END
    )
    [ "$got" -eq -13 ] || wrong "status $got and not SIGPIPE: $*"
    [ ! -s err ] || wrong "not quiet: $*"
}

@test "a closed pipe ends a program quietly by SIGPIPE" {
    while read -r program format; do
        into_closed_pipe -q -t "$format" small.folded
    done <rows
    format=none
    while read -r program; do
        into_closed_pipe --help
        into_closed_pipe small.folded
    done <programs
    [ "$bad" -eq 0 ]
}

@test "a pipe closed in the middle ends a program by SIGPIPE, even if the parent ignored the signal" {
    format=none
    while read -r program; do
        case $program in proftop) all='-n0' ;; *) all='--to=ndjson' ;; esac
        rm -f status
        compose $all big.folded
        (trap '' PIPE; "${command[@]}" 2>err || echo $? >status) | head -c 100 >/dev/null
        [ "$(cat status)" -eq 141 ] || wrong "status $(cat status)"
        [ ! -s err ] || wrong "not quiet"
    done <programs
    [ "$bad" -eq 0 ]
}

@test "an -o that cannot be written exits 4 and leaves no file" {
    while read -r program format; do
        rm -rf to && mkdir to
        expect 4 "cannot create 'to/none/out': No such file" run_row small.folded -o to/none/out
        expect 4 'Not a directory' run_row small.folded -o small.folded/out
        expect 4 'Is a directory|is a directory' run_row small.folded -o to
        [ -z "$(ls -A to)" ] || wrong "left: $(ls -A to)"
    done <rows
    [ "$bad" -eq 0 ]
}

@test "an -o without permission exits 4" {
    [ "$(id -u)" -ne 0 ] || skip "root may write everywhere"
    while read -r program format; do
        fresh
        chmod 555 to
        expect 4 'Permission denied' run_row small.folded -o to/new
        chmod 755 to
        chmod 444 to/out
        expect 4 'Permission denied' run_row small.folded -o to/out
        is_fresh
    done <rows
    [ "$bad" -eq 0 ]
}

@test "a disk that becomes full while -o is written leaves only the old file" {
    while read -r program format; do
        for after in 0 1 20; do
            fresh
            expect 4 "to/out.*No space left" shim FAULT_WRITE=$after small.folded -o to/out
            is_fresh
        done
    done <rows
    while read -r program format; do
        case $program in proftop | profdiff) continue ;; esac
        fresh
        expect 4 "to/out.*No space left" shim FAULT_WRITE=60000 big.folded -o to/out
        is_fresh
    done <rows
    [ "$bad" -eq 0 ]
}

@test "a failed close or rename exits 4 and leaves the old file" {
    while read -r program format; do
        fresh
        expect 4 "close.*to/out.*Input/output error" shim FAULT_CLOSE=1 small.folded -o to/out
        is_fresh
        expect 4 "rename.*to/out.*Input/output error" shim FAULT_RENAME=1 small.folded -o to/out
        is_fresh
        expect 4 "close.*Input/output error" shim FAULT_CLOSE=1 small.folded >plain
    done <rows
    [ "$bad" -eq 0 ]
}

@test "a limit on the size of files exits 4 and leaves the old file" {
    while read -r program format; do
        case $program in proftop | profdiff) continue ;; esac
        fresh
        expect 4 "File too large" limited run_row big.folded -o to/out
        is_fresh
    done <rows
    [ "$bad" -eq 0 ]
}

limited()
{
    (ulimit -f 16 && "$@")
}

@test "a read error exits 3 with the input's name and leaves the old file" {
    while read -r program format; do
        for after in 0 5 100000; do
            fresh
            expect 3 'big\.folded.*Input/output error' shim FAULT_READ=$after big.folded -o to/out
            is_fresh
        done
    done <rows
    [ "$bad" -eq 0 ]
}

hasty() { (ulimit -t 20 && "$@"); }

@test "running out of memory after good records ends the program with a message" {
    program=profcat format=ndjson
    printf 'prog 1/1 [000] 1.123456: \n\tffff a+0x1 (b)\n\nprog 1/1 [000] 1.223456: 5 instr: \n\tffff a+0x1 (b)\n\n' >two.perf
    found=
    for call in $(seq 40 250); do
        got=0
        hasty shim FAULT_CALL=0:"$call" -f perf-script two.perf >out 2>err || got=$?
        [ "$got" -eq 0 ] || [ "$got" -eq 4 ] || wrong "memory call $call: status $got"
        # the first record is good, and one of the calls after it fails
        [ "$got" -eq 0 ] || [ "$(wc -l <out)" -ne 1 ] || ! grep -q 'two\.perf: out of memory' err || { found=$call; break; }
    done
    [ "$bad" -eq 0 ]
    [ -n "$found" ]
}

@test "a missing file, a directory and an unreadable list exit 3" {
    while read -r program format; do
        fresh
        expect 3 'missing.*No such file' run_row missing -o to/out
        [ "$program" = profdiff ] || expect 3 "'to': .*irectory" run_row to
        expect 3 'missing.*No such file' run_row @missing
        expect 3 'missing.*No such file' run_row --files0-from=missing
        is_fresh
    done <rows
    program=profcat
    for option in --symbols --binary --symbols-from; do
        [[ $("$PROFUTILS_BIN/profcat" $option=x small.folded 2>&1) != *"no elfutils"* ]] || continue
        expect 3 "cannot open 'nosuch': No such file" "$PROFUTILS_BIN/profcat" $option=nosuch small.folded
    done
    [ "$bad" -eq 0 ]
}

@test "a damaged input leaves the old file of -o" {
    while read -r program format; do
        fresh
        head -c 700 big.pfs >cut.pfs
        expect 3 'cut\.pfs: offset [0-9]+: ' run_row cut.pfs -o to/out
        is_fresh
        expect 3 'cut\.pfs: offset [0-9]+: ' run_row --keep-going cut.pfs -o to/out
        is_fresh
        expect 3 'cut\.pfs: offset [0-9]+: ' run_row --keep-going small.folded cut.pfs -o to/out
        [ "$(ls -A to)" = out ] && ! grep -q 'old file' to/out || wrong "--keep-going with a good input writes the file"
    done <rows
    [ "$bad" -eq 0 ]
}

@test "a signal while -o is written leaves only the old file" {
    while read -r program format; do
        fresh
        rm -f feed
        mkfifo feed
        compose -t "$format" - -o to/out
        "${command[@]}" <feed 2>err &
        pid=$!
        exec 9>feed
        cat big.folded >&9
        # The program now waits for more input, or is about to. The temporary file next to the target may exist or not
        kill -TERM "$pid"
        got=0
        wait "$pid" || got=$?
        exec 9>&-
        [ "$got" -eq 143 ] || wrong "status $got, expected that of SIGTERM"
        is_fresh
    done <rows
    [ "$bad" -eq 0 ]
}

@test "no signal leaves an unfinished file" {
    mkdir spill
    for signal in TERM HUP ALRM USR1 XCPU; do
        # under nohup(1) a program ignores SIGHUP
        [ -z "$(trap -p "$signal")" ] || continue
        rm -f feed to/out
        mkfifo feed
        TMPDIR=$PWD/spill "$PROFUTILS_BIN/proffilter" --min-value=1% - -o to/out <feed 2>err &
        pid=$!
        exec 9>feed
        cat big.folded >&9
        kill "-$signal" "$pid"
        got=0
        wait "$pid" || got=$?
        exec 9>&-
        [ "$got" -gt 128 ] || wrong "status $got after SIG$signal"
        [ -z "$(ls -A to; ls -A spill)" ] || wrong "SIG$signal leaves $(ls -A to spill)"
    done
    # 90 files; the last ones are closed between writes
    for k in {1..90}; do printf 'main 1\n' | "$PROFUTILS_BIN/profcat" -f folded --set-label "key=$k"; done >90.pfs
    rm -f feed
    mkfifo feed
    "$PROFUTILS_BIN/proffilter" --split=key - -o 'to/%s.pfs' <feed 2>err &
    pid=$!
    exec 9>feed
    cat 90.pfs >&9
    for _ in {1..1000}; do [ "$(ls -A to | wc -l)" -lt 90 ] || break; sleep 0.01; done
    [ "$(ls -A to | wc -l)" -eq 90 ] || wrong "no 90 files: $(ls -A to)"
    kill -TERM "$pid"
    wait "$pid" || true
    exec 9>&-
    [ -z "$(ls -A to)" ] || wrong "SIGTERM leaves $(ls -A to)"
    # a warning into a closed pipe
    printf 'no stack at all\nf 1\n' | "$PROFUTILS_BIN/profcat" -f folded - -o to/out 2> >(exec true) || true
    rm -f to/out
    [ -z "$(ls -A to)" ] || wrong "a closed standard error leaves $(ls -A to)"
    [ "$bad" -eq 0 ]
}

@test "a target that is not a regular file is written in place" {
    while read -r program format; do
        run_row small.folded >want 2>err
        rm -f pipe
        mkfifo pipe
        cat pipe >got &
        run_row small.folded -o pipe 2>err || wrong "status $?"
        wait
        [ -p pipe ] && cmp want got || wrong "the FIFO gave something else"
        run_row small.folded -o /dev/null 2>err && [ -c /dev/null ] || wrong "/dev/null"
    done <rows
    [ "$bad" -eq 0 ]
}

@test "-o follows links and keeps the mode of the target" {
    while read -r program format; do
        fresh
        chmod 640 to/out
        ln -s to/out link
        run_row small.folded -o link 2>err || wrong "status $?"
        [ -L link ] && [ "$(stat -c %a to/out)" = 640 ] && ! grep -q 'old file' to/out || wrong "link or mode"
        [ "$(ls -A to)" = out ] || wrong "left: $(ls -A to)"
        rm -f link
    done <rows
    [ "$bad" -eq 0 ]
}

@test "a closed standard descriptor fails when it is used, and no file gets its number" {
    while read -r program; do
        format=pfs
        fresh
        run_row -v small.folded -o to/want 2>err
        run_row -v small.folded -o to/out 2>&- || wrong "2>&-: status $?"
        run_row -v small.folded -o to/second <&- >&- 2>&- || wrong "all closed: status $?"
        cmp to/want to/out && cmp to/want to/second || wrong "something else stands in the file"
        expect 4 'cannot write standard output: Bad file descriptor' run_row small.folded >&-
        expect 4 'Bad file descriptor' "$PROFUTILS_BIN/$program" --help >&-
        expect 3 "cannot read 'standard input': Bad file descriptor" run_row -o to/third - <&-
        [ ! -e to/third ] || wrong "a file is left"
    done < <(grep -v proftop programs)
    program=proftop format=text
    fresh
    expect 4 'cannot write standard output: Bad file descriptor' run_row small.folded >&-
    expect 3 "cannot read 'standard input': Bad file descriptor" run_row -o to/out - <&-
    is_fresh
    run_row small.folded -o to/want && run_row small.folded -o to/out 2>&- <&- && cmp to/want to/out || wrong "2>&-"
    [ "$bad" -eq 0 ]
}

@test "a usage error that is found late leaves only the old file" {
    program=proftop format=text
    for options in '-m nosuch' '-s calls' '--kind edge' '--tree --kind edge'; do
        fresh
        # shellcheck disable=SC2086 # several words
        expect 2 'no measure|no number of calls|no edge records' run_row $options small.folded -o to/out
        is_fresh
    done
    [ "$bad" -eq 0 ]
}

@test "an input that is also the output exits 2, and -o '' too" {
    while read -r program; do
        format=json
        cp small.folded grows
        expect 2 "'grows' is both an input and standard output" run_row grows >>grows
        ln -f grows link
        expect 2 "'link' is both an input and standard output" run_row link >>grows
        expect 2 "standard input and standard output are the same file" run_row - <grows >>grows
        cmp small.folded grows || wrong "the input has changed"
        run_row grows >>link.json || wrong "another file: status $?"
        run_row grows -o grows 2>err && ! cmp -s small.folded grows || wrong "-o writes beside"
        expect 2 '--output takes the name of a file' run_row small.folded -o ''
    done <programs
    [ "$bad" -eq 0 ]
}

@test "--sync syncs the file before its rename and the directory after" {
    while read -r program; do
        format=json
        fresh
        expect 4 "cannot sync 'to/out': Input/output error" shim FAULT_FSYNC=1 --sync small.folded -o to/out
        is_fresh
        expect 4 "cannot sync 'to/out': Input/output error" shim FAULT_FSYNC=2 --sync small.folded -o to/out
        grep -q '"schema"' to/out || wrong "the file has its name before the directory is synced"
        shim FAULT_FSYNC=3 --sync small.folded -o to/out || wrong "more than two are synced"
        shim FAULT_FSYNC=1 small.folded -o to/out || wrong "synced unasked"
        shim FAULT_FSYNC=3 --sync small.folded | grep -q '"schema"' || wrong "a pipe cannot be synced"
    done <programs
    # a file that is closed between writes: each write is synced, then the whole file, then the directory
    program=proffilter format=pfs
    for call in 1 2 3 4; do
        rm -f to/*
        got=0
        (ulimit -n 10 && shim FAULT_FSYNC=$call --sync --split=key small.folded -o 'to/%s.pfs') 2>err || got=$?
        [ "$got" -eq $((call < 4 ? 4 : 0)) ] && [ "$(ls -A to)" = "$([ "$call" -lt 3 ] || echo _none.pfs)" ] || wrong "sync $call: status $got, $(ls -A to)"
    done
    [ "$bad" -eq 0 ]
}

@test "records by label: a run without records is compared" {
    printf 'f 10\n' >ten.folded
    "$PROFUTILS_BIN/profcat" ten.folded --set-label host=a -o ten.pfs
    "$PROFUTILS_BIN/proffilter" -q -I . ten.pfs -o none.pfs
    "$PROFUTILS_BIN/profdiff" --by=label:host -t tsv ten.pfs none.pfs >out
    grep -q "$(printf '\t10\t0\t-10\t')" out || { cat out; false; }
}
