/* Private to the StatProfiler format: files of Devel::StatProfiler, binary and text (FORMAT.md). */
#ifndef PF_FORMAT_STATPROFILER_STATPROFILER_H
#define PF_FORMAT_STATPROFILER_STATPROFILER_H

#include "analysis/names/id_map.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "codec/format.h"
#include "codec/merging.h"
#include "codec/text_reader.h"
#include "io/layer.h"
#include "io/sink.h"
#include "io/source.h"
#include "model/batch.h"
#include "model/dict.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- wire.c: records -------------------------------------------------------------------------- */

/* A record has fields: numbers and strings. A layout says which fields follow a tag. The length
 * before the fields is not used, because the profiler writes wrong lengths (FORMAT.md, section 5).
 */

enum pf_sp_tag {
    PF_SP_SAMPLE_START = 1,
    PF_SP_SAMPLE_END = 2,
    PF_SP_SUB = 3,
    PF_SP_EVAL = 4,
    PF_SP_XSUB = 5,
    PF_SP_MAIN = 6,
    PF_SP_EVAL_STRING = 7, /* releases 0.01 to 0.23 */
    PF_SP_EVAL_NUMBER = 8, /* since 0.24 */
    PF_SP_FILE_END = 196,
    PF_SP_STREAM_END = 197,
    PF_SP_SECTION_START = 198,
    PF_SP_SECTION_END = 199,
    PF_SP_METADATA = 200,
    PF_SP_PERL_VERSION = 201,
    PF_SP_TICK = 202,
    PF_SP_DEPTH = 203,
    PF_SP_LIBRARY_VERSION = 204,
    PF_SP_GENEALOGY = 205,
    PF_SP_HEADER_END = 254,
    PF_SP_CONTINUATION = 255
};

enum {
    PF_SP_MAGIC_SIZE = 13,
    PF_SP_START = 14,
    PF_SP_ID_WORDS = 6,
    PF_SP_ID_SIZE = 4 * PF_SP_ID_WORDS
};

#define PF_SP_MAGIC "=statprofiler"

/* The profiler writes varints of at most 5 bytes; the reader accepts 10 if the value fits 32
 * bits. */
enum { PF_SP_VARINT_MAX = 10 };

/* A string as stored; PF_UTF8 in `flags`: its bytes are UTF-8 characters. */
struct pf_sp_string {
    struct pf_bytes bytes;
    unsigned flags;
};

enum pf_sp_parse {
    PF_SP_WHOLE,
    PF_SP_MISSING,     /* at least `missing` more bytes are needed */
    PF_SP_LONG_VARINT, /* more than PF_SP_VARINT_MAX bytes, or more than 32 bits */
    PF_SP_LONG_STRING  /* `number[0]` bytes: longer than PF_STRING_MAX */
};

/* A parsed record. Strings point into the bytes that were parsed. */
struct pf_sp_record {
    unsigned tag;
    uint32_t length; /* as stored; 0 when the layout has none */
    size_t payload;  /* offset of the payload in the record */
    size_t size;     /* of the whole record: tag, length, fields */
    size_t missing;
    uint32_t number[3];
    struct pf_sp_string text[3];
    const unsigned char *words; /* the 48 bytes of ids */
};

/* Parses the record at `p`. `layout` names what follows the tag: l the length, v a number, s a
 * string, w the 48 bytes of ids, p payload to be skipped, `length` bytes of it. At most three v
 * and three s. `lsb`: varints are least significant group first. */
enum pf_sp_parse pf_sp_record_parse(struct pf_sp_record *, const unsigned char *p, size_t have,
                                    const char *layout, bool lsb);

/* The text for a result of the parser that is neither whole nor missing bytes. */
const char *pf_sp_parse_text(enum pf_sp_parse, const struct pf_sp_record *, char scratch[96]);

/* The size of a number as the profiler counts it: at most 4 (FORMAT.md, section 5). */
size_t pf_sp_counted_size(uint32_t number);

/* --- wire.c: input ---------------------------------------------------------------------------- */

/* The bytes of records: the contents of snappy blocks, one after the other, or the bytes of the
 * file. Records may cross the borders of blocks. */

