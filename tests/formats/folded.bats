# Folded stacks: what is read, written and refused.

load ../lib/expect

# An independent reader of folded stacks: prints sums by stack, in the order of the stacks' bytes
setup_file()
{
    cat >"$BATS_FILE_TMPDIR/sums.py" <<'END'
import sys
sums = {}
for line in open(sys.argv[1], "rb"):
    stack, count = (b" " + line.strip(b" \t\r\n")).rsplit(b" ", 1)
    stack = stack.strip(b" ")
    stack = b";".join(frame or b"[unknown]" for frame in stack.split(b";")) + b" " if stack else b""
    sums[stack] = sums.get(stack, 0) + int(count)
# a stack that is the beginning of another comes first: compared without the blank before the count
for stack in sorted(sums, key=lambda s: s[:-1]):
    if sums[stack]:
        sys.stdout.buffer.write(stack + b"%d\n" % sums[stack])
END
}

setup()
{
    cd "$BATS_TEST_TMPDIR" || return
    PATH=$PROFUTILS_BIN:$PATH
    samples=$PROFUTILS_SRC/tests/corpus/folded
}

# same WANT GOT: compares two files, one of which may be "-"
same()
{
    case " $* " in *' - '*) cat >stdin ;; esac
    cmp -s "${1/#-/stdin}" "${2/#-/stdin}" || { diff -u "${1/#-/stdin}" "${2/#-/stdin}" | head -40; return 1; }
}


@test "metrics of Prometheus are not read as folded stacks; frames that look like metrics are" {
    while read -r text; do
        printf "$text" >given
        fails 3 'given: offset 0: unknown profile format' profcat given
    done <<'END'
up{job="x"} 1\n
up{job="x",path="/a;b} c",} 1 1395066363000\n
# HELP up whether it runs\n# TYPE up gauge\nup 1\n
go_threads 8\nhttp_total{code="200"} 3\nhttp_total{code="\\\\"}"} 4\n
END
    for text in 'a;f{lambda} 1' 'Object{} 2' 'main;op{x="1"} 3' 'op{x="1"};b 4' '# TYPE of stack: cpu\na 5'; do
        printf "$text\n" | profcat -t folded >got
        [ "$(cat got)" = "$(printf "$text")" ]
    done
}

