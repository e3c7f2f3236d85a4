/* Files, subs and lines of NYTProf: the reader finds locations for the numbers of an input, the
 * writer finds numbers for an output. Comments of maps say `key, key: value`. */
#ifndef PF_FORMAT_NYTPROF_PLACES_H
#define PF_FORMAT_NYTPROF_PLACES_H

#include "analysis/names/id_map.h"
#include "base/table.h"
#include "model/dict.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- files ------------------------------------------------------------------------------------ */

/* File numbers (fids) and their names. In merged files several evals with different numbers can
 * have one name: the first number owns the name, and records of the other numbers need the number
 * as a label. */
struct pf_nyt_files {
    struct pf_pair_map names;  /* fid, 0: name (string) */
    struct pf_pair_map owners; /* name, 0: fid */
    bool failed;               /* memory ran out */
};

/* Gives a number its name, a string of the dictionary; a later definition replaces an earlier one.
 * Out of memory: sets `failed`. */
void pf_nyt_files_define(struct pf_nyt_files *, uint32_t fid, uint32_t name);
/* The name of a number. False, and *name is 0: the number is not defined. */
bool pf_nyt_files_name(const struct pf_nyt_files *, uint32_t fid, uint32_t *name);
/* True if the number owns its name. */
bool pf_nyt_files_owns(const struct pf_nyt_files *, uint32_t fid);

/* --- places of the input ---------------------------------------------------------------------- */

/* A line of a file with the sums of its statements. */
struct pf_nyt_line {
    uint32_t fid, line;
    int64_t count, ticks;
};

/* A SUB_INFO record: a sub (`name` is a string), its file, its first and last line. Both lines 0:
 * the sub is written in C. */
struct pf_nyt_sub {
    uint32_t name, fid, first, last;
};

/* The files and subs of an input, and their locations in the dictionary. */
struct pf_nyt_places {
    struct pf_dict *dict; /* borrowed */
    struct pf_nyt_files files;
    struct pf_table subs;        /* struct pf_nyt_sub, each once */
    struct pf_pair_map homes;    /* name, 0: id in `subs` of the sub with the lowest fid */
    struct pf_pair_map in_files; /* name, fid: id in `subs` */
    struct pf_pair_map xsubs;    /* name, 0: 1 if a marker says that the sub is written in C */
    struct pf_nyt_sub *sorted;   /* all subs, by file and line */
    size_t sorted_count;
    uint32_t fid_key, main_name, unknown_name;
    bool failed; /* memory ran out */
};

/* PF_OK or PF_NOMEM; free in any case. */
int pf_nyt_places_init(struct pf_nyt_places *, struct pf_dict *);
void pf_nyt_places_free(struct pf_nyt_places *);

/* Adds a sub, or the marker that a sub is written in C. False: it was added before, or memory ran
 * out (sets `failed`). */
bool pf_nyt_places_add_sub(struct pf_nyt_places *, struct pf_nyt_sub);
bool pf_nyt_places_add_xsub(struct pf_nyt_places *, uint32_t name);

/* Call the functions below when all files and subs are added. They return locations of the
 * dictionary; failures are the status of the dictionary. */

/* The location of a called sub. `name` 0: the sub has no name. */
uint32_t pf_nyt_places_callee(struct pf_nyt_places *, uint32_t name);
/* The location of a line from which the sub `name` calls. 0 if name, file and line are all
 * unknown. */
uint32_t pf_nyt_places_caller(struct pf_nyt_places *, uint32_t name, uint32_t fid, uint32_t line);
/* Finds the locations of `count` lines. The function of a location is the innermost sub around the
 * line, or `(main)` outside of all subs; the function has no name if the file has no known sub.
 * PF_OK or PF_NOMEM. */
int pf_nyt_places_lines(struct pf_nyt_places *, const struct pf_nyt_line *rows, size_t count,
                        uint32_t *locations);
/* The label set for a file number: a label `fid` if the name of the file belongs to another number,
 * else 0. */
uint32_t pf_nyt_places_label(struct pf_nyt_places *, uint32_t fid);

/* --- file numbers of the output --------------------------------------------------------------- */

/* The fields of a NEW_FID record; `name` is a string. */
struct pf_nyt_file {
    uint32_t name, eval_fid, eval_line, flags, size, mtime;
};

/* File numbers of an output. Each input numbers its files anew; the output keeps the numbers of the
 * first input and adds numbers for files that only later inputs have. Files of one name get one
 * number; evals get one number only if all their fields are the same. `ours` is a number of the
 * output. */
