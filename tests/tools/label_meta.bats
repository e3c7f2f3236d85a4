# Metadata as labels (--label-meta), and inputs chosen by the start of their run (--since, --until). The expected values are those of
# StatProfiler's own reader (tests/check/label_meta.py), of the corpus' READMEs and of date(1), or follow from the few records.

load ../lib/expect

setup_file()
{
    cd "$BATS_FILE_TMPDIR" || return
    PATH=$PROFUTILS_BIN:$PATH
    ln -s "$PROFUTILS_SRC/tests/corpus" corpus
    printf 'main;f 3\n' >plain.folded
    # two parts of one callgrind file, each with its summary behind its costs
    printf 'version: 1\ncmd: ./a\npart: 1\nevents: Ir\nfn=f\n1 10\nsummary: 10\n\npart: 2\nevents: Ir\nfn=f\n1 7\nsummary: 7\n' >parts.callgrind
}

setup()
{
    cd "$BATS_FILE_TMPDIR" || return
    PATH=$PROFUTILS_BIN:$PATH
    set -o pipefail
    export PYTHONDONTWRITEBYTECODE=1
}

# labels OPTION...: the labels of each record, equal neighbours once with their number
labels() { profcat -t ndjson "$@" | grep -o '"labels":{[^}]*}' | cut -c 10- | uniq -c | sed 's/^ *//'; }

@test "records have the metadata that StatProfiler's own reader gives them" {
    command -v python3 >/dev/null || skip "python3 is missing"
    python3 "$PROFUTILS_SRC/tests/check/label_meta.py" corpus/statprofiler
}

@test "custom metadata continue in the next file of a process, and only there" {
    first=$(ls corpus/statprofiler/split.out.*.00000001) second=$(ls corpus/statprofiler/split.out.*.00000002)
    # the 64 samples before the first value of the second file have the last value of the first
    alone=$(labels --label-meta=n "$second" | grep -c '"n"')
    profcat --label-meta=n -q -t ndjson "$second" | grep -c '"n":' >got
    [ "$(cat got)" = 207 ]
    profcat --label-meta=n -q -t ndjson "$first" "$second" | grep -c '"n":' >got
    [ "$(cat got)" = 623 ]
    [ "$alone" -gt 0 ]
    # a file that is read twice does not continue itself
    profcat --label-meta=n -q -t ndjson "$first" "$first" | grep -c '"n":' >got
    [ "$(cat got)" = 704 ]
    profcat "$first" "$second" | profcat --label-meta=n -q -t ndjson | grep -c '"n":' >got
    [ "$(cat got)" = 623 ]
}

@test "metadata of other formats become labels, times as ISO 8601" {
    at=$(date -u -d @1795208304 +%FT%TZ)
    [ "$(labels --label-meta=basetime,application,day corpus/nytprof/anon_c0.nyt)" = \
        "98 {\"application\":[\"workloads/anon.pl\"],\"basetime\":[\"$at\"],\"day\":[\"${at%T*}\"]}" ]
    # nytprofmerge writes both at the end; the records before it have them too
    [ "$(labels --label-meta=basetime,application,start corpus/nytprof/merged_fork_z.nyt)" = \
        "80 {\"application\":[\"workloads/fork.pl (6 runs)\"],\"basetime\":[\"$at\"],\"start\":[\"$at\"]}" ]
    # the second image has no label of its own
    expect labels --label-meta=label,platform,epoch corpus/dcpicat/two_images.txt <<'END'
4 {"epoch":["2001-09-05T06:07:00Z"],"label":["before"],"platform":["elm"]}
1 {"epoch":["2001-09-05T06:07:00Z"],"platform":["elm"]}
END
    # 1795208432 s and 686559700 ns
    [ "$(labels --label-meta=time_nanos --label-meta=day corpus/pprof/cpu_labels_plain.pb | grep -o '"time_nanos":[^]]*' | sort -u)" = \
        "\"time_nanos\":[\"$(date -u -d @1795208432 +%FT%T).6865597Z\"" ]
    # parts of a callgrind file; a summary belongs to the part before it
    expect labels --label-meta=part,summary,cmd parts.callgrind <<'END'
1 {"cmd":["./a"],"part":["1"],"summary":["10"]}
1 {"cmd":["./a"],"part":["2"],"summary":["7"]}
END
    # the same through native streams and JSON, for what holds in the whole profile
    for file in nytprof/anon_c0.nyt nytprof/merged_fork_z.nyt dcpicat/one_image.txt austin/wall.austin; do
        labels --label-meta=application,platform,duration,start corpus/$file >want 2>/dev/null
        profcat corpus/$file | labels --label-meta=application,platform,duration,start >got 2>/dev/null
        diff -u want got
        profcat -t json corpus/$file -o one.json
        labels --label-meta=application,platform,duration,start one.json 2>/dev/null | sort >got
        sort want | diff -u - got
    done
}