struct pf_sp_input {
    struct pf_source *source; /* of the records: the file, or layers on it */
    struct pf_source *file;   /* borrowed */
    struct pf_source *look;   /* NULL, or a layer through which the file is only peeked at */
    bool blocks;
    bool returned; /* the line feeds seem to be converted to CR LF */
};

/* Opens the bytes after the version byte. `file` is at the first of them, or at offset 0 if
 * `peeking`. PF_OK or PF_NOMEM; close in any case. */
int pf_sp_input_open(struct pf_sp_input *, struct pf_source *file, bool blocks, bool peeking,
                     struct pf_error *);
void pf_sp_input_close(struct pf_sp_input *);

/* Makes at least `need` bytes available. PF_OK; PF_EOF: the data end before, and the rest stays
 * available; PF_FAILED: a damaged or cut block; else the status of the source. The bytes ahead may
 * move: parse records again afterwards. */
int pf_sp_input_fill(struct pf_sp_input *, size_t need, struct pf_error *);

/* Skips `size` bytes; results as above. */
int pf_sp_input_skip(struct pf_sp_input *, uint64_t size, struct pf_error *);

/* Skips the next byte if it is 0. Results as above, but PF_OK at the end of the data. */
int pf_sp_input_skip_zero(struct pf_sp_input *, struct pf_error *);

static inline size_t pf_sp_input_have(const struct pf_sp_input *input)
{
    return (size_t)(input->source->limit - input->source->cursor);
}

/* The offset of the next byte: in the uncompressed records (blocks) or in the file (plain). */
static inline uint64_t pf_sp_input_offset(const struct pf_sp_input *input)
{
    return pf_source_offset(input->source);
}

/* Sets an error about the record that begins at `at`: PF_FAILED, which it returns. */
int pf_sp_input_fail(const struct pf_sp_input *, struct pf_error *, uint64_t at, const char *format,
                     ...) PF_PRINTF(4, 5);

/* True when the bytes behind offset 14 begin with a block whose data begin like a header. `file` is
 * at offset 0. */
bool pf_sp_input_block_first(struct pf_source *file);

/* --- wire.c: the dialect "plan" --------------------------------------------------------------- */

/* The author's plan of the format, which is older than the code, is a dialect of its own
 * (FORMAT.md, section 10). In files of this dialect, lengths of records are right, but a record
 * without payload may be a tag alone or have a length of 0; a sample says how many frames it has;
 * and the plan does not say which group of a varint comes first. */

/* True if varints have the least significant group first. Looks at the records from `start` on in
 * the uncompressed file: in shortest form no number of several bytes begins with 80 (most
 * significant first) or ends with 00 (least). The first such byte decides; without such a byte in
 * 64 KiB, the direction in which the lengths fit. Peeks only. */
bool pf_sp_plan_is_lsb(struct pf_source *, size_t start);

/* True if the sample start at `p` is of this dialect: it has a number of frames, and its length is
 * right. */
bool pf_sp_plan_sample(const unsigned char *p, size_t have);

/* Parses a record of the body and checks its length. Sub frames have two strings or three; an eval
 * frame without a file (text[0].bytes.data is NULL) has a payload of another form. PF_SP_WHOLE with
 * *fits false when the fields do not fill the length. */
enum pf_sp_parse pf_sp_plan_parse(struct pf_sp_record *, const unsigned char *p, size_t have,
                                  bool lsb, bool *fits);

/* --- wire.c: output --------------------------------------------------------------------------- */

/* Most uncompressed bytes of a block; the profiler's reader refuses more. */
enum { PF_SP_BLOCK_MAX = 32000 };

struct pf_sp_output {
    struct pf_sink *sink;
    bool packed;               /* into snappy blocks */
    struct pf_buffer *capture; /* not NULL: bytes go here, not to the sink */
    size_t used;
    unsigned char data[PF_SP_BLOCK_MAX];
    /* snappy's worst case for PF_SP_BLOCK_MAX is 37365 (FORMAT.md, section 2) */
    char block[40000];
};

/* A number or a string of a record. */
struct pf_sp_field {
    bool is_string;
    uint32_t number;
    struct pf_sp_string string;
};

