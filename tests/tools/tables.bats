# Tables in text: what fits into a terminal, what is left out, and the lines above. Expected numbers follow from the few
# records next to them.

load ../lib/expect

bats_require_minimum_version 1.5.0

setup()
{
    PATH=$PROFUTILS_BIN:$PATH
    cd "$BATS_TEST_TMPDIR" || return
    printf 'main;old 8\nmain;same 3\n' >x.folded
    printf 'main;new 6\nmain;same 3\n' >y.folded
}

@test "no line is wider than the terminal: columns are left out in their order before names are shortened" {
    command -v python3 >/dev/null || skip "python3 is missing"
    run python3 "$PROFUTILS_SRC/tests/check/terminal.py" "$PROFUTILS_BIN" "$PROFUTILS_SRC/examples/data"
    [ "$status" -ne 77 ] || skip "$output"
    [ "$status" -eq 0 ] || { echo "$output"; return 1; }
}

@test "-n and --min-percent work in every view, and the last line says what is left out" {
    printf 'main;a;hot 60\nmain;b;hot 30\nmain;c;hot 9\nmain;hot;d 1\nmain;cold 1\n' >calls.folded
    # by hand: the total is 101; hot has 99 itself and is called by a (60), b (30), c (9) and main (1), cold
    # has 1
    proftop --peek='hot|cold' -n 1 calls.folded >got
    [ "$(grep -c '|   ' got)" -eq 2 ]
    grep -q '  60  60.00%  |   a$' got
    grep -q '|   d$' got
    grep -q '|' got && grep -q 'cold' got && return 1
    [ "$(tail -n 1 got)" = "... 1 function and 3 neighbours not shown; -n 0 for all" ]
    proftop --peek='hot|cold' --min-percent=5 calls.folded >got
    [ "$(grep -o '|   .*' got | tr -d '\n')" = "|   a|   b|   c" ]
    [ "$(tail -n 1 got)" = "... 1 function and 2 neighbours not shown; --min-percent=0 for all" ]
    [ "$(proftop --callers=hot -n 2 calls.folded | grep -o '|   .*\|^[.].*' | tr '\n' ,)" = "|   a,|   b,... 2 callers not shown; -n 0 for all," ]
    [ "$(proftop --callees=main -n 1 calls.folded | grep -o '|   .*\|^[.].*' | tr '\n' ,)" = "|   a,... 4 callees not shown; -n 0 for all," ]
    [ "$(proftop --edges --min-percent=50 calls.folded | tail -n 3 | sed 's/.*%  //' | tr '\n' ,)" = "a -> hot,main -> a,... 7 pairs not shown; --min-percent=0 for all," ]
    [ "$(proftop --list=. -n 2 calls.folded | grep -o '^[^ ]*: flat\|^[.].*' | tr '\n' ,)" = "hot: flat,cold: flat,... 5 functions below 1.0% (0.99%) not shown; -n 0 for all," ]
    [ "$(proftop --list=. --cum -n 2 calls.folded | grep -o '^[^ ]*: flat' | tr '\n' ,)" = "main: flat,hot: flat," ]
    [ "$(proftop --list=. --min-percent=59 calls.folded | grep -o '^[^ ]*: flat\|^[.].*' | tr '\n' ,)" = "hot: flat,a: flat,main: flat,... 4 functions below 59.0% (1.98%) not shown; --min-percent=0 for all," ]
    # a tree's indentation is limited; deeper rows show their depth
    awk 'BEGIN { for (i = 1; i <= 300; i++) printf "f%d;", i; print "leaf 1" }' >deep.folded
    proftop --tree -n 0 deep.folded >got
    [ "$(awk 'length > most { most = length } END { print (most <= 140) }' got)" -eq 1 ]
    grep -q '   301: leaf$' got
    grep -q '   f40$' got
    grep -q '   41: f41$' got
}

