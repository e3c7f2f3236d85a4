#include "render/flame/verdict.h"

#include "render/diff/words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_known(const struct pf_diff_table *table, const struct pf_diff_row *row)
{
    return table->method != PF_DIFF_NOTHING || row->exact;
}

int pf_verdict_marks_find(struct pf_verdict_marks *marks, const struct pf_verdicts *verdicts,
                          const struct pf_flame *flame, const struct pf_flame_subject *subject)
{
    const struct pf_diff_table *table =
        verdicts && subject->sums[1] ? pf_verdicts_table(verdicts, subject->name, flame->by) : NULL;

    if (!table)
        return PF_OK;
    marks->rows = calloc(flame->keys.table.count, sizeof *marks->rows);
    if (!marks->rows)
        return PF_NOMEM;
    marks->table = table;
    marks->rows[0] = &table->total_row;
    for (uint32_t key = 1; key < flame->keys.table.count; key++) {
        const struct pf_diff_row *row =
            pf_verdicts_row(verdicts, table, flame->keys.dict, pf_keys_row(&flame->keys, key));

        marks->rows[key] = row;
        marks->judged = marks->judged || (row && is_known(table, row));
    }
    return PF_OK;
}

void pf_verdict_marks_free(struct pf_verdict_marks *marks)
{
    free(marks->rows);
    *marks = (struct pf_verdict_marks){0};
}

char pf_verdict_mark(const struct pf_verdict_marks *marks, uint32_t function)
{
    const struct pf_diff_row *row = marks->table ? marks->rows[function] : NULL;

    return row && is_known(marks->table, row) ? row->verdict : ' ';
}

bool pf_verdict_pale(char verdict)
{
    return verdict == '~' || verdict == '.' || verdict == '=';
}

/* --- words ------------------------------------------------------------------------------------ */

static void append(char text[PF_VERDICT_TEXT], const char *first, const char *second)
{
    size_t size = strlen(text);

    snprintf(text + size, PF_VERDICT_TEXT - size, "%s%s", first, second);
}

/* Appends the words, the number that they explain, and a comma; nothing for an empty number.
 */
static void append_number(char text[PF_VERDICT_TEXT], const char *name, const char *number)
{
    append(text, number[0] ? name : "", number);
    append(text, number[0] ? ", " : "", "");
}

static void append_numbers(const struct pf_diff_row *row, char text[PF_VERDICT_TEXT])
{
    char word[PF_DIFF_WORD];

    if (row->cum.before != 0 && row->cum.after != 0) {
        pf_diff_print_change(row, &row->cum, word);
        append_number(text, "", word);
    }
    pf_diff_print_interval(row, &row->cum, word);
    append_number(text, "95% interval ", word);
    pf_diff_print_q(row, word);
    append_number(text, row->key == 0 ? "p = " : "q = ", word);
}

static void append_verdict(const struct pf_diff_row *row, char text[PF_VERDICT_TEXT])
{
    const char verdict[] = {row->verdict, ' ', '\0'};

    append(text, verdict,
           row->verdict == '~' ? "nothing can be told" : pf_diff_status_name(row->status));
}

void pf_verdict_text(const struct pf_verdict_marks *marks, uint32_t function,
                     char text[PF_VERDICT_TEXT])
{
    const struct pf_diff_row *row = marks->table ? marks->rows[function] : NULL;

    text[0] = '\0';
    if (!row)
        return;
    append(text, row->key == 0 ? "total: " : "function: ", "");
    if (!is_known(marks->table, row)) {
        append(text, "not tested, one run on a side", "");
        if (row->hint != 0)
            append(text, row->hint == '+' ? "; significantly more" : "; significantly less",
                   " if runs did not vary");
    } else if (row->verdict == '.') {
        append(text, "not tested, too small", "");
    } else {
        append(text, row->exact ? "exact, " : "", "");
        append_numbers(row, text);
        append_verdict(row, text);
    }
}
