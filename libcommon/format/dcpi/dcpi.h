/* Private to the DCPI formats: profiles of dcpiformat(4), and the text that dcpicat prints of them. */
#ifndef PF_FORMAT_DCPI_DCPI_H
#define PF_FORMAT_DCPI_DCPI_H

#include "base/bytes.h"
#include "base/error.h"
#include "base/memory.h"
#include "codec/format.h"
#include "codec/merging.h"
#include "io/source.h"
#include "model/batch.h"
#include "model/dict.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The ASCII header of a DCPI profile, dcpiformat(4): lines of a word and a value, then `samples`. The lines of versions 0.06 and 0.07
 * are known by name, all others are kept. */

enum pf_dcpi_word {
    PF_DCPI_IMAGE,
    PF_DCPI_EPOCH,
    PF_DCPI_PLATFORM,
    PF_DCPI_EVENT,
    PF_DCPI_PERIOD,
    PF_DCPI_TSIZE,
    PF_DCPI_CPUSPEED,
    PF_DCPI_REQUIRED, /* of the words before exactly one line each */
    PF_DCPI_VERSION = PF_DCPI_REQUIRED,
    PF_DCPI_TSTART,
    PF_DCPI_SINGLE,   /* of the words before at most one */
    PF_DCPI_CPUAMASK = PF_DCPI_SINGLE,
    PF_DCPI_CPUIMPLV,
    PF_DCPI_CPUCOUNT,
    PF_DCPI_PATH,
    PF_DCPI_OTHER
};

/* Parts of a line, in header->raw. */
struct pf_dcpi_line {
    size_t start;
    size_t word_size, separator_size, value_size;
    enum pf_dcpi_word known;
};

/* Zero-initialise, fill by _read, or by _line and _end; free with _free. */
struct pf_dcpi_header {
    struct pf_buffer raw;        /* as in the file, the terminator with it */
    struct pf_dcpi_line *lines;  /* without the terminator */
    size_t count, capacity;
    size_t first[PF_DCPI_OTHER]; /* number of the first line of a word + 1; 0 = there is none */
    uint64_t number[PF_DCPI_OTHER]; /* values of lines that are one 64-bit number */
    char epoch[16];              /* YYYYMMDDHHMMSS */
    struct pf_bytes pad;         /* between `samples` and the line feed */
};

/* Reads a header whose first byte is ahead and checks it. PF_FAILED or PF_UNSUPPORTED with the offset, the class of the error first
 * in the text (`missing-line: ...`); PF_NOMEM; the source's own failure. What is odd but legal is reported. */
int pf_dcpi_header_read(struct pf_dcpi_header *, struct pf_source *, const struct pf_report *, struct pf_error *);

/* Adds one line, given without its line feed; `offset` is for messages. */
int pf_dcpi_header_line(struct pf_dcpi_header *, struct pf_bytes line, uint64_t offset, struct pf_error *);

/* Adds the terminator with these blanks behind it, and checks the header as a whole. */
int pf_dcpi_header_end(struct pf_dcpi_header *, struct pf_bytes pad, uint64_t offset, const struct pf_report *, struct pf_error *);
void pf_dcpi_header_free(struct pf_dcpi_header *);

/* The known word, or PF_DCPI_OTHER. */
enum pf_dcpi_word pf_dcpi_word_find(struct pf_bytes word);
const char *pf_dcpi_word_name(enum pf_dcpi_word); /* not of PF_DCPI_OTHER */
struct pf_bytes pf_dcpi_line_word(const struct pf_dcpi_header *, const struct pf_dcpi_line *);
struct pf_bytes pf_dcpi_line_separator(const struct pf_dcpi_header *, const struct pf_dcpi_line *);
struct pf_bytes pf_dcpi_line_value(const struct pf_dcpi_header *, const struct pf_dcpi_line *);

/* Value of the first line of a known word; empty when there is none. */
struct pf_bytes pf_dcpi_header_value(const struct pf_dcpi_header *, enum pf_dcpi_word);