/* How the length of a record is counted. */
enum pf_sp_length {
    PF_SP_LENGTH_NONE, /* no length: header records */
    /* as the profiler counts it, short by a byte for each string (FORMAT.md, section 5) */
    PF_SP_LENGTH_PROFILER,
    PF_SP_LENGTH_TRUE /* of the payload: dialect "plan" */
};

/* Writes magic and version. Failures stay in the sink. */
void pf_sp_output_open(struct pf_sp_output *, struct pf_sink *, bool packed);

/* Adds bytes. The bytes stay together in one block, unless they are longer than a block. */
void pf_sp_output_put(struct pf_sp_output *, const void *bytes, size_t size);
/* Adds a record. */
void pf_sp_output_record(struct pf_sp_output *, unsigned tag, const struct pf_sp_field *,
                         size_t count, enum pf_sp_length);

/* Ends the block. */
void pf_sp_output_flush(struct pf_sp_output *);

static inline struct pf_sp_field pf_sp_number(uint32_t number)
{
    return (struct pf_sp_field){false, number, {{NULL, 0}, 0}};
}

static inline struct pf_sp_field pf_sp_text(struct pf_bytes bytes, unsigned flags)
{
    return (struct pf_sp_field){true, 0, {bytes, flags}};
}

/* --- meta.c: events --------------------------------------------------------------------------- */

/* Events come between two samples: metadata, and marks where sections start and end. The writer
 * derives marks from the sections of two neighbouring samples, so the reader passes on only marks
 * that the writer would not derive. */

enum pf_sp_event_type {
    PF_SP_EVENT_METADATA,
    PF_SP_EVENT_START,
    PF_SP_EVENT_END,
    PF_SP_EVENT_UNMATCHED /* the end of a section that is not open */
};

struct pf_sp_event {
    enum pf_sp_event_type type;
    uint32_t key;   /* string: key of the metadata, or name of the section */
    uint32_t value; /* string, of metadata */
};

/* Zero-initialise; free with pf_sp_events_free. */
struct pf_sp_events {
    struct pf_sp_event *rows;
    size_t count, capacity;
};

/* false: no memory */
bool pf_sp_events_add(struct pf_sp_events *, enum pf_sp_event_type, uint32_t key, uint32_t value);
/* The same for a record of metadata. */
bool pf_sp_events_add_metadata(struct pf_sp_events *, struct pf_dict *,
                               const struct pf_sp_record *);
void pf_sp_events_free(struct pf_sp_events *);

/* The names (strings) of the open sections, in order of opening; a name may occur several times.
 * Zero-initialise; free with pf_sp_open_free. */
struct pf_sp_open {
    uint32_t *names;
    size_t count, capacity;
};

bool pf_sp_open_start(struct pf_sp_open *, uint32_t name); /* false: no memory */

/* Closes the last section of this name. Returns its place; SIZE_MAX: no such section. */
size_t pf_sp_open_end(struct pf_sp_open *, uint32_t name);
bool pf_sp_open_copy(struct pf_sp_open *, const struct pf_sp_open *); /* false: no memory */
bool pf_sp_open_equal(const struct pf_sp_open *, const struct pf_sp_open *);
void pf_sp_open_free(struct pf_sp_open *);

/* Adds the marks that lead from one set of open sections to another: first ends, last opened first,
 * then starts. False: no memory. */
bool pf_sp_events_derive(const struct pf_sp_open *from, const struct pf_sp_open *to,
                         struct pf_sp_events *marks);

/* True if the events are metadata, then exactly the marks of pf_sp_events_derive. *ok false: no
 * memory. */
bool pf_sp_events_plain(const struct pf_sp_events *, const struct pf_sp_open *from,
                        const struct pf_sp_open *to, bool *ok);

/* Applies the marks of `events` to `open`. False: an end of a section that is not open, an
 * unmatched end of a section that is open, or no memory. */
bool pf_sp_events_apply(const struct pf_sp_events *, struct pf_sp_open *open);

/* --- meta.c: the header ----------------------------------------------------------------------- */

/* The header, and the dialect of the file (FORMAT.md, sections 1, 4 and 10). */

enum pf_sp_dialect {
    PF_SP_UNDECIDED, /* no header: the first sample decides */
    PF_SP_REAL,      /* what the profiler writes */
    /* the dialect "plan": the length is right in every record */
    PF_SP_PLAN
};

