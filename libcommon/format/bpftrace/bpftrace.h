/* bpftrace's maps with stacks among their keys, as it prints them when it ends. What text and JSON
 * share: an entry of a map, put together from the lines of its key. */
#ifndef PF_FORMAT_BPFTRACE_BPFTRACE_H
#define PF_FORMAT_BPFTRACE_BPFTRACE_H

#include "base/memory.h"
#include "codec/json_reader.h"
#include "codec/text_reader.h"
#include "model/labels.h"

struct pf_bpftrace_reader {
    struct pf_text_reader text; /* JSON uses its rows only */
    struct pf_bytes separator;  /* between parts of a key: ", ", in JSON "," */
    struct pf_buffer name;      /* of the map, without its @ */
    struct pf_buffer keys;      /* of the entry at hand: what is no stack, with a NUL behind each */
    size_t key_count;
    struct pf_labels labels; /* made of them */
    bool in_entry;           /* the lines of an entry are read */
    bool is_json;
    struct pf_json_cut json;
    unsigned level;        /* of the JSON that is open */
    uint64_t entry_offset; /* where the entry of a map begins */
    uint32_t measure;      /* of the map whose entries became records last */
    uint64_t passed_over;  /* entries whose values are no numbers */
};

/* The map that entries are of from now on. False: out of memory. */
bool pf_bpftrace_map(struct pf_reader *, struct pf_bytes name);
/* Another line of the entry's key: a frame where blanks begin it, else other parts of the key.
 * PF_OK, or a failure at `offset`. */
int pf_bpftrace_key_line(struct pf_reader *, uint64_t offset, struct pf_bytes line);
/* The value, which ends an entry that begins at `offset`: the entry becomes a record, or, where the
 * value is no whole number, is passed over. PF_OK, or a failure. */
int pf_bpftrace_value(struct pf_reader *, uint64_t offset, struct pf_bytes text);

/* A number that is a map: metadata. */
void pf_bpftrace_variable(struct pf_reader *, struct pf_bytes name, struct pf_bytes value);

/* Reads on in JSON, a step. PF_OK, PF_EOF, or a failure. */
int pf_bpftrace_read_json(struct pf_reader *);

#endif