/* 10 digits YYMMDDHHMM, 12 YYYYMMDDHHMM or 14 YYYYMMDDHHMMSS as the latter; years of two digits from 70 on are 19... False: no time. */
bool pf_dcpi_epoch(struct pf_bytes, char normal[16]);

/* Image identifiers are told apart without regard to letter case. */
bool pf_dcpi_same_image(struct pf_bytes, struct pf_bytes);
bool pf_dcpi_is_image(struct pf_bytes); /* hexadecimal digits, at least one */

/* The identifier in small letters, as images have it, so that whoever compares it finds one image; files keep their spelling in the
 * metadata. 0: out of memory. */
uint32_t pf_dcpi_identifier(struct pf_dict *, struct pf_bytes);

/* The binary part of a DCPI profile 0.06/0.07: chunks of counts, then a footer, all in little-endian words of 32 bits. Where the last
 * chunk ends only the end of the input tells: exactly eight bytes left are the footer. */

/* Zero-initialise; `stride` and `start` are then to be set. */
struct pf_dcpi_body {
    uint64_t stride;   /* bytes from one count's address to the next one's: for the order of addresses only */
    uint64_t start;    /* address of the text */
    uint64_t end;      /* one past the range of the chunks before, at a step of 1 as the page has it */
    uint64_t place;    /* offset of the next count, at `stride` */
    uint32_t left;     /* counts of the chunk at hand that are still to come */
    bool begun;        /* there was a chunk; its offset: */
    uint32_t last;
    uint64_t nonzero, total;
};

enum pf_dcpi_piece_kind { PF_DCPI_HEAD, PF_DCPI_COUNTS, PF_DCPI_FOOTER };

/* Bytes that are ahead in the source, to be taken by the caller. */
struct pf_dcpi_piece {
    enum pf_dcpi_piece_kind kind;
    const unsigned char *bytes;
    size_t size;
    uint32_t number; /* HEAD, COUNTS: how many counts follow, or are here */
    uint64_t place;  /* HEAD: offset; COUNTS: offset of the first one */
    uint64_t gap;    /* HEAD: distance from the range before, at a step of 1 */
};

/* The next piece: PF_OK; PF_EOF behind the footer, which is checked against what passed; PF_FAILED with the class of the error first in
 * the text; the source's own failure. COUNTS come in pieces of at most `most` and at least one count; the caller hands each of
 * them to pf_dcpi_body_count (or counts itself) and takes its bytes before the next call. */
int pf_dcpi_body_next(struct pf_dcpi_body *, struct pf_source *, uint32_t most, struct pf_dcpi_piece *, struct pf_error *);

/* Adds counts to the sums. */
void pf_dcpi_body_count(struct pf_dcpi_body *, const unsigned char *counts, uint32_t number);

/* How the chunks of a DCPI file lie, zero counts included: what its records do not say. It travels as text, `GAP+NUMBER` for each
 * chunk, where GAP is the distance from the end of the chunk before at a step of 1, so that an unchanged profile becomes the
 * same file again. */

/* Adds a chunk to the text; false: out of memory. */
bool pf_dcpi_layout_add(struct pf_buffer *, uint64_t gap, uint32_t number);

/* Texts of one layout, in order: strings of a dictionary. */
struct pf_dcpi_layout {
    uint32_t *texts;
    size_t count, capacity;
};

struct pf_dcpi_chunk {
    uint64_t offset;
    uint32_t number;
};

/* Walks the chunks: zero-initialise, then set `layout` and `dict`. */
struct pf_dcpi_chunks {
    const struct pf_dcpi_layout *layout;
    const struct pf_dict *dict;
    size_t text, at; /* where the next chunk is read */
    uint64_t end;    /* of the chunk before */
};

/* PF_OK and a chunk that lies behind the one before and ends within 32 bits; PF_EOF; PF_FAILED where the text is none of ours. */
int pf_dcpi_chunks_next(struct pf_dcpi_chunks *, struct pf_dcpi_chunk *);

/* Locations in the order of images and offsets from the start of their text. */

