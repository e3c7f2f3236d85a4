# Summarizes the TAP output of one test program: failures in full, skipped tests by name, then one line for
# the whole program. -v name=NAME; -v status=STATUS of the program; -v sums=FILE gets "passed failed
# skipped".

function fault(text) {
    print "not ok: " text
    failed++
}

/^1\.\.[0-9]+/ {
    planned = substr($0, 4) + 0
    next
}
/^ok [0-9]+/ {
    bad = 0
    if (tolower($0) ~ / # skip/) {
        skipped++
        print "  " substr($0, 4)
    } else
        passed++
    next
}
/^not ok [0-9]+/ {
    bad = 1
    failed++
}
bad || !planned

END {
    seen = passed + failed + skipped
    if (!planned)
        fault(name " ended with status " status " before its last test")
    else if (seen < planned) {
        fault(planned - seen " tests of " name " did not run")
        failed += planned - seen - 1
    } else if (status != 0 && !failed)
        fault(name " ended with status " status)
    printf "%s %s: %d of %d\n", failed ? "FAILED" : "ok", name, passed, passed + failed
    print passed + 0, failed + 0, skipped + 0 >sums
}
