# The project's rules, see tests/lint/run.

lint()
{
    run "$PROFUTILS_SRC/tests/lint/run" "$1"
    [ "$status" -ne 77 ] || skip "$output"
    printf '%s\n' "$output"
    [ "$status" -eq 0 ]
}

@test "a folder includes only itself and folders above it, and no format includes another" {
    lint includes
}

@test "a header has two users, and files of a folder do not include each other in a circle" {
    lint chapters
}

@test "every header compiles alone" {
    lint headers
}

@test "there is no banned function, no assert on input, no mark of unfinished work" {
    lint banned
}

@test "only cli/tool.c prints and exits" {
    lint output
}

@test "the library has no variables; its external names begin with pf_ and each is used" {
    lint globals
}

@test "programs are short and name no format" {
    lint mains
}

@test "every option fills a field of the settings" {
    lint options
}

@test "tests/README.md names every file of the tests" {
    lint tests
}

@test "every cited text is in the repository and has the cited section" {
    lint citations
}

@test "a citation of a missing section, of an unnamed text or of a missing page is found" {
    cd "$BATS_TEST_TMPDIR"
    mkdir -p libcommon/format/trail
    printf '%s\n' '# Trails' '' '## 1. Lines' '' 'As in section 3.' '## 3. Numbers' >libcommon/format/trail/FORMAT.md
    printf '%s\n' '/* Lines (FORMAT.md, sections 1,' ' * 2 and 3). */' '/* A length (the page of the format, section' ' * 3). */' \
        '/* The table of RFC 3629, section 4. */' '/* DESIGN.md says why. */' >libcommon/format/trail/trail.c
    find . -type f | sed 's|^\./||' | sort >MANIFEST
    run env "PROFUTILS_SRC=$PWD" sh "$PROFUTILS_SRC/tests/lint/run" citations
    [ "$status" -eq 1 ]
    printf '%s\n' "$output" | sort >got
    sort >want <<'END'
libcommon/format/trail/FORMAT.md:6: expected section 2
libcommon/format/trail/trail.c:1: there is no section 2 in libcommon/format/trail/FORMAT.md
libcommon/format/trail/trail.c:3: which text has section 3? write FORMAT.md, section 3
libcommon/format/trail/trail.c:6: there is no DESIGN.md
END
    diff want got
}

@test "a condition of a test can fail it" {
    lint conditions
}

@test "files have no tabs, no blanks at line ends, and a newline at the end" {
    lint whitespace
}

@test "C is formatted as .clang-format says" {
    lint format
}

@test "the top of the source tree has only the files and folders of the design" {
    lint toplevel
}

@test "no file is longer than 1,000 lines" {
    lint size
}

@test "shellcheck finds nothing in any script" {
    lint scripts
}

@test "tests call only commands that configure installs, or check for them first" {
    lint commands
}

@test "make check refuses a test that does not exist, even if another test has the same file name" {
    cd "$BATS_TEST_TMPDIR"
    printf '#!/bin/sh\necho 1..1\necho ok 1\n' >there
    chmod +x there
    PROFUTILS_BUILD=$PWD run sh "$PROFUTILS_SRC/tests/lib/run-tests" "$PWD/there"
    [ "$status" -eq 0 ]
    PROFUTILS_BUILD=$PWD run sh "$PROFUTILS_SRC/tests/lib/run-tests" "$PWD/none/there" "$PWD/there"
    [ "$status" -eq 1 ]
    [ "$output" = "no such test: $PWD/none/there" ]
}
