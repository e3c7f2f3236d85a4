# Anonymous functions in every table, tree, picture, merge and difference. Every expected number follows from the few
# records next to it.

load ../lib/expect

bats_require_minimum_version 1.5.0

setup()
{
    cd "$BATS_TEST_TMPDIR" || return
    PATH=$PROFUTILS_BIN:$PATH
    export PYTHONDONTWRITEBYTECODE=1
}

# twice FILE NAME...: writes two functions of each name, which begin at lines 3 and 9 and cost 1 and 2; one calls the
# other
twice()
{
    python3 - "$@" <<'PY'
import json, sys
file, *names = sys.argv[1:]
first, second = lambda name: [name, file, 4, 3], lambda name: [name, file, 10, 9]
records = [{"stack": [first(name)], "values": {"wall": 1}} for name in names]
records += [{"stack": [first(name), second(name)], "values": {"wall": 2}} for name in names]
print(json.dumps({"measures": [{"name": "wall", "unit": "nanoseconds"}], "records": records}))
PY
}

# rows ARGUMENTS...: the number of rows that each name has; equal numbers once
rows() { "$@" | tail -n +2 | cut -f 1 | sort | uniq -c | awk '{ print $1 }' | sort -u | tr '\n' ' '; }
functions() { proftop -n 0 -t tsv "$@" | cut -f 2-; }
differences() { profdiff -n 0 -t tsv "$@" | grep -v "^total" | cut -f 2-; }

@test "functions without a name are distinguished by their first line" {
    local perl='__ANON__ main::__ANON__ Over::BEGIN a::UNITCHECK a::CHECK a::INIT a::END'
    local others=('(anonymous)' '<anonymous>' 'Object.<anonymous>' 'outer/<' '<lambda>' 'f.<locals>.<listcomp>' '<genexpr>'
                  'App\{closure}' 'a::{{closure}}' 'a::{closure#0}' 'a::{lambda(int)#1}' 'block in work' 'block (2 levels) in A#b')
    local named=('main::__ANON__[x.pl:3]' main::BEGINS 'f(a::__ANON__)' '(main)' '(eval)' '<module>' '<main>' '<top (required)>'
                 '(anonymous namespace)::f' 'f(std::{lambda()#1})' 'a<b::(anonymous)>' main.f.func1 func1 f.part.0)
    # shellcheck disable=SC2086  # words
    twice x.pl $perl "${others[@]}" | stream anonymous.pfs
    twice x.go main.main.func1 main.main.func12.3 | stream go.pfs
    twice x.pl "${named[@]}" | stream named.pfs
    twice x.go main.main main.f.func1x main.main.0 main.func1.part | stream go_named.pfs
    for file in anonymous go; do
        [ "$(rows functions $file.pfs)" = "2 " ]
        [ "$(rows functions --by=name $file.pfs)" = "1 " ]
        [ "$(rows differences $file.pfs $file.pfs)" = "2 " ]
        profmerge -g function $file.pfs $file.pfs -o twice.pfs
        [ "$(rows functions twice.pfs)" = "2 " ]
    done
    for file in named go_named; do
        [ "$(rows functions $file.pfs)" = "1 " ]
        profmerge -g function $file.pfs $file.pfs -o twice.pfs
        [ "$(rows functions twice.pfs)" = "1 " ]
    done
}

@test "a call from one function without a name to another is not recursion" {
    twice x.pl main::__ANON__ | stream one.pfs
    expect cells 2,4,9,11 one.pfs <<'END'
main::__ANON__ 9 2 2
main::__ANON__ 3 1 3
END
    [ "$(proftop --tree -t tsv one.pfs | cut -f 3-6,9-10 | tail -n +3 | tr '\t\n' ' ,')" = \
        "1 main::__ANON__ x.pl 3 1 3,2 main::__ANON__ x.pl 9 2 2," ]
    [ "$(proftop --edges -t tsv one.pfs | tail -n +2 | cut -f 1,3,5,7,11 | tr '\t' ' ')" = "main::__ANON__ 3 main::__ANON__ 9 2" ]
    [ "$(proftop --list=ANON one.pfs | grep -o '^main::__ANON__ in .*: flat' | tr '\n' ,)" = \
        "main::__ANON__ in x.pl:9: flat,main::__ANON__ in x.pl:3: flat," ]
    for tool in proftop profcat; do
        expect $tool -t json:flame one.pfs <<'END'
{"name":"all","value":3,"self":0,"children":[{"name":"main::__ANON__","value":3,"self":1,"children":[{"name":"main::__ANON__","value":2,"self":2,"children":[]}]}]}
END
    done
    [ "$(profcat -t svg:by=name one.pfs | grep -c '<title>main::__ANON__ ')" = 2 ]
    # a recursive anonymous function is one function
    printf '%s' '{"measures": [{"name": "wall"}], "records": [{"stack": [["<lambda>", "f", 4, 3], ["<lambda>", "f", 5, 3]], "values": {"wall": 2}}]}' |
        stream again.pfs
    [ "$(cells 2,4,9,11 again.pfs)" = "<lambda> 3 2 2" ]
}
