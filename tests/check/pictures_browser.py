#!/usr/bin/env python3
"""Tests flame graphs in a real browser: pictures_browser.py BIN DIRECTORY. Uses zoom, search, choosers and table by mouse and keyboard.

All expected numbers follow from the few records below. Exit status 77: there is no Chromium.
"""
import json
import os
import subprocess
import sys
import time

import chromium

FOLDED = "main;load;parse 30\nmain;load;read 10\nmain;run 60\n"
AFTER = "main;load;parse 60\nmain;run 60\nmain;save 20\n"
RECORDS = {
    "measures": [{"name": "wall", "unit": "nanoseconds", "main": 1}, {"name": "calls", "unit": "count"}],
    "records": [
        {"stack": [["main"], ["db"]], "labels": [["section", "req"], ["section", "db"]], "values": {"wall": 30_000_000, "calls": 3}},
        {"stack": [["main"], ["render"]], "labels": [["section", "req"]], "values": {"wall": 50_000_000, "calls": 1}},
        {"stack": [["main"]], "values": {"wall": 20_000_000, "calls": 6}},
    ],
}


class Test:
    def __init__(self, page, directory):
        self.page, self.directory, self.faults = page, directory, []

    def want(self, what, got, expected):
        if got != expected:
            self.faults.append(f"{what}: got {got!r}, expected {expected!r}")

    def text(self, identity):
        return self.page.run(f"document.getElementById({identity!r}).textContent")

    def path(self, name):
        return os.path.join(self.directory, name)

    def quiet(self, what):
        self.want(what + ": complaints", self.page.complaints(), [])


# --- svg ------------------------------------------------------------------------------------------------------


def frame(test, name):
    """A frame's position, and whether it is visible."""
    return test.page.run(f"""(() => {{
        const g = [...document.querySelectorAll("#frames > g")].find((g) => g.querySelector("title").textContent.startsWith({name!r} + " ("));
        const rect = g.querySelector("rect"), box = rect.getBoundingClientRect();
        return {{x: box.x + box.width / 2, y: box.y + box.height / 2, width: rect.getAttribute("width"), label: g.querySelector("text").textContent,
                 shown: getComputedStyle(g).display !== "none", above: g.classList.contains("above"), found: getComputedStyle(rect).fill}};
    }})()""")


def svg(test):
    page = test.page
    page.open(test.path("x.svg"))
    at = frame(test, "load")
    page.move(at["x"], at["y"])
    test.want("svg: details", test.text("details"), "Function: load (40 samples, 40.00%)")
    page.click(at["x"], at["y"])
    test.want("svg: zoomed frame", frame(test, "load")["width"], "1180.00")
    test.want("svg: a child of it", frame(test, "parse")["width"], "885.00")
    test.want("svg: what called it", (frame(test, "main")["width"], frame(test, "main")["above"]), ("1180.00", True))
    test.want("svg: what is beside it", frame(test, "run")["shown"], False)
    test.want("svg: address", page.run("location.hash"), "#x=0&d=2")
    page.run("window.prompt = () => '^p.*e$'")
    box = page.run("(() => { const b = document.getElementById('search').getBoundingClientRect(); return [b.x + 9, b.y + 6]; })()")
    page.click(*box)
    test.want("svg: matched in what is zoomed into", test.text("matched"), "Matched: 75.0%")
    test.want("svg: colour of a match", frame(test, "parse")["found"], "rgb(230, 0, 230)")
    page.key("Escape")
    test.want("svg: matched in all", test.text("matched"), "Matched: 30.0%")
    test.want("svg: reset", (frame(test, "run")["shown"], frame(test, "run")["width"], frame(test, "load")["width"]), (True, "708.00", "472.00"))
    page.click(*box)
    test.want("svg: search reset", (test.text("matched"), test.text("search")), ("", "Search"))
    page.run("window.prompt = () => 'main|parse'")
    page.key("f", modifiers=2)
    test.want("svg: matches inside of matches count once", test.text("matched"), "Matched: 100.0%")
    page.run("window.prompt = () => '('")
    page.key("F3")
    test.want("svg: a bad expression", test.text("details"), "no regular expression: (")
    page.open(test.path("x.svg"), "#x=0&d=2&s=RUN&i=1")
    test.want("svg: from the address", (frame(test, "parse")["width"], test.text("matched")), ("885.00", "Matched: 0.0%"))
    test.quiet("svg")


