"""Compares main::RUNTIME, the time outside of all subs, with the numbers of Devel::NYTProf's own loader.

usage: nytprof_scope.py CORPUS

CORPUS/nytprof/*.expected.json has the loader's times of statements, exclusive times of subs, and inclusive times of the calls from
main::RUNTIME. The flat value is the first minus the second; the cumulative value is flat plus the third. Table, tree and picture must
show both values and the same total, and no main::RUNTIME if flat is not above 0. A difference of two files must show both values for
each side: in its table, in the table and picture of its stream, and in its own picture.
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
        found = [row for row in found if row[0] != 0]  # a caller without own time is a root of the tree
        wanted = [(flat, cum)] if flat > 0 else []
        if cum is None:
            found, wanted = [row[:1] for row in found], [row[:1] for row in wanted]
        assert found == wanted, f"{path}: {view} has {found}, expected {wanted}"


def own(rows):
    return sum(flat for function, flat in rows if function == "main::RUNTIME")


def check_difference(one, two):
    """Tests the difference of two files. Each is a path, whether there are stacks, the total, and the flat value of main::RUNTIME."""
    names = [one["path"], two["path"]]
    table = run("profdiff", "-q", "-n0", "-t", "json", *names)["measures"][0]
    assert [table["total_before"], table["total_after"]] == [one["total"], two["total"]], (names, table)
    for side, told in (("before", one), ("after", two)):
        shown = json.loads(piped(["profdiff", "-q", "-t", "pfs", *names], ["proftop", "-q", "-n0", "-t", "json", "--kind=edge", "-m", f"excl.{side}"]))
        assert shown["measures"][0]["total"] == told["total"], (names, side, shown["measures"])
        assert own((row["function"], row["flat"]) for row in shown["rows"]) == told["flat"], (names, side)
    if not (one["stacks"] and two["stacks"]):
        return
    direct = run("profdiff", "-q", "-t", "json:flame", *names)
    assert direct == json.loads(piped(["profdiff", "-q", "-t", "pfs", *names], ["profcat", "-q", "-t", "json:flame"])), names
    assert [direct["before"], direct["value"]] == [one["total"], two["total"]], (names, direct["before"], direct["value"])
    called = [node for node in direct["children"] if node["name"] == "main::RUNTIME"]
    assert sum(node["self"] for node in called) == two["flat"], (names, called)
    assert bool(called) == bool(one["flat"] or two["flat"]), names
    folded = [line.rsplit(" ", 2) for line in piped(["profdiff", "-q", "-t", "folded", *names]).decode("latin-1").split("\n")[:-1]]
    sides = [[(stack, int(line[k])) for stack, *line in folded] for k in (0, 1)]
    assert [sum(value for _, value in side) for side in sides] == [one["total"], two["total"]], names
    assert [own(side) for side in sides] == [one["flat"], two["flat"]], names


def piped(*commands):
    """Runs a pipe of commands and returns the output of the last."""
    text = None
    for command in commands:
        text = subprocess.run(command, input=text, capture_output=True, check=True).stdout
    return text


def main():
    checked = 0
    before = {}
    for path in sorted(glob.glob(sys.argv[1] + "/nytprof/*.nyt")):
        told = json.load(open(path[:-4] + ".expected.json"))
        # without calls there are only lines
        if not told["load_error"] and not told["stream_error"] and told["records"].get("SUB_CALLERS"):
            check(path, told)
            checked += 1
            stacks = any(kind["kind"] == "sample" and kind["total"] for kind in run("profcat", "-q", "-t", "json", path)["measures"])
            time, flat, _ = expected(told)
            now = {"path": path, "stacks": stacks, "total": time if flat > 0 else time - flat, "flat": max(flat, 0)}
            if stacks in before:
                check_difference(before[stacks], now)
            before[stacks] = now
    assert checked > 10, checked


main()