enum { PF_SP_ID_TEXT = 8 * PF_SP_ID_WORDS + 1 };

struct pf_sp_header {
    bool blocks; /* snappy blocks */
    bool bare;   /* no header at all (December 2013) */
    enum pf_sp_dialect dialect;
    bool lsb; /* varints are least significant group first (dialect "plan" only) */
    bool has_perl, has_library, has_genealogy;
    uint32_t perl[3], library[2];
    uint64_t tick_ns; /* 0 = not known */
    uint32_t depth;   /* 0 = not known */
    unsigned seen;    /* bit tag - PF_SP_METADATA of each header record */
    uint32_t ordinal, parent_ordinal;
    char id[PF_SP_ID_TEXT], parent[PF_SP_ID_TEXT]; /* 48 hex digits */
};

/* Looks at the bytes behind the version byte and fills the first four fields. Peeks only; `source`
 * stands at offset 0. */
void pf_sp_header_sniff(struct pf_sp_header *, struct pf_source *);

/* Reads the header and its end record. Custom metadata become events if `dict` is not NULL. `path`
 * helps to find the byte order of the ids. PF_OK; PF_FAILED with the offset; else the status of the
 * source. */
int pf_sp_header_read(struct pf_sp_header *, struct pf_sp_input *, const char *path,
                      struct pf_dict *dict, struct pf_sp_events *metadata, const struct pf_report *,
                      struct pf_error *);

/* Warns of header records that the dialect "plan" requires and this header lacks. */
void pf_sp_header_warn_missing(const struct pf_sp_header *, const struct pf_report *);

/* True if the genealogy names the process of the file. */
bool pf_sp_header_has_process(const struct pf_sp_header *);

/* --- meta.c: series of files ------------------------------------------------------------------ */

/* A process writes a series of files with ordinals. Sections that are open at the end of a file
 * stay open in the next file (FORMAT.md, section 7): the inputs of one run share them. */

/* Adds to `open` the sections that were open at the end of the file with the ordinal before. Warns
 * of missing ordinals. PF_OK or PF_NOMEM. */
int pf_sp_series_begin(struct pf_reader *, const struct pf_sp_header *, struct pf_sp_open *open);

/* Keeps the sections that are open at the end of this file. PF_OK or PF_NOMEM. */
int pf_sp_series_end(struct pf_reader *, const struct pf_sp_header *,
                     const struct pf_sp_open *open);

/* `series` of codec/format.h: finds the place of a file by its header. */
int pf_sp_series_find(struct pf_source *, struct pf_series *);

/* Rules for the metadata of a merge: the merge gets the id of a new process, without a parent. */

extern const struct pf_merging pf_sp_merging;

/* --- rows.c: label sets ----------------------------------------------------------------------- */

/* A sample has labels for its op and for each open section. */

struct pf_sp_labels {
    struct pf_sp_open open; /* sections, in order of opening */
    uint32_t *sets;         /* sets[i]: label set of the first i + 1 sections */
    size_t set_capacity;
    uint32_t op_key;
    struct pf_pair_map with_op; /* label sets with an op, by the set without the op and the op */
};

/* Zero-initialise; close in any case. */
void pf_sp_labels_open(struct pf_sp_labels *, struct pf_dict *);
void pf_sp_labels_close(struct pf_sp_labels *);
/* false: no memory */
bool pf_sp_labels_start(struct pf_sp_labels *, struct pf_dict *, uint32_t name);

/* Closes the last section of this name; false: no such section. */
bool pf_sp_labels_end(struct pf_sp_labels *, struct pf_dict *, uint32_t name);

/* Finds the label set of the open sections and the op (a string; 0: no op), in the order of
 * pf_dict_add_label. Each op has its own label sets, and `with_op` a row for each set. False: no
 * memory. */
bool pf_sp_labels_find(struct pf_sp_labels *, struct pf_dict *, uint32_t op, uint32_t *labels);

/* --- frames.c --------------------------------------------------------------------------------- */

/* Frame records as locations. A profile repeats few different frames very often, so frames are
 * found by the bytes of their records. */

