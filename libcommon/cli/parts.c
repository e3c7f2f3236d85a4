#include "cli/parts.h"

#include "analysis/filter/split.h"
#include "base/memory.h"
#include "codec/registry.h"
#include "model/copied_rows.h"
#include "model/notes.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The first parts keep their file open; the others open it for each write (pf_sink_park), because
 * there may be more parts than the system allows open files. */
enum { OPEN_MAX_PARTS = 64 };
/* Descriptors besides those of inputs and of parts that stay open: one for the part that is
 * written, three for the temporary file of --min-value. */
enum { OTHER_DESCRIPTORS = 4 };

struct pf_parts {
    struct pf_common *common;
    struct pf_inputs *inputs;
    struct pf_split *split;
    struct part {
        struct pf_output *output;
        char *path;
    } * parts; /* by number */
    size_t part_capacity;
    uint32_t part_count, kept_open;
    struct pf_notes notes; /* metadata and texts so far, for parts that are opened later */
    struct pf_output_group group;
    struct pf_copied_rows rows;
    struct pf_value_column *columns;
    size_t column_capacity;
    bool failed;
};

/* True if the text has %s exactly once, and otherwise only %% for a percent sign. */
static bool is_template(const char *text)
{
    unsigned places = 0;

    for (; *text != '\0'; text++) {
        if (*text != '%')
            continue;
        text++;
        if (*text == 's')
            places++;
        else if (*text != '%')
            return false;
    }
    return places == 1;
}

static char *make_path(const char *template, const char *name)
{
    struct pf_buffer path = {0};

    for (; *template != '\0'; template ++) {
        if (*template == '%' && *++template == 's')
            pf_buffer_append(&path, name, strlen(name));
        else
            pf_buffer_byte(&path, (unsigned char)*template);
    }
    if (!pf_buffer_byte(&path, '\0'))
        pf_buffer_free(&path);
    return path.data;
}

/* Returns how many parts may keep their file open. The system may allow few descriptors (ulimit
 * -n), and the process may have inherited some. */
static uint32_t most_open(const struct pf_common *common)
{
    long allowed = sysconf(_SC_OPEN_MAX);
    long taken = OTHER_DESCRIPTORS + (common->threads > 1 ? (long)common->threads + 1 : 1),
         most = taken + OPEN_MAX_PARTS;
    long unused = 0;

    for (int file = 0; unused < most && (allowed < 0 || file < allowed); file++)
        unused += fcntl(file, F_GETFD) < 0;
    return unused > taken ? (uint32_t)(unused - taken) : 0;
}

struct pf_parts *pf_parts_open(struct pf_common *common, struct pf_inputs *inputs, const char *key)
{
    struct pf_parts *parts = pf_tool_calloc(&common->tool, 1, sizeof *parts);

    if (key[0] == '\0')
        pf_tool_usage(&common->tool, "--split takes the key of a label, 'section' or 'image'");
    if (!common->output || !is_template(common->output))
        pf_tool_usage(&common->tool,
                      "--split needs -o with one %%s in it, as in -o 'parts/%%s.pfs'");
    /* Only the template's suffix gives the format: a part's name may end with another format's
     * suffix. */
    if (!common->to)
        common->to = pf_registry_suffix(common->output);
    if (!common->to)
        common->to = pf_registry_find(PF_BYTES("pfs"));
    parts->split = pf_split_new(pf_inputs_dict(inputs), key);
    if (!parts->split)
        pf_tool_nomem(&common->tool);
    parts->common = common;
    parts->inputs = inputs;
    parts->kept_open = most_open(common);
    return parts;
}

/* --- metadata --------------------------------------------------------------------------------- */

static bool is_removed(const struct pf_dict *dict, const struct pf_batch *batch, uint32_t row)
{
    return pf_bytes_equal(pf_dict_string(dict, batch->origin[row]), PF_BYTES("profutils")) &&
           pf_bytes_equal(pf_dict_string(dict, batch->key[row]), PF_BYTES("removed"));
}

/* --- writing ---------------------------------------------------------------------------------- */

static bool write_to(struct pf_parts *parts, struct pf_output *output, const struct pf_batch *batch)
{
    parts->failed = !pf_output_write(output, batch);
    return !parts->failed;
}

/* Writes a batch without rows that declares all measures of a kind. */
static bool declare(struct pf_parts *parts, struct pf_output *output, enum pf_kind kind)
{
    const struct pf_measures *measures = &pf_inputs_dict(parts->inputs)->measures;
    struct pf_batch batch = {.kind = kind};

    if (!pf_grow(&parts->columns, &parts->column_capacity, pf_measures_count(measures),
                 sizeof *parts->columns))
        pf_tool_nomem(&parts->common->tool);
    for (uint32_t m = 0; m < pf_measures_count(measures); m++)
        if (pf_measures_row(measures, m)->kind == kind)
            parts->columns[batch.value_count++] = (struct pf_value_column){.measure = m};
    batch.values = parts->columns;
    return batch.value_count == 0 || write_to(parts, output, &batch);
}

