#include "codec/file_urls.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/scan.h"

#include <stdlib.h>

#define KEY "url"

int pf_file_urls_init(struct pf_file_urls *urls)
{
    return pf_table_init(&urls->from, sizeof(uint32_t));
}

void pf_file_urls_free(struct pf_file_urls *urls)
{
    pf_table_free(&urls->from);
    free(urls->to);
}

/* Adds the pair, if `from` is new. */
static void add(struct pf_file_urls *urls, uint32_t from, uint32_t to)
{
    uint32_t count = urls->from.count, id = pf_table_intern(&urls->from, &from);

    if (id != count)
        return;
    if (pf_grow(&urls->to, &urls->capacity, (size_t)id + 1, sizeof *urls->to))
        urls->to[id] = to;
    else
        urls->from.status = PF_NOMEM;
}

/* --- URLs ------------------------------------------------------------------------------------- */

/* True if an absolute path begins with the letter of a drive: `/C:/`. */
static bool has_drive(struct pf_bytes path)
{
    return path.size > 3 && pf_letter(path.data[1]) && path.data[2] == ':' && path.data[3] == '/';
}

/* Decodes the path of a URL. False: no file has this path. */
static bool decode(struct pf_bytes url, struct pf_buffer *path)
{
    if (has_drive(url))
        url = pf_bytes_skip(url, 1);
    for (size_t k = 0; k < url.size; k++) {
        int byte = (unsigned char)url.data[k];

        if (byte == '?' || byte == '#')
            return false;
        if (byte == '%') {
            byte = pf_percent_byte(pf_bytes_skip(url, k));
            k += 2;
            if (byte <= 0 || byte == '/')
                return false;
        }
        char c = (char)byte;
        pf_buffer_append(path, &c, 1);
    }
    return true;
}

uint32_t pf_file_url_path(struct pf_dict *dict, uint32_t name)
{
    struct pf_bytes url = pf_dict_string(dict, name);
    struct pf_buffer path = {0};

    if (!pf_scan_past(&url, PF_BYTES("file://")))
        return name;
    pf_scan_past(&url, PF_BYTES("localhost"));
    if (pf_bytes_starts(url, PF_BYTES("/")) && decode(url, &path))
        name = pf_dict_intern_text(dict, (struct pf_bytes){path.data, path.size});
    if (path.failed)
        dict->strings.status = PF_NOMEM;
    pf_buffer_free(&path);
    return name;
}

uint32_t pf_file_urls_path(struct pf_file_urls *urls, struct pf_dict *dict, uint32_t name)
{
    uint32_t path = pf_file_url_path(dict, name);

    if (path != name)
        add(urls, name, path);
    return path;
}

/* --- metadata --------------------------------------------------------------------------------- */

static uint32_t origin_of(struct pf_dict *dict, const char *format)
{
    struct pf_buffer origin = {0};

    pf_buffer_printf(&origin, ".%s", format);
    return pf_dict_intern_buffer(dict, &origin, 0);
}

void pf_file_urls_tell(const struct pf_file_urls *urls, struct pf_rows *rows, const char *format)
{
    uint32_t origin = origin_of(rows->dict, format), key = pf_dict_intern_word(rows->dict, KEY);

    for (uint32_t id = 1; id < urls->from.count; id++)
        pf_rows_meta_strings(rows, origin, key, *(const uint32_t *)pf_table_row(&urls->from, id));
}

void pf_file_urls_keep(struct pf_file_urls *urls, struct pf_dict *dict,
                       const struct pf_batch *batch, const char *format)
{
    uint32_t origin = origin_of(dict, format), key = pf_dict_intern_word(dict, KEY);

    for (uint32_t row = 0; row < batch->rows; row++)
        if (batch->origin[row] == origin && batch->key[row] == key)
            add(urls, pf_file_url_path(dict, batch->value[row]), batch->value[row]);
}

uint32_t pf_file_urls_url(const struct pf_file_urls *urls, uint32_t path)
{
    uint32_t id = pf_table_find(&urls->from, &path);

    return id != 0 && id < urls->capacity ? urls->to[id] : path;
}

static enum pf_meta_rule rule(struct pf_bytes origin, struct pf_bytes key)
{
    bool private = origin.size > 0 && origin.data[0] == '.';

    return !private || pf_bytes_equal(key, PF_BYTES(KEY)) ? PF_META_ONCE : PF_META_NEVER;
}

const struct pf_merging pf_file_urls_merging = {.rule = rule};