@test "comments are all labels, and values keep their bytes" {
    printf '# one\n# two\nmain;f 1\n# three\nmain;g 1\n' >comments.folded
    expect labels --label-meta=comment comments.folded <<'END'
1 {"comment":["# one","# two"]}
1 {"comment":["# three"]}
END
    for k in $(seq 150); do echo "# $k"; done >many.folded
    echo 'main;f 1' >>many.folded
    profcat --label-meta=comment -t ndjson many.folded 2>err | grep -o '"# [0-9]*"' | sort -u | wc -l >got
    [ "$(cat got)" -eq 100 ]
    grep -q "many.folded: more than 100 values of 'comment': the first 100 are labels" err
    # a key with a comma, and a value that is not UTF-8
    printf '# caf\351\nmain;f 1\n' >latin.folded
    profcat --label-meta=comment latin.folded | profcat -t ndjson | grep -q '"comment":\["# caf\\ué\?\|"comment":\["# caf'
    fails 0 "no input has the metadata 'a,b'; metadata here: comment$" profcat -c --label-meta='a\,b,comment' latin.folded
    [ "$output" = 1 ]
}

@test "labels of metadata work where labels do" {
    file=corpus/statprofiler/metadata.out
    [ "$(proftop --label-meta=url --by=label:url -t tsv -n 0 $file | wc -l)" = "$(proftop --by=label:url -t tsv -n 0 <(profcat --label-meta=url $file) | wc -l)" ]
    for program in profmerge proffilter; do
        $program --label-meta=url --label url=/page/1 $file -t ndjson >got
        [ "$(grep -o '"samples":[0-9]*' got | awk -F: '{ sum += $2 } END { print sum }')" = 6 ] || { cat got; false; }
    done
    mkdir -p parts
    proffilter --label-meta=url --split=url -o 'parts/%s.pfs' $file
    [ "$(echo parts/*)" = 'parts/%2Fpage%2F1.pfs parts/%2Fpage%2F2.pfs parts/%2Fpage%2F3.pfs parts/%2Fpage%2F4.pfs parts/%2Fpage%2F5.pfs parts/%2Fpage%2F6.pfs parts/_none.pfs' ]
    profdiff --stats --label-meta=url --label=url --runs=label:url -t tsv $file >got
    profcat --label-meta=url $file | proffilter --label=url | profdiff --stats --runs=label:url -t tsv - | diff -u - got
    # Burn::spin: 6 runs, 76 ms: the weights of the reader's samples in a page, but for one of Time::HiRes::time
    [ "$(sed -n 's/^Burn::spin.*nanoseconds\t//p' got | cut -f 1,3)" = "$(printf '76000000\t6')" ]
    # the metadata replace a label of the record
    [ "$(profcat --set-label comment=x corpus/folded/odd.folded | labels --label-meta=start 2>/dev/null | grep -c '"comment":\["x"\]')" = 1 ]
}

