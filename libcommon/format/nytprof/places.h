/* Files, subs and lines of NYTProf files, by number. */
#ifndef PF_FORMAT_NYTPROF_PLACES_H
#define PF_FORMAT_NYTPROF_PLACES_H

#include "base/table.h"
#include "model/dict.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- pairs ------------------------------------------------------------------------------------ */

/* From pairs of numbers to numbers. */
struct pf_nyt_map {
    struct pf_table keys;
    uint64_t *values; /* by id of a key */
    size_t count, capacity;
};

/* PF_OK or PF_NOMEM; free in any case. */
int pf_nyt_map_init(struct pf_nyt_map *);
void pf_nyt_map_free(struct pf_nyt_map *);

/* The place of the value of a pair; the value of a new pair is 0. `a` is not UINT32_MAX. NULL when
 * memory ran out. Valid until the next call. */
uint64_t *pf_nyt_map_entry(struct pf_nyt_map *, uint32_t a, uint32_t b);
/* The value of a pair, 0 for an unknown pair. */
uint64_t pf_nyt_map_get(const struct pf_nyt_map *, uint32_t a, uint32_t b);

/* --- files ------------------------------------------------------------------------------------ */

/* File numbers and their names. A name may have several numbers (evals in merged files): the first
 * one owns the name, and records of the others need the number as a label. */
struct pf_nyt_files {
    struct pf_nyt_map names;  /* fid / 2, fid % 2: string of the last definition + 1 */
    struct pf_nyt_map owners; /* string, 0: fid + 1 */
    bool failed;              /* memory ran out */
};

/* Defines a number. `name` is a string of the dictionary. The last definition counts. */
void pf_nyt_files_define(struct pf_nyt_files *, uint32_t fid, uint32_t name);
/* False and *name 0 for a number without a definition. */
bool pf_nyt_files_name(const struct pf_nyt_files *, uint32_t fid, uint32_t *name);
/* The number that owns the name; false when no number has it. */
bool pf_nyt_files_owner(const struct pf_nyt_files *, uint32_t name, uint32_t *fid);

/* --- places of the input ---------------------------------------------------------------------- */

/* A line of a file with its sums. */
struct pf_nyt_line {
    uint32_t fid, line;
    int64_t count, ticks;
};

/* A SUB_INFO record. Lines 0 to 0: a sub in C. */
struct pf_nyt_sub {
    uint32_t name, fid, first, last;
};

/* From the numbers of an input to places of the model. */
struct pf_nyt_places {
    struct pf_dict *dict; /* borrowed */
    struct pf_nyt_files files;
    struct pf_table subs;       /* struct pf_nyt_sub, each once */
    struct pf_nyt_map homes;    /* name, 0: id of the sub with the lowest fid */
    struct pf_nyt_map in_files; /* name, fid: id of the sub */
    struct pf_nyt_map xsubs;    /* name, 0: 1 when a marker says that the sub is in C */
    struct pf_nyt_sub *sorted;  /* by file and line */
    size_t sorted_count;
    uint32_t fid_key, main_name, unknown_name;
    bool failed; /* memory ran out */
};

/* PF_OK or PF_NOMEM; free in any case. */
int pf_nyt_places_init(struct pf_nyt_places *, struct pf_dict *);
void pf_nyt_places_free(struct pf_nyt_places *);

/* False when the same row came before. */
bool pf_nyt_places_add_sub(struct pf_nyt_places *, struct pf_nyt_sub);
bool pf_nyt_places_add_xsub(struct pf_nyt_places *, uint32_t name);

/* The functions below give locations of the dictionary; all files and subs are known by then. */

/* The location of a sub; "" is a sub without a name. */
uint32_t pf_nyt_places_callee(struct pf_nyt_places *, uint32_t name);
/* The line from which the sub `name` calls. */
uint32_t pf_nyt_places_caller(struct pf_nyt_places *, uint32_t name, uint32_t fid, uint32_t line);
/* The locations of `count` lines, with the innermost sub around a line, or `(main)`; in files
 * without a known sub they have no name. PF_OK or PF_NOMEM. */
int pf_nyt_places_lines(struct pf_nyt_places *, const struct pf_nyt_line *rows, size_t count,
                        uint32_t *locations);
/* A label with the number of the file when its name does not lead to the number; else 0. */
uint32_t pf_nyt_places_label(struct pf_nyt_places *, uint32_t fid);

