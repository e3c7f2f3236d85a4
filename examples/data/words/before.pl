# Counts how often each word of a text stands in it.
use strict;
use warnings;

sub words {
    my ($seed, @words) = (7);
    push @words, 'Word-' . ($seed = ($seed * 75 + 74) % 65537) % 90 for 1 .. 400;
    return @words;
}

sub clean {
    my ($word) = @_;
    $word =~ s/[^A-Za-z0-9]//g;
    return lc $word;
}

sub place {
    my ($names, $word) = @_;
    for my $i (0 .. $#$names) { return $i if $names->[$i] eq $word }
    push @$names, $word;
    return $#$names;
}

sub report {
    my ($names, $counts) = @_;
    my @order = sort { $counts->[$b] <=> $counts->[$a] } 0 .. $#$names;
    return join ' ', map { "$names->[$_]:$counts->[$_]" } @order;
}

my (@names, @counts);
$counts[place(\@names, clean($_))]++ for words();
print report(\@names, \@counts), "\n";
