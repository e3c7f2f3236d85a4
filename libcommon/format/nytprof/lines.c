#include "format/nytprof/lines.h"

#include "base/error.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_BITS = 8 };

int pf_nyt_lines_init(struct pf_nyt_lines *lines)
{
    *lines = (struct pf_nyt_lines){.shift = 64 - FIRST_BITS, .count = 1};
    lines->slots = calloc((size_t)1 << FIRST_BITS, sizeof *lines->slots);
    /* Row 0 is nobody's: what is added after memory ran out ends up there. */
    if (pf_grow(&lines->rows, &lines->capacity, 1, sizeof *lines->rows))
        lines->rows[0] = (struct pf_nyt_line){0};
    int status = pf_table_init(&lines->blocks, sizeof(struct pf_nyt_block));
    return lines->slots && lines->rows ? status : PF_NOMEM;
}

void pf_nyt_lines_free(struct pf_nyt_lines *lines)
{
    free(lines->rows);
    free(lines->slots);
    free(lines->sums);
    pf_table_free(&lines->blocks);
    *lines = (struct pf_nyt_lines){0};
}

static size_t slot_count(const struct pf_nyt_lines *lines)
{
    return (size_t)1 << (64 - lines->shift);
}

/* The slot of the line, or the empty one where it belongs. */
static size_t probe(const struct pf_nyt_lines *lines, uint32_t fid, uint32_t line)
{
    size_t mask = slot_count(lines) - 1, slot = pf_nyt_lines_slot(lines, fid, line);
    for (;; slot = (slot + 1) & mask) {
        const struct pf_nyt_line *row = &lines->rows[lines->slots[slot]];
        if (lines->slots[slot] == 0 || (row->fid == fid && row->line == line))
            return slot;
    }
}

static bool grow(struct pf_nyt_lines *lines)
{
    if (lines->count > UINT32_MAX - 1 || !pf_grow(&lines->rows, &lines->capacity, lines->count + 1, sizeof *lines->rows))
        return false;
    if (4 * lines->count < slot_count(lines))
        return true;
    uint32_t *slots = calloc(2 * slot_count(lines), sizeof *slots);
    if (!slots)
        return false;
    free(lines->slots);
    lines->slots = slots;
    lines->shift--;
    for (size_t i = 1; i < lines->count; i++)
        slots[probe(lines, lines->rows[i].fid, lines->rows[i].line)] = (uint32_t)i;
    return true;
}

struct pf_nyt_line *pf_nyt_lines_add_new(struct pf_nyt_lines *lines, uint32_t fid, uint32_t line)
{
    size_t slot = probe(lines, fid, line);
    if (lines->slots[slot] != 0)
        return &lines->rows[lines->slots[slot]];
    if (!grow(lines)) {
        lines->failed = true;
        return &lines->rows[0];
    }
    lines->slots[probe(lines, fid, line)] = (uint32_t)lines->count;
    lines->rows[lines->count] = (struct pf_nyt_line){.fid = fid, .line = line};
    return &lines->rows[lines->count++];
}

void pf_nyt_lines_add_block(struct pf_nyt_lines *lines, struct pf_nyt_block block, uint32_t ticks, unsigned count)
{
    /* A statement of nothing has no id of its own. */
    if (block.fid == 0 && block.line == 0 && block.block == 0 && block.sub == 0) {
        pf_nyt_lines_add(lines, 0, 0, ticks, count);
        return;
    }
    uint32_t id = pf_table_intern(&lines->blocks, &block);
    if (id >= lines->sum_count) {
        if (!pf_grow(&lines->sums, &lines->sum_capacity, (size_t)id + 1, sizeof *lines->sums)) {
            lines->failed = true;
            return;
        }
        memset(lines->sums + lines->sum_count, 0, (id + 1 - lines->sum_count) * sizeof *lines->sums);
        lines->sum_count = (size_t)id + 1;
    }
    lines->sums[id].count += count;
    if (!pf_add64(lines->sums[id].ticks, (int32_t)ticks, &lines->sums[id].ticks))
        lines->left = true;
}
