/* Private to the DCPI formats: profiles of dcpiformat(4), and the text that dcpicat prints of
 * them. FORMAT.md has the facts, and what is done where dcpiformat(4) is silent. */
#ifndef PF_FORMAT_DCPI_DCPI_H
#define PF_FORMAT_DCPI_DCPI_H

#include "analysis/names/id_map.h"
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

/* --- wire.c: the ASCII header ----------------------------------------------------------------- */

/* A DCPI profile begins with lines of a word and a value, then a line `samples`. The words of
 * versions 0.06 and 0.07 are known; lines with other words are kept. */

enum pf_dcpi_word {
    PF_DCPI_IMAGE,
    PF_DCPI_EPOCH,
    PF_DCPI_PLATFORM,
    PF_DCPI_EVENT,
    PF_DCPI_PERIOD,
    PF_DCPI_TSIZE,
    PF_DCPI_CPUSPEED,
    PF_DCPI_REQUIRED, /* each word above has exactly one line */
    PF_DCPI_VERSION = PF_DCPI_REQUIRED,
    PF_DCPI_TSTART,
    PF_DCPI_SINGLE, /* each word above has at most one line */
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

/* Zero-initialise; fill with _read, or with _line and _end; free with _free. */
struct pf_dcpi_header {
    struct pf_buffer raw;       /* the bytes of the file, with the line `samples` */
    struct pf_dcpi_line *lines; /* without the line `samples` */
    size_t count, capacity;
    size_t first[PF_DCPI_OTHER];    /* number + 1 of the first line of a word; 0: no line */
    uint64_t number[PF_DCPI_OTHER]; /* values of the lines that are numbers */
    char epoch[16];                 /* YYYYMMDDHHMMSS */
    struct pf_bytes pad;            /* between `samples` and the line feed */
};

/* Reads and checks a header; the source stands at its first byte. Reports headers that are legal
 * but unusual. PF_FAILED or PF_UNSUPPORTED with the offset and a text that begins with the class of
 * the error (`missing-line: ...`); PF_NOMEM; the source's own failure. */
int pf_dcpi_header_read(struct pf_dcpi_header *, struct pf_source *, const struct pf_report *,
                        struct pf_error *);

/* Adds one line, given without its line feed; `offset` is for messages. */
int pf_dcpi_header_line(struct pf_dcpi_header *, struct pf_bytes line, uint64_t offset,
                        struct pf_error *);

/* Adds the line `samples` with these blanks behind the word, and checks the header as a whole. */
int pf_dcpi_header_end(struct pf_dcpi_header *, struct pf_bytes pad, uint64_t offset,
                       const struct pf_report *, struct pf_error *);
void pf_dcpi_header_free(struct pf_dcpi_header *);

/* The known word, or PF_DCPI_OTHER. */
enum pf_dcpi_word pf_dcpi_word_find(struct pf_bytes word);
const char *pf_dcpi_word_name(enum pf_dcpi_word); /* not for PF_DCPI_OTHER */
struct pf_bytes pf_dcpi_line_word(const struct pf_dcpi_header *, const struct pf_dcpi_line *);
struct pf_bytes pf_dcpi_line_separator(const struct pf_dcpi_header *, const struct pf_dcpi_line *);
struct pf_bytes pf_dcpi_line_value(const struct pf_dcpi_header *, const struct pf_dcpi_line *);

/* The value of the first line of a known word; empty if there is no such line. */
struct pf_bytes pf_dcpi_header_value(const struct pf_dcpi_header *, enum pf_dcpi_word);

/* Reads YYMMDDHHMM, YYYYMMDDHHMM or YYYYMMDDHHMMSS and writes it in the last form; two digits of a
 * year from 70 on mean 19xx. False: not a time. */
bool pf_dcpi_epoch(struct pf_bytes, char normal[16]);

/* True if two image identifiers are equal but for the case of their letters. */
bool pf_dcpi_same_image(struct pf_bytes, struct pf_bytes);
bool pf_dcpi_is_image(struct pf_bytes); /* one hexadecimal digit or more */

/* Interns the identifier in lower case, as rows of images have it, so that spellings of one
 * identifier name one image. The metadata keep the spelling of the file. 0: empty, or out of memory
 * (pf_dict_status). */
uint32_t pf_dcpi_identifier(struct pf_dict *, struct pf_bytes);

/* --- wire.c: chunks and the footer ------------------------------------------------------------ */

/* Behind the header come chunks of counts, then a footer, all in little-endian words of 32 bits.
 * Only the end of the input marks the footer: it is the last eight bytes (FORMAT.md, section 3). */

/* Zero-initialise, then set `stride` and `start`. */
struct pf_dcpi_body {
    /* bytes between the addresses of two counts; used for the order of addresses only */
    uint64_t stride;
    uint64_t start; /* address of the text */
    uint64_t end;   /* end of the chunk before, at a stride of 1, as dcpiformat(4) says */
    uint64_t place; /* offset of the next count, with `stride` bytes for each count */
    uint32_t left;  /* counts that the current chunk still has */
    bool begun;     /* a chunk was read; the offset of the last chunk: */
    uint32_t last;
    uint64_t nonzero, total;
};

enum pf_dcpi_piece_kind { PF_DCPI_HEAD, PF_DCPI_COUNTS, PF_DCPI_FOOTER };

/* Bytes ahead in the source; the caller takes them. */
struct pf_dcpi_piece {
    enum pf_dcpi_piece_kind kind;
    const unsigned char *bytes;
    size_t size;
    uint32_t number; /* HEAD: how many counts follow; COUNTS: how many are here */
    uint64_t place;  /* HEAD: offset of the chunk; COUNTS: offset of the first count */
    uint64_t gap;    /* HEAD: distance from the chunk before, at a stride of 1 */
};

/* The next piece: PF_OK; PF_EOF with the footer, which is checked against the counts; PF_FAILED
 * with a text that begins with the class of the error; the source's own failure. A piece COUNTS has
 * 1 to `most` counts. Before the next call the caller passes the counts to pf_dcpi_body_count (or
 * adds them up itself) and takes the bytes of the piece. */
int pf_dcpi_body_next(struct pf_dcpi_body *, struct pf_source *, uint32_t most,
                      struct pf_dcpi_piece *, struct pf_error *);

/* Adds counts to the sums. */
void pf_dcpi_body_count(struct pf_dcpi_body *, const unsigned char *counts, uint32_t number);

/* --- wire.c: the layout ----------------------------------------------------------------------- */

/* The layout says where the chunks of a file lie; records do not say this, because counts of 0 have
 * no record. With the layout an unchanged profile becomes the same file again. As metadata the
 * layout is text, `GAP+NUMBER` for each chunk; GAP is the distance from the end of the chunk
 * before, at a stride of 1. */

/* Adds a chunk to the text; false: out of memory. */
bool pf_dcpi_layout_add(struct pf_buffer *, uint64_t gap, uint32_t number);

/* The texts of one layout, in order: strings of the dictionary. */
struct pf_dcpi_layout {
    uint32_t *texts;
    size_t count, capacity;
};

struct pf_dcpi_chunk {
    uint64_t offset;
    uint32_t number;
};

/* A walk over the chunks of a layout. Zero-initialise, then set `layout` and `dict`. */
struct pf_dcpi_chunks {
    const struct pf_dcpi_layout *layout;
    const struct pf_dict *dict;
    size_t text, at; /* where the next chunk begins */
    uint64_t end;    /* of the chunk before */
};

/* Sets the next chunk. PF_OK: the chunk lies behind the chunk before and ends within 32 bits;
 * PF_EOF; PF_FAILED: the text is not a layout. */
int pf_dcpi_chunks_next(struct pf_dcpi_chunks *, struct pf_dcpi_chunk *);

/* --- locations.c ------------------------------------------------------------------------------ */

/* The offset of a location from the start of its image's text. */
static inline uint64_t pf_dcpi_offset(const struct pf_dict *dict, uint32_t location)
{
    const struct pf_location *row = pf_dict_location(dict, location);

    return row->address - pf_dict_image(dict, row->image)->text_start;
}

/* The locations of an image that the inputs of a run have made so far: a second file of the image
 * reuses them. */
struct pf_dcpi_indexed {
    const uint32_t *locations; /* in the order of offsets; valid until the next find */
    size_t count;
};

/* Finds the locations of the addresses of a profile, which come in the order of their offsets, and
 * makes new locations. */
struct pf_dcpi_locator {
    uint32_t image;
    uint64_t start; /* of the image's text */
    /* locations of the image from earlier inputs; the next of them: */
    struct pf_dcpi_indexed known;
    size_t next;
    uint64_t next_offset; /* its offset; UINT64_MAX behind the last location */
    struct pf_location
        fresh[PF_BATCH_ROWS]; /* new locations that the dictionary does not have yet */
    uint32_t fresh_count;
    /* images of the dictionary before `images_seen`, by key */
    struct pf_table keys;
    struct pf_id_map images;
    uint32_t images_seen;
};

/* Zero-initialise a locator and free it with this. */
void pf_dcpi_locator_free(struct pf_dcpi_locator *);

/* Begins a profile of this image. An image of the dictionary is reused if name, identifier (in any
 * letter case), start and size of the text agree; else a new image is added. `shared` may be NULL
 * if this is the only input. PF_OK or PF_NOMEM. */
int pf_dcpi_locator_open(struct pf_dcpi_locator *, struct pf_dict *, struct pf_shared *,
                         const struct pf_image *);

/* Adds the new locations to the dictionary, before the batch that has them is used. A failure is
 * the status of the dictionary. */
void pf_dcpi_locator_end(struct pf_dcpi_locator *, struct pf_dict *);

/* Goes on to the next location of other inputs. */
void pf_dcpi_locator_next(struct pf_dcpi_locator *, const struct pf_dict *);

/* The location of an offset from the start of the text, greater than all offsets before. The
 * dictionary has it after pf_dcpi_locator_end; until then nobody else may add locations. */
static inline uint32_t pf_dcpi_locator_find(struct pf_dcpi_locator *locator, struct pf_dict *dict,
                                            uint64_t offset)
{
    while (locator->next_offset < offset)
        pf_dcpi_locator_next(locator, dict);
    if (locator->next_offset == offset && locator->next < locator->known.count)
        return locator->known.locations[locator->next];
    if (locator->fresh_count == PF_BATCH_ROWS)
        pf_dcpi_locator_end(locator, dict);
    locator->fresh[locator->fresh_count] =
        (struct pf_location){.image = locator->image, .address = locator->start + offset};
    return dict->locations.count + locator->fresh_count++;
}

/* --- meta.c: heads of dcpicat text ------------------------------------------------------------ */

struct pf_dcpi_cat_line {
    uint32_t key, value; /* strings */
};

/* The heads of dcpicat text in the metadata of a stream. Each profile is a block; a line `name`
 * begins a block, and so does a second line `image` (the head before it was cut). Zero-initialise.
 */
struct pf_dcpi_cat_blocks {
    struct pf_dcpi_cat_line *lines; /* of all blocks, in order */
    size_t count, capacity;
    size_t *starts; /* the first line of each block; blocks are numbered from 1 */
    size_t blocks, block_capacity;
    bool named;  /* there was a line `name`: the next `name` begins a block */
    bool imaged; /* the block has a line `image` */
};

/* The first line of a block, and the line after its last. */
static inline size_t pf_dcpi_cat_block_start(const struct pf_dcpi_cat_blocks *blocks, size_t block)
{
    return blocks->starts[block - 1];
}
static inline size_t pf_dcpi_cat_block_end(const struct pf_dcpi_cat_blocks *blocks, size_t block)
{
    return block < blocks->blocks ? blocks->starts[block] : blocks->count;
}

/* The first value of a key in a block; empty if the block or the line does not exist. */
struct pf_bytes pf_dcpi_cat_blocks_value(const struct pf_dcpi_cat_blocks *, const struct pf_dict *,
                                         size_t block, struct pf_bytes key);

/* --- meta.c: headers of DCPI files ------------------------------------------------------------ */

/* A DCPI file in the metadata of a stream: its header, its layout and its totals. */
struct pf_dcpi_profile {
    struct pf_dcpi_header header;
    bool ended;   /* the header is complete */
    bool refused; /* not a valid header: the metadata were changed */
    uint64_t stride;
    struct pf_dcpi_layout layout;
    bool footed; /* the whole file was read; its footer: */
    uint64_t addresses, samples;
};

/* Zero-initialise. */
struct pf_dcpi_profiles {
    struct pf_dcpi_profile *rows;
    size_t count, capacity;
    uint32_t separator; /* string: the separator of the next line */
    struct pf_buffer text;
};

/* True if the header has lines `image` and all name this image. */
bool pf_dcpi_profile_is_of(const struct pf_dcpi_profile *, struct pf_bytes image);

/* Merges keep headers whole; the writer joins them. */
extern const struct pf_merging pf_dcpi_merging;

/* --- meta.c: the header of a new file --------------------------------------------------------- */

/* The event and the image of a new file. */
struct pf_dcpi_subject {
    struct pf_bytes event;
    uint64_t period;
    const struct pf_image *image; /* NULL: no counts, so any image fits */
};

/* True if the counts of the subject may come from this profile. */
bool pf_dcpi_subject_has(const struct pf_dcpi_subject *, const struct pf_dict *,
                         const struct pf_dcpi_profile *);

/* Joins the headers of all such profiles: the lines of the first profile with the earliest epoch,
 * then paths and unknown lines of the others, once each. *single: the only profile, or NULL if
 * there are several. PF_EOF: no profile; PF_USAGE: the profiles differ in image, tstart or tsize;
 * PF_NOMEM. */
int pf_dcpi_merge_headers(struct pf_dcpi_header *, const struct pf_dcpi_profiles *,
                          const struct pf_dict *, const struct pf_dcpi_subject *,
                          const struct pf_dcpi_profile **single, struct pf_error *);

/* Makes a header from lines whose files are unknown (canonical order mixes the lines): of each word
 * the first line that agrees with the subject, and the earliest epoch. Adds paths and unknown lines
 * only if all lines are of one image. PF_EOF: no such lines; PF_USAGE: lines are missing. */
int pf_dcpi_pool_header(struct pf_dcpi_header *, const struct pf_dcpi_profiles *,
                        const struct pf_dict *, const struct pf_dcpi_subject *, struct pf_error *);

/* Makes a header from a block of dcpicat text. The speed of the processor, which dcpicat does not
 * print, becomes 0. PF_USAGE: lines are missing. */
int pf_dcpi_make_header(struct pf_dcpi_header *, const struct pf_dcpi_cat_blocks *,
                        const struct pf_dict *, const struct pf_dcpi_subject *, struct pf_error *);

/* --- locations.c: counts of writers ----------------------------------------------------------- */

struct pf_dcpi_event {
    uint32_t measure; /* the first measure of its name and period */
    int64_t *sums;    /* by location */
    size_t count, capacity;
    bool counted; /* a count is not 0 */
};

/* Sums of counts by event and location. Zero-initialise. */
struct pf_dcpi_counts {
    struct pf_dcpi_event *events;
    size_t count, capacity;
};

/* Adds the FLAT columns of a batch. PF_OVERFLOW; PF_NOMEM; PF_USAGE: values that are not counts. */
int pf_dcpi_counts_add(struct pf_dcpi_counts *, const struct pf_dict *, const struct pf_batch *,
                       struct pf_error *);
void pf_dcpi_counts_free(struct pf_dcpi_counts *);

/* The sum of a location; 0 if nothing was counted there. */
static inline int64_t pf_dcpi_event_sum(const struct pf_dcpi_event *event, uint32_t location)
{
    return location < event->count ? event->sums[location] : 0;
}

/* The locations with a sum in any event, one for each address: sums of other locations of the
 * address are added to the first. In the order of images (by their first location) and offsets. */
struct pf_dcpi_places {
    uint32_t *locations;
    size_t count, capacity;
    /* by image: the first image with this identifier, start and size of the text */
    uint32_t *image;
};

/* PF_OK; PF_USAGE with the reason: a location has no address in an image with an identifier;
 * PF_OVERFLOW; PF_NOMEM. Free in any case. `format` is the name for messages. */
int pf_dcpi_places_find(struct pf_dcpi_places *, struct pf_dcpi_counts *, struct pf_dict *,
                        const char *format, struct pf_error *);
void pf_dcpi_places_free(struct pf_dcpi_places *);

/* The image of a location, or the first image that equals it. */
static inline uint32_t pf_dcpi_places_image(const struct pf_dcpi_places *places,
                                            const struct pf_dict *dict, uint32_t location)
{
    return places->image[pf_dict_location(dict, location)->image];
}

/* --- writers ---------------------------------------------------------------------------------- */

/* Data that both writers hold until the end; the first member of their states. */
struct pf_dcpi_held {
    struct pf_dcpi_profiles profiles;
    struct pf_dcpi_cat_blocks blocks;
    struct pf_dcpi_counts counts;
    struct pf_dcpi_places places; /* set at the end */
};

/* Functions of writers, codec/format.h. meta.c: */
int pf_dcpi_held_write(struct pf_writer *, const struct pf_batch *);
void pf_dcpi_held_close(struct pf_writer *);

/* --- meta.c: words and events of dcpicat text ------------------------------------------------- */

/* dcpicat prints a head of lines `word value` with one line `event` for each column of counts, then
 * a line for each address. Several profiles may follow each other (FORMAT.md, section 5). */
enum {
    PF_DCPI_CAT_WORDS = 9,    /* words that begin lines of a head */
    PF_DCPI_CAT_WHOLE = 10000 /* fraction of an event that was counted all the time: 100 % */
};

/* The number of this word among the words of a head; PF_DCPI_CAT_WORDS for other words. */
unsigned pf_dcpi_cat_word(struct pf_bytes);

/* The value of a line `event`: TOTAL NAME:PERIOD:FRACTION. The name may hold colons and blanks. */
struct pf_dcpi_cat_event {
    int64_t total;
    struct pf_bytes name;
    uint64_t period;
    uint64_t events, parts; /* events / parts are one count: period * 10000 / fraction, reduced */
    /* the share of time in which the event was counted, in 1/PF_DCPI_CAT_WHOLE; default: all the
     * time */
    uint64_t fraction;
};

/* False: not such a value. */
bool pf_dcpi_cat_event_parse(struct pf_bytes value, struct pf_dcpi_cat_event *);

/* cat_writer.c; the state is a struct pf_dcpi_held. */
int pf_dcpi_cat_open(struct pf_writer *);
int pf_dcpi_cat_finish(struct pf_writer *);

#endif
