# Flame graphs: tests/check/pictures.py computes them again, and a real browser zooms and searches in them.

load ../lib/expect

bats_require_minimum_version 1.5.0

setup()
{
    cd "$BATS_TEST_TMPDIR" || return
    PATH=$PROFUTILS_BIN:$PATH
    export PYTHONDONTWRITEBYTECODE=1
    printf 'main;a;x 30\nmain;a;y 10\nmain;b 60\n' >x.folded
    printf 'main;a;x 60\nmain;b 60\nmain;c 20\n' >y.folded
}

python()
{
    command -v python3 >/dev/null || skip "python3 is missing"
    python3 "$PROFUTILS_SRC/tests/check/$1.py" "${@:2}"
}

# titles FILE: the titles of an svg's frames
titles()
{
    sed -n 's/^<g><title>\(.*\)<\/title>.*/\1/p' "$1"
}

# A picture of a difference without verdicts
without_verdicts()
{
    sed -z -E 's/; (function|total): [^)]*\)(<\/title>|\n)/)\2/g; s/,\n"verdicts":"[^\n]*"\]\}/}/g' "$@"
}


@test "the width and the title of a frame show its amount, whatever its name" {
    python pictures "$PROFUTILS_BIN" .
}

@test "zoom, search, menus and table work in a real browser" {
    status=0
    python pictures_browser "$PROFUTILS_BIN" . >said 2>&1 || status=$?
    [ "$status" -ne 77 ] || skip "$(cat said)"
    cat said
    [ "$status" -eq 0 ]
}

@test "titles of frames have amount and share" {
    profcat x.folded -t svg >x.svg
    titles x.svg >got
    diff -u - got <<'END'
all (100 samples, 100.00%)
main (100 samples, 100.00%)
a (40 samples, 40.00%)
x (30 samples, 30.00%)
y (10 samples, 10.00%)
b (60 samples, 60.00%)
END
}

@test "a difference shows frames that are gone, and +100 % for a doubled function" {
    profdiff x.folded y.folded -t svg >d.svg
    titles d.svg >got
    diff -u - got <<'END'
all (before 100, after 140 samples, +40, +40.00%, ratio 1.40; total: not tested, one run on a side; significantly more if runs did not vary)
main (before 100, after 140 samples, +40, +40.00%, ratio 1.40; function: not tested, one run on a side; significantly more if runs did not vary)
a (before 40, after 60 samples, +20, +50.00%, ratio 1.50; function: not tested, one run on a side)
x (before 30, after 60 samples, +30, +100.00%, ratio 2.00; function: not tested, one run on a side; significantly more if runs did not vary)
y (before 10, after 0 samples, -10, -100.00%, gone; function: not tested, one run on a side; significantly less if runs did not vary)
b (before 60, after 60 samples, +0, +0.00%, ratio 1.00; function: not tested, one run on a side)
c (before 0, after 20 samples, +20, new; function: not tested, one run on a side; significantly more if runs did not vary)
END
    [ "$(grep -c pale d.svg)" -eq 0 ]
    [ "$(grep -c 'class="gone"' d.svg)" -eq 1 ]
    [ "$(grep -c 'class="new"' d.svg)" -eq 1 ]
}

@test "without verdicts the picture of a difference is the same from profdiff, a stream, two columns and measures .before and .after" {
    python make_stream >columns.pfs <<'END'
{"measures": [{"name": "before"}, {"name": "after"}], "records": [
{"stack": [["main"], ["a"], ["x"]], "values": {"before": 30, "after": 60}}, {"stack": [["main"], ["a"], ["y"]], "values": {"before": 10}},
{"stack": [["main"], ["b"]], "values": {"before": 60, "after": 60}}, {"stack": [["main"], ["c"]], "values": {"after": 20}}]}
END
    for format in svg html; do
        profdiff x.folded y.folded -t $format >picture
        without_verdicts picture >direct
        [ "$(grep -c 'not tested' picture)" -gt 0 ]
        [ "$(grep -c 'not tested' direct)" -eq 0 ]
        profdiff x.folded y.folded -o d.pfs
        profcat d.pfs -t $format >streamed
        profcat columns.pfs -t $format >columns
        cmp direct streamed
        cmp direct columns
        profdiff x.folded y.folded -t folded | profcat -t $format | cmp direct -
    done
}

