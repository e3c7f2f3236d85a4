/* Functions without a name of their own: several functions of one file may have the name that a
 * profile gives them (Perl's __ANON__ and BEGIN, JavaScript's (anonymous), Python's <lambda>).
 * Such a function is known by its name, its file and its first line; any other by name and file. */
#ifndef PF_ANALYSIS_NAMES_ANONYMOUS_H
#define PF_ANALYSIS_NAMES_ANONYMOUS_H

#include "model/dict.h"

#include <stdint.h>

/* The first line of a function without a name of its own; 0 for others and where it is not known.
 * The last part of the name decides: what stands behind the last `::`, `.` or `\` outside of
 * brackets.
 *
 *   Perl        __ANON__ BEGIN UNITCHECK CHECK INIT END   (not __ANON__[file:line])
 *   JavaScript  (anonymous) <anonymous> anonymous, name/<
 *   Python      <lambda> <listcomp> <genexpr> ...         (not <module>)
 *   PHP, Rust   {closure} {{closure}} {closure#0}
 *   C++         {lambda(int)#1}
 *   Ruby        block in name, block (2 levels) in name   (not <main>, <top (required)>)
 *   Go          func1, func1.2 in files that end in .go */
int64_t pf_anonymous_line(const struct pf_dict *, const struct pf_function *);

#endif
