#include "io/fingerprint.h"

#include "base/memory.h"
#include "base/scan.h"
#include "io/content.h"
#include "io/source.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* In nanoseconds. A file that changed so shortly before it was read may change again without a new
 * time: kernels count time in ticks of up to 10 ms, and the clock of a file server may differ. */
static const int64_t uncertain = 2 * INT64_C(1000000000);

static const char first_line[] = "profutils index 1";

static int64_t nanoseconds(struct timespec time)
{
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static int64_t now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_REALTIME, &time);
    return nanoseconds(time);
}

static struct pf_file_state state_of(const struct stat *info)
{
    struct pf_file_state state;

    memset(&state, 0, sizeof state);
    state.device = (uint64_t)info->st_dev;
    state.inode = (uint64_t)info->st_ino;
    state.size = (uint64_t)info->st_size;
    state.modified = nanoseconds(info->st_mtim);
    state.changed = nanoseconds(info->st_ctim);
    return state;
}

static bool same_state(const struct pf_file_state *a, const struct pf_file_state *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

static bool hash_piece(void *state, const void *bytes, size_t size)
{
    pf_xxh128_add(state, bytes, size);
    return true;
}

static int hash_file(struct pf_fingerprint *print, int file, const char *path,
                     struct pf_error *error)
{
    struct pf_xxh128 *state = pf_xxh128_new();
    int status = state ? pf_content_read(file, path, hash_piece, state, error)
                       : pf_error_nomem(error);

    print->hash = pf_xxh128_end(state);
    return status;
}

static int changed(struct pf_error *error)
{
    return pf_error_set(error, PF_FAILED, "the file changed while it was read");
}

int pf_fingerprint_take(struct pf_fingerprint *print, const char *path, struct pf_error *error)
{
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK), status;
    struct pf_file_state after;
    struct stat info;

    memset(print, 0, sizeof *print);
    if (file < 0 || fstat(file, &info) != 0) {
        status = pf_error_system(error, "cannot open '%s'", path);
        if (file >= 0)
            close(file);
        return status;
    }
    print->state = state_of(&info);
    print->taken = now();
    if (S_ISREG(info.st_mode))
        status = hash_file(print, file, path, error);
    else
        status = pf_error_set(error, PF_IO, "cannot read '%s': it is %s", path,
                              S_ISDIR(info.st_mode) ? "a directory" : "not a regular file");
    if (status == PF_OK && fstat(file, &info) == 0) {
        after = state_of(&info);
        if (!same_state(&print->state, &after))
            status = changed(error);
    }
    close(file);
    return status;
}

/* True if the file had not changed for two seconds when it was read: a later change then shows in
 * the times of the file. */
static bool is_settled(const struct pf_fingerprint *print)
{
    return print->taken != 0 && print->state.modified < print->taken - uncertain &&
           print->state.changed < print->taken - uncertain;
}

int pf_fingerprint_check(const struct pf_fingerprint *print, const char *path,
                         struct pf_error *error)
{
    struct pf_fingerprint again;
    struct stat info;
    int status;

    if (stat(path, &info) != 0)
        return changed(error);
    again.state = state_of(&info);
    if (is_settled(print) && same_state(&print->state, &again.state))
        return PF_OK;
    status = pf_fingerprint_take(&again, path, error);
    if (status == PF_OK && !pf_hash128_equal(print->hash, again.hash))
        status = changed(error);
    return status;
}

/* --- the index -------------------------------------------------------------------------------- */

static bool add(struct pf_fingerprints *prints, const struct pf_file_state *state,
                struct pf_hash128 hash, bool used)
{
    uint32_t id = pf_table_intern(&prints->states, state);

    if (id == 0 ||
        !pf_grow(&prints->hashes, &prints->capacity, (size_t)id + 1, sizeof *prints->hashes) ||
        !pf_grow_clear(&prints->used, &prints->used_capacity, (size_t)id + 1, sizeof *prints->used))
        return false;
    prints->hashes[id] = hash;
    prints->used[id] |= used;
    return true;
}

