#!/usr/bin/env python3
"""Tests that all programs and writers choose the same main measure: main_measure.py BIN DIRECTORY FIRST LAST

Makes random profiles from the seeds FIRST to LAST and finds the main measure by the rule of profformats(7): the marked one; else the first
that is a difference; else the first time; else the first. Each program and writer that prefers one measure must prefer this one. DIRECTORY
is for files. Prints differences and then exits with 1.
"""
import json
import os
import random
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import make_stream  # noqa: E402

POOL = {  # unit and role; raw units are base units, so that amounts are what the records have
    "samples": ("count", "count"), "hits": ("count", "count"), "wall": ("nanoseconds", "self"), "cpu": ("nanoseconds", "self"),
    "ninth": ("nanoseconds", "self"), "inuse_space": ("bytes", "self"), "cycles": ("count", "self"), "spent": ("us", "self"),
    "wall.delta": ("nanoseconds", "self"), "size.delta": ("bytes", "self"),
}


def make(chance):
    """A description for make_stream, the kind of its records, its main measure, and the total of each measure."""
    names = chance.sample(sorted(POOL), chance.randint(1, 5))
    marked = [chance.choice(names)] if chance.random() < 0.4 else []
    kind = chance.choice(("sample", "sample", "sample", "flat"))
    measures = [{"name": name, "unit": POOL[name][0], "role": POOL[name][1], "kind": kind, "main": int(name in marked)} for name in names]
    records = []
    for k in range(chance.randint(1, 6)):
        where = chance.choice("abc")
        place = {"stack": [["main"], [where]]} if kind == "sample" else {"kind": "flat", "at": [where, "f.c", k + 1]}
        # each measure has a different total
        records.append(dict(place, values={name: chance.randint(1, 9) * 1000 * 100 ** i for i, name in enumerate(names)}))
    totals = {name: sum(record["values"][name] for record in records) for name in names}
    deltas = [name for name in names if name.endswith(".delta")]
    times = [name for name in names if POOL[name][0] == "nanoseconds"]
    return {"measures": measures, "records": records}, kind, (marked + deltas + times + names)[0], totals


class Check:
    def __init__(self, programs, folder):
        self.bin, self.folder = programs, folder

    def run(self, *words):
        """The program's output and messages."""
        done = subprocess.run([os.path.join(self.bin, words[0]), *words[1:]], capture_output=True, check=False, timeout=60, cwd=self.folder)
        if done.returncode > 1:
            sys.exit("%s: %s" % (" ".join(words), done.stderr.decode()))
        return done.stdout.decode(), done.stderr.decode()

    def table(self, program, *words):
        """Name and total of the first measure in a table."""
        measure = json.loads(self.run(program, "-q", "-t", "json", *words)[0])["measures"][0]
        return measure["name"], measure.get("total")

    def written(self, form):
        self.run("profcat", "-q", "x.pfs", "-t", form, "-o", "x.out")
        with open(os.path.join(self.folder, "x.out"), encoding="utf-8") as file:
            return file.read()

    def answers(self, kind, main, totals):
        """Yields each program or writer with the measure that it chose: the name, or the total if the format has no names."""
        of = {total: name for name, total in totals.items()}
        yield "proftop", self.table("proftop", "x.pfs")[0]
        yield "profdiff", self.table("profdiff", "x.pfs", "x.pfs")[0]
        self.run("profdiff", "-q", "x.pfs", "x.pfs", "-o", "d.pfs")
        yield "profdiff -t pfs", self.table("proftop", "d.pfs")[0][:-len(".delta")]
        yield "proffilter --min-value", re.search(r" of '(.*)'", self.run("proffilter", "--min-value=%d" % (1 << 60), "x.pfs", "-o", "least.pfs")[1]).group(1)
        self.run("profmerge", "-q", "--normalize=777777777", "x.pfs", "-o", "n.pfs")  # each record is rounded
        yield "profmerge --normalize", [name for name in totals if abs(self.table("proftop", "-m", name, "n.pfs")[1] - 777777777) < 999]
        for form in ("pfs", "json", "ndjson", "pprof"):
            if form != "pprof" or kind == "sample":
                self.run("profcat", "-q", "x.pfs", "-t", form, "-o", "y")
                yield form, self.table("proftop", "y")[0]
        yield "callgrind", re.search(r"^events: (?:line_)?(.*?)(?:_\(| |$)", self.written("callgrind"), re.M).group(1)
        if kind == "sample":
            yield "folded", of[sum(int(line.split()[-1]) for line in self.written("folded").splitlines())]
            yield "speedscope", json.loads(self.written("speedscope"))["profiles"][0]["name"]
            yield "svg", re.search(r'id="subtitle"[^>]*>(?:[0-9,]+ )?(.*?)[:<]', self.written("svg")).group(1)
            page = self.written("html")
            shown = int(re.search(r'^"main":(\d+)', page, re.M).group(1))
            yield "html", re.findall(r'"name":"(.*?)"', page[page.index('"measures":['):])[shown]
            # the number of hits has its own field besides the main measure
            held = [measure["name"] for measure in json.loads(self.run("profcat", "-t", "json", self.file("cpuprofile"))[0])["measures"]]
            yield "cpuprofile", main if main in held else held
            yield "statprofiler", of.get(self.table("proftop", self.file("statprofiler"))[1])

    def file(self, form):
        self.run("profcat", "-q", "x.pfs", "-t", form, "-o", "y")
        return "y"

    def seed(self, seed):
        """The number of programs and writers that differ, for the profile of one seed."""
        bad = 0
        description, kind, main, totals = make(random.Random(seed))
        with open(os.path.join(self.folder, "x.pfs"), "wb") as out:
            out.write(make_stream.stream(description))
        for who, taken in self.answers(kind, main, totals):
            if taken not in (main, [main]):
                print("seed %d: %s takes %s, and the main measure is %s: %s" % (seed, who, taken, main, description["measures"]))
                bad += 1
        return bad


if __name__ == "__main__":
    check = Check(*sys.argv[1:3])
    sys.exit(any([check.seed(seed) for seed in range(int(sys.argv[3]), int(sys.argv[4]) + 1)]))