@test "a merge says that it does not know, and labels from before it stay" {
    files="corpus/statprofiler/metadata.out corpus/statprofiler/depth1.out"
    profmerge $files -o merged.pfs
    fails 0 "merged.pfs: the input does not tell which records have which value of 'url'" profcat --label-meta=url merged.pfs -t csv
    ! grep -q /page/ out || return 1
    fails 0 "which value of 'day'" profcat --label-meta=day merged.pfs -t csv
    for command in "profmerge --label-meta=url,day $files" "profmerge $(echo $files | sed 's/[^ ]*/<(profcat --label-meta=url,day &)/g')"; do
        eval "$command" | profcat --label-meta=url,day -q -t ndjson >got
        [ "$(grep -c '"day":\["2026-11-20"\]' got)" = "$(wc -l <got)" ]
        grep -q '"url":\["/page/3"\]' got
    done
    # a merge of one profile keeps what holds in all of it
    [ "$(profmerge corpus/dcpicat/one_image.txt | labels --label-meta=platform)" = '4 {"platform":["elm"]}' ]
    fails 0 "which value of 'url'" profcat --label-meta=url <(profcat --canonical corpus/statprofiler/metadata.out) -t csv
    ! grep -q /page/ out || return 1
}

@test "partial merges have the labels, and do not warn of keys that other inputs have" {
    mkdir -p hosts
    for k in $(seq 100); do echo "main;f$k 1" >hosts/$k.folded; done
    cp corpus/dcpicat/one_image.txt hosts
    profmerge --partials=dir --label-meta=platform -r hosts -o one.pfs 2>err
    [ ! -s err ] || { cat err; false; }
    profmerge --canonical --label-meta=platform -r hosts | cmp one.pfs -
    profmerge --partials=dir --label-meta=platform,day -r hosts -o two.pfs
    [ "$(profcat -t ndjson two.pfs | grep -c '"day":\["2001-09-05"\],"platform":\["elm"\]')" = 4 ]
}

@test "a key that no input has lists the keys that there are" {
    fails 0 "no input has the metadata 'plattform'; metadata here: epoch, event, image, label, name, path, platform, text_size, text_start$" \
        profcat --label-meta=plattform corpus/dcpicat/one_image.txt
    fails 0 "no input has the metadata 'x'; the inputs have no metadata" profcat --label-meta=x plain.folded
    fails 0 "no input says when its run began, so no record gets the label 'day'" profcat --label-meta=day plain.folded
    profcat -q --label-meta=plattform corpus/dcpicat/one_image.txt 2>err >/dev/null
    [ ! -s err ] || { cat err; false; }
    # in some inputs only: no message
    profcat --label-meta=platform plain.folded corpus/dcpicat/one_image.txt -o two.pfs 2>err
    [ ! -s err ] || { cat err; false; }
    expect labels two.pfs <<'END'
1 {}
4 {"platform":["elm"]}
END
    for bad in --label-meta= --label-meta=a,,b --label-meta=,a; do
        fails 2 "takes keys of metadata" profcat $bad plain.folded
    done
}

