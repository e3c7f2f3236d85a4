# Messages, built under the sanitizers: a message must not read beyond the rows that it names.
load ../lib/expect

setup()
{
    [ -n "$PROFUTILS_SAN_BIN" ] || skip "the compiler cannot link the sanitizers"
    cd "$BATS_TEST_TMPDIR" || return
    PATH=$PROFUTILS_SAN_BIN:$PATH
}

@test "a side without the measure: the message names the measures of this side, and reads no others" {
    printf 'events: Ir\nfn=f\n1 100\n' >a.cg
    printf 'events: Dr\nfn=f\n1 200\n' >b.cg
    fails 3 "^profdiff: b.cg: this side has no measure 'Ir' to compare; its measures: Dr$" profdiff a.cg b.cg
    # the other side's eight measures fill the table of measures
    printf 'events: Ir A B C D E F G\nfn=f\n1 1 2 3 4 5 6 7 8\n' >eight.cg
    fails 3 "^profdiff: eight.cg: this side has no measure 'Dr' to compare; its measures: Ir, A, B, C, D, E, F, G$" profdiff b.cg eight.cg
}
