/* Functions without a name of their own: a profile may give the same name to several functions of
 * one file (Perl's __ANON__ and BEGIN, JavaScript's (anonymous), Python's <lambda>). Two such
 * functions are equal if name, file and first line are; other functions are equal if name and file
 * are. */
#ifndef PF_ANALYSIS_NAMES_ANONYMOUS_H
#define PF_ANALYSIS_NAMES_ANONYMOUS_H

#include "model/dict.h"

#include <stdint.h>

/* The first line of a function without a name of its own; 0 for all other functions, and if the
 * line is not known. The last part of the name decides: the text after the last `::`, `.` or `\`
 * that is not in brackets.
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