# --- html -----------------------------------------------------------------------------------------------------


def choose(test, identity, text):
    test.page.run(f"""(() => {{
        const select = document.getElementById({identity!r});
        select.value = [...select.options].find((option) => option.text === {text!r}).value;
        select.dispatchEvent(new Event("change", {{bubbles: true}}));
    }})()""")
    test.page.settle()


def table(test):
    return test.page.run("""[...document.querySelectorAll("#rows tr")].map((tr) => [...tr.children].map((td) => td.textContent))""")


def search(test, text):
    test.page.run("document.getElementById('search').value = ''")
    test.page.key("/")
    if text:
        test.page.type(text)
    else:
        test.page.run("document.getElementById('search').dispatchEvent(new Event('input'))")
    test.page.settle()


def place(test, share, level):
    """Pixel position in the picture of a share of its width and a depth."""
    left, bottom, width = test.page.run("(() => { const b = document.getElementById('scroll').getBoundingClientRect(); return [b.x, b.bottom, b.width]; })()")
    return left + share * width, bottom - 18 * level - 9


def hover(test, share, level, name):
    """Points at a frame, and again if needed: a page that was just opened may still change its layout."""
    for _ in range(40):
        test.page.move(*place(test, share, level))
        if test.text("details").startswith(name):
            break
        time.sleep(0.05)


def html(test):
    page = test.page
    page.open(test.path("x.html"))
    test.want("html: heading", (test.text("title"), test.text("subtitle")), ("Two & <three>", "wall: 100ms"))
    test.want("html: table", table(test), [["20ms", "20.00%", "100ms", "100.00%", "main"], ["50ms", "50.00%", "50ms", "50.00%", "render"],
                                           ["30ms", "30.00%", "30ms", "30.00%", "db"]])
    choose(test, "measure", "calls")
    test.want("html: another measure", (test.text("subtitle"), table(test)[0]), ("10 calls", ["6", "60.00%", "10", "100.00%", "main"]))
    choose(test, "section", "req")
    test.want("html: a section", (test.text("subtitle"), table(test)[1]), ("4 calls", ["3", "75.00%", "3", "75.00%", "db"]))
    choose(test, "measure", "wall")
    choose(test, "section", "db")
    test.want("html: a section inside", (test.text("subtitle"), len(table(test))), ("wall: 30ms", 2))
    choose(test, "section", "(none)")
    test.want("html: outside of all sections", table(test), [["20ms", "100.00%", "20ms", "100.00%", "main"]])
    choose(test, "section", "all")
    hover(test, 0.2, 2, "db")
    test.want("html: details", test.text("details"), "db  (30ms, 30.00%; self 30ms)")
    test.want("html: tip", test.text("tip"), "db\n30ms, 30.00%; self 30ms")
    page.click(*place(test, 0.5, 2))
    test.want("html: zoomed", (test.text("details"), page.run("document.getElementById('reset').disabled")), ("render  (50ms, 50.00%; self 50ms)", False))
    search(test, "^r.*r$")
    test.want("html: matched in what is zoomed into", test.text("matched"), "matched 50ms = 100.00%")
    page.run("document.getElementById('reset').click()")
    page.settle()
    test.want("html: matched in all", test.text("matched"), "matched 50ms = 50.00%")
    test.want("html: matching rows", [row[-1] for row in table(test)], ["render"])
    search(test, "(")
    test.want("html: a bad expression", page.run("document.getElementById('search').getAttribute('aria-invalid')"), "true")
    search(test, "")
    page.run("document.getElementById('canvas').focus()")
    for key in ("ArrowUp", "ArrowUp", "ArrowLeft"):
        page.key(key)
    test.want("html: arrow keys", test.text("details"), "db  (30ms, 30.00%; self 30ms)")
    page.key("Enter")
    test.want("html: Enter zooms", page.run("location.hash"), "#z=2")
    page.key("Escape")
    test.want("html: Escape goes back", page.run("location.hash"), "")
    page.run("document.querySelector('#heads th:last-child button').click()")
    test.want("html: sorted by name", [row[-1] for row in table(test)], ["db", "main", "render"])
    page.run("document.querySelector('#rows tr').focus()")
    page.key("Enter")
    test.want("html: a row marks its function", test.text("matched"), "matched 30ms = 30.00%")
    light = page.run("getComputedStyle(document.body).backgroundColor")
    page.scheme(True)
    test.want("html: dark", (light, page.run("getComputedStyle(document.body).backgroundColor")), ("rgb(255, 255, 255)", "rgb(26, 27, 30)"))
    page.scheme(False)
    page.open(test.path("x.html"), "#in=req&m=1&s=db")
    test.want("html: from the address", (test.text("subtitle"), test.text("matched")), ("4 calls", "matched 3 calls = 75.00%"))
    test.quiet("html")


