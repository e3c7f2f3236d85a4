#!/usr/bin/env python3
"""Compares flame graphs with an independent computation from the same folded stacks: pictures.py BIN DIRECTORY

Random profiles with hostile names, and differences of two, are drawn as svg and html. Each frame's place, width, title, colour and mark
are computed here from the stacks with fractions. The verdict of a function is that of its row in profdiff's table. DIRECTORY is for
files. Prints differences and then exits with 1.
"""
import fractions
import html.parser
import json
import math
import os
import random
import re
import subprocess
import sys
import xml.etree.ElementTree

HOSTILE = [b"<script>alert(1)</script>", b"</script><!--", b"]]>", b"&amp & <b>", b"\"quo'ted\"", b"\xff\xfe latin", b"caf\xc3\xa9",
           b"\xe2\x80\xae reversed", b"esc\x1b[31m", b"nul\0nul", b"\xef\xbf\xbe nonchar \xef\xbf\xbf", b"operator() (int)", b"f(x) (y)",
           "漢字の関数の名前".encode(), "😀".encode(), b"x" * 300, b"a::b::c", b"\\back", b"{brace}", b"%s%n", b"tab\there", b"\x7f\xc2\x85"]
INNER = 1180


def shown(name):
    """A name as users see it: invalid UTF-8 as Latin-1, control characters and direction marks escaped."""
    try:
        text = name.decode()
    except UnicodeDecodeError:
        text = name.decode("latin-1")
    out = []
    for char in text:
        code = ord(char)
        control = code < 0x20 or 0x7f <= code < 0xa0 or code in (0x61c, 0x200e, 0x200f) or 0x2028 <= code <= 0x202e or 0x2066 <= code <= 0x2069
        out.append((f"\\x{code:02x}" if code < 0x100 else f"\\u{{{code:x}}}") if control else char)
    return "".join(out)


def order(name):
    try:
        return name, name.decode().encode()
    except UnicodeDecodeError:
        return name.decode("latin-1").encode(), b""


class Node:
    def __init__(self, name=b"all"):
        self.name, self.children, self.own = name, {}, [0, 0]

    def add(self, frames, side, value):
        node = self
        for frame in frames:
            node = node.children.setdefault(frame, Node(frame))
        node.own[side] += value

    def measure(self):
        """Totals of both sides, and the width: the sum over all frames of the greater side of their own values."""
        self.total, self.width = list(self.own), max(self.own)
        for child in self.children.values():
            child.measure()
            self.total = [a + b for a, b in zip(self.total, child.total)]
            self.width += child.width

    def walk(self, depth=0, start=0):
        yield self, depth, start
        for child in sorted(self.children.values(), key=lambda c: order(c.name)[0]):
            yield from child.walk(depth + 1, start)
            start += child.width


def tree_of(*sides):
    root = Node()
    for side, stacks in enumerate(sides):
        for frames, value in stacks.items():
            root.add(frames, side, value)
    root.measure()
    return root


def half_up(number):
    return math.floor(number + fractions.Fraction(1, 2))


def hundredths(part, whole):
    number = half_up(fractions.Fraction(100 * abs(part), whole)) if whole else 0
    return f"{number // 100:,}.{number % 100:02d}"


def plain_words(node, root):
    return f"{node.total[0]:,} samples, {hundredths(100 * node.total[0], root.total[0])}%"


def difference_words(node):
    before, after = node.total
    words = f"before {before:,}, after {after:,} samples, {after - before:+,}"
    if before == 0:
        return words + (", new" if after else "")
    sign = "-" if after < before else "+"
    return words + f", {sign}{hundredths(100 * (after - before), before)}%" + (
        ", gone" if after == 0 else f", ratio {hundredths(after, before)}")


def change_color(change, greatest, negate):
    if change == 0:
        return "#f0f0f0"
    rest = 240 - math.floor(200 * math.sqrt(min(1, abs(change) / greatest)) + 0.5)
    return f"#ff{rest:02x}{rest:02x}" if (change > 0) != negate else f"#{rest:02x}{rest:02x}ff"


class Faults(list):
    def want(self, what, got, expected):
        if got != expected:
            self.append(f"{what}: got {got!r}, expected {expected!r}")


def folded(path, stacks):
    with open(path, "wb") as out:
        for frames, value in stacks.items():
            out.write(b";".join(frames) + b" %d\n" % value)
    return path


