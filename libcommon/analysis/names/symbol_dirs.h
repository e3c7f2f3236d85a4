/* Directories with the programs and the debugging information of many images: where a file with a
 * given build id may lie. Three layouts are known:
 *
 *   DIR/.build-id/xx/yyyy.debug and DIR/.build-id/xx/yyyy, as /usr/lib/debug has them: xxyyyy is
 *   the build id; DIR may be .build-id itself
 *
 *   DIR/.build-id/xx/yyyy/elf and DIR/PATH/xxyyyy/elf, as in perf's ~/.debug
 *
 *   DIR/xxyyyy/debuginfo and DIR/xxyyyy/executable, as in debuginfod's cache
 *
 * The functions only make names. The caller opens the files and checks their build ids. */
#ifndef PF_ANALYSIS_NAMES_SYMBOL_DIRS_H
#define PF_ANALYSIS_NAMES_SYMBOL_DIRS_H

#include "base/error.h"
#include "base/memory.h"

#include <stdbool.h>
#include <stddef.h>

/* 64 bytes in hexadecimal digits, and a NUL. */
enum { PF_BUILD_ID_SIZE = 2 * 64 + 1 };

struct pf_symbol_dirs;

struct pf_symbol_dirs *pf_symbol_dirs_new(void);   /* NULL: out of memory */
void pf_symbol_dirs_free(struct pf_symbol_dirs *); /* NULL is allowed */

/* Adds a directory; directories are searched in the order of adding. The name is borrowed. PF_OK;
 * PF_IO or PF_FAILED if it cannot be read or is not a directory; PF_NOMEM. */
int pf_symbol_dirs_add(struct pf_symbol_dirs *, const char *path, struct pf_error *);

/* The program itself, or debugging information that may lack the program's code. */
enum pf_symbol_file { PF_SYMBOL_PROGRAM, PF_SYMBOL_DEBUG };
/* Makes the name number `n`, from 0, of a file that may have this build id (in lower case). With
 * `walked`: names below PATH in perf's layout, for which all directories of DIR are read once,
 * without following links. PF_OK; PF_EOF after the last name; PF_IO or PF_NOMEM. May be
 * called by several threads at once; `path` is the caller's. */
int pf_symbol_dirs_name(struct pf_symbol_dirs *, const char *build_id, enum pf_symbol_file,
                        bool walked, size_t n, struct pf_buffer *path, struct pf_error *);
/* True if an error number is a failure of the system (PF_IO), not a property of a file: too many
 * open files, a disk that cannot be read. */
bool pf_symbol_dirs_io(int number);

#endif