def pixel(test, share, level):
    """The colour of the picture at a share of its width and a depth."""
    x, y = place(test, share, level)
    test.page.settle()
    return test.page.run(f"""(() => {{ const c = document.getElementById("canvas"), b = c.getBoundingClientRect();
        return [...c.getContext("2d").getImageData({x} - b.x, {y} - b.y, 1, 1).data].slice(0, 3); }})()""")


def difference(test):
    page = test.page
    page.open(test.path("d.html"))
    test.want("difference: heading", test.text("subtitle"), "before 100, after 140 samples")
    test.want("difference: colours", test.text("note").startswith("red is more, blue is less"), True)
    test.want("difference: no test", test.text("note").endswith("one run on a side: nothing tells a change from chance"), True)
    test.want("difference: nothing is pale", page.run("document.getElementById('pale-label').hidden"), True)
    rows = {row[-1]: row[:-1] for row in table(test)}
    test.want("difference: doubled", rows["parse"], ["30", "60", "+30", "+100.00%", "+30"])
    test.want("difference: gone", rows["read"], ["10", "0", "-10", "-100.00%, gone", "-10"])
    test.want("difference: new", rows["save"], ["0", "20", "+20", "new", "+20"])
    hover(test, 15 / 150, 3, "parse")
    test.want("difference: details", test.text("details"), "parse  (before 30, after 60 samples, +30, +100.00%, ratio 2.00; self 30 to 60; "
              "function: not tested, one run on a side; significantly more if runs did not vary)")
    hover(test, 65 / 150, 3, "read")
    test.want("difference: what is gone has its place", test.text("details"),
              "read  (before 10, after 0 samples, -10, -100.00%, gone; self 10 to 0; "
              "function: not tested, one run on a side; significantly less if runs did not vary)")
    test.want("difference: main is red for what it called", pixel(test, 0.95, 1), [255, 40, 40])
    choose(test, "colour", "change of self")
    test.want("difference: main itself did not change", pixel(test, 0.95, 1), [236, 236, 232])
    page.open(test.path("p.html"))
    test.want("difference: a stream has no verdicts", test.text("note").endswith("whether a difference is real: profdiff -t text does"), True)
    test.want("difference: nothing to switch off", page.run("document.getElementById('pale-label').hidden"), True)
    test.quiet("difference")


def verdicts(test):
    """Of 400 samples, run has 200 more in each of three runs, and load 20 more on average, which vary. The key for the switch is the space bar."""
    page = test.page
    page.open(test.path("v.html"))
    test.want("verdicts: note", test.text("note").endswith("pale frames: the change of the function's total is not significant"), True)
    hover(test, 0.9, 2, "run")
    words = test.text("details")
    test.want("verdicts: more", (words[:words.index("function")], words[-9:]), ("run  (before 200, after 400 samples, +200, +100.00%, ratio 2.00; self 200 to 400; ", ", + more)"))
    test.want("verdicts: a line of the tip", test.text("tip").split("\n")[2], words[words.index("function"):-1])
    hover(test, 0.1, 2, "load")
    test.want("verdicts: unclear", test.text("details")[-24:], ", ~ nothing can be told)")
    # the change of load is a tenth of the greatest change: 240 - 200 sqrt(20 / 220), of which a sixth, and five sixths of #ecece8
    strong, faint = [255, 180, 180], [239, 227, 223]
    test.want("verdicts: pale", (pixel(test, 0.1, 2), pixel(test, 0.9, 2)), (faint, [255, 49, 49]))
    page.run("document.getElementById('pale').focus()")
    page.key(" ")
    test.want("verdicts: switched off", (pixel(test, 0.1, 2), pixel(test, 0.9, 2)), (strong, [255, 49, 49]))
    test.want("verdicts: the address has no switch", page.run("location.hash"), "")
    page.key(" ")
    test.want("verdicts: switched on again", pixel(test, 0.1, 2), faint)
    choose(test, "section", "req")
    hover(test, 0.9, 2, "run")
    test.want("verdicts: none of a section", ("function:" in test.text("details"), page.run("document.getElementById('pale-label').hidden")), (False, True))
    choose(test, "section", "all")
    choose(test, "measure", "calls")
    test.want("verdicts: none of another measure", page.run("document.getElementById('pale-label').hidden"), True)
    test.quiet("verdicts")