/* Which fields a sub frame has (FORMAT.md, sections 1 and 10). */
enum pf_sp_form {
    PF_SP_FORM_UNDECIDED,
    PF_SP_FORM_NEW, /* package, sub, file, line, first line */
    PF_SP_FORM_OLD, /* no first line (before 2014-06-23) */
    PF_SP_FORM_PLAN
};

struct pf_sp_frame_slot {
    struct pf_slot known; /* its id is a location */
    const char *bytes;    /* 4 bytes: the size of the record; then the record */
};

struct pf_sp_frames {
    struct pf_sp_frame_slot *slots;
    size_t mask, used;
    struct pf_arena bytes;
    struct pf_buffer name; /* scratch */
    uint64_t seed;         /* of hashes */
};

bool pf_sp_frames_open(struct pf_sp_frames *); /* false: no memory; close in any case */
void pf_sp_frames_close(struct pf_sp_frames *);

/* The location of a frame record of `size` bytes. 0: *why is the reason, or NULL if memory ran out.
 * `lsb`: see pf_sp_record_parse. */
uint32_t pf_sp_frames_find(struct pf_sp_frames *, struct pf_dict *, const unsigned char *bytes,
                           size_t size, enum pf_sp_form, bool lsb, const char **why);

/* Finds the locations of frame records from `p` on. Stops before a record that is cut, is not a
 * known frame or has a string of 128 bytes or more, and after PF_SP_FRAMES_ROW records. Returns the
 * number of locations; *size: bytes of their records. */
enum { PF_SP_FRAMES_ROW = 32 };

size_t pf_sp_frames_find_row(const struct pf_sp_frames *, const unsigned char *p, size_t have,
                             enum pf_sp_form, uint32_t *locations, size_t *size);

/* The layout of a frame record: tags 3 to 6 of the real dialect. */
const char *pf_sp_frame_layout(unsigned tag, enum pf_sp_form);

/* The form of a sub frame that was parsed as PF_SP_FORM_OLD: its length shows if it has a first
 * line. */
enum pf_sp_form pf_sp_frame_form(const struct pf_sp_record *);

/* Where the sub begins in a name: after the last ::, else at 0. */
size_t pf_sp_sub_start(struct pf_bytes name);

/* Interns a name of Perl. Bytes without the flag are Latin-1, unless they are valid UTF-8
 * (FORMAT.md, section 3). The interned string is UTF-8, so that a name has one spelling. 0: too
 * long, or no memory (scratch->failed). */
uint32_t pf_sp_name_intern(struct pf_dict *, struct pf_buffer *scratch, struct pf_sp_string);

/* Adds a location. PF_FRAME_PLAIN is for dialects with only one kind of frame: then missing fields
 * decide the kind. A frame without a name is main or an eval, a frame without a file is an xsub. */
uint32_t pf_sp_frame_add(struct pf_dict *, enum pf_frame_kind, const struct pf_function *,
                         int64_t line);

/* --- rows.c: rows ----------------------------------------------------------------------------- */

/* Batches of records, metadata and source texts, in the order of the file. */

/* Private metadata (origin .statprofiler): keys, and values of the key `finish`. The value of the
 * keys of marks is the name of the section. */
#define PF_SP_PRIVATE ".statprofiler"

#define PF_SP_KEY_BODY "body" /* custom metadata after this row are of the body */

#define PF_SP_KEY_START "section start" /* a mark that the samples do not imply */

#define PF_SP_KEY_END "section end" /* the same */

#define PF_SP_KEY_UNMATCHED "unmatched section end"

#define PF_SP_KEY_FINISH "finish" /* the value says how the file ends: */

#define PF_SP_FINISH_FILE "file end" /* the process goes on in another file */

#define PF_SP_FINISH_STREAM "stream end" /* as usual, but not all sections are closed in order */

#define PF_SP_FINISH_NONE "none" /* without an end record */

#define PF_SP_HEADER_ORIGIN "statprofiler"

#define PF_SP_CUSTOM_ORIGIN "statprofiler.custom"

struct pf_sp_rows {
    struct pf_rows *rows; /* borrowed */
    uint32_t private_origin, custom_origin, header_origin;
    bool in_body; /* a sample, a text or PF_SP_KEY_BODY was added */
};