# runs SIDE FUNCTION=COUNT...: three runs of a side as folded stacks, whose counts differ by 2 samples
runs()
{
    mkdir -p "$1"
    for run in 0 2 4; do
        for count in "${@:2}"; do
            echo "main;${count%=*} $((${count#*=} + run))"
        done >"$1/$run.folded"
    done
}

@test "frames of functions whose change is not significant are pale, and the title says why" {
    runs a 'busy(int)=1000' '<b>&amp=1000' tiny=1 gone=500 late=0
    runs b 'busy(int)=2000' '<b>&amp=1000' tiny=3 gone=0 late=0
    sed -i /gone/d b/*
    profdiff a b -t svg >d.svg
    marks() { sed -n -E 's/^<g><title>(.*) \(.*; (.*)\)<\/title>.* fill="#(..)(..)(..)"( class="([^"]*)")? data.*/\1|\3 \4 \5|\7|\2/p' "$1"; }
    marks d.svg >got
    cut -d'|' -f 1,3 got | diff -u - <(printf '%s\n' 'all|' 'main|' '&lt;b&gt;&amp;amp|pale' 'busy(int)|' 'gone|gone' 'late|pale' 'tiny|pale')
    grep -q '^busy(int)|ff .*|function: +99.8%, 95% interval +9[0-9.]* .. +1[0-9.]*%, q = [0-9.e-]*, + more$' got
    grep -q '^&lt;b&gt;&amp;amp|f0 f0 f0|pale|function: 0%, .*, = same$' got
    grep -q '^gone|.. .. ff|gone|function: q = [0-9.e-]*, - removed$' got
    grep -q '^tiny|f2 e. e.|pale|function: not tested, too small$' got
    subtitle d.svg | grep -q '; red is more, blue is less, pale is not significant$'
    # as in the table
    profdiff a b --cum -t json | python3 -c '
import json, sys
for row in json.load(sys.stdin)["rows"]:
    print((row["function"] or "all").replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"), row["verdict"])' | sort >verdicts
    sed -E 's/^([^|]*)\|.*\|.*not tested, too small$/\1 ./; s/^([^|]*)\|.*, (.) [a-z ]*$/\1 \2/' got | sort | diff -u verdicts -
}

@test "options of the tests change the verdicts of a picture, and tables alone have the others" {
    runs a busy=3000 tiny=1
    runs b busy=6000 tiny=3
    profdiff a b -t svg | grep -q '<title>tiny .*not tested, too small'
    profdiff a b -t svg --min-percent=0 | grep -q '<title>tiny .* q = [0-9]'
    profdiff a b -t svg --normalize | grep -q '<title>busy .*; function: 0%, .*, = same)'
    profdiff a b -t svg --test=welch >w.svg
    profdiff a b -t svg | cmp - w.svg && return 1
    profdiff a b -t svg:by=name | diff -u <(profdiff a b -t svg --by=name) -
    for format in json:flame pfs; do
        fails 2 "--min-percent is for tables" profdiff a b -t $format --min-percent=1
        fails 2 "--test is for tables" profdiff a b -t $format --test=welch
    done
    fails 2 "the input has no edge records" profdiff a b -t svg --kind=edge
    fails 2 "there is no measure 'nothing'" profdiff a b -t svg -m nothing
    for option in --cum --limit=3 --only=more; do
        fails 2 "${option%=*} is for tables" profdiff a b -t svg "$option"
    done
}

@test "a picture has the verdicts of its own measure, and the same bytes with any number of threads" {
    for side in a b; do
        mkdir $side
        for run in 1 2 3; do
            value=$((run + 10))
            [ $side = a ] || value=$((value * 3))
            python make_stream >$side/$run.pfs <<END
{"measures": [{"name": "objects"}, {"name": "space", "unit": "bytes", "main": true}],
 "records": [{"stack": [["main"]], "values": {"objects": $run, "space": $value}}]}
END
        done
    done
    profdiff a b -t svg | grep -q '<title>main (before 12B, after 36B, +24B, +200.00%, ratio 3.00; function: +200.0%, .*, + more)'
    profdiff a b -m objects -t svg | grep -q '<title>main (before 2, after 2 objects, +0, +0.00%, ratio 1.00; function: 0%, .*, = same)'
    profdiff a b -t html >d.html
    grep -o '"name":"[a-z]*"\|"verdicts":"[^"]*"' d.html | diff -u - <(printf '%s\n' '"name":"objects"' '"name":"space"' '"verdicts":"++"')
    profdiff a b -m objects -m space -t html | grep -o '"verdicts":"[^"]*"' | diff -u - <(printf '%s\n' '"verdicts":"=="' '"verdicts":"++"')
    for threads in 1 2 7; do
        profdiff -j $threads a b -t html | cmp d.html -
    done
}

@test "NYTProf's statements outside of all subs have a verdict too" {
    cd "$PROFUTILS_SRC/examples/data/words" || return
    profdiff -q before after -t svg >"$BATS_TEST_TMPDIR/d.svg"
    profdiff -q before after --kind=sample --cum -n 0 --no-group >"$BATS_TEST_TMPDIR/table"
    cd "$BATS_TEST_TMPDIR" || return
    for name in all main::RUNTIME main::place main::clean; do
        row=$name
        [ $name != all ] || row=total
        # shellcheck disable=SC2016  # awk's fields
        awk -v row="$row" '$0 ~ " " row "( |$)" { print $5 ", 95% interval " $6 " .. " $8 }' table >want
        grep -q '%, 95% interval .*%$' want
        grep -qFe "$(cat want)" <(titles d.svg | grep "^$name ")
    done
}

@test "one side of a difference can be drawn alone, and a measure whose name only looks like a side too" {
    cat >x.want <<'END'
all (100 N, 100.00%)
main (100 N, 100.00%)
a (40 N, 40.00%)
x (30 N, 30.00%)
y (10 N, 10.00%)
b (60 N, 60.00%)
END
    profdiff x.folded y.folded -o d.pfs
    for program in profcat proffilter profmerge; do
        "$program" d.pfs -m samples.before -t svg >x.svg
        titles x.svg | diff -u <(sed 's/N/samples.before/' x.want) -
        "$program" d.pfs -m samples.before -t html >x.html
        grep -q '"name":"samples.before"' x.html
    done
    for name in before after delta x.before x.after x.delta; do
        profcat -f folded:measure=$name x.folded -t svg >x.svg
        titles x.svg | diff -u <(sed "s/N/$name/" x.want) -
    done
    n() { printf '{"name":"%s","value":%d,"self":%d,"children":[%s]}' "$@"; }
    { n all 40 0 "$(n main 40 0 "$(n a 20 0 "$(n x 30 30 ''),$(n y -10 -10 '')"),$(n c 20 20 '')")"; echo; } >want
    profcat d.pfs -m samples.delta -t json:flame | diff -u want -
}

@test "a difference of several measures shows the main measure first" {
    for run in 1 3; do
        python make_stream >$run.pfs <<END
{"measures": [{"name": "objects"}, {"name": "space", "unit": "bytes", "main": true}],
 "records": [{"stack": [["main"]], "values": {"objects": 1, "space": $run}}]}
END
    done
    profdiff 1.pfs 3.pfs -t svg | titles /dev/stdin | diff -u <(echo 'all (before 1B, after 3B, +2B, +200.00%, ratio 3.00; total: not tested, one run on a side)
main (before 1B, after 3B, +2B, +200.00%, ratio 3.00; function: not tested, one run on a side)') -
    for format in svg html json:flame; do
        profdiff -t pfs 1.pfs 3.pfs | profcat -t $format >streamed
        profdiff 1.pfs 3.pfs -t $format | without_verdicts | cmp streamed -
    done
}

@test "with leaves at the root, the self amount of a frame is still that of its function" {
    printf 'main;a 10\nmain;b 3\n' >r.folded
    printf 'main;a 10\nmain;b 5\nmain 1\n' >s.folded
    profdiff r.folded s.folded -t svg:reverse,delta=self >d.svg
    titles d.svg | without_verdicts | sed 's/ (.*self/ self/' | diff -u <(printf '%s\n' 'all self +0)' 'a self +0)' 'main self +0)' 'b self +2)' 'main self +0)' 'main self +1)') -
}

@test "the same records give the same picture, in any locale, order and program" {
    for format in svg html; do
        profcat x.folded -t $format >one
        cat x.folded | LC_ALL=de_DE.UTF-8 profcat -o two.$format
        profmerge x.folded -t $format >four
        proffilter x.folded -t $format >five
        for other in two.$format four five; do
            cmp one $other
        done
    done
    # functions get other numbers, but the frames are the same
    profcat x.folded -t svg | cmp - <(sort -r x.folded | profcat -f folded -t svg)
}

@test "fractional samples are decimals in titles, in the data of the page and in nested JSON" {
    printf 'main;a 1234\nmain;b 0.5\nmain;c 0.25\n' >quarters.folded
    profcat -t svg quarters.folded >quarters.svg
    grep -q '<title>all (1,234.75 samples, 100.00%)</title>' quarters.svg
    grep -q '<title>a (1,234 samples, 99.94%)</title>' quarters.svg
    grep -q '<title>b (0.5 samples, 0.04%)</title>' quarters.svg
    profcat -t html quarters.folded | grep -q '"unit":"count","parts":100,'
    [ "$(profcat -t json:flame quarters.folded | cut -c 1-38)" = '{"name":"all","value":1234.75,"self":0' ]
    printf 'main;a 2.5 1.25\n' | profcat -t svg | grep -q '<title>a (before 2.5, after 1.25 samples, -1.25, '
}

@test "times and bytes are written with their units" {
    printf 'main;a 1500\nmain;b 500\n' >t.folded
    profcat -f folded:measure=wall/us t.folded -t svg | grep -q '<title>a (1.50ms, 75.00%)</title>'
    profcat -f folded:measure=space/bytes t.folded -t svg | grep -q '<title>a (1.46kB, 75.00%)</title>'
    profcat t.folded -t svg:countname=cows | grep -q '<title>a (1,500 cows, 75.00%)</title>'
}

# subtitle FILE: the subtitle of an svg
subtitle()
{
    sed -n 's/.*<text id="subtitle"[^>]*>\(.*\)<\/text>.*/\1/p' "$1"
}

@test "a picture says which measure it shows, and a difference what its colours mean" {
    printf 'main;a 1500\nmain;b 500\n' >t.folded
    printf 'main;a 500\nmain;b 500\n' >u.folded
    for run in t u; do profcat -f folded:measure=wall/us $run.folded -o $run.pfs; done
    profcat t.pfs -t svg >t.svg
    [ "$(subtitle t.svg)" = 'wall: 2ms' ]
    profdiff t.pfs u.pfs -t svg >d.svg
    [ "$(subtitle d.svg)" = 'wall: before 2ms, after 1ms, -1ms, -50.00%, ratio 0.50; red is more, blue is less' ]
    profdiff x.folded y.folded -t svg:negate >d.svg
    [ "$(subtitle d.svg)" = 'before 100, after 140 samples, +40, +40.00%, ratio 1.40; blue is more, red is less' ]
    profcat t.pfs -t svg:subtitle=mine >t.svg
    [ "$(subtitle t.svg)" = mine ]
    # NYTProf's table shows all statements, its picture only calls, without statements outside of subs
    profdiff -q "$PROFUTILS_SRC"/examples/data/words/before "$PROFUTILS_SRC"/examples/data/words/after -t svg >d.svg
    [[ $(subtitle d.svg) == 'excl: before '* ]]
}

@test "a title may have commas, and markup in it is escaped" {
    profcat x.folded -t 'svg:title=</text><script>a\, b,subtitle=&' >x.svg
    grep -q '>&lt;/text&gt;&lt;script&gt;a, b</text>' x.svg
    grep -q 'id="subtitle".*>&amp;</text>' x.svg
    profcat x.folded -t 'html:title=</script><script>a' >x.html
    [ "$(grep -c '<script>' x.html)" -eq 1 ]
}

@test "records without stacks are refused" {
    sample=$PROFUTILS_SRC/tests/corpus/dcpi/valid/v24_tstart_only.prof
    for format in svg html; do
        fails 2 "$format cannot hold flat records" profcat "$sample" -t $format
    done
}

@test "sizes follow the options" {
    profcat x.folded -t svg:width=600,height=20,fontsize=16,colors=io >x.svg
    grep -q '<svg .* width="600" height="208" .* font-size="16">' x.svg # 5 + 3 lines of text, 4 levels
    grep -q '<title>all .*<rect x="10.00" y="140" width="580.00" height="19"' x.svg
    grep -q '<title>b .*<rect x="242.00" y="100" width="348.00" height="19"' x.svg
}

@test "a function has the same colour in all pictures, and functions of a package the same hue" {
    fills() { sed -n "s/^<g><title>$1 .* fill=\"\([^\"]*\)\".*/\1/p" "$2"; }
    printf 'main;P::a 1\nmain;P::b 1\nmain;Q::c 1\n' >p.folded
    printf 'other;P::a 5\n' >q.folded
    for colors in hot package; do
        profcat p.folded -t svg:colors=$colors >p.svg
        profcat q.folded -t svg:colors=$colors >q.svg
        [ -n "$(fills P::a p.svg)" ]
        [ "$(fills P::a p.svg)" = "$(fills P::a q.svg)" ]
        [ "$(fills P::a p.svg)" != "$(fills P::b p.svg)" ]
    done
    # names that differ, of one module: work and add have one hue, put has another
    printf 'work (lib/util.py:7);add (lib/util.py:9) 5\nput (lib/cart.py:7) 3\n' >m.folded
    profcat m.folded -t svg:colors=package >m.svg
    hue() { fills "$1" m.svg | python3 -c 'import colorsys; c = input()[1:]
print(round(36 * colorsys.rgb_to_hsv(*(int(c[k:k + 2], 16) for k in (0, 2, 4)))[0]))'; }
    [ "$(hue work)" = "$(hue add)" ]
    [ "$(hue work)" != "$(hue put)" ]
}

@test "a wrong option is named in the message" {
    fails 2 "svg:width takes a number from 100 to 100000, not '12'" profcat x.folded -t svg:width=12
    fails 2 "svg:minwidth takes pixels such as 0.5 or a share such as 0.25%, not 'x'" profcat x.folded -t svg:minwidth=x
    fails 2 "svg:colors is one of hot\|mem" profcat x.folded -t svg:colors=pink
    fails 2 "svg:countname takes a name without" profcat x.folded -t 'svg:countname=a(b'
    fails 2 "html has no option 'width'" profcat x.folded -t html:width=5
}

@test "a picture of a damaged input says that it is incomplete" {
    printf 'main;a 10\nmain;b\n' >bad.folded
    fails 3 "bad.folded" profcat x.folded bad.folded -t svg
    grep -q 'id="subtitle".*incomplete' out
    fails 3 "bad.folded" profcat x.folded bad.folded -t html
    grep -q '"complete":false' out
}

@test "sums that overflow 64 bits are refused; names of any length and stacks of any depth are drawn" {
    printf 'main;a 9223372036854775807\nmain;b 1\n' >big.folded
    for format in svg html json:flame; do
        fails 3 "the sum of measure 'samples' below one frame overflows 64 bits" profcat big.folded -t $format
    done
    { printf 'f;%.0s' $(seq 3000); head -c 100000 /dev/zero | tr '\0' x; echo ' 1'; } >deep.folded
    profcat deep.folded -t svg:minwidth=0 >deep.svg
    [ "$(titles deep.svg | wc -l)" -eq 3002 ]
    profcat deep.folded -t html >/dev/null
}

@test "negative amounts are in the picture too" {
    printf 'main;a 10\nmain;b -30\n' >n.folded
    profcat n.folded -t svg >n.svg
    titles n.svg >got
    diff -u - got <<'END'
all (-20 samples, 100.00%)
main (-20 samples, 100.00%)
a (10 samples, -50.00%)
b (-30 samples, 150.00%)
END
    printf 'main;a 20\nmain;b -60\n' >m.folded
    profdiff n.folded m.folded -t svg | titles /dev/stdin | without_verdicts | diff -u <(echo 'all (before -20, after -40 samples, -20, -100.00%, ratio 2.00)
main (before -20, after -40 samples, -20, -100.00%, ratio 2.00)
a (before 10, after 20 samples, +10, +100.00%, ratio 2.00)
b (before -30, after -60 samples, -30, -100.00%, ratio 2.00)') -
}

@test "in a difference as nested JSON each node has the amount before and the change" {
    profdiff x.folded y.folded -t json:flame >got
    n() { printf '{"name":"%s","value":%d,"self":%d,"children":[%s],"before":%d,"delta":%d}' "$@"; }
    n all 140 0 "$(n main 140 0 "$(n a 60 0 "$(n x 60 60 '' 30 30),$(n y 0 0 '' 10 -10)" 40 20),$(n b 60 60 '' 60 0),$(n c 20 20 '' 0 20)" 100 40)" 100 40 >want
    echo >>want
    diff -u want got
}

@test "of a profile with lines and callers too, all stacks are drawn" {
    cat >compare.py <<'END'
import json, sys, xml.etree.ElementTree as tree
total = sum(row["values"]["excl"] for row in map(json.loads, open("rows")) if row["kind"] == "sample")
frames = tree.parse("x.svg").find(".//*[@id='frames']")
got = json.load(open("flame"))["value"], int(frames[0].find("{*}rect").get("data-e"))
sys.exit(0 if total > 0 and got == (total, total) else f"got {got}, expected {total}")
END
    sample=$PROFUTILS_SRC/tests/corpus/nytprof/evals_z.nyt
    profcat "$sample" -t ndjson >rows
    profcat "$sample" -m excl -t svg >x.svg 2>err
    grep -q 'flat and .* edge records have no place' err
    profcat "$sample" -m excl -t json:flame >flame 2>err
    grep -q 'records without stacks are left out' err
    python3 compare.py
}

@test "a change in percent that overflows 64 bits is printed in full" {
    printf 'a 1 9000000000000000000\n' | profcat -t svg | grep -qF '+899,999,999,999,999,999,900.00%, ratio 9,000,000,000,000,000,000.00)'
}

@test "maxima, which cannot be added, are refused" {
    stream depth.pfs <<'END'
{"measures": [{"name": "depth", "unit": "count", "aggregation": "max"}],
 "records": [{"stack": [["f"]], "values": {"depth": 2}}]}
END
    for format in svg html json:flame; do
        fails 2 'the values of these records are maxima, which cannot be added up to a width' profcat -t "$format" depth.pfs
    done
}
