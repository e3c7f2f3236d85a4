"""main::RUNTIME, the time outside of all subs, as the numbers of Devel::NYTProf's own loader say.

usage: nytprof_scope.py CORPUS

The loader's times of statements, exclusive times of subs and inclusive times of the calls that main::RUNTIME makes are in
CORPUS/nytprof/*.expected.json. flat is the first less the second; cum is flat plus the third. Table, tree and picture must show both and
one total, and no main::RUNTIME where flat is not above 0.
"""
import glob
import json
import subprocess
import sys


def run(*command):
    return json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout)


def expected(told):
    time = sum(time for _, time in told["fid_line_time"].values())
    excl = sum(sub["excl_time"] for sub in told["subs"].values())
    calls = [call for called in told["callers"].values() for call in called.values()]
    incl = sum(call["incl"] for call in calls if call["caller_subs"] == ["main::RUNTIME"])
    clear = all(call["caller_subs"] == ["main::RUNTIME"] for call in calls if "main::RUNTIME" in call["caller_subs"])
    flat = round((time - excl) * 1e9)
    return round(time * 1e9), flat, flat + round(incl * 1e9) if clear else None


def shown(path):
    table = run("proftop", "-q", "-n0", "-t", "json", path)
    rows = [(row["flat"], row["cum"]) for row in table["rows"] if row["function"] == "main::RUNTIME"]
    tree = run("proftop", "-q", "-n0", "--tree", "-t", "json", path)
    nodes = [(row["self"], row["total"]) for row in tree["rows"] if row["function"] == "main::RUNTIME" and row["parent"] == 1]
    totals = [table["measures"][0]["total"], tree["measures"][0]["total"], tree["rows"][0]["total"]]
    names = {table["measures"][0]["name"], tree["measures"][0]["name"]} | {row["measure"] for row in table["rows"]}
    picture = None
    if any(kind["kind"] == "sample" and kind["total"] for kind in run("profcat", "-q", "-t", "json", path)["measures"]):
        picture = run("profcat", "-q", "-t", "json:flame", path)
        totals.append(picture["value"])
        picture = [(node["self"], node["value"]) for node in picture["children"] if node["name"] == "main::RUNTIME"]
    return totals, names, {"table": rows, "tree": nodes, "picture": rows if picture is None else picture}


def check(path, told):
    time, flat, cum = expected(told)
    totals, names, views = shown(path)
    assert names == {"excl"}, f"{path}: the flat column is of {names}"
    if flat > 0:
        assert set(totals) == {time}, f"{path}: totals {totals}, expected {time}"
    for view, found in views.items():
        found = [row for row in found if row[0] != 0]  # a caller without time of its own is a root of the tree
        wanted = [(flat, cum)] if flat > 0 else []
        if cum is None:
            found, wanted = [row[:1] for row in found], [row[:1] for row in wanted]
        assert found == wanted, f"{path}: {view} has {found}, expected {wanted}"


def main():
    checked = 0
    for path in sorted(glob.glob(sys.argv[1] + "/nytprof/*.nyt")):
        told = json.load(open(path[:-4] + ".expected.json"))
        # without calls there are lines only
        if not told["load_error"] and not told["stream_error"] and told["records"].get("SUB_CALLERS"):
            check(path, told)
            checked += 1
    assert checked > 10, checked


main()
