# work VARIANT: work.c in Perl, for Devel::NYTProf.
use strict;
use warnings;

my ($rounds, $mixes, $walks) = (30, 600, 360);
my $variant = $ARGV[0];
my $hash_factor = $variant eq 'more20' ? 1.2 : $variant eq 'more100' ? 2 : 1;
my $index_factor = $variant eq 'itself' ? 1.5 : 1;
my ($audits, $balances) = ($variant eq 'added', $variant ne 'removed');
my @table = map { ($_ * 40503 + 12345) & 65535 } 0 .. 65535;

sub read_block {
    my ($x) = @_;

    for my $i (1 .. int($mixes * 10)) {
        $x = ($x * 1664525 + ($x >> 9) + 1013904223) & 0x3FFFFFFF;
    }
    return $x;
}

sub decode {
    my ($x) = @_;

    for my $i (1 .. int($walks * 6)) {
        $x = $table[($x + $i) & 65535];
    }
    return $x;
}

sub check_sum {
    my ($x) = @_;

    for my $i (1 .. int($mixes * 4)) {
        $x = ($x * 1664525 + ($x >> 9) + 1013904223) & 0x3FFFFFFF;
    }
    return $x;
}

sub load {
    my ($x) = @_;

    return check_sum(decode(read_block($x)));
}

sub skip_blank {
    my ($x) = @_;

    for my $i (1 .. int($mixes * 0.075)) {
        $x = ($x * 1664525 + ($x >> 9) + 1013904223) & 0x3FFFFFFF;
    }
    return $x;
}

sub parse {
    my ($x) = @_;

    for my $word (1 .. 40) {
        for my $i (1 .. int($walks * 0.425)) {
            $x = $table[($x + $i) & 65535];
        }
        $x = skip_blank($x);
    }
    return $x;
}

sub hash_keys {
    my ($x) = @_;

    for my $i (1 .. int($mixes * 12 * $hash_factor)) {
        $x = ($x * 1664525 + ($x >> 9) + 1013904223) & 0x3FFFFFFF;
    }
    return $x;
}

sub sort_keys {
    my ($x) = @_;

    for my $i (1 .. int($walks * 8)) {
        $x = $table[($x + $i) & 65535];
    }
    return $x;
}

sub fold_case {
    my ($x) = @_;

    for my $i (1 .. int($mixes * 0.15)) {
        $x = ($x * 1664525 + ($x >> 9) + 1013904223) & 0x3FFFFFFF;
    }
    return $x;
}

sub match_keys {
    my ($x) = @_;

    for my $key (1 .. 20) {
        for my $i (1 .. int($mixes * 0.35)) {
            $x = ($x * 1664525 + ($x >> 9) + 1013904223) & 0x3FFFFFFF;
        }
        $x = fold_case($x);
    }
    return $x;
}

sub transform {
    my ($x) = @_;

    return match_keys(sort_keys(hash_keys(parse($x))));
}

sub insert_key {
    my ($x) = @_;

    for my $i (1 .. int($walks * 5.5)) {
        $x = $table[($x + $i) & 65535];
    }
    return $x;
}

sub probe {
    my ($x) = @_;

    for my $i (1 .. int($mixes * 5)) {
        $x = ($x * 1664525 + ($x >> 9) + 1013904223) & 0x3FFFFFFF;
    }
    return $x;
}

sub balance {
    my ($x) = @_;

    for my $i (1 .. int($mixes * 3)) {
        $x = ($x * 1664525 + ($x >> 9) + 1013904223) & 0x3FFFFFFF;
    }
    return $x;
}

sub build_index {
    my ($x) = @_;

    for my $i (1 .. int($walks * 8 * $index_factor)) {
        $x = $table[($x + $i) & 65535];
    }
    $x = probe(insert_key($x));
    return $balances ? balance($x) : $x;
}

sub store {
    my ($x) = @_;

    for my $i (1 .. int($mixes * 2)) {
        $x = ($x * 1664525 + ($x >> 9) + 1013904223) & 0x3FFFFFFF;
    }
    return build_index($x);
}

sub escape {
    my ($x) = @_;

    for my $i (1 .. int($mixes * 0.3)) {
        $x = ($x * 1664525 + ($x >> 9) + 1013904223) & 0x3FFFFFFF;
    }
    return $x;
}

sub format_row {
    my ($x) = @_;

    for my $field (1 .. 10) {
        for my $i (1 .. int($mixes * 0.4)) {
            $x = ($x * 1664525 + ($x >> 9) + 1013904223) & 0x3FFFFFFF;
        }
        $x = escape($x);
    }
    return $x;
}

sub flush {
    my ($x) = @_;

    for my $i (1 .. int($walks * 0.5)) {
        $x = $table[($x + $i) & 65535];
    }
    return $x;
}

sub log_line {
    my ($x) = @_;

    for my $i (1 .. int($mixes * 0.2)) {
        $x = ($x * 1664525 + ($x >> 9) + 1013904223) & 0x3FFFFFFF;
    }
    return $x;
}

sub tick {
    my ($x) = @_;

    for my $i (1 .. int($mixes * 0.1)) {
        $x = ($x * 1664525 + ($x >> 9) + 1013904223) & 0x3FFFFFFF;
    }
    return $x;
}

sub audit {
    my ($x) = @_;

    for my $i (1 .. int($mixes * 3.2)) {
        $x = ($x * 1664525 + ($x >> 9) + 1013904223) & 0x3FFFFFFF;
    }
    return $x;
}

sub report {
    my ($x) = @_;

    $x = tick(log_line(flush(format_row($x))));
    return $audits ? audit($x) : $x;
}

sub main {
    my $x = 1;

    for (1 .. $rounds) {
        $x = report(store(transform(load($x))));
    }
    print "$x\n";
}

main();
