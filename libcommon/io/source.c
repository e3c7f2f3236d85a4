#include "io/source.h"

#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Bytes that one read asks for. */
enum { UNIT = 256 * 1024 };

enum { LINE_MAX_SIZE = 64 * 1024 * 1024 };

/* If fewer bytes than this are left, they move to the front of the buffer, so that new bytes are
 * written where the cache is warm. */
enum { MOVED = 4096 };

static const struct pf_coding *const codings[] = {&pf_coding_gzip, &pf_coding_utf16};

struct pf_source_input {
    char *name;     /* for messages, with quotes */
    int fd;         /* -1: memory or a layer */
    bool borrowed;  /* the source must not close the descriptor */
    bool waits;     /* a read may have to wait */
    bool no_thread; /* do not inflate in a thread */
    bool decided;   /* it is known whether the file is coded */
    bool raw_ended; /* the descriptor has no more */
    bool ended;     /* no bytes come after source->limit */
    bool begun;     /* it is known whether the text begins with UTF-8's mark */
    bool marked;    /* it begins with the mark */
    struct pf_error error;
    uint64_t raw_read, raw_size;
    uint64_t most;          /* the most decompressed bytes allowed */
    uint64_t unpacked;      /* bytes that layers have decompressed from this source */
    struct pf_layer *layer; /* NULL: the bytes are those of the descriptor or the memory */
    struct pf_source *file; /* the source below the layer of a coding, owned; else NULL */

    /* Holds the bytes from source->cursor to source->limit, unless these are in the caller's
     * memory. */
    unsigned char *buffer;
    size_t capacity;

    uint64_t *members; /* offsets where members begin; those before first_member are passed */
    size_t first_member, member_count, member_capacity;
};

static const unsigned char nothing[1];

static size_t at_hand(const struct pf_source *source)
{
    return (size_t)(source->limit - source->cursor);
}

size_t pf_source_behind(const struct pf_source *source)
{
    return source->input->buffer ? (size_t)(source->cursor - source->input->buffer) : 0;
}

/* Reads once, and waits if necessary. 0: the end, or a failure, which is then in input->error. */
static size_t read_raw(struct pf_source_input *input, unsigned char *bytes, size_t size)
{
    while (!input->raw_ended) {
        ssize_t got = read(input->fd, bytes, size);

        if (got > 0) {
            input->raw_read += (uint64_t)got;
            return (size_t)got;
        }
        if (got == 0) {
            input->raw_ended = true;
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            /* another process shares the descriptor and made it non-blocking */
            poll(&(struct pollfd){.fd = input->fd, .events = POLLIN}, 1, -1);
        } else if (errno != EINTR) {
            pf_error_system(&input->error, "cannot read %s", input->name);
            input->raw_ended = true;
        }
    }
    return 0;
}

/* Makes room for UNIT bytes (PF_LAYER_ROOM for a layer) after source->limit. The caller wants
 * `need` bytes from the cursor on: if they would not fit, the present bytes move to the front now,
 * while they are few. */
static bool make_room(struct pf_source *source, size_t need)
{
    struct pf_source_input *input = source->input;
    size_t used = at_hand(source), room = 0, unit = input->layer ? PF_LAYER_ROOM : UNIT;
    bool near = used >= MOVED || source->cursor == input->buffer;

    if (input->buffer)
        room = (size_t)(input->buffer + input->capacity - source->limit);
    if (near && room >= unit && (room >= need - used || source->cursor == input->buffer))
        return true;
    if (input->buffer && used > 0)
        memmove(input->buffer, source->cursor, used);
    if (input->capacity - used < unit) {
        size_t capacity = 2 * unit > 2 * used ? 2 * unit : 2 * used;
        unsigned char *buffer = realloc(input->buffer, capacity);

        if (!buffer) {
            source->cursor = !input->buffer ? nothing : input->buffer;
            source->limit = source->cursor + used;
            pf_error_nomem(&input->error);
            input->ended = true;
            return false;
        }
        input->buffer = buffer;
        input->capacity = capacity;
    }
    source->cursor = input->buffer;
    source->limit = input->buffer + used;
    return true;
}

static unsigned char *room_start(struct pf_source *source)
{
    return source->input->buffer + (source->limit - source->input->buffer);
}

/* Consumes UTF-8's mark as soon as all of it is there. */
static void pass_mark(struct pf_source *source)
{
    static const unsigned char mark[] = {0xef, 0xbb, 0xbf};
    struct pf_source_input *input = source->input;
    size_t have = at_hand(source), size = have < sizeof mark ? have : sizeof mark;
    bool alike = memcmp(source->cursor, mark, size) == 0;

    input->begun = !alike || size == sizeof mark;
    input->marked = alike && input->begun;
    if (input->marked)
        source->cursor += sizeof mark;
}

