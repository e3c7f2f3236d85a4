#include "render/diff/words.h"

#include <math.h>
#include <stdio.h>

/* A ratio below 10 is printed as a change in percent, a greater one as it is. */
static bool as_percent(double ratio)
{
    return fabs(ratio) < 10;
}

static void print_percent(double change, char text[16])
{
    snprintf(text, 16, fabs(change) < 0.05 ? "0" : "%+.1f", change);
}

void pf_diff_print_change(const struct pf_diff_row *row, const struct pf_diff_means *means,
                          char text[PF_DIFF_WORD])
{
    char percent[16];

    print_percent((row->ratio - 1) * 100, percent);
    if (means->before == 0 || means->after == 0)
        snprintf(text, PF_DIFF_WORD, "-");
    else if (as_percent(row->ratio))
        snprintf(text, PF_DIFF_WORD, "%s%%", percent);
    else
        snprintf(text, PF_DIFF_WORD, fabs(row->ratio) >= 1e5 ? "%.2gx" : "%.0fx", row->ratio);
}

void pf_diff_print_interval(const struct pf_diff_row *row, const struct pf_diff_means *means,
                            char text[PF_DIFF_WORD])
{
    double low = row->ratio_95.low, high = row->ratio_95.high;
    char ends[2][16];

    text[0] = '\0';
    if (!row->tested || means->before == 0 || means->after == 0 || isinf(high))
        return;
    print_percent((low - 1) * 100, ends[0]);
    print_percent((high - 1) * 100, ends[1]);
    if (!as_percent(row->ratio) || !as_percent(low) || !as_percent(high))
        snprintf(text, PF_DIFF_WORD, "%.3gx .. %.3gx", low, high);
    else
        snprintf(text, PF_DIFF_WORD, "%s .. %s%%", ends[0], ends[1]);
}

void pf_diff_print_q(const struct pf_diff_row *row, char text[PF_DIFF_WORD])
{
    text[0] = '\0';
    if (row->tested)
        snprintf(text, PF_DIFF_WORD, row->q < 0.0001 ? "%.0e" : "%.4f", row->q);
}
