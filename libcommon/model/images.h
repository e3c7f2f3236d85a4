/* What images are: equal without the addresses at which they are mapped, the kernel, code made at
 * run time. */
#ifndef PF_MODEL_IMAGES_H
#define PF_MODEL_IMAGES_H

#include "model/dict.h"

#include <stdbool.h>
#include <stdint.h>

/* A key that is equal for mappings of the same part of the same image. It has the identifier (build
 * id), or without identifier the name, and the mapped part. No padding. */
struct pf_image_key {
    uint32_t name, by_name; /* string: identifier or name; by_name: 1: it is a name */
    uint64_t size, offset, text_start, text_size;
};

/* Makes the key of an image. False: the mapped memory is not a file, so an equal name does not mean
 * an equal image. */
bool pf_image_key(const struct pf_dict *, const struct pf_image *, struct pf_image_key *);

/* True for the kernel and its modules, as perf names them: [kernel.kallsyms], vmlinux-5.4, x.ko. */
bool pf_image_is_kernel(struct pf_bytes name);

/* True for code that was made at run time: perf's own map (perf-PID.map), an object of perf inject
 * --jit (jitted-PID-N.so), `[JIT]`. */
bool pf_image_is_made(struct pf_bytes name);

#endif