static int too_large(const struct pf_source_input *input, struct pf_error *error)
{
    return pf_error_at(error, PF_FAILED, input->most,
                       "the input has more than %" PRIu64
                       " bytes once decompressed; --max-input=SIZE sets the limit",
                       input->most);
}

static void add_bytes(struct pf_source *source, size_t size)
{
    if (size > source->input->most - source->limit_offset) {
        size = (size_t)(source->input->most - source->limit_offset);
        too_large(source->input, &source->input->error);
        source->input->ended = true;
    }
    source->limit += size;
    source->limit_offset += size;
    if (!source->input->begun)
        pass_mark(source);
}

void pf_source_next_member(struct pf_source *source)
{
    struct pf_source_input *input = source->input;

    if (input->first_member < input->member_count)
        input->first_member++;
    source->member = input->first_member < input->member_count ? input->members[input->first_member]
                                                               : UINT64_MAX;
}

/* Notes that a member begins at source->limit. */
static void add_member(struct pf_source *source)
{
    struct pf_source_input *input = source->input;

    pf_source_member(source, pf_source_offset(source));
    if (input->first_member == input->member_count)
        input->first_member = input->member_count = 0;
    if (input->member_count > 0 && input->members[input->member_count - 1] == source->limit_offset)
        return;
    if (input->first_member > input->member_count / 2) {
        input->member_count -= input->first_member;
        memmove(input->members, input->members + input->first_member,
                input->member_count * sizeof *input->members);
        input->first_member = 0;
    }
    if (!pf_grow(&input->members, &input->member_capacity, input->member_count + 1,
                 sizeof *input->members)) {
        pf_error_nomem(&input->error);
        input->ended = true;
        return;
    }
    input->members[input->member_count++] = source->limit_offset;
    source->member = input->members[input->first_member];
}

static void read_plain(struct pf_source *source)
{
    size_t got = read_raw(source->input, room_start(source), UNIT);

    add_bytes(source, got);
    if (got == 0)
        source->input->ended = true;
}

static struct pf_source *new_source(const char *path, struct pf_error *error)
{
    struct pf_source *source = calloc(1, sizeof *source);
    struct pf_source_input *input = calloc(1, sizeof *input);
    size_t size = strlen(path) + sizeof "''";
    char *name = malloc(size);

    if (!source || !input || !name) {
        free(source);
        free(input);
        free(name);
        pf_error_nomem(error);
        return NULL;
    }
    snprintf(name, size, "'%s'", path);
    input->name = name;
    input->fd = -1;
    input->most = UINT64_MAX;
    source->cursor = source->limit = nothing;
    source->member = UINT64_MAX;
    source->input = input;
    return source;
}

/* Moves the file, whose first `size` bytes are at source->limit, to a source of its own. From now
 * on `source` reads the layer that decodes this file. */
static void push_down(struct pf_source *source, size_t size, const struct pf_coding *coding)
{
    struct pf_source *file = new_source("", &source->input->error), whole = *source;
    struct pf_source_input *input;

    if (!file) {
        source->input->ended = true;
        return;
    }
    *source = *file;
    *file = whole;
    file->limit += size;
    file->limit_offset += size;
    file->input->ended = file->input->raw_ended;
    file->input->begun = true; /* a mark matters only in the decoded bytes */
    input = source->input;
    input->file = file;
    input->decided = true;
    input->waits = file->input->waits;
    input->raw_read = file->input->raw_read;
    input->raw_size = file->input->raw_size;
    input->most = file->input->most;
    file->input->most = UINT64_MAX;
    input->layer = coding->open(file, !input->waits && !file->input->no_thread);
    if (!input->layer)
        input->ended = pf_error_nomem(&input->error) != PF_OK;
}

/* Finds the coding of a file by its first `size` bytes, which are at source->limit. */
static void begin_file(struct pf_source *source, size_t size)
{
    struct pf_source_input *input = source->input;

    input->decided = true;
    for (size_t k = 0; k < sizeof codings / sizeof *codings; k++) {
        if (codings[k]->begins(source->limit, size)) {
            push_down(source, size, codings[k]);
            return;
        }
    }
    input->ended = input->raw_ended;
    add_bytes(source, size);
}

/* Reads until it is known whether the file is coded. The buffer must be new and empty. */
static void read_first(struct pf_source *source)
{
    struct pf_source_input *input = source->input;
    size_t size = 0;

    while (size < PF_CODING_MARK && !input->raw_ended)
        size += read_raw(input, input->buffer + size, UNIT - size);
    begin_file(source, size);
}

