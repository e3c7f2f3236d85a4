# The notebook, run by a real kernel, and the recipes of the manual, run by the programs that they
# name.

setup()
{
    PATH=$PROFUTILS_BIN:$PATH
    cd "$BATS_TEST_TMPDIR" || return
    data=$PROFUTILS_SRC/examples/data
}

teardown()
{
    rm -rf "${sockets-}"
}

# The kernel is that of the python that has jupyter
@test "all cells of the notebook run, and it draws its pictures" {
    command -v jupyter >/dev/null || skip "no jupyter"
    python=$(sed -n '1s/^#! *\([^ ]*\).*/\1/p' "$(command -v jupyter)")
    "$python" -c 'import ipykernel, matplotlib, nbconvert, pandas' || skip "no ipykernel, matplotlib, nbconvert or pandas"
    cp -R "$data"/. .
    cp "$PROFUTILS_SRC/examples/notebook.ipynb" .
    # no ports: another program may take a port before the kernel opens it. Names of sockets must be short
    sockets=$(mktemp -d "${TMPDIR:-/tmp}/jupyter.XXXXXX")
    HOME=$PWD JUPYTER_RUNTIME_DIR=$sockets MPLBACKEND=module://matplotlib_inline.backend_inline PATH=$(dirname "$python"):$PATH timeout 240 \
        jupyter nbconvert --to notebook --execute --KernelManager.transport=ipc --output done.ipynb notebook.ipynb >said 2>&1 || { tail -40 said; false; }
    "$python" - done.ipynb <<'PYTHON'
import json, sys
cells = [cell for cell in json.load(open(sys.argv[1]))["cells"] if cell["cell_type"] == "code"]
pictures = [output for cell in cells for output in cell["outputs"] if "image/png" in output.get("data", {})]
tables = [output for cell in cells for output in cell["outputs"] if "text/html" in output.get("data", {})]
assert all(cell["execution_count"] for cell in cells) and len(pictures) == 3 and len(tables) >= 2, (len(pictures), len(tables))
text = "".join("".join(output["data"]["text/plain"]) for output in tables)
assert "main::place" in text and "Burn::spin" in text, text
PYTHON
}

# recipes FILE COMMAND: the lines of the manual page with a pipe into COMMAND
recipes() { sed -n "s/\\\\-/-/g; s/\\\\(aq/'/g; s/\\\\e/\\\\/g; / | $2 /p" "$PROFUTILS_SRC/man/$1"; }

@test "the manual's jq recipes run and give the promised results" {
    command -v jq >/dev/null || skip "no jq"
    recipes profcat.1.in jq >commands
    [ "$(wc -l <commands)" -ge 3 ]
    cp "$data"/requests.out run.out
    while IFS= read -r command; do
        bash -o pipefail -c "$command" >got 2>err || { echo "$command"; cat err; false; }
        [ -s got ] || { echo "$command: nothing"; false; }
    done <commands
    # 274 ms in all, as in the profiler's own reader
    proftop -n 0 -t ndjson run.out | jq -s 'map(.flat) | add' | grep -qx 274000000
}

# The rise is so great that noise does not matter: render does ten times the work
@test "the manual's gate for continuous integration exits with the promised status" {
    command -v python3 >/dev/null || skip "no python3"
    sed -n '/^mkdir before after$/,/^\.fi$/{/^\.fi$/d;s/\\-/-/g;p}' "$PROFUTILS_SRC/man/profdiff.1.in" >gate.sh
    [ "$(grep -c -e 'cProfile' gate.sh)" -eq 2 ]
    gate=$(grep '^profdiff ' gate.sh)
    mkdir old new
    cat >old/app.py <<'PYTHON'
def spin(n):
    while n > 0:
        n -= 1

def parse():
    spin(50000)

def render(n):
    while n > 0:
        n -= 1

for i in range(5):
    parse()
    render(20000)
PYTHON
    sed 's/render(20000)/render(200000)/' old/app.py >new/app.py

    run sh gate.sh
    [ "$status" -eq 1 ] && [[ $output == *render* ]] || { echo "a slower function: $status, $output"; false; }
    mv after slow
    cp -R before after
    run sh -c "$gate"
    [ "$status" -eq 0 ] || { echo "equal runs: $status, $output"; false; }
    rm after/[2-5].pstats
    run sh -c "$gate"
    [ "$status" -eq 2 ] && [[ $output == *"--fail-above needs"* ]] || { echo "one run: $status, $output"; false; }
    cp slow/* after
    head -c 60 slow/1.pstats >after/3.pstats
    run sh -c "$gate"
    [ "$status" -eq 3 ] || { echo "a damaged run: $status, $output"; false; }
}