@test "the samples give the results computed by hand, even through a native stream" {
    for file in "$samples"/*.folded; do
        case $file in *.expected.folded) continue ;; esac
        profcat "$file" -t folded >got
        same "$file.expected.folded" got
        profcat "$file" | profcat | profcat -t folded >got
        same "$file.expected.folded" got
    done
}

@test "folded output is read and written again unchanged" {
    for file in "$samples"/*.expected.folded; do
        profcat "$file" -t folded >got
        same "$file" got
        profcat "$file" --canonical | profcat -t folded >got
        same "$file" got
    done
}

@test "a thousand random lines have the sums of an independent reader" {
    for seed in 1 2 3; do
        python3 - $seed >in.folded <<'END'
import random, sys
r = random.Random(int(sys.argv[1]))
names = ["main", "a", "a b", "b", "f 12", "::", "x\u00e9", "", "operator <", "n" * 300, "-1", "3"]
for _ in range(1000):
    print(";".join(r.choice(names) for _ in range(r.choice((1, 1, 2, 3, 8)))) + " " * r.choice((1, 1, 2)) + str(r.randrange(-3, 1000)))
END
        python3 "$BATS_FILE_TMPDIR/sums.py" in.folded >want
        profcat -f folded in.folded -t folded >got
        same want got
        profcat -f folded in.folded | profcat -t folded >got
        same want got
    done
}

@test "a bad line is named by its number and its offset" {
    printf '# one\nmain;a 1\nmain;b 2\nno count here\nmain;c 4\n' >bad.folded
    fails 3 'profcat: bad.folded: offset 24: line 4: the count at the end is missing.*no count here' profcat -f folded bad.folded -t folded
    printf 'main;a 1\nmain;b 12V.43\n' >bad.folded
    fails 3 'line 2: the count' profcat -f folded bad.folded -t folded
    printf 'main;a 1\nmain;b 99999999999999999999\n' >bad.folded
    fails 3 'offset 9: line 2: the count overflows 64 bits' profcat -f folded bad.folded -t folded
    printf 'main;a 1\nmain;b 1e-19\n' >bad.folded
    fails 3 'line 2: the count overflows 64 bits' profcat -f folded bad.folded -t folded
}

@test "records before a bad line are kept, the stream is marked, and later programs fail too" {
    printf 'main;a 1\nmain;b 2\nbad\nmain;c 4\n' >bad.folded
    fails 3 'line 3' profcat -f folded bad.folded -t ndjson:stack=names
    [ "$(wc -l <out)" -eq 2 ]
    profcat -f folded bad.folded >bad.pfs 2>err || :
    fails 3 'bad.pfs: .*incomplete' profcat bad.pfs -t folded
    [ "$(cat out)" = "$(printf 'main;a 1\nmain;b 2')" ]
    fails 0 'warning: .*line 3.*2 records kept' profcat --salvage -f folded bad.folded -t folded
    [ "$(cat out)" = "$(printf 'main;a 1\nmain;b 2')" ]
}

@test "counts up to the limits of 64 bits are kept, sums over 64 bits are refused" {
    printf 'a 9223372036854775807\nb -9223372036854775808\n' >in.folded
    profcat -f folded in.folded | profcat -t folded >got
    same in.folded got
    printf 'a 9223372036854775807\na 1\n' >in.folded
    fails 3 "sum of 'samples' overflows 64 bits" profcat -f folded in.folded -t folded
    printf 'a 9223372036854775807\na 1\na -5\n' >in.folded
    [ "$(profcat -f folded in.folded -t folded)" = 'a 9223372036854775803' ]
}

@test "counts with more and more decimals stay exact" {
    { for k in 1 2 3 4 5 6 7 8; do printf 'a;b%d 1\n' $k; done; awk 'BEGIN { for (i = 0; i < 20000; i++) print "main;work" i " 1" }'
      printf 'main;x 0.25\nmain;x 0.125\nmain;y 0.000000000000000001\nmain;z 1000000000000\n'; } >in.folded
    profcat in.folded | profcat -t folded >got
    grep -qx 'main;x 0.375' got
    grep -qx 'main;y 0.000000000000000001' got
    grep -qx 'main;z 1000000000000' got
    [ "$(wc -l <got)" -eq 20011 ]
}

@test "-f folded:measure= chooses the measure" {
    printf 'main;a 3\nmain;b 1.5\n' >in.folded
    profcat -f folded:measure=wall/us in.folded -t ndjson:stack=names >got
    cat >want <<'END'
{"id":1,"kind":"sample","sections":[],"labels":{},"stack":["a","main"],"values":{"wall":3000},"units":{"wall":"nanoseconds"},"measures":{"wall":{"role":"self","main":true,"raw_unit":"1e-1 us","num":100}},"source_format":"folded","removed":[]}
{"id":2,"kind":"sample","sections":[],"labels":{},"stack":["b","main"],"values":{"wall":1500},"units":{"wall":"nanoseconds"},"measures":{"wall":{"role":"self","main":true,"raw_unit":"1e-1 us","num":100}},"source_format":"folded","removed":[]}
END
    same want got
    profcat -f folded:measure=alloc/bytes in.folded -t json >got.json
    python3 - <<'END'
import json
d = json.load(open("got.json"))
keys = {"name": "alloc", "unit": "bytes", "kind": "sample", "total": 4.5}
assert [{key: row[key] for key in keys} for row in d["measures"]] == [keys], d["measures"]
END
    fails 2 "NAME or NAME/UNIT" profcat -f folded:measure=/us in.folded -t folded
    fails 2 "no option 'unit' for reading; it has: measure" profcat -f folded:unit=us in.folded -t folded
    fails 2 "no option 'measure' for writing" profcat in.folded -t folded:measure=x
}

@test "one of several measures is written, and a warning counts the records without it" {
    printf 'a;b 3\na;c 1\n' >in.folded
    profcat -f folded:measure=wall/ms in.folded -o wall.pfs
    profcat wall.pfs -t folded >got
    printf 'a;b 3000000\na;c 1000000\n' | same - got
    fails 0 "warning: folded: 2 of 4 records have no 'samples' and are left out, the first in wall.pfs" profcat in.folded wall.pfs -t folded
    [ "$(cat out)" = "$(printf 'a;b 3\na;c 1')" ]
    profcat in.folded wall.pfs -m wall -t folded >got
    printf 'a;b 3000000\na;c 1000000\n' | same - got
}

@test "the same measure in different scales is added exactly" {
    printf 'a 1.5\n' >tenths.folded
    printf 'a 0.25\n' >hundredths.folded
    printf 'a 2\n' >whole.folded
    for order in 'tenths hundredths whole' 'whole tenths hundredths' 'hundredths whole tenths'; do
        files=
        for name in $order; do files="$files $name.folded"; done
        # shellcheck disable=SC2086
        [ "$(profcat $files -t folded)" = 'a 3.75' ]
    done
}

@test "characters that a line cannot hold are replaced" {
    printf 'main;x 1\n' >in.folded
    profcat -f folded:measure='odd name/unit' in.folded -t folded >got
    same in.folded got
    # names with a ; come from other formats
    unicode=$CORPUS/statprofiler/unicode.out
    [ -f "$unicode" ] || skip "needs a profile with odd names"
    profcat "$unicode" -m samples -t folded >one
    profcat -f folded one -t folded >two
    same one two
}

@test "folded stacks are distinguished from other text" {
    printf '\357\273\277main;a 1\n' >bom.folded
    [ "$(profcat bom.folded -t folded)" = 'main;a 1' ]
    gzip -c bom.folded >bom.folded.gz
    [ "$(profcat bom.folded.gz -t folded)" = 'main;a 1' ]
    { for k in 1 2 3 4 5 6 7 8 9; do echo "main;a$k $k"; done; echo 'one bad line'; } >most.folded
    fails 3 'line 10: the count' profcat most.folded -t folded
    # These letters are also tags of fields in a protocol buffer.
    for name in xxxxxxxx "$(head -c 1000 /dev/zero | tr '\0' x)" "x12$(head -c 4000 /dev/zero | tr '\0' a)" 'HHPP``pphhxx'; do
        printf '%s;y 1\n' "$name" >letters
        [ "$(profcat -c letters)" = 1 ]
        [[ $(profcat --probe letters) == "letters: folded ("* ]]
    done
    printf 'main;a 9223372036854775808\n' >big
    fails 3 'big: offset 0: line 1: the count overflows 64 bits' profcat big -t folded
    printf 'main;a\0b 1\nmain;c 2\nd 3\n' >nul
    profcat nul -t folded | same - <(LC_ALL=C sort nul)
    printf 'one\ntwo\nmain;a 1\n' >few
    fails 3 'unknown profile format' profcat few -t folded
    # not text: padding, another control byte, invalid UTF-8, a line without a count among few lines
    for bytes in 'a;b 1\n\0\0\0\n' 'name\0\0\0\0a;b 1\nc 1\n' 'a\0\1;b 1\n' 'a\0\377;b 1\n' 'a\0b;c 1\nd;e 2\nf\n'; do
        # shellcheck disable=SC2059  # a table of escapes
        printf "$bytes" >binary
        fails 3 'unknown profile format' profcat binary -t folded
    done
    : >empty
    fails 3 'empty' profcat empty -t folded
    fails 3 'empty' profcat -f folded empty -t folded
    printf '# only a comment\n' >comment
    [ "$(profcat -f folded comment -t folded)" = '# only a comment' ]
}

@test "deep stacks and long frames are complete" {
    python3 - >deep.folded <<'END'
print(";".join("f%d" % k for k in range(50000)) + " 1")
print(";".join("f%d" % k for k in range(50001)) + " 2")
print("n" * 1000000 + " 3")
END
    profcat -f folded deep.folded | profcat -t folded >got
    same deep.folded got
}

@test "two counts on every line are the counts before and after" {
    printf 'a;b 3 4\n# said\na;b 1.25 5\nsys_read_[k] 7 1\nc 12 0\n' >two.folded
    profcat two.folded -t folded >got
    printf '# said\na;b 4.25 9\nc 12 0\nsys_read_[k] 7 1\n' | same - got
    profcat two.folded | profcat -t folded | same - <(cat got)
    profcat -t ndjson two.folded | python3 -c '
import json, sys
sums = {}
for line in sys.stdin:
    for name, value in json.loads(line)["values"].items():
        sums[name] = sums.get(name, 0) + value
assert sums == {"before": 23.25, "after": 10}, sums'
    profcat -f folded:measure=wall/ms two.folded -t ndjson | grep -q '"wall.before":3000000'
}

@test "if a line has only one count, second numbers on other lines belong to frames" {
    printf 'thread 12 3\nthread 1.50 3\na;thread  7 1\nmain_[k] 2 5\nmain 4\nthread 12 2\n' >one.folded
    profcat one.folded -t folded >got
    printf 'a;thread  7 1\nmain 4\nmain_[k] 2 5\nthread 1.50 3\nthread 12 5\n' | same - got
    printf 'thread 12 3\n' >alone.folded
    profcat -f folded:columns=1 alone.folded -t folded | same - alone.folded
    fails 3 'offset 40: line 4: the two counts' profcat -f folded:columns=2 <(head -n 3 one.folded; echo 'main 4')
}

@test "a difference of two files has the lines of difffolded.pl" {
    printf 'a;b 3\na;c 4\n' >x.folded
    printf 'a;b 5\nd 1\n' >y.folded
    profdiff -t folded x.folded y.folded >got
    printf 'a;b 3 5\na;c 4 0\nd 0 1\n' | same - got
    profcat got -t folded | same - got
}

@test "marks of FlameGraph's scripts set the kind of frames, and are written again" {
    printf 'main;vfs_read_[k] 3\nmain;Vec::push_[i] 4\nmain;run_[j] 5\nmain;wake_[w] 6\n_[k] 1\n' >marks.folded
    profcat marks.folded -t folded >got
    sort marks.folded | same - <(LC_ALL=C sort got)
    profcat -t text marks.folded >text
    grep -q '^    vfs_read  kernel ' text
    grep -q '^    Vec::push .* inlined$' text
    grep -q '^    run  jit ' text
    grep -q '^    wake_\[w\]$' text
    printf 'main;vfs_read 2\n' >plain.folded
    profcat marks.folded plain.folded | proftop -t ndjson | grep -q '"function":"vfs_read".*"flat":5'
}

@test "UTF-16 with a byte order mark is read, even in pieces or cut" {
    printf 'main;\303\251\360\235\204\236 4\nmain;\357\277\275 2\n' >want
    for code in utf-16-le utf-16-be; do
        python3 - $code >in <<'END'
import sys
text = "\ufeff" + "main;\u00e9\U0001d11e 4\r\n".replace("4", "1") * 4 + "main;\ud800 2"
sys.stdout.buffer.write(text.encode(sys.argv[1], "surrogatepass"))
END
        profcat in -t folded | same - want
        (head -c 21 in; sleep 0.1; tail -c +22 in) | profcat -t folded | same - want
        head -c 21 in >torn
        fails 3 'offset 20: the UTF-16 text ends within a character' profcat torn -t folded
    done
}