/* Counts in the source below all layers of formats. Layers that only look ahead count nothing:
 * their bytes are counted when they are read. */
int pf_source_unpacked(struct pf_source *source, uint64_t size, struct pf_error *error)
{
    struct pf_source_input *input = source->input;

    while (input->layer && !input->file) {
        if (!input->layer->once)
            return PF_OK;
        input = input->layer->below->input;
    }
    if (size > input->most - input->unpacked)
        return too_large(input, error);
    input->unpacked += size;
    return PF_OK;
}

/* Reads once with a function of the layer. */
static size_t read_layer(struct pf_source *source, pf_layer_read *read)
{
    struct pf_source_input *input = source->input;
    struct pf_layer *layer = input->layer;
    struct pf_error failure = {0};
    size_t size = read(layer, room_start(source), PF_LAYER_ROOM, &failure);

    if (input->file)
        input->raw_read = layer->offset;
    if (layer->member)
        add_member(source);
    layer->member = false;
    /* add_bytes counts the decoded bytes of a file. Its failure comes first: that of the layer is
     * about what follows these bytes. */
    if (size > 0 && !input->file && pf_source_unpacked(source, size, &failure) != PF_OK)
        size = 0;
    add_bytes(source, size);
    if (input->error.code == PF_OK)
        input->error = failure;
    return size;
}

void pf_source_start(struct pf_source *source)
{
    if (!source->input->decided && !source->input->ended && make_room(source, 1))
        read_first(source);
}

const unsigned char *pf_source_fill(struct pf_source *source, size_t need, size_t *have)
{
    struct pf_source_input *input;

    pf_source_start(source); /* may change source->input */
    input = source->input;
    while ((at_hand(source) < need || !input->begun) && !input->ended && make_room(source, need)) {
        if (!input->layer)
            read_plain(source);
        else if (read_layer(source, input->layer->read) == 0)
            input->ended = true;
    }
    *have = at_hand(source);
    return source->cursor;
}

static int open_path(const char *path)
{
    int file;

    do
        file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    while (file < 0 && errno == EINTR);
    return file;
}