/* Reads `DEVICE INODE SIZE MODIFIED CHANGED HASH`. */
static bool parse_row(struct pf_bytes line, struct pf_file_state *state, struct pf_hash128 *hash)
{
    uint64_t numbers[5];

    for (size_t k = 0; k < 5; k++) {
        if (!pf_scan_number(&line, UINT64_MAX, &numbers[k]) || line.size == 0 || *line.data != ' ')
            return false;
        line = pf_bytes_skip(line, 1);
    }
    memset(state, 0, sizeof *state);
    state->device = numbers[0];
    state->inode = numbers[1];
    state->size = numbers[2];
    state->modified = (int64_t)numbers[3];
    state->changed = (int64_t)numbers[4];
    return pf_hash128_parse(hash, line);
}

/* Parses the text of an index. `written`: when the index was written. */
static int parse(struct pf_fingerprints *prints, struct pf_bytes text, int64_t written)
{
    struct pf_bytes rows = text, line;
    struct pf_hash128 hash;
    struct pf_file_state state;
    uint64_t check;

    /* the last line has the hash of all others: without it the index is damaged */
    if (text.size < PF_HASH_DIGITS + 1)
        return PF_OK;
    rows.size -= PF_HASH_DIGITS + 1;
    check = pf_xxh64(rows.data, rows.size);
    if (!pf_hash128_parse(&hash, (struct pf_bytes){rows.data + rows.size, PF_HASH_DIGITS}) ||
        hash.low != check || rows.size == 0)
        return PF_OK;
    line = pf_bytes_line(&rows);
    if (!pf_bytes_equal(line, pf_bytes_of(first_line)))
        return PF_OK;
    while (rows.size > 0) {
        line = pf_bytes_line(&rows);
        if (!parse_row(line, &state, &hash))
            return PF_OK;
        if (state.modified < written - uncertain && state.changed < written - uncertain &&
            !add(prints, &state, hash, false))
            return PF_NOMEM;
    }
    prints->changed = false;
    return PF_OK;
}

int pf_fingerprints_load(struct pf_fingerprints *prints, const char *path)
{
    struct pf_error ignored = {0};
    struct pf_buffer text = {0};
    struct stat info;
    int status = pf_table_init(&prints->states, sizeof(struct pf_file_state));

    prints->changed = true;
    if (status != PF_OK)
        return status;
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode))
        return PF_OK;
    if (pf_content_text(path, &text, &ignored) == PF_OK)
        status = parse(prints, (struct pf_bytes){text.data, text.size}, nanoseconds(info.st_mtim));
    else if (text.failed)
        status = PF_NOMEM;
    pf_buffer_free(&text);
    return status;
}

void pf_fingerprints_free(struct pf_fingerprints *prints)
{
    pf_table_free(&prints->states);
    free(prints->hashes);
    free(prints->used);
}

int pf_fingerprints_find(struct pf_fingerprints *prints, struct pf_fingerprint *print,
                         const char *path, struct pf_error *error)
{
    struct stat info;
    int status;

    if (stat(path, &info) == 0 && S_ISREG(info.st_mode)) {
        uint32_t id;

        memset(print, 0, sizeof *print);
        print->state = state_of(&info);
        id = pf_table_find(&prints->states, &print->state);
        if (id != 0) {
            print->taken = now();
            print->hash = prints->hashes[id];
            prints->used[id] = true;
            return access(path, R_OK) == 0 ? PF_OK
                                           : pf_error_system(error, "cannot open '%s'", path);
        }
    }
    status = pf_fingerprint_take(print, path, error);
    if (status != PF_OK || !is_settled(print))
        return status;
    prints->changed = true;
    return add(prints, &print->state, print->hash, true) ? PF_OK : pf_error_nomem(error);
}

bool pf_fingerprints_text(const struct pf_fingerprints *prints, bool used_only,
                          struct pf_buffer *text)
{
    struct pf_hash128 check = {0, 0};

    pf_buffer_printf(text, "%s\n", first_line);
    for (uint32_t id = 1; id < prints->states.count; id++) {
        const struct pf_file_state *state = pf_table_row(&prints->states, id);

        if (used_only && !prints->used[id])
            continue;
        pf_buffer_printf(text, "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %s\n",
                         state->device, state->inode, state->size, (uint64_t)state->modified,
                         (uint64_t)state->changed, pf_hash128_text(prints->hashes[id]).text);
    }
    if (text->failed)
        return false;
    check.low = pf_xxh64(text->data, text->size);
    pf_buffer_printf(text, "%s\n", pf_hash128_text(check).text);
    return !text->failed;
}
