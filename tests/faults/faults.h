/* Memory shared by the sweep (sweep.c) and the program that it tests (faults.c): the fault to make,
 * and the counted calls. */
#ifndef FAULTS_H
#define FAULTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum fault_kind {
    FAULT_MEMORY, /* malloc, calloc, realloc, posix_memalign; strdup too, as it calls malloc */
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
    FAULT_DESCRIPTOR = 200 /* the first of three descriptors that the sweep passes on */
};

struct fault_plan {
    enum fault_kind kind;
    uint64_t number; /* number of the call that fails, counted from 1; 0: none */
    bool onward;     /* all later calls of the kind fail too */
    atomic_uint_fast64_t calls[FAULT_KINDS];
    atomic_bool failed;  /* a call failed */
    uintptr_t base, end; /* the program's addresses in memory */
    /* only memory that the program itself allocates fails, not that of libraries */
    bool own_memory;
    uintptr_t frames[FAULT_FRAMES]; /* return addresses at the first failure */
    int frame_count;
};

#endif