def random_stacks(choose, count):
    names = HOSTILE + [b"fn%d" % k for k in range(12)]
    stacks = {}
    for _ in range(count):
        frames = tuple(choose.choice(names) for _ in range(1 + int(choose.expovariate(0.3))))
        stacks[frames] = int(10 ** choose.uniform(0, 5)) + 1
    return stacks


def changed(choose, stacks):
    after = {frames: max(1, int(value * choose.choice([0.5, 1, 1, 2]))) for frames, value in stacks.items() if choose.random() < 0.8}
    after.update(random_stacks(choose, 5))
    return after


def run(binary, *arguments, form="folded"):
    return subprocess.run([os.path.join(BIN, binary), "-f", form, *arguments], stdout=subprocess.PIPE, check=True, timeout=60).stdout


# --- svg ------------------------------------------------------------------------------------------------------


def check_urls(faults, what, text):
    left = text.replace("http://www.w3.org/2000/svg", "").replace("url(#paper)", "")
    for found in re.findall(r"https?:|//[a-z]+\.|\bsrc=|\bhref=|@import|url\(", left):
        faults.append(f"{what}: {found} in it: nothing may come from elsewhere")


def frames_of(document):
    for group in document.find(".//*[@id='frames']"):
        title, rect, label = group
        yield title.text, rect.attrib, label.text or ""


def check_svg(faults, what, text, root, options=(), table=None):
    options = dict(option.partition("=")[::2] for option in options)
    difference, inverted = "difference" in options, "inverted" in options
    document = xml.etree.ElementTree.fromstring(text)
    shows = [(node, depth, start) for node, depth, start in root.walk()
             if depth == 0 or node.width * INNER * 10 >= root.width * int(10 * float(options.get("minwidth", "0.1")))]
    levels = max(depth for _, depth, _ in shows)
    changed_by = [node.own if options.get("delta") == "self" else node.total for node, _, _ in shows]
    greatest = max(abs(after - before) for before, after in changed_by)
    drawn = list(frames_of(document))
    faults.want(f"{what}: frames", len(drawn), len(shows))
    for (title, rect, label), (node, depth, start) in zip(drawn, shows):
        name = shown(node.name).replace("\ufffe", "\ufffd").replace("\uffff", "\ufffd")
        place = f"{what}: {name[:40]} at depth {depth}"
        words = difference_words(node) if difference else plain_words(node, root)
        if options.get("delta") == "self":
            words += f", self {node.own[1] - node.own[0]:+,}"
        if table:
            words += "; " + verdict_words(table[shown(node.name) if depth else None], one_run=True)
        left = half_up(fractions.Fraction(start * INNER * 100, root.width))
        right = half_up(fractions.Fraction((start + node.width) * INNER * 100, root.width))
        faults.want(place + ": title", title, f"{name} ({words})")
        faults.want(place + ": x", rect["x"], f"{(left + 1000) // 100}.{left % 100:02d}")
        faults.want(place + ": width", rect["width"], f"{(right - left) // 100}.{(right - left) % 100:02d}")
        faults.want(place + ": y", int(rect["y"]), 60 + 16 * (depth if inverted else levels - depth))
        faults.want(place + ": amounts", (rect["data-x"], rect["data-e"], rect["data-d"]), (str(start), str(start + node.width), str(depth)))
        if not (label == name or label == "" or (label.endswith("..") and name.startswith(label[:-2]))):
            faults.append(f"{place}: label {label!r}")
        if difference:
            before, after = node.own if options.get("delta") == "self" else node.total
            mark = "gone" if node.total[0] and not node.total[1] else "new" if node.total[1] and not node.total[0] else None
            faults.want(place + ": colour", rect["fill"], change_color(after - before, greatest, "negate" in options))
            mark = mark and mark + (" thin" if right - left < 300 else "")
            faults.want(place + ": mark", rect.get("class"), mark)
    check_urls(faults, what, text.decode())


# --- html -----------------------------------------------------------------------------------------------------


class Page(html.parser.HTMLParser):
    """The scripts of a page, and the attributes of its elements."""

    def __init__(self, text):
        super().__init__()
        self.scripts, self.at, self.elements = [], False, []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        self.at = tag == "script"
        if self.at:
            self.scripts.append("")

    def handle_endtag(self, tag):
        self.at = False

    def handle_data(self, data):
        if self.at:
            self.scripts[-1] += data