static bool begin(struct pf_parts *parts, struct pf_output *output)
{
    struct pf_batch metadata = pf_notes_metadata(&parts->notes),
                    texts = pf_notes_texts(&parts->notes);

    for (unsigned kind = 0; kind < PF_RECORD_KINDS; kind++)
        if (!declare(parts, output, (enum pf_kind)kind))
            return false;
    return (metadata.rows == 0 || write_to(parts, output, &metadata)) &&
           (texts.rows == 0 || write_to(parts, output, &texts));
}

static bool write_to_all(struct pf_parts *parts, const struct pf_batch *batch)
{
    for (uint32_t i = 0; i < parts->part_count; i++)
        if (!write_to(parts, parts->parts[i].output, batch))
            return false;
    return true;
}

/* Opens the part with the next number. */
static bool open_part(struct pf_parts *parts)
{
    uint32_t number = parts->part_count;
    const char *name = pf_split_name(parts->split, number);
    struct part part = {0};

    if (!name || !pf_grow(&parts->parts, &parts->part_capacity, (size_t)number + 1, sizeof part) ||
        (part.path = make_path(parts->common->output, name)) == NULL)
        pf_tool_nomem(&parts->common->tool);
    part.output = pf_output_open_path(parts->common, parts->inputs, part.path, &parts->group);
    if (!part.output) {
        free(part.path);
        parts->failed = true;
        return false;
    }
    parts->parts[parts->part_count++] = part;
    parts->failed = number >= parts->kept_open && !pf_output_park(part.output);
    return !parts->failed && begin(parts, part.output);
}

static bool write_part(struct pf_parts *parts, const struct pf_batch *batch,
                       const struct pf_split_rows *rows)
{
    struct pf_batch some;

    while (parts->part_count <= rows->part)
        if (!open_part(parts))
            return false;
    pf_tool_check_memory(&parts->common->tool,
                         pf_copied_rows_take(&parts->rows, batch, rows->rows, rows->count, &some));
    return write_to(parts, parts->parts[rows->part].output, &some);
}

static bool write_records(struct pf_parts *parts, const struct pf_batch *batch)
{
    const struct pf_split_rows *list;
    uint32_t count;

    pf_tool_check_memory(&parts->common->tool, pf_split_batch(parts->split, batch, &list, &count));
    for (uint32_t i = 0; i < count; i++)
        if (!write_part(parts, batch, &list[i]))
            return false;
    return true;
}

/* Rows with the amounts that filters removed are left out, because they do not belong to one
 * part. */
static bool write_meta(struct pf_parts *parts, const struct pf_batch *batch)
{
    size_t from = parts->notes.metadata_count;

    for (uint32_t i = 0; i < batch->rows; i++) {
        struct pf_batch row = pf_notes_part(batch, i, i + 1);

        if (!is_removed(pf_inputs_dict(parts->inputs), batch, i) &&
            pf_notes_add(&parts->notes, &row) != PF_OK)
            pf_tool_nomem(&parts->common->tool);
    }
    struct pf_batch all = pf_notes_metadata(&parts->notes),
                    some = pf_notes_part(&all, from, all.rows);

    return some.rows == 0 || write_to_all(parts, &some);
}

static bool write_batch(struct pf_parts *parts, const struct pf_batch *batch)
{
    if (parts->failed)
        return false;
    if (batch->kind == PF_META)
        return write_meta(parts, batch);
    if (batch->kind == PF_TEXT) {
        pf_tool_check_memory(&parts->common->tool, pf_notes_add(&parts->notes, batch));
        return write_to_all(parts, batch);
    }
    if (batch->rows == 0)
        return write_to_all(parts, batch);
    return write_records(parts, batch);
}

void pf_parts_write_inputs(struct pf_parts *parts)
{
    struct pf_event event;
    bool good = true;

    while (good && pf_inputs_next(parts->inputs, &event) == PF_OK)
        good = event.kind != PF_EVENT_BATCH || write_batch(parts, &event.batch);
}

static void warn(void *arg, enum pf_severity severity, const char *text)
{
    struct pf_parts *parts = arg;

    if (severity == PF_WARNING)
        pf_tool_warn(&parts->common->tool, "--split: %s", text);
}

void pf_parts_close(struct pf_parts *parts)
{
    const struct pf_report report = {warn, parts};

    pf_tool_check_memory(&parts->common->tool, pf_split_report(parts->split, &report));
    for (uint32_t i = 0; i < parts->part_count; i++) {
        pf_output_close(parts->parts[i].output);
        free(parts->parts[i].path);
    }
    pf_output_group_close(parts->common, parts->inputs, &parts->group);
    pf_notes_free(&parts->notes);
    pf_split_free(parts->split);
    pf_copied_rows_free(&parts->rows);
    free(parts->columns);
    free(parts->parts);
    free(parts);
}