struct pf_nyt_numbers {
    struct pf_nyt_files input; /* the numbers of the current input */
    struct pf_pair_map ours;   /* input, its number: ours */
    struct pf_pair_map known;  /* name, number in the last input that has both: ours */
    struct pf_pair_map names;  /* name, 0: ours */
    struct pf_pair_map used;   /* ours, 0: input that gave the source texts; 0: no texts */
    struct pf_table rows;      /* struct pf_nyt_file in our numbers */
    struct pf_pair_map of_row; /* id of a row, 0: ours */
    /* `at`: the current input, from 1; `next`: the least number above all used numbers */
    uint32_t at, next;
    /* names were edited: evals of one name get one number too, and the output need not keep the
     * numbers of the first input */
    bool renamed;
    int status; /* PF_OK, PF_NOMEM, or PF_USAGE: all numbers are used */
};

/* PF_OK or PF_NOMEM; free in any case. */
int pf_nyt_numbers_init(struct pf_nyt_numbers *);
void pf_nyt_numbers_free(struct pf_nyt_numbers *);

/* Begins another input, which numbers its files anew. */
void pf_nyt_numbers_restart(struct pf_nyt_numbers *);

/* Adds file number `fid` of the input; `renamed`: its name was edited. Returns the number of the
 * output and changes file->eval_fid to a number of the output. *write: the output needs a NEW_FID
 * record. Failures: `status`. */
uint32_t pf_nyt_numbers_define(struct pf_nyt_numbers *, uint32_t fid, struct pf_nyt_file *file,
                               bool renamed, bool *write);
/* The output's number for a number of the current input, which need not be defined yet. 0 for 0.
 * Failures: `status`. */
uint32_t pf_nyt_numbers_of(struct pf_nyt_numbers *, uint32_t fid);
/* The output's number for a file name and the file number in a label (0: no label). *write: the
 * file is new and needs a NEW_FID record. Failures: `status`. */
uint32_t pf_nyt_numbers_find(struct pf_nyt_numbers *, uint32_t name, uint32_t label, bool *write);
/* True if the output takes source texts of a file (a number of the output) from the current input:
 * no earlier input gave texts of this file. Out of memory: false, and `status`. */
bool pf_nyt_numbers_text(struct pf_nyt_numbers *, uint32_t fid);

/* --- subs of the output ----------------------------------------------------------------------- */

/* The subs that inputs define, and the functions of records. The output adds a place for each sub
 * that only records have. */
struct pf_nyt_subs {
    struct pf_table defined; /* name, and the file or a mark (places.c) */
    struct pf_table rows;    /* name, file, file number, first and last line; each once */
    struct pf_nyt_seen {
        /* the last location of the function in a record; 0: no record has the function */
        uint32_t location;
        /* if the lines of the sub are unknown, write `first` and `last` */
        bool guess;
        int64_t first, last; /* least and greatest line in records; 0: no line */
    } * seen;                /* by function */
    size_t count, capacity;
    bool failed; /* memory ran out */
};

/* PF_OK or PF_NOMEM; free in any case. */
int pf_nyt_subs_init(struct pf_nyt_subs *);
void pf_nyt_subs_free(struct pf_nyt_subs *);

/* Adds a sub that the input defines; `fid` is a number of the output. First and last line 0: the
 * sub is written in C. False: the same definition came before. Out of memory: sets `failed`. */
bool pf_nyt_subs_define(struct pf_nyt_subs *, uint32_t name, uint32_t file, uint32_t fid,
                        uint32_t first, uint32_t last);
/* Adds the marker that a sub is written in C. Out of memory: the status of the table `defined`. */
void pf_nyt_subs_define_xsub(struct pf_nyt_subs *, uint32_t name);
/* Notes a location of a record. `guess`: if the lines of the sub are unknown, write the lines that
 * records have (for inputs of other formats). Out of memory: sets `failed`. */
void pf_nyt_subs_note(struct pf_nyt_subs *, const struct pf_dict *, uint32_t location, bool guess);
/* The name that NYTProf files give to a location's sub, a string; 0: no name. Code outside of all
 * subs is `main::RUNTIME`, of an eval `main::(eval)`. */
uint32_t pf_nyt_sub_name(struct pf_dict *, uint32_t location);

/* The place to write for a function (an id below subs->count). False: nothing to write, as for a
 * sub that the input defines or a place that is unknown. `last` 0: the sub is written in C. */
struct pf_nyt_sub_place {
    uint32_t name, file;
    int64_t first, last;
};
bool pf_nyt_subs_place(const struct pf_nyt_subs *, struct pf_dict *, size_t function,
                       struct pf_nyt_sub_place *);

#endif
