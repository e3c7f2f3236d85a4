/* The package in a function's name, by the rules of languages (analysis/names/package.h). Each
 * function returns a part of the name, or text that it appends to the empty buffer; empty: no
 * package. If memory runs out, the buffer has failed. */
#ifndef PF_ANALYSIS_NAMES_PACKAGE_NAME_H
#define PF_ANALYSIS_NAMES_PACKAGE_NAME_H

#include "base/bytes.h"
#include "base/memory.h"

/* C++ and Rust: the part before the last `::`. */
struct pf_bytes pf_package_scope(struct pf_bytes name, struct pf_buffer *);
/* Perl: the same, but any character may be in a name. */
struct pf_bytes pf_package_perl(struct pf_bytes name);
/* Ruby: the class or module before the method: A::B#m, A::B.m. */
struct pf_bytes pf_package_ruby(struct pf_bytes name);
/* PHP: the namespace: A\B->m, A\B::m, A\f. */
struct pf_bytes pf_package_php(struct pf_bytes name);
/* Java: the parts before the class: a.b.C.m(), a/b/C.m, La/b/C;.m, La/b/C;::m. */
struct pf_bytes pf_package_java(struct pf_bytes name, struct pf_buffer *);
/* Go: the import path: net/http.(*conn).serve. */
struct pf_bytes pf_package_go(struct pf_bytes name, struct pf_buffer *);
/* A name whose form alone tells its language. */
struct pf_bytes pf_package_any(struct pf_bytes name, struct pf_buffer *);

#endif