/* Finds out what the descriptor is. */
static int inspect(struct pf_source_input *input, struct pf_error *error)
{
    struct stat status;

    if (fstat(input->fd, &status) != 0)
        return pf_error_system(error, "cannot open %s", input->name);
    if (S_ISDIR(status.st_mode))
        return pf_error_set(error, PF_IO, "cannot read %s: it is a directory", input->name);
    input->waits = !S_ISREG(status.st_mode);
    if (S_ISREG(status.st_mode)) {
        off_t at = lseek(input->fd, 0, SEEK_CUR);

        if (at >= 0 && at < status.st_size)
            input->raw_size = (uint64_t)(status.st_size - at);
#ifdef POSIX_FADV_SEQUENTIAL
        posix_fadvise(input->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
#endif
    }
    return PF_OK;
}

static int open_source(struct pf_source **result, int file, bool borrowed, const char *name,
                       struct pf_error *error)
{
    struct pf_source *source = new_source(name, error);
    int status;

    *result = NULL;
    if (!source) {
        if (!borrowed)
            close(file);
        return PF_NOMEM;
    }
    source->input->fd = file;
    source->input->borrowed = borrowed;
    status = inspect(source->input, error);
    if (status == PF_OK)
        *result = source;
    else
        pf_source_close(source);
    return status;
}

int pf_source_open(struct pf_source **result, const char *path, struct pf_error *error)
{
    int file;

    if (strcmp(path, "-") == 0)
        return open_source(result, STDIN_FILENO, true, "standard input", error);
    file = open_path(path);
    if (file >= 0)
        return open_source(result, file, false, path, error);
    *result = NULL;
    return pf_error_system(error, "cannot open '%s'", path);
}

int pf_source_open_file(struct pf_source **result, int file, const char *name,
                        struct pf_error *error)
{
    return open_source(result, file, false, name, error);
}

void pf_source_limit(struct pf_source *source, uint64_t most)
{
    source->input->most = most;
}

void pf_source_no_thread(struct pf_source *source)
{
    source->input->no_thread = true;
}

int pf_source_open_memory(struct pf_source **result, const void *bytes, size_t size,
                          struct pf_error *error)
{
    struct pf_source *source = new_source("memory", error);
    struct pf_source_input *input;

    *result = source;
    if (!source)
        return PF_NOMEM;
    input = source->input;
    input->no_thread = true;
    input->raw_ended = true;
    input->raw_read = input->raw_size = size;
    if (size > 0)
        source->cursor = source->limit = bytes;
    begin_file(source, size);
    return PF_OK;
}

void pf_layer_close(struct pf_layer *layer)
{
    if (layer && layer->close)
        layer->close(layer);
    else
        free(layer);
}

int pf_source_open_layer(struct pf_source **result, struct pf_layer *layer, uint64_t offset,
                         struct pf_error *error)
{
    struct pf_source *source = new_source("layer", error);

    *result = source;
    if (!source) {
        pf_layer_close(layer);
        return PF_NOMEM;
    }
    source->limit_offset = offset;
    source->input->layer = layer;
    source->input->waits = layer->below->input->waits;
    source->input->decided = source->input->begun = true;
    return PF_OK;
}

const struct pf_layer *pf_source_layer(const struct pf_source *source)
{
    return source->input->file ? NULL : source->input->layer;
}

void pf_source_close(struct pf_source *source)
{
    struct pf_source_input *input;

    if (!source)
        return;
    input = source->input;
    pf_layer_close(input->layer);
    pf_source_close(input->file);
    if (input->fd >= 0 && !input->borrowed)
        close(input->fd);
    free(input->buffer);
    free(input->members);
    free(input->name);
    free(input);
    free(source);
}

uint64_t pf_source_skip(struct pf_source *source, uint64_t size)
{
    uint64_t skipped = 0;

    while (skipped < size) {
        size_t have;

        pf_source_peek(source, 1, &have);
        if (have == 0)
            break;
        if (have > size - skipped)
            have = (size_t)(size - skipped);
        pf_source_take(source, have);
        skipped += have;
    }
    return skipped;
}

bool pf_source_marked(const struct pf_source *source)
{
    return source->input->marked;
}

uint64_t pf_source_raw_offset(const struct pf_source *source)
{
    return source->input->raw_read;
}

uint64_t pf_source_raw_size(const struct pf_source *source)
{
    return source->input->raw_size;
}

int pf_source_status(const struct pf_source *source, struct pf_error *error)
{
    const struct pf_error *own = &source->input->error;

    if (own->code != PF_OK && error && error->code == PF_OK)
        *error = *own;
    return own->code;
}

int pf_source_cut(const struct pf_source *source, const char *what, struct pf_error *error)
{
    int status = pf_source_status(source, error);

    return status != PF_OK ? status
                           : pf_error_at(error, PF_FAILED, pf_source_offset(source),
                                         "the file ends within %s", what);
}

bool pf_source_would_block(struct pf_source *source)
{
    struct pf_source_input *input = source->input;
    const struct pf_layer *layer = input->layer;

    if (!input->waits)
        return false;
    /* bytes in memory may decode to the next bytes, or to the end of the data */
    while (layer && layer->read_held && at_hand(source) == 0 && !input->ended &&
           make_room(source, 1) && read_layer(source, layer->read_held) > 0)
        ;
    if (at_hand(source) > 0 || input->ended || input->error.code != PF_OK)
        return false;
    if (layer && !layer->read_held)
        return pf_source_would_block(layer->below);
    if (layer)
        input = layer->below->input;
    return poll(&(struct pollfd){.fd = input->fd, .events = POLLIN}, 1, 0) == 0;
}

static int line_end(struct pf_source *source, size_t have, struct pf_bytes *line,
                    struct pf_error *error)
{
    int status = pf_source_status(source, error);

    if (status != PF_OK)
        return status;
    if (have == 0)
        return PF_EOF;
    *line = (struct pf_bytes){(const char *)source->cursor, have};
    pf_source_take(source, have);
    return PF_OK;
}

int pf_source_line(struct pf_source *source, struct pf_bytes *line, struct pf_error *error)
{
    const unsigned char *start, *end = NULL;
    size_t searched = 0, have, size;

    for (;;) {
        start = pf_source_peek(source, searched + 1, &have);
        if (have > searched)
            end = memchr(start + searched, '\n', have - searched);
        size = end ? (size_t)(end - start) : have;
        if (size > LINE_MAX_SIZE)
            return pf_error_at(error, PF_FAILED, pf_source_offset(source),
                               "line longer than %d MiB", LINE_MAX_SIZE >> 20);
        if (end)
            break;
        if (have == searched)
            return line_end(source, have, line, error);
        searched = have;
    }
    pf_source_take(source, size + 1);
    if (size > 0 && start[size - 1] == '\r')
        size--;
    *line = (struct pf_bytes){(const char *)start, size};
    return PF_OK;
}
