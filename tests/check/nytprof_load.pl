#!/usr/bin/perl
# nytprof_load.pl FILE...: loads NYTProf files with Devel::NYTProf and prints the result of each as one line of JSON. The library writes some
# warnings directly to standard error: a file `warnings` in the current directory catches them.
use strict;
use warnings;

use Devel::NYTProf::Data;
use JSON::PP;

my $json = JSON::PP->new->canonical->ascii->allow_nonref;

# { "fid:line": [count, seconds] } of a table by file number and line
sub lines {
    my ($table) = @_;
    my %lines;
    for my $fid (0 .. $#{$table || []}) {
        my $file = $table->[$fid] or next;
        for my $line (0 .. $#$file) {
            my $entry = $file->[$line] or next;
            $lines{"$fid:$line"} = [$entry->[1] + 0, $entry->[0] + 0];
        }
    }
    return \%lines;
}

sub files {
    my ($profile) = @_;
    my %files;
    for my $file (grep { $_ } @{$profile->{fid_fileinfo}}) {
        $files{$file->fid} = {
            name => $file->filename, eval_fid => ($file->eval_fid || 0) + 0, eval_line => ($file->eval_line || 0) + 0,
            flags => $file->flags + 0, size => ($file->size || 0) + 0, mtime => ($file->mtime || 0) + 0,
        };
    }
    return \%files;
}

sub sub_of {
    my ($sub) = @_;
    return {
        fid => ($sub->fid || 0) + 0, first_line => $sub->first_line, last_line => $sub->last_line, calls => $sub->calls + 0,
        incl_time => $sub->incl_time + 0, excl_time => $sub->excl_time + 0, rec_depth => ($sub->recur_max_depth || 0) + 0,
        reci_time => ($sub->recur_incl_time || 0) + 0,
    };
}

# { "fid:line": {...} } of the callers of a sub
sub callers {
    my ($sub) = @_;
    my $by_fid = $sub->caller_fid_line_places or return {};
    my %callers;
    for my $fid (keys %$by_fid) {
        for my $line (keys %{$by_fid->{$fid}}) {
            my $call = $by_fid->{$fid}{$line};
            $callers{"$fid:$line"} = {
                count => $call->[0] + 0, incl => $call->[1] + 0, excl => $call->[2] + 0, reci => $call->[5] + 0,
                depth => $call->[6] + 0, caller_subs => [sort keys %{$call->[7] || {}}],
            };
        }
    }
    return \%callers;
}

for my $path (@ARGV) {
    my %found = (file => $path);
    open my $stderr, ">&", \*STDERR or die "stderr: $!";
    open STDERR, ">", "warnings" or die "warnings: $!";
    my $profile = eval { Devel::NYTProf::Data->new({filename => $path, quiet => 1, skip_collapse_evals => 1}) };
    if ($profile) {
        my $subs = $profile->subname_subinfo_map;
        $found{attributes} = {map { $_ => "$profile->{attribute}{$_}" } keys %{$profile->{attribute}}};
        $found{options} = {map { $_ => "$profile->{option}{$_}" } keys %{$profile->{option}}};
        $found{fids} = files($profile);
        $found{fid_line_time} = lines($profile->{fid_line_time});
        $found{fid_block_time} = lines($profile->{fid_block_time});
        $found{fid_sub_time} = lines($profile->{fid_sub_time});
        $found{subs} = {map { $_ => sub_of($subs->{$_}) } keys %$subs};
        $found{callers} = {map { my $places = callers($subs->{$_}); %$places ? ($_ => $places) : () } keys %$subs};
        my $sources = $profile->{fid_srclines} || [];
        for my $fid (grep { $sources->[$_] } 0 .. $#$sources) {
            $found{srclines_per_fid}{$fid} = grep { defined } @{$sources->[$fid]};
        }
    }
    $found{load_error} = $profile ? undef : "$@";
    open STDERR, ">&", $stderr or die "stderr: $!";
    open my $warnings, "<", "warnings" or die "warnings: $!";
    chomp(my @warnings = <$warnings>);
    $found{warnings} = \@warnings;
    print $json->encode(\%found), "\n";
}