@test "--since and --until choose inputs by the start of their run" {
    nyt=corpus/nytprof/anon_c0.nyt cat=corpus/dcpicat/one_image.txt
    # basetime 1795208304, epoch 2001-09-05 06:07
    chosen() { profcat "$@" $nyt $cat | profcat -H | cut -d ' ' -f 1 | sort -u | grep -v '\.' | paste -sd' '; }
    [ "$(chosen --since=2001-09-05)" = "dcpicat nytprof" ]
    [ "$(chosen --since=2001-09-05T06:07 --until=2001-09-05T06:08)" = dcpicat ]
    [ "$(chosen --since=2001-09-05T07:07+01:00)" = "dcpicat nytprof" ]
    [ "$(chosen --since='2001-09-05 06:07:00.001')" = nytprof ]
    [ "$(chosen --since=@1795208304)" = nytprof ]
    [ "$(chosen --until=@1795208304.000000001 --since=@1795208304)" = nytprof ]
    [ "$(chosen --until=@1795208304)" = dcpicat ]
    fails 0 "no input began in the requested time; the inputs began from 2001-09-05T06:07:00Z to 2026-11-20T20:58:24Z" \
        profcat --until=2001-09-05T06:07 $nyt $cat -t csv
    [ "$(wc -l <out)" -le 1 ]
    # profiles inside of a stream, and behind records
    profcat $nyt $cat corpus/nytprof/merged_fork_z.nyt -o all.pfs
    expect proftop --since=2002-01-01 all.pfs -t tsv -n 0 --kind=flat <<<"$(proftop -t tsv -n 0 --kind=flat $nyt corpus/nytprof/merged_fork_z.nyt)"
    expect proftop --until=2002-01-01 all.pfs -t tsv -n 0 <<<"$(proftop -t tsv -n 0 $cat)"
    # a left out input is not a run of a group, and does not take part in a comparison; its measures are not shown
    [ "$(profmerge --replicates=1 --since=2002-01-01 $nyt $cat -m runs -t csv | grep -c ',1$')" = 1 ]
    profdiff --stats --since=2002-01-01 -t tsv -n 0 $cat $nyt $cat $nyt >got 2>err
    profdiff --stats -t tsv -n 0 $nyt $nyt 2>want | diff -u - got
    diff -u want err
    fails 3 "no run could be read" profdiff --since=2002-01-01 $cat $nyt
    # and the manifest says so
    for partials in '' --partials=parts; do
        profmerge $partials --since=2002-01-01 $nyt $cat -o /dev/null --manifest=rows
        sed 's/{"counted":\([a-z]*\),"input":"\([^"]*\)".*"records":\([0-9]*\),.*"chosen":\([a-z]*\),.*/\2 \1 \3 \4/' rows | sort >got
        printf '%s true %s %s\n' $cat 0 false $nyt "$(profcat -c $nyt)" true | diff -u - got
    done
    profcat --probe --since=2002-01-01 $nyt $cat >got
    profcat --probe $nyt | diff -u - got
    for bad in 2026 2026-13-01 2026-02-30 yesterday @x 20261123 2026-11-23T25:00; do
        fails 2 "takes a time such as 2026-11-23" profcat --since="$bad" $nyt
    done
    fails 2 "must be before --until" profcat --since=2026-11-23 --until=2026-11-23 $nyt
}

@test "an input whose start is unknown is an error that names the input" {
    nyt=corpus/nytprof/anon_c0.nyt
    fails 3 "plain.folded: the profile does not say when its run began" profcat --since=2002-01-01 plain.folded $nyt -t csv
    fails 3 "plain.folded: the profile does not say when its run began" profcat --since=2002-01-01 --keep-going plain.folded $nyt -t csv
    profcat -t csv $nyt | diff -u - out
    profmerge $nyt corpus/nytprof/empty_c0.nyt -o merged.pfs
    fails 3 "merged.pfs: the profile does not say" profcat --since=2002-01-01 merged.pfs -t csv
    # a cut file that does not begin in the time is left out, one that does is reported
    head -c 2000 $nyt >cut.nyt
    profcat --until=2002-01-01 -q cut.nyt -t csv
    fails 3 "cut.nyt" profcat --since=2002-01-01 cut.nyt -t csv
}

@test "threads change nothing" {
    for options in "--label-meta=url,role,n,application,day,platform" "--since=2026-11-20T21:00 --keep-going" "--until=2026-11-20T21:00 --keep-going --label-meta=start"; do
        for j in 1 4; do
            profcat -j$j $options corpus/statprofiler/*.0000000? corpus/statprofiler/metadata.out corpus/nytprof/*.nyt corpus/dcpicat/*.txt \
                corpus/folded/odd.folded >$j.pfs 2>$j.err || true
        done
        cmp 1.pfs 4.pfs
        diff -u 1.err 4.err
    done
}
