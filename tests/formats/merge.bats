# The laws of merging, with profiles of every profiler.

bats_require_minimum_version 1.5.0

setup()
{
    cd "$BATS_TEST_TMPDIR" || return
    PATH=$PROFUTILS_BIN:$PATH
    check=$PROFUTILS_SRC/tests/check/profmerge.py
    bad=0
}

# readable DIRECTORY: its whole profiles, three in a line. Files of one StatProfiler process belong together, however
# they are grouped, so only the first of each process
readable()
{
    find "$1" -maxdepth 1 -type f ! -name '*.json*' ! -name '*.txt*' ! -name '*.callgrind' ! -name '*.md' ! -name '*.*[0-9a-f].0000000[2-9]*' |
        LC_ALL=C sort | while IFS= read -r file; do
        if profcat -q "$file" >/dev/null 2>&1; then printf '%s\n' "$file"; fi
    done | paste - - -
}

one() # one TEXT A B C: the merge of three files is the same in any order and grouping
{
    local a=$1 b=$2 c=$3
    profmerge -q --canonical "$a" "$b" "$c" >abc 2>err ||
        { grep -qE 'cannot be added|common' err || { echo "$*: $(cat err)"; bad=1; }; return 0; }
    profmerge -q --canonical "$c" "$b" "$a" >cba
    profmerge -q --canonical <(profmerge -q "$a" "$b") "$c" >ab_c
    profmerge -q --canonical "$b" <(profmerge -q "$c" "$a") >b_ca
    for other in cba ab_c b_ca; do
        cmp abc $other || { echo "$other: $*"; bad=1; }
    done
    [ ! -s abc ] || return 0
    echo "nothing: $*"
    bad=1
}

@test "merging is associative and commutative, byte for byte in canonical order" {
    for directory in "$CORPUS"/statprofiler "$CORPUS"/nytprof "$CORPUS"/pynytprof "$CORPUS"/dcpi/valid "$CORPUS"/folded; do
        [ -d "$directory" ] || continue
        while IFS=$'\t' read -r a b c; do
            one "$a" "${b:-$a}" "${c:-$a}"
        done < <(readable "$directory")
    done
    [ "$bad" -eq 0 ]
}

@test "canonical output has the same bytes in every order of the inputs and by way of a native stream, in every format" {
    command -v python3 >/dev/null 2>&1 || skip "no python3"
    # one set of profiles of each format, or five with the corpora
    sets=22
    [ -z "${PROFUTILS_LAWS:-}" ] || sets=110
    PYTHONDONTWRITEBYTECODE=1 python3 "$PROFUTILS_SRC/tests/check/canonical.py" "$CORPUS" 1 "$sets"
}

@test "each row of a merge is the sum of the rows of its inputs" {
    command -v python3 >/dev/null 2>&1 || skip "no python3"
    for directory in "$CORPUS"/statprofiler "$CORPUS"/nytprof "$CORPUS"/pynytprof "$CORPUS"/dcpi/valid "$CORPUS"/folded; do
        [ -d "$directory" ] || continue
        while IFS=$'\t' read -r a b c; do
            profmerge -q "$a" "${b:-$a}" ${c:+"$c"} >/dev/null 2>&1 || continue
            python3 "$check" sums "$a" || bad=1
            python3 "$check" sums "$a" "${b:-$a}" ${c:+"$c"} || bad=1
        done < <(readable "$directory")
    done
    [ "$bad" -eq 0 ]
}

@test "the table of a merge is the table of the concatenated inputs" {
    for directory in "$CORPUS"/statprofiler "$CORPUS"/nytprof "$CORPUS"/pynytprof "$CORPUS"/folded; do
        while IFS=$'\t' read -r a b _; do
            [ -n "$b" ] || continue
            profmerge -q "$a" "$b" -o ab.pfs 2>/dev/null || continue
            profcat -q "$a" -o a.pfs && profcat -q "$b" -o b.pfs
            cat a.pfs b.pfs | proftop -q -n 0 --by=name -t csv >want
            proftop -q -n 0 --by=name -t csv ab.pfs >got
            cmp want got || { echo "$a $b"; diff want got | head -5; bad=1; }
        done < <(readable "$directory")
    done
    [ "$bad" -eq 0 ]
}

# --- string evals --------------------------------------------------------------------------------------------

@test "evals X X Y of one file and X Y X of another: Y's calls have Y's time, in any order and tree of merges" {
    command -v python3 >/dev/null 2>&1 || skip "no python3"
    PYTHONDONTWRITEBYTECODE=1 python3 "$PROFUTILS_SRC/tests/check/evals.py" xxy
}

@test "random profiles: evals are the same if their texts are, in tables, merges and differences" {
    command -v python3 >/dev/null 2>&1 || skip "no python3"
    # 6 pairs of NYTProf files and 6 of StatProfiler files, or 200 with the corpora
    pairs=6
    [ -z "${PROFUTILS_LAWS:-}" ] || pairs=200
    PYTHONDONTWRITEBYTECODE=1 python3 "$PROFUTILS_SRC/tests/check/evals.py" random 1 "$pairs"
}

@test "evals without a text are the same if number and place are, and one warning says so" {
    for file in a b; do printf 'main;(eval 2)[x.pl:1];f 1\nmain;(eval 3)[x.pl:1] 1\nmain;(eval 3)[x.pl:7] 1\n' >$file.folded; done
    for program in profmerge proftop profdiff; do
        $program a.folded b.folded >/dev/null 2>err
        diff err - <<<"$program: warning: 3 string evals have no source text: their numbers and places decide which are the same"
    done
    profmerge -t folded a.folded b.folded 2>err | LC_ALL=C sort | diff - <(printf '%s 2\n' 'main;(eval 2)[x.pl:1];f' 'main;(eval 3)[x.pl:1]' 'main;(eval 3)[x.pl:7]')
    # the names are right where there is one input, and where the evals stay apart
    proftop a.folded 2>&1 >/dev/null | diff - /dev/null
    proftop --evals=apart a.folded b.folded 2>&1 >/dev/null | diff - /dev/null
}
