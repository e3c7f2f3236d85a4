# The rules of the house, see tests/lint/run.

lint()
{
    run "$PROFUTILS_SRC/tests/lint/run" "$1"
    [ "$status" -ne 77 ] || skip "$output"
    printf '%s\n' "$output"
    [ "$status" -eq 0 ]
}

@test "a folder includes only itself and what stands above it, no format another" {
    lint includes
}

@test "a header has two users, files of a folder know each other in no circle" {
    lint chapters
}

@test "every header compiles alone" {
    lint headers
}

@test "no banned function, no assert on input, nothing unfinished" {
    lint banned
}

@test "only cli/tool.c prints and exits" {
    lint output
}

@test "the library has no variables, its externals are pf_... and each is used" {
    lint globals
}

@test "programs are short and know no format" {
    lint mains
}

@test "every option fills a field of the settings" {
    lint options
}

@test "tests/README.md names every file of the tests" {
    lint tests
}

@test "no tabs, no blanks at line ends, a newline at the end of each file" {
    lint whitespace
}

@test "C is formatted as .clang-format says" {
    lint format
}

@test "no file is longer than 1,000 lines" {
    lint size
}

@test "shellcheck finds nothing in any script" {
    lint scripts
}

@test "tests call only commands that configure installs, or ask for them" {
    lint commands
}

@test "make check refuses a test that does not exist, also where another has its name" {
    cd "$BATS_TEST_TMPDIR"
    printf '#!/bin/sh\necho 1..1\necho ok 1\n' >there
    chmod +x there
    PROFUTILS_BUILD=$PWD run sh "$PROFUTILS_SRC/tests/lib/run-tests" "$PWD/there"
    [ "$status" -eq 0 ]
    PROFUTILS_BUILD=$PWD run sh "$PROFUTILS_SRC/tests/lib/run-tests" "$PWD/none/there" "$PWD/there"
    [ "$status" -eq 1 ]
    [ "$output" = "no such test: $PWD/none/there" ]
}