def profile_of(text):
    page = Page(text)
    assert len(page.scripts) == 2, f"{len(page.scripts)} scripts, expected the profile and the program"
    return json.loads(page.scripts[0])


def own_amounts(profile, lists, value=None):
    """Own amounts by node, of all records or only of those with the given label value."""
    sums = [0] * len(profile["up"])
    values = [set()]
    for number, without in profile["slices"][1:]:
        values.append(values[without] | {number})
    for slice_number, nodes, amounts in zip(lists[0::3], lists[1::3], lists[2::3]):
        if value is not None and profile["values"].index(value) not in values[slice_number]:
            continue
        node = 0
        for distance, amount in zip(nodes, amounts):
            node += distance
            sums[node] += amount
    return sums


def rebuild(profile, *sides):
    """Own amounts of each side, by stack of names."""
    stacks, path = {}, []
    for node, (up, number) in enumerate(zip(profile["up"], profile["function"])):
        if node:
            del path[len(path) - up:]
            path.append(profile["functions"][number])
        if any(side[node] for side in sides):
            stacks[tuple(path)] = tuple(side[node] for side in sides)
    return stacks


def want_stacks(*sides):
    stacks = {}
    for k, side in enumerate(sides):
        for frames, value in side.items():
            names = tuple(shown(frame) for frame in frames)
            stacks.setdefault(names, [0] * len(sides))[k] += value
    return {names: tuple(values) for names, values in stacks.items()}


def check_html(faults, what, text, *sides):
    profile = profile_of(text.decode())
    measure = profile["measures"][profile["main"]]
    lists = [measure[key] for key in (("self",) if len(sides) == 1 else ("before", "after"))]
    faults.want(what + ": stacks", rebuild(profile, *[own_amounts(profile, one) for one in lists]), want_stacks(*sides))
    faults.want(what + ": colours", len(profile["colors"]), 6 * len(profile["functions"]))
    check_urls(faults, what, text.decode())


def random_records(choose):
    """Records with two measures, in none, one or several of five sections, sometimes twice in one."""
    records = []
    for _ in range(200):
        stack = [["f%d" % choose.randrange(6), "%s.pl" % choose.choice("ab"), choose.randrange(1, 4)] for _ in range(choose.randrange(1, 6))]
        sections = [["section", choose.choice(["", "req", "db", "</script>", "\u00e9"])] for _ in range(choose.randrange(4))]
        records.append({"stack": stack, "labels": sections, "values": {"wall": choose.randrange(1000), "calls": choose.randrange(3)}})
    return records


def check_sections(faults, directory, seed):
    """Tests that a record counts once in each of its sections, and that frames with the same name and file are joined."""
    records = random_records(random.Random(seed))
    measures = [{"name": "wall", "unit": "nanoseconds", "num": 1000, "raw_unit": "tick", "main": 1}, {"name": "calls", "unit": "count"}]
    stream = subprocess.run([sys.executable, os.path.join(os.path.dirname(__file__), "make_stream.py")], stdout=subprocess.PIPE, check=True,
                            input=json.dumps({"measures": measures, "records": records}).encode()).stdout
    with open(os.path.join(directory, "sections.pfs"), "wb") as out:
        out.write(stream)
    profile = profile_of(run("profcat", os.path.join(directory, "sections.pfs"), "-t", "html", form="pfs").decode())
    places = [(name, profile["files"][file]) for name, file in zip(profile["functions"], profile["file"])]
    faults.want("sections: values", sorted(profile["values"]), sorted({label[1] for record in records for label in record["labels"]}))
    faults.want("sections: measures", [(m["name"], m["unit"]) for m in profile["measures"]], [("wall", "nanoseconds"), ("calls", "count")])
    for measure, scale in zip(profile["measures"], (1000, 1)):
        for section in [None, *profile["values"]]:
            want = {}
            for record in records:
                value = record["values"][measure["name"]] * scale
                if value and (section is None or ["section", section] in record["labels"]):
                    stack = tuple((name, file) for name, file, _ in record["stack"])
                    want[stack] = want.get(stack, 0) + value
            own = own_amounts(profile, measure["self"], section)
            got = rebuild({**profile, "functions": places}, own)
            faults.want(f"sections: {measure['name']} in {section!r}", got, {stack: (value,) for stack, value in want.items()})