@test "the head has duration and utilisation; inlined functions are marked; shares of sections are not added" {
    stream timed.pfs <<'END'
{"measures": [{"name": "cpu", "unit": "nanoseconds"}], "meta": [["pprof", "duration_nanos", "2000000000"]],
 "records": [{"stack": [["f"]], "values": {"cpu": 1500000000}}]}
END
    [ "$(proftop timed.pfs | sed -n 2p)" = "duration 2s, utilisation 75.00%" ]
    [ "$(proftop timed.pfs timed.pfs timed.pfs | sed -n 2p)" = "duration 6s, utilisation 75.00%" ]
    proftop x.folded | grep -q duration && return 1
    printf 'main;f_[i] 3\nmain;g_[i] 1\nmain;g 2\n' >inline.folded
    [ "$(proftop inline.folded | tail -n 3 | sed 's/.*%  //' | tr '\n' ,)" = "f (inline),g (partial-inline),main," ]
    [ "$(cells 2 inline.folded | tr '\n' ,)" = "f,g,main," ]
    proftop --tree inline.folded | grep -q '  f (inline)$'
    proftop --edges inline.folded | grep -q 'main -> f (inline)$'
}

@test "colour, sign and bars agree" {
    profdiff -t text --color=always x.folded y.folded >colored
    grep -q "$(printf '\033\\[31m')+6$(printf '\033\\[0m')" colored
    grep -q "$(printf '\033\\[34m')-8$(printf '\033\\[0m')" colored
    profdiff -t text x.folded y.folded >plain
    sed "s/$(printf '\033')\\[[0-9]*m//g" colored | diff plain -
    LC_ALL=C profdiff -t text --color=never x.folded y.folded | cmp plain -
    # a pipe gets the bars of a file, a terminal those of its locale
    LC_ALL=C.UTF-8 profdiff -t text x.folded y.folded | cmp plain -
    grep -q '##########  old' plain
}

