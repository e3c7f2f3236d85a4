/* The memory that the sweep (sweep.c) shares with the program it tests (faults.c): the fault that
 * is asked for, and the calls that were counted. */
#ifndef FAULTS_H
#define FAULTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum fault_kind {
    FAULT_MEMORY, /* malloc, calloc, realloc, posix_memalign, and strdup, which calls malloc */
    FAULT_READ,
    FAULT_WRITE,
    FAULT_CLOSE,
    FAULT_OPEN,
    FAULT_RENAME,
    FAULT_FSTAT,
    FAULT_THREAD,
    FAULT_KINDS
};

enum {
    FAULT_FRAMES = 24,
    FAULT_DESCRIPTOR = 200 /* the first of three that the sweep passes on */
};

struct fault_plan {
    enum fault_kind kind;
    uint64_t number; /* this call fails, counted from 1; 0: none */
    bool onward;     /* and so do all calls of the kind after it */
    atomic_uint_fast64_t calls[FAULT_KINDS];
    atomic_bool failed;  /* a call failed */
    uintptr_t base, end; /* where the program lies in memory */
    bool own_memory;     /* memory fails only where the program itself asks for it, no library */
    uintptr_t frames[FAULT_FRAMES]; /* return addresses at the first failure */
    int frame_count;
};

#endif