# --- verdicts -------------------------------------------------------------------------------------------------


def rows_of(*arguments, form="folded"):
    """The rows of profdiff's table of cumulative amounts, by the name that a picture shows; the total is None."""
    table = json.loads(run("profdiff", *arguments, "--cum", "-n", "0", "-t", "json", form=form))
    return {None if row["row"] == "total" else shown(row["function"].encode()): row for row in table["rows"]}


def percent(ratio):
    return "0" if abs(100 * (ratio - 1)) < 0.05 else f"{100 * (ratio - 1):+.1f}"


def verdict_words(row, one_run=False, exact=False):
    """The verdict of a row and its numbers, in the words of a picture."""
    words = []
    name = "total: " if row["row"] == "total" else "function: "
    if one_run and not exact:
        hint = {"+": "; significantly more if runs did not vary", "-": "; significantly less if runs did not vary", "": ""}
        return name + "not tested, one run on a side" + hint[row["hint"]]
    if row["verdict"] == ".":
        return name + "not tested, too small"
    if exact:
        words.append("exact")
    ratio, low, high = (row[key] for key in ("ratio", "ratio_low", "ratio_high"))
    if row["cum_before"] and row["cum_after"]:
        words.append(percent(ratio) + "%" if abs(ratio) < 10 else f"{ratio:.0f}x")
        if low is not None:
            far = abs(ratio) >= 10 or high >= 10
            words.append("95% interval " + (f"{low:.3g}x .. {high:.3g}x" if far else f"{percent(low)} .. {percent(high)}%"))
    if row["tested"]:
        words.append(("p = " if row["row"] == "total" else "q = ") + (f"{row['q']:.0e}" if row["q"] < 0.0001 else f"{row['q']:.4f}"))
    words.append(row["verdict"] + " " + ("nothing can be told" if row["verdict"] == "~" else row["status"]))
    return name + ", ".join(words)


def paler(color):
    return "#" + "".join(f"{(int(color[k:k + 2], 16) + 5 * 0xf0) // 6:02x}" for k in (1, 3, 5))


def check_judged(faults, what, sides, options, form, exact=False):
    """Compares a picture with the picture of the same difference without verdicts, and with the table."""
    table = rows_of(*sides, *options, form=form)
    stream = os.path.join(os.path.dirname(sides[0]), "judged.pfs")
    run("profdiff", *sides, *[option for option in options if option in ("--normalize", "--reverse")], "-o", stream, form=form)
    by = ":by=name" if "--by=name" in options else ""
    judged, plain = ([*frames_of(xml.etree.ElementTree.fromstring(text))] for text in (
        run("profdiff", *sides, *options, "-t", "svg", form=form), run("profcat", stream, "-t", "svg" + by, form="pfs")))
    faults.want(what + ": frames", len(judged), len(plain))
    met = set()
    for depth, ((title, rect, label), (plain_title, plain_rect, plain_label)) in enumerate(zip(judged, plain)):
        name = plain_title[:plain_title.rindex(" (")]
        row = next(row for key, row in table.items() if (key or "").replace("\ufffe", "\ufffd").replace("\uffff", "\ufffd") == (name if depth else ""))
        pale = row["verdict"] in "~.="
        met.add(row["verdict"])
        faults.want(f"{what}: title of {name[:40]}", title, plain_title[:-1] + "; " + verdict_words(row, exact=exact and not row["tested"]) + ")")
        marks = [mark for mark in (plain_rect.pop("class", None), "pale" if pale else None) if mark]
        plain_rect["fill"] = paler(plain_rect["fill"]) if pale else plain_rect["fill"]
        faults.want(f"{what}: mark of {name[:40]}", rect.pop("class", None), " ".join(marks) or None)
        faults.want(f"{what}: the rest of {name[:40]}", (rect, label), (plain_rect, plain_label))
    judged, plain = (profile_of(text.decode()) for text in (
        run("profdiff", *sides, *options, "-t", "html", form=form), run("profcat", stream, "-t", "html" + by, form="pfs")))
    measure = judged["measures"][judged["main"]]
    rows = [table[name if k else None] for k, name in enumerate(judged["functions"])]
    faults.want(what + ": verdicts of the page", measure.pop("verdicts"), "".join(row["verdict"] for row in rows))
    words = measure.pop("words")
    faults.want(what + ": words of the page", [words[k] for k in measure.pop("verdict")],
                [verdict_words(row, exact=exact and not row["tested"]) for row in rows])
    faults.want(what + ": the rest of the page", judged, plain)
    return met


