/* The package of a function, for rows by package and colours by package. */
#ifndef PF_ANALYSIS_NAMES_PACKAGE_H
#define PF_ANALYSIS_NAMES_PACKAGE_H

#include "model/dict.h"

/* The package of the function at a place: an interned string, 0: no package, or the dictionary has
 * failed (strings.status). The function of the place is passed separately, since string evals may
 * have other names.
 *
 * The language follows from the function alone: from the suffix of its file, from the kind of the
 * frame, from the form of the name. So a profile may mix languages, and merges keep the packages:
 *
 * - Python: the module. `json.encoder` for /usr/lib/python3.11/json/encoder.py, `builtins` for
 *   <built-in method builtins.sum>. The directory that modules are imported from is known for
 *   installed modules, `src` and relative paths; other modules are the path without `.py`.
 * - JavaScript: the package below node_modules, else the directory; `node:fs` for Node.js's own.
 * - Java, Kotlin, Scala: the parts before the class, the first part in upper case.
 * - Go: the import path.
 * - Perl, C++, Rust: the part before the last `::`, without template arguments, return type,
 *   parameters, hash and closures. For <T as Trait>::f that of the type.
 * - Ruby: the class or module. PHP: the namespace.
 * - other names with dots: the part before the first part in upper case or the last part.
 * - functions of the kernel: [kernel] or [MODULE].
 * - other functions without a package: the file name of the image, unless it was made at run
 *   time. */
uint32_t pf_package_of(struct pf_dict *, const struct pf_location *place,
                       const struct pf_function *);

#endif