/* --- file numbers of the output --------------------------------------------------------------- */

/* The fields of a NEW_FID record. */
struct pf_nyt_file {
    uint32_t name, eval_fid, eval_line, flags, size, mtime;
};

/* File numbers of an output. Each input has its own; the output keeps those of the first input and
 * adds numbers for files of the others. Files of one name are one; evals are one only when all
 * their facts are the same. */
struct pf_nyt_numbers {
    struct pf_nyt_files input; /* the numbers of the current input */
    struct pf_nyt_map ours;    /* input, its number: ours + 1 */
    struct pf_nyt_map known;   /* name, number in the last input that had both: ours + 1 */
    struct pf_nyt_map names;   /* name, 0: ours + 1 */
    /* ours / 2, ours % 2: the last input, from 1, that gave source texts; 1 at least */
    struct pf_nyt_map used;
    struct pf_table rows;      /* struct pf_nyt_file in our numbers */
    struct pf_nyt_map row_ids; /* id of a row, 0: ours + 1 */
    /* the current input, from 1; the least number above all used ones */
    uint32_t at, next;
    /* names were edited: files of one name are one, evals too, and numbers of the first input
     * change */
    bool renamed;
    int status; /* PF_OK, PF_NOMEM, or PF_USAGE: no numbers left */
};

/* PF_OK or PF_NOMEM; free in any case. */
int pf_nyt_numbers_init(struct pf_nyt_numbers *);
void pf_nyt_numbers_free(struct pf_nyt_numbers *);

/* Another input begins. */
void pf_nyt_numbers_restart(struct pf_nyt_numbers *);

/* The input defines number `fid`; `renamed`: the name was edited. Changes *file to our numbers and
 * returns ours; *write: the output needs a record. */
uint32_t pf_nyt_numbers_define(struct pf_nyt_numbers *, uint32_t fid, struct pf_nyt_file *file,
                               bool renamed, bool *write);
/* Our number for a number of the input, defined or not. */
uint32_t pf_nyt_numbers_of(struct pf_nyt_numbers *, uint32_t fid);
/* Our number for a file of this name, with the number in a label, or 0. *write: the file is new and
 * needs a record. */
uint32_t pf_nyt_numbers_find(struct pf_nyt_numbers *, uint32_t name, uint32_t label, bool *write);
/* Whether the output takes source texts of the current input: no earlier input gave texts of that
 * file. */
bool pf_nyt_numbers_text(struct pf_nyt_numbers *, uint32_t fid);

/* --- subs of the output ----------------------------------------------------------------------- */

/* Subs whose places the output has to add: no row of the input defines them. */
struct pf_nyt_subs {
    struct pf_table defined; /* name and file */
    struct pf_table rows;    /* name, file, file number, first and last line from the input */
    struct pf_nyt_seen {
        uint32_t location;   /* a place of the sub; 0: no record has it */
        bool guess;          /* the lines that ran may decide its place */
        int64_t first, last; /* lines that ran */
    } * seen;                /* by function */
    size_t count, capacity;
    bool failed; /* memory ran out */
};

/* PF_OK or PF_NOMEM; free in any case. */
int pf_nyt_subs_init(struct pf_nyt_subs *);
void pf_nyt_subs_free(struct pf_nyt_subs *);

/* The input defines a sub; false when it came before with the same file number. Lines 0 to 0: it is
 * in C. */
bool pf_nyt_subs_define(struct pf_nyt_subs *, uint32_t name, uint32_t file, uint32_t fid,
                        uint32_t first, uint32_t last);
void pf_nyt_subs_define_xsub(struct pf_nyt_subs *, uint32_t name);
/* Notes the place of a record. `guess`: without other facts the lines that ran decide the place of
 * the sub. */
void pf_nyt_subs_note(struct pf_nyt_subs *, const struct pf_dict *, uint32_t location, bool guess);
/* The name of a sub in the format: 0 for a sub without a name; subs for the own code of a file are
 * in package main. */
uint32_t pf_nyt_sub_name(struct pf_dict *, uint32_t location);

/* The place of a sub that records have and the input does not define, by id of its function (from
 * 1). False: the output needs no record. `last` 0: the sub is in C. */
struct pf_nyt_sub_place {
    uint32_t name, file;
    int64_t first, last;
};
bool pf_nyt_subs_place(const struct pf_nyt_subs *, struct pf_dict *, size_t function,
                       struct pf_nyt_sub_place *);

#endif