@test "without a terminal paths lose directories in lines of more than 100 columns, and nothing else is cut" {
    long=$(printf 'f%.0s' {1..120})
    stream paths.pfs <<END
{"measures": [{"name": "samples"}], "records": [
 {"stack": [["near", "/a/near.py", 1, 1]], "values": {"samples": 9}},
 {"stack": [["far", "/usr/lib/python3/site-packages/departments/far.py", 22, 22]], "values": {"samples": 8}},
 {"stack": [["init", "/usr/lib/python3/site-packages/departments/first/__init__.py", 3, 3]], "values": {"samples": 7}},
 {"stack": [["init", "/usr/lib/python3/site-packages/departments/second/__init__.py", 3, 3]], "values": {"samples": 6}},
 {"stack": [["bare", "__init__.py", 4, 4]], "values": {"samples": 5}},
 {"stack": [["$long", "/usr/lib/x.py", 5, 5]], "values": {"samples": 4}}]}
END
    # 44 columns of numbers and blanks, then 'far', two blanks, a path of 49 characters and ':22': 101 columns
    proftop paths.pfs >got
    [ "$(sed -n 's/^.\{44\}//; 3,8p' got)" = "near  /a/near.py:1
far  far.py:22
init  first/__init__.py:3
init  second/__init__.py:3
bare  __init__.py:4
$long  x.py:5" ]
    proftop --no-trunc paths.pfs >whole
    grep -q '  far  /usr/lib/python3/site-packages/departments/far.py:22$' whole
    grep -q "  $long  /usr/lib/x.py:5\$" whole
    # a file and COLUMNS change nothing; csv has whole paths
    COLUMNS=200 proftop paths.pfs -o file && cmp got file
    [ "$(cells 3 paths.pfs | sed -n 2p)" = /usr/lib/python3/site-packages/departments/far.py ]
    # 44 columns, a name of 47, two blanks and 7 characters: 100 columns
    name=$(printf 'n%.0s' {1..47})
    for more in '' x; do
        stream edge.pfs <<<'{"measures": [{"name": "samples"}], "records": [{"stack": [["'"$name$more"'", "/d/x", 12, 12]], "values": {"samples": 1}}]}'
        proftop edge.pfs | tail -n 1 | grep -o ' *[^ ]*$'
    done >ends
    [ "$(cat ends)" = "  /d/x:12
  x:12" ]
    for view in --tree --edges --peek=far; do
        proftop "$view" paths.pfs | grep -q 'departments/far.py' && return 1
        proftop --no-trunc "$view" paths.pfs >whole
        grep -q departments whole || [ "$view" = --edges ]
    done
    profdiff paths.pfs edge.pfs | grep -q '  init  second/__init__.py:3$'
    profdiff --no-trunc paths.pfs edge.pfs | grep -q '  init  /usr/lib/python3/site-packages/departments/second/__init__.py:3$'
    profdiff --stats paths.pfs edge.pfs | grep -q '  init  second/__init__.py:3$'
}

@test "files of one name keep the directories that tell them apart, on a terminal too" {
    needs_terminal
    stream same.pfs <<'END'
{"measures": [{"name": "samples"}], "records": [
 {"stack": [["f", "/usr/lib/python3/site-packages/first/deep/__init__.py", 3, 3]], "values": {"samples": 7}},
 {"stack": [["f", "/usr/lib/python3/site-packages/second/deep/__init__.py", 3, 3]], "values": {"samples": 6}}]}
END
    terminal "stty cols 80 rows 20; proftop --color=never same.pfs" | tr -d '\r' >got
    grep -q '  f  first/deep/__init__.py:3$' got
    grep -q '  f  second/deep/__init__.py:3$' got
    terminal "stty cols 48 rows 20; proftop --color=never same.pfs" | tr -d '\r' | grep -q '  f  __init__.py:3$'
}

@test "on a terminal the locale decides how bars are drawn" {
    needs_terminal
    LC_ALL=C.UTF-8 terminal "stty cols 200; profdiff --color=never x.folded y.folded" | grep -q '██████████  old'
    LC_ALL=C terminal "stty cols 200; profdiff --color=never x.folded y.folded" | grep -q '##########  old'
}

@test "the head explains points if the table has the column" {
    needs_terminal
    for columns in 40 60 70 80 200; do
        terminal "stty cols $columns rows 40; profdiff --cum x.folded y.folded" | tr -d '\r' >got
        [ "$(grep -c '^before .* points\|^ *before .* points' got)" -eq "$(grep -c '^points: ' got)" ]
        tr -s '\n ' ' ' <got | grep -q 'all columns: cumulative'
    done
    tr -s '\n ' ' ' <got | grep -q 'points: share of the total after, less share of the total before; all columns: cumulative'
    terminal "stty cols 40 rows 40; profdiff x.folded y.folded" | tr -d '\r' >got
    grep -q points got && return 1
    grep -q '^before' got
}

@test "--min-percent leaves out rows of --stats, and profdiff tests no smaller rows" {
    printf 'a 90\nb 9\nc 1\n' >p.folded
    printf 'a 90\nb 1\nd 9\n' >q.folded
    mkdir p q
    for run in 1 2 3; do
        sed "s/\$/.$run/" p.folded >p/$run.folded
        sed "s/\$/.$run/" q.folded >q/$run.folded
    done
    # of 201.6 in all a has 180.4, b 10.4, c 1.2, d 9.2
    [ "$(table=profdiff cells 1,21 -s name --min-percent=5 p q | tr '\n' ,)" = "a =,b -,c .,d .," ]
    [ "$(table=profdiff cells 1,21 -s name --min-percent=4 p q | tr '\n' ,)" = "a =,b -,c .,d +," ]
    # of --stats, sums: a 180, b 10, d 9, c 1
    [ "$(table=profdiff cells 1 --stats --min-percent=4.6 p.folded q.folded | sort | tr '\n' ,)" = "a,b," ]
    [ "$(profdiff --stats --min-percent=4.6 p.folded q.folded | tail -n 1)" = "... 2 functions not shown; --min-percent=0 for all" ]
    fails 2 "takes a number from 0 to 100, not '101'" profdiff --min-percent=101 p.folded q.folded
}