def reverse(test):
    """Functions have the same own values whichever end of the stacks is the root."""
    test.page.open(test.path("r.html"))
    test.want("reverse: table", table(test), [["0", "0.00%", "13", "100.00%", "main"], ["10", "76.92%", "10", "76.92%", "a"],
                                              ["3", "23.08%", "3", "23.08%", "b"]])
    hover(test, 0.5, 1, "a")
    test.want("reverse: a leaf", test.text("details"), "a  (10 samples, 76.92%; self 10)")
    hover(test, 0.5, 2, "main")
    test.want("reverse: what called it", test.text("details"), "main  (10 samples, 76.92%)")
    test.quiet("reverse")


def negative(test):
    """Picture and table show shares of the same total; a section without a name is visible in the chooser."""
    test.page.open(test.path("n.html"))
    test.want("negative: table", sorted(table(test)), [["-30", "150.00%", "-30", "150.00%", "b"], ["0", "0.00%", "-20", "100.00%", "main"],
                                                       ["10", "-50.00%", "10", "-50.00%", "a"]])
    hover(test, 0.1, 2, "a")
    test.want("negative: details", test.text("details"), "a  (10 samples, -50.00%; self 10)")
    choose(test, "section", '""')
    test.want("negative: the section without a name", test.text("subtitle"), "10 samples")
    test.want("negative: no difference", test.page.run("document.getElementById('note').hidden"), True)
    test.quiet("negative")


def negated(test):
    tones = """[...document.querySelectorAll("#rows tr")].map((tr) => [tr.lastChild.textContent, tr.children[2].className])"""
    for name, more, less in (("d.html", "more", "less"), ("g.html", "less", "more")):
        test.page.open(test.path(name))
        test.want(name + ": colours", test.text("note").startswith({"more": "red is more", "less": "blue is more"}[more]), True)
        test.want(name + ": tones of changes", dict(test.page.run(tones)), {"main": more, "load": more, "parse": more, "read": less, "run": "", "save": more})
    test.quiet("negated")


def narrow(test):
    """The column of functions is visible without scrolling, and scrolling shows the columns that it covers."""
    page = test.page
    for width in (1000, 820, 700, 420):
        page.call("Emulation.setDeviceMetricsOverride", width=width, height=800, deviceScaleFactor=1, mobile=False)
        for name in ("d.html", "x.html", "s.html"):
            page.open(test.path(name))
            boxes = page.run("""(() => {
                const area = document.getElementById("table-scroll").getBoundingClientRect();
                return [...document.querySelectorAll("#heads th:last-child, #rows td:last-child")].filter((cell) =>
                    cell.getBoundingClientRect().bottom < area.bottom).map((cell) => {
                    const box = cell.getBoundingClientRect(), name = (cell.firstChild || cell).getBoundingClientRect();
                    const at = document.elementFromPoint(name.left + 3, name.top + name.height / 2);
                    return box.left >= area.left && box.right <= area.right + 1 && box.width >= 140 && (at === cell || cell.contains(at));
                });
            })()""")
            test.want(f"narrow: {name} at {width}", (len(boxes) > 3, all(boxes)), (True, True))
    page.call("Emulation.setDeviceMetricsOverride", width=1280, height=800, deviceScaleFactor=1, mobile=False)
    test.quiet("narrow")


def alike(test):
    """Functions with the same name are shown with their files, and with whole paths if the files have the same name."""
    test.page.open(test.path("f.html"))
    test.want("alike: table", [row[-1] for row in table(test)], ["(main) a.pl", "(main) /x/b.pl", "(main) /y/b.pl", "one", "(main)"])
    test.want("alike: tips", test.page.run("[...document.querySelectorAll('#rows td:last-child')].map((td) => td.title)"),
              ["(main)\n/x/a.pl:1", "(main)\n/x/b.pl:1", "(main)\n/y/b.pl:1", "one\n/x/a.pl:1", "(main)"])
    test.quiet("alike")