/* Offset of a location from the start of its image's text. */
static inline uint64_t pf_dcpi_offset(const struct pf_dict *dict, uint32_t location)
{
    const struct pf_location *row = pf_dict_location(dict, location);

    return row->address - pf_dict_image(dict, row->image)->text_start;
}

/* The locations that the inputs of a run have given so far, by image, in the order of offsets: where a second file of an image finds
 * those of the first. */

struct pf_dcpi_indexed {
    const uint32_t *locations; /* in the order of offsets; valid until the next find */
    size_t count;
};

/* Finds the locations of a profile's addresses, which come in the order of their offsets, and makes those that are new. */

struct pf_dcpi_locator {
    uint32_t image;
    uint64_t start;                /* of the image's text */
    struct pf_dcpi_indexed known;  /* locations of the image that were there; the next one that may be met: */
    size_t next;
    uint64_t next_offset;          /* UINT64_MAX behind the last */
    struct pf_location fresh[PF_BATCH_ROWS]; /* not known; the rows that have them: */
    uint32_t fresh_rows[PF_BATCH_ROWS], fresh_count;
    uint32_t locations[PF_BATCH_ROWS]; /* of the rows of a batch */
};

/* Begins with an image: a row of the dictionary that is there already when identifier (in any letter case), start and size of the text
 * agree, else a new one. `shared` may be NULL when this is the only input. PF_OK or PF_NOMEM. */
int pf_dcpi_locator_open(struct pf_dcpi_locator *, struct pf_dict *, struct pf_shared *, const struct pf_image *);

/* Goes on to the next location of other inputs. */
void pf_dcpi_locator_next(struct pf_dcpi_locator *, const struct pf_dict *);

/* The place of a row of the batch at hand: an offset from the start of the text, greater than any before. */
static inline void pf_dcpi_locator_set(struct pf_dcpi_locator *locator, const struct pf_dict *dict, uint64_t offset, uint32_t row)
{
    while (locator->next_offset < offset)
        pf_dcpi_locator_next(locator, dict);
    if (locator->next_offset == offset && locator->next < locator->known.count) {
        locator->locations[row] = locator->known.locations[locator->next];
        return;
    }
    locator->fresh[locator->fresh_count] = (struct pf_location){.image = locator->image, .address = locator->start + offset};
    locator->fresh_rows[locator->fresh_count++] = row;
}

/* At the end of a batch: `locations` is complete. What fails is the dictionary's status. */
void pf_dcpi_locator_end(struct pf_dcpi_locator *, struct pf_dict *);

/* The heads of dcpicat text that a stream was made of, as its metadata have them: a block for each profile, which `name` begins. */

struct pf_dcpi_cat_line {
    uint32_t key, value; /* strings */
    size_t block;        /* from 1 */
};

/* Zero-initialise. */
struct pf_dcpi_cat_blocks {
    struct pf_dcpi_cat_line *lines; /* of all blocks, in order */
    size_t count, capacity;
    size_t blocks;
    bool named; /* a `name` was met: the next one begins a block */
};

/* Takes what a META batch says of them. PF_OK or PF_NOMEM. */
int pf_dcpi_cat_blocks_add(struct pf_dcpi_cat_blocks *, const struct pf_dict *, const struct pf_batch *);
void pf_dcpi_cat_blocks_free(struct pf_dcpi_cat_blocks *);

/* The next block of an image (its identifier, in any letter case) behind `block`, which is 0 for the first; 0 when there is none. */
size_t pf_dcpi_cat_blocks_find(const struct pf_dcpi_cat_blocks *, const struct pf_dict *, struct pf_bytes image, size_t block);

/* The first value of a key in a block; empty when there is none. */
struct pf_bytes pf_dcpi_cat_blocks_value(const struct pf_dcpi_cat_blocks *, const struct pf_dict *, size_t block,
                                         struct pf_bytes key);

/* The DCPI profiles that a stream was made of, as their metadata say: the header of each, how its chunks lay, its totals. */