/* Begins the rows, and declares the measures. `tick_ns`: nanoseconds of a tick; 0: unknown. PF_OK
 * or PF_NOMEM. */
int pf_sp_rows_open(struct pf_sp_rows *, struct pf_rows *, uint64_t tick_ns);

/* Adds the metadata of the header, before any sample. */
void pf_sp_rows_header(struct pf_sp_rows *, const struct pf_sp_header *,
                       const struct pf_sp_events *custom);

/* Adds the events before the next sample; `plain`: without the marks. */
void pf_sp_rows_events(struct pf_sp_rows *, const struct pf_sp_events *, bool plain);

/* Adds the row that says how the file ends. */
void pf_sp_rows_finish(struct pf_sp_rows *, const char *how);

/* Makes a sample of the frames in rows->rows. */
void pf_sp_rows_sample(struct pf_sp_rows *, uint32_t labels, int64_t weight);

/* --- text.c ----------------------------------------------------------------------------------- */

/* The text form of December 2013, older than the binary form:
 * weight;type,Package::sub,file,line;...;op, leaf first (FORMAT.md, section 9). */

struct pf_sp_lines {
    struct pf_text_reader text; /* first, as codec/text_reader.h wants it */
    struct pf_sp_rows rows;
    uint32_t op_key;
};

/* True if the input begins with a line of this form that has frames; lines without frames may stand
 * before. Peeks only. */
bool pf_sp_lines_bid(struct pf_source *);
/* Opens the reader of this form and sets reader->step. The state of the reader begins with struct
 * pf_sp_lines. */
int pf_sp_lines_open(struct pf_reader *, uint64_t tick_ns);

/* Types of frames, as Perl 5.18 numbers them. */
enum { PF_SP_TYPE_MAIN = 0, PF_SP_TYPE_SUB = 8, PF_SP_TYPE_EVAL = 10 };

struct pf_sp_line_frame {
    unsigned type;
    struct pf_bytes name, file;
    int32_t line;
};

/* Appends ";type,name,file,line". False: a reader would split the text into other fields, because
 * the form has no quoting. */
bool pf_sp_lines_put_frame(struct pf_buffer *, const struct pf_sp_line_frame *);

/* True if the op can end a line of this form. */
bool pf_sp_lines_op_fits(struct pf_bytes op);

/* --- writer.c --------------------------------------------------------------------------------- */

/* The measure that becomes the weight of samples, and the length of a tick. */

struct pf_sp_weight {
    bool without_tick; /* set by the owner: the dialect does not store the length of a tick */
    bool chosen;
    uint32_t measure;
    /* as in the header: microseconds, or nanoseconds in the dialect "plan"; 0 = not known */
    uint64_t tick;
    uint64_t num, den; /* ticks in a raw unit of the measure */
};

struct pf_sp_encoded {
    uint32_t size; /* 0: not encoded yet, or too long to keep */
    uint32_t start;
};

struct pf_sp_writer {
    struct pf_sp_output output;
    bool plan, text;  /* the dialect to write; both false: the profiler's own */
    bool whole_names; /* plan: a function's name is one string */
    struct pf_buffer line;
    struct pf_sp_weight weight;

    struct pf_sp_header header; /* collected until the first record */
    struct pf_sp_events custom; /* metadata for the header */
    bool header_written, in_body;

    struct pf_sp_events pending; /* since the last sample */
    struct pf_sp_open open;      /* sections that are open in the output */
    struct pf_sp_open target;    /* sections of the next sample */
    struct pf_sp_open trial;
    uint32_t finish;             /* string: how the input says its file ends; 0 = as usual */
    uint32_t labels, op, op_key; /* labels of the last sample, and the op in them */
    uint64_t records;

    struct pf_sp_encoded *frames; /* by location */
    size_t frame_capacity, frame_count;
    struct pf_buffer encoded;

    bool lost_counts, lost_texts, lost_metadata;
};

int pf_sp_writer_open(struct pf_writer *);
int pf_sp_writer_write(struct pf_writer *, const struct pf_batch *);
int pf_sp_writer_flush(struct pf_writer *);
int pf_sp_writer_finish(struct pf_writer *);
void pf_sp_writer_close(struct pf_writer *);

#endif