# Contrast as WCAG 2.1 defines it; on a canvas the background is read where letters are about to be drawn.
CONTRAST = """window.contrast = (() => {
    const parse = (color) => color.startsWith("#") ? [1, 3, 5].map((k) => parseInt(color.slice(k, k + 2), 16)) : color.match(/[\\d.]+/g).map(Number);
    const linear = (part) => part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4;
    const luminance = (color) => [0.2126, 0.7152, 0.0722].reduce((sum, share, k) => sum + share * linear(color[k]), 0);
    const of = (a, b) => { const [x, y] = [luminance(a), luminance(b)]; return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05); };
    const over = (top, share, below) => top.map((part, k) => share * part + (1 - share) * below[k]);
    const background = (node) => {
        for (; node; node = node.parentElement) {
            const color = parse(getComputedStyle(node).backgroundColor);
            if (color.length === 3)
                return color;
        }
        return [255, 255, 255];
    };
    return {parse, of, over, background, element: (node) => of(parse(getComputedStyle(node).color), background(node))};
})(); 0"""

CANVAS = """(() => {
    const seen = window.seen = {}, plain = CanvasRenderingContext2D.prototype.fillText;
    CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
        const below = [...this.getImageData(x, y, 1, 1).data].slice(0, 3);
        seen[text] = Math.min(seen[text] || 99, contrast.of(contrast.parse(this.fillStyle), below));
        plain.call(this, text, x, y);
    };
})()"""

SVG = """[...document.querySelectorAll("#frames > g")].filter((g) => getComputedStyle(g).display !== "none").map((g) => {
    const rect = getComputedStyle(g.querySelector("rect")), text = getComputedStyle(g.querySelector("text"));
    const below = contrast.over(contrast.parse(rect.fill), Number(rect.opacity) * Number(getComputedStyle(g).opacity), [246, 246, 246]);
    return contrast.of(contrast.over(contrast.parse(text.fill), Number(getComputedStyle(g).opacity), below), below);
})"""


def contrast(test):
    """Names on all frames have enough contrast, also on frames that changed much, and so do the numbers next to them."""
    page = test.page
    for name, hash in (("s.svg", ""), ("s.svg", "#s=half|gone"), ("s.svg", "#x=0&d=1"), ("s.svg", "#x=1000&d=1"), ("x.svg", "")):
        page.open(test.path(name), hash)
        page.run(CONTRAST)
        ratios = page.run(SVG)
        test.want(f"contrast: {name}{hash}", (len(ratios) > 1, [round(ratio, 2) for ratio in ratios if ratio < 4.5]), (True, []))
    for dark in (False, True):
        page.scheme(dark)
        for name, hash in (("s.html", ""), ("s.html", "#s=half|gone"), ("s.html", "#z=1"), ("s.html", "#z=3"), ("v.html", ""), ("v.html", "#z=1"), ("n.html", ""), ("x.html", "#z=1")):
            page.open(test.path(name), hash)
            page.run(CONTRAST)
            page.run(CANVAS)
            page.run("window.dispatchEvent(new Event('resize')); document.getElementById('scroll').dispatchEvent(new Event('scroll'))")
            page.settle()
            page.settle()
            what = f"contrast: {name}{hash}{' dark' if dark else ''}"
            seen = page.run("window.seen")
            test.want(what, (len(seen) > 1, {text: round(ratio, 2) for text, ratio in seen.items() if ratio < 4.5}), (True, {}))
            ratios = page.run("""["h1", "#subtitle", "#details", "#matched", "#heads button", "#rows .more", "#rows .less", "#rows bdi"].map((one) =>
                [one, document.querySelector(one)]).filter((one) => one[1]).map(([one, node]) => [one, contrast.element(node)])""")
            test.want(what + ": beside", [(one, round(ratio, 2)) for one, ratio in ratios if ratio < 4.5], [])
    page.scheme(False)
    test.quiet("contrast")