struct pf_dcpi_profile {
    struct pf_dcpi_header header;
    bool ended;   /* the header is there to its end */
    bool refused; /* it is no header: somebody changed the metadata */
    uint64_t stride;
    struct pf_dcpi_layout layout;
    bool footed;  /* all of the file was read; its footer: */
    uint64_t addresses, samples;
};

/* Zero-initialise. */
struct pf_dcpi_profiles {
    struct pf_dcpi_profile *rows;
    size_t count, capacity;
    uint32_t separator; /* string said before a line */
    struct pf_buffer text;
};

/* Takes what a META batch says of them. PF_OK or PF_NOMEM. */
int pf_dcpi_profiles_add(struct pf_dcpi_profiles *, const struct pf_dict *, const struct pf_batch *);

/* Whether the lines are those of this image, and of no other (of which not all are known to be of one file). */
bool pf_dcpi_profile_is_of(const struct pf_dcpi_profile *, struct pf_bytes image);
void pf_dcpi_profiles_free(struct pf_dcpi_profiles *);

/* Metadata of DCPI profiles when several become one: headers stay whole, a writer joins them. */

extern const struct pf_merging pf_dcpi_merging;

/* The header of a DCPI file that is written: that of the profiles its counts come from, or one made of what dcpicat said. */

/* What a file is about. */
struct pf_dcpi_subject {
    struct pf_bytes event;
    uint64_t period;
    const struct pf_image *image; /* NULL: nothing was counted, any will do */
};

/* Whether a profile is one of those the subject is made of. */
bool pf_dcpi_subject_has(const struct pf_dcpi_subject *, const struct pf_dict *, const struct pf_dcpi_profile *);

/* Joins the headers of all such profiles into a new one: the lines of the first, the earliest epoch, then lines that only later ones have
 * (paths and unknown lines), once each. *single is the profile when there is one only, else NULL. PF_EOF: there is none. PF_USAGE
 * where they disagree on what has to be the same; PF_NOMEM. */
int pf_dcpi_merge_headers(struct pf_dcpi_header *, const struct pf_dcpi_profiles *, const struct pf_dict *,
                          const struct pf_dcpi_subject *, const struct pf_dcpi_profile **single, struct pf_error *);

/* Makes a header from lines of which is not known any more what file each comes from, as in canonical order: what has to be the same is the
 * subject's, of the others the first ones are taken (the earliest epoch). Paths and unknown lines only where all lines are of one image.
 * PF_EOF: there are no such lines; PF_USAGE where some are missing. */
int pf_dcpi_pool_header(struct pf_dcpi_header *, const struct pf_dcpi_profiles *, const struct pf_dict *,
                        const struct pf_dcpi_subject *, struct pf_error *);

/* Makes a header from a block of dcpicat text. The speed of the processor, which it does not tell, is 0. PF_USAGE where something
 * is missing. */
int pf_dcpi_make_header(struct pf_dcpi_header *, const struct pf_dcpi_cat_blocks *, const struct pf_dict *,
                        const struct pf_dcpi_subject *, struct pf_error *);

/* Counts by measure and location, summed: what a writer of DCPI data holds until it knows all. */

struct pf_dcpi_event {
    uint32_t measure;  /* the first one of its name and period */
    int64_t *sums;     /* by location */
    size_t count, capacity;
    bool counted;      /* there was a count that is not 0 */
};

/* Zero-initialise. */
struct pf_dcpi_counts {
    struct pf_dcpi_event *events;
    size_t count, capacity;
};

/* Takes the FLAT columns of a batch. PF_OVERFLOW, PF_NOMEM; PF_USAGE for values that are no counts. */
int pf_dcpi_counts_add(struct pf_dcpi_counts *, const struct pf_dict *, const struct pf_batch *, struct pf_error *);
void pf_dcpi_counts_free(struct pf_dcpi_counts *);

/* 0 where nothing was counted. */
static inline int64_t pf_dcpi_event_sum(const struct pf_dcpi_event *event, uint32_t location)
{
    return location < event->count ? event->sums[location] : 0;
}

