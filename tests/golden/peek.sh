proftop --peek '^main::db$' requests.out