def many(test):
    """A page with as many stacks as a big profile opens and can be searched."""
    test.page.open(test.path("many.html"))
    test.want("many: heading", test.text("subtitle"), "60,000 samples")
    search(test, "^f7$")
    test.want("many: matched", test.text("matched"), "matched 1,500 samples = 2.50%")
    test.quiet("many")


def stream_of(records):
    return subprocess.run([sys.executable, os.path.join(os.path.dirname(__file__), "make_stream.py")], input=json.dumps(records).encode(),
                          stdout=subprocess.PIPE, check=True).stdout


def prepare(binary, directory):
    def write(name, data):
        with open(os.path.join(directory, name), "wb") as out:
            out.write(data)
        return os.path.join(directory, name)

    def run(program, *arguments, given=None):
        return subprocess.run([os.path.join(binary, program), *arguments], input=given, stdout=subprocess.PIPE, check=True, timeout=60).stdout

    before, after = write("x.folded", FOLDED.encode()), write("y.folded", AFTER.encode())
    write("x.svg", run("profcat", before, "-t", "svg"))
    write("x.html", run("profcat", "-t", "html:title=Two & <three>", given=stream_of(RECORDS)))
    write("d.html", run("profdiff", before, after, "-t", "html"))
    write("p.html", run("profcat", "-t", "html", given=run("profdiff", "-t", "pfs", before, after)))
    for side, runs in {"v1": [(150, 200), (200, 200), (250, 200)], "v2": [(170, 400), (220, 400), (270, 400)]}.items():
        os.makedirs(os.path.join(directory, side))
        for number, (load, more) in enumerate(runs):
            write(f"{side}/{number}.pfs", stream_of({"measures": [{"name": "samples", "main": 1}, {"name": "calls"}], "records": [
                {"stack": [["main"], ["load"]], "values": {"samples": load, "calls": 1}},
                {"stack": [["main"], ["run"]], "labels": [["section", "req"]], "values": {"samples": more, "calls": 1}}]}))
    write("v.html", run("profdiff", os.path.join(directory, "v1"), os.path.join(directory, "v2"), "-t", "html"))
    records = [{"stack": [["main"], ["a"]], "labels": [["section", ""]], "values": {"samples": 10}},
               {"stack": [["main"], ["b"]], "labels": [["section", "req"]], "values": {"samples": -30}}]
    write("n.html", run("profcat", "-t", "html", given=stream_of({"measures": [{"name": "samples", "unit": "count"}], "records": records})))
    places = [["(main)", "/x/a.pl", 1, 1], ["(main)", "/x/b.pl", 1, 1], ["(main)", "/y/b.pl", 1, 1], ["one", "/x/a.pl", 1, 1], ["(main)"]]
    write("f.html", run("profcat", "-t", "html", given=stream_of({"measures": [{"name": "samples", "unit": "count"}], "records": [
        {"stack": [place], "values": {"samples": 9 - k}} for k, place in enumerate(places)]})))
    steps = [1000, 0, 1, 100, 250, 400, 500, 600, 750, 900, 999, 1500, 2000]
    one = write("s1.folded", "".join(f"main;{'half' if k % 2 else 'gone'}{k} 1000\n" for k in range(len(steps))).encode())
    other = write("s2.folded", "".join(f"main;{'half' if k % 2 else 'gone'}{k} {value}\n" for k, value in enumerate(steps) if value).encode())
    write("s.svg", run("profdiff", one, other, "-t", "svg"))
    write("s.html", run("profdiff", one, other, "-t", "html"))
    write("g.html", run("profdiff", before, after, "-t", "html:negate"))
    write("r.html", run("profcat", write("r.folded", b"main;a 10\nmain;b 3\n"), "-t", "html:reverse"))
    stacks = "".join(f"main;a{k % 100};b{k // 100};f{k % 40} 1\n" for k in range(60000))
    write("many.html", run("profcat", write("many.folded", stacks.encode()), "-t", "html"))


def main():
    binary, directory = sys.argv[1:]
    if chromium.program() is None:
        print("there is no chromium")
        sys.exit(77)
    prepare(binary, directory)
    with chromium.Page() as page:
        test = Test(page, directory)
        for part in (svg, html, difference, verdicts, reverse, negative, negated, narrow, alike, contrast, many):
            part(test)
    print("\n".join(test.faults) or "zoom, search, choosers and table do what they are to")
    sys.exit(bool(test.faults))


main()
