# Written files open in programs from npm, which `make clients` installs.

setup()
{
    PATH=$PROFUTILS_BIN:$PATH
    export PYTHONDONTWRITEBYTECODE=1
    cd "$BATS_TEST_TMPDIR" || return
    cp "$PROFUTILS_SRC/examples/data/requests.out" run.out
    modules=$PROFUTILS_BUILD/clients/node_modules
}

# client NAME: skips the test if the program is not installed
client()
{
    [ -d "$modules/$1" ] || skip "no $1 here: make clients"
    command -v node >/dev/null || skip "no node"
}

@test "the manual's SQL statements run in DuckDB, on columns of numbers and names" {
    client @duckdb
    sed -n "s/\\\\-/-/g; s/\\\\(aq/'/g; /^SELECT/p" "$PROFUTILS_SRC/man/profcat.1.in" >statements
    [ "$(wc -l <statements)" -ge 2 ]
    profcat -t ndjson:stack=names run.out >samples.ndjson
    proftop -n 0 -t ndjson run.out >top.ndjson
    profdiff -n 0 -t ndjson "$PROFUTILS_SRC"/examples/data/words/before "$PROFUTILS_SRC"/examples/data/words/after >diff.ndjson
    {
        cat statements
        echo "SELECT * FROM read_json_auto('top.ndjson')"
        echo "SELECT sum(flat)::BIGINT AS flat FROM read_json_auto('top.ndjson')"
        echo "SELECT * FROM read_json_auto('diff.ndjson')"
    } | node "$PROFUTILS_SRC/tests/check/duckdb.js" "$modules" >said
    python3 - said <<'PYTHON'
import json, sys
recipes = [json.loads(line) for line in open(sys.argv[1])]
top, total, diff = recipes[-3:]
# 258 and 274 ms, as in the profiler's own reader
assert recipes[0]["rows"][0] == {"function": "Burn::spin", "flat": "258000000", "cum": "258000000"}, recipes[0]
assert recipes[1]["rows"][0] == {"frame": "(main)", "cum": "274000000"}, recipes[1]
assert total["rows"] == [{"flat": "274000000"}], total
kinds = {name: {"BIGINT": int, "VARCHAR": str, "DOUBLE": float, "HUGEINT": int, "BOOLEAN": bool}[kind] for table in (top, diff) for name, kind in table["types"].items()}
assert {kinds[name] for name in ("rank", "line", "flat", "cum", "calls", "flat_before", "flat_delta", "runs_after")} == {int}, kinds
assert {kinds[name] for name in ("function", "file", "image", "section", "measure", "unit", "verdict", "status")} == {str}, kinds
assert {kinds[name] for name in ("flat_pct", "cum_pct", "ratio", "points", "p", "q", "ci_low", "ci_high")} == {float}, kinds
assert kinds["tested"] is bool, kinds
PYTHON
}
@test "speedscope loads our files and shows the same totals" {
    client speedscope
    profcat run.out -m wall -t speedscope >x.speedscope.json
    status=0
    python3 "$PROFUTILS_SRC/tests/check/speedscope.py" "$modules" x.speedscope.json x.png >said 2>err || status=$?
    [ "$status" -ne 77 ] || skip "no chromium"
    [ "$status" -eq 0 ] || { cat said err; false; }
    [ "$(head -c 4 x.png | tail -c 3)" = PNG ]
    # 258, 3 and 118 ms, as in the profiler's own reader
    grep -q $'^258.00ms (94%)\t258.00ms (94%)\tBurn::spin$' said
    grep -q $'^261.00ms (95%)\t3.00ms (1.1%)\tBurn::ms$' said
    grep -q $'^118.00ms (43%)\t0.00ns (<0.01%)\tmain::db$' said || { cat said; false; }
}