def check_verdicts(faults, directory, seed):
    choose = random.Random(seed)
    before = random_stacks(choose, 60)
    after, met = changed(choose, before), set()
    sides = [os.path.join(directory, f"{side}{seed}") for side in ("before", "after")]
    for side, stacks in zip(sides, (before, after)):
        os.makedirs(side)
        for number in range(4):
            folded(os.path.join(side, f"{number}.folded"), {frames: max(1, round(value * choose.gauss(1, 0.05))) for frames, value in stacks.items()})
    for options in ([], ["--min-percent=0"], ["--test=welch", "--min-delta=20%"], ["--normalize"], ["--reverse", "--by=name"]):
        met |= check_judged(faults, f"seed {seed} verdicts {options}", sides, options, "folded")
    return met


def check_exact(faults, directory):
    """Counts that are the same in all runs of a side need no test, also with one run."""
    for name, (a, b, c) in {"one": (1, 2, 3), "two": (1, 3, 0), "three": (1, 3, 0)}.items():
        records = [{"stack": [["main"], [function]], "values": {"calls": value}} for function, value in (("same", a), ("more", b), ("gone", c)) if value]
        stream = subprocess.run([sys.executable, os.path.join(os.path.dirname(__file__), "make_stream.py")], stdout=subprocess.PIPE, check=True,
                                input=json.dumps({"measures": [{"name": "calls", "nature": "exact"}], "records": records}).encode()).stdout
        for path in ([f"exact-{name}.pfs"] if name == "one" else [f"exact-{name}.pfs", f"exact/{name}.pfs"]):
            os.makedirs(os.path.join(directory, "exact"), exist_ok=True)
            with open(os.path.join(directory, path), "wb") as out:
                out.write(stream)
    one, two, both = (os.path.join(directory, name) for name in ("exact-one.pfs", "exact-two.pfs", "exact"))
    for after in (two, both):
        faults.want("exact: verdicts", check_judged(faults, "exact", (one, after), [], "pfs", exact=True), set("-+="))


# --- all ------------------------------------------------------------------------------------------------------


def check_seed(faults, directory, seed):
    choose = random.Random(seed)
    before = random_stacks(choose, 60)
    after = changed(choose, before)
    a, b = folded(os.path.join(directory, "a.folded"), before), folded(os.path.join(directory, "b.folded"), after)
    root, both = tree_of(before), tree_of(before, after)
    reverse = tree_of({frames[::-1]: value for frames, value in before.items()})
    for options in ([], ["minwidth=0.5"], ["minwidth=0"], ["inverted"], ["colors=package"]):
        check_svg(faults, f"seed {seed} svg:{','.join(options)}", run("profcat", a, "-t", "svg:" + ",".join(options)), root, options)
    reversed_stacks = {}
    for frames, value in before.items():
        reversed_stacks[frames[::-1]] = value
    check_svg(faults, f"seed {seed} svg:reverse", run("profcat", a, "-t", "svg:reverse"), reverse)
    check_html(faults, f"seed {seed} html:reverse", run("profcat", a, "-t", "html:reverse"), reversed_stacks)
    check_html(faults, f"seed {seed} html", run("profcat", a, "-t", "html"), before)
    table = rows_of(a, b)
    for options in ([], ["delta=self"], ["negate"]):
        name = "svg:" + ",".join(options)
        check_svg(faults, f"seed {seed} profdiff {name}", run("profdiff", a, b, "-t", name), both, [*options, "difference"], table)
    check_html(faults, f"seed {seed} profdiff html", run("profdiff", a, b, "-t", "html"), before, after)


def main():
    faults = Faults()
    for seed in range(6):
        check_seed(faults, sys.argv[2], seed)
        check_sections(faults, sys.argv[2], seed)
    met = set().union(*[check_verdicts(faults, sys.argv[2], seed) for seed in range(3)])
    faults.want("verdicts that were met", met, set("+-=~."))
    check_exact(faults, sys.argv[2])
    print("\n".join(faults[:20]) if faults else "every frame is where it belongs")
    sys.exit(bool(faults))


if __name__ == "__main__":
    BIN = sys.argv[1]
    main()