/* Locations that have a sum in any event, each address once: sums of further locations of an address are added to the first one's.
 * In the order of images (by first sight) and offsets from the start of their text. */
struct pf_dcpi_places {
    uint32_t *locations;
    size_t count, capacity;
    uint32_t *image; /* by image: the first one with the same identifier, start and size of the text */
};

/* PF_OK; PF_USAGE, with the reason, where a location has no address in an image with an identifier; PF_OVERFLOW, PF_NOMEM. Free in
 * any case. `format` is for the message. */
int pf_dcpi_places_find(struct pf_dcpi_places *, struct pf_dcpi_counts *, const struct pf_dict *, const char *format,
                        struct pf_error *);
void pf_dcpi_places_free(struct pf_dcpi_places *);

/* The image, or the first one like it. */
static inline uint32_t pf_dcpi_places_image(const struct pf_dcpi_places *places, const struct pf_dict *dict, uint32_t location)
{
    return places->image[pf_dict_location(dict, location)->image];
}

/* Reads a DCPI profile 0.06/0.07: its header as metadata, its counts as records of one address each. */

/* The stride asked for with `stride=N`, 1 if none. PF_USAGE. */
int pf_dcpi_stride(const struct pf_options *, uint64_t *stride, struct pf_error *);

/* Writes a DCPI profile 0.07: one event of one image. */

/* Private to dcpi_writer.c. */
struct pf_dcpi_writer {
    struct pf_dcpi_profiles profiles;
    struct pf_dcpi_cat_blocks blocks;
    struct pf_dcpi_counts counts;

    /* at the end */
    struct pf_dcpi_event *event;
    struct pf_dcpi_places places;
    struct pf_dcpi_header header;
    const struct pf_dcpi_layout *layout; /* NULL: canonical chunks */
    uint64_t stride, total;
};

int pf_dcpi_writer_open(struct pf_writer *);
int pf_dcpi_writer_write(struct pf_writer *, const struct pf_batch *);
int pf_dcpi_writer_finish(struct pf_writer *);
void pf_dcpi_writer_close(struct pf_writer *);

/* Copies an unchanged DCPI profile, checked on the way. */

/* The `copy` of the format, codec/format.h. */
int pf_dcpi_copy(struct pf_source *, struct pf_sink *, const struct pf_report *, bool salvage, uint64_t *records, struct pf_error *);

/* The text that dcpicat prints of DCPI profiles: a head of `word value` lines, with one line `event` for each column of counts, then a line
 * for each address. Several profiles may follow each other. */

enum {
    PF_DCPI_CAT_WORDS = 9,    /* words that begin lines of a head */
    PF_DCPI_CAT_WHOLE = 10000 /* the fraction of an event that was counted all the time */
};

/* Value of a line `event`: TOTAL NAME:PERIOD:FRACTION. The name may hold colons and blanks. */
struct pf_dcpi_cat_event {
    int64_t total;
    struct pf_bytes name;
    uint64_t period;
    uint64_t events, parts; /* events / parts are one count: period * 10000 / fraction, reduced */
    uint64_t fraction; /* of the time it was counted, in 1/PF_DCPI_CAT_WHOLE; default: all of the time */
};

/* False: it is none. */
bool pf_dcpi_cat_event_parse(struct pf_bytes value, struct pf_dcpi_cat_event *);

/* The number of this word among the words of a head; PF_DCPI_CAT_WORDS for other words. */
unsigned pf_dcpi_cat_word(struct pf_bytes);

/* Private to dcpi_cat_writer.c. */
struct pf_dcpi_cat_writer {
    struct pf_dcpi_profiles profiles;
    struct pf_dcpi_cat_blocks blocks;
    struct pf_dcpi_counts counts;
    struct pf_dcpi_places places;
};

int pf_dcpi_cat_open_writer(struct pf_writer *);
int pf_dcpi_cat_write(struct pf_writer *, const struct pf_batch *);
int pf_dcpi_cat_finish(struct pf_writer *);
void pf_dcpi_cat_close_writer(struct pf_writer *);

#endif
