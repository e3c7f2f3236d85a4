#include "analysis/sum/subject.h"

/* True if the profile has records of the kind; in a profile without any record, measures. */
static bool has_kind(const struct pf_accumulator *accumulator, enum pf_kind kind)
{
    if (!pf_accumulator_any(accumulator))
        return pf_accumulator_main(accumulator, kind) != UINT32_MAX;
    return accumulator->records[kind] > 0 || (kind == PF_EDGE && accumulator->file_scope);
}

static bool has_value(const struct pf_sums *sums)
{
    bool any = sums->total != 0;

    for (size_t i = 0; i < sums->count && !any; i++)
        any = sums->data[i] != 0;
    return any;
}

/* True if measures of a kind only count (as the calls of gmon.out), or all other values of the
 * records are 0. */
static bool only_counted(const struct pf_accumulator *accumulator, enum pf_kind kind)
{
    bool any = pf_accumulator_any(accumulator);

    for (uint32_t i = 0; i < accumulator->ledger.count; i++) {
        const struct pf_measure *measure = &accumulator->ledger.sums[i].quantity.measure;
        if (measure->kind == kind && measure->role != PF_COUNT &&
            (!any || has_value(&accumulator->ledger.sums[i])))
            return false;
    }
    return true;
}

enum pf_kind pf_subject_kind(const struct pf_accumulator *accumulator, enum pf_by by,
                             const struct pf_facts *facts)
{
    static const enum pf_kind order[] = {PF_SAMPLE, PF_EDGE, PF_FLAT};

    if ((by == PF_BY_LINE || by == PF_BY_ADDRESS) && has_kind(accumulator, PF_FLAT))
        return PF_FLAT;
    if (has_kind(accumulator, PF_EDGE) && pf_facts_calls_tell(facts, accumulator->dict))
        return PF_EDGE;
    if (!has_kind(accumulator, PF_SAMPLE) && has_kind(accumulator, PF_FLAT) &&
        only_counted(accumulator, PF_EDGE))
        return PF_FLAT;
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        if (has_kind(accumulator, order[i]))
            return order[i];
    return PF_RECORD_KINDS;
}

/* How well `other` fits as the measure of `role` beside the shown measure; 0: not at all. The
 * measures of one side of a difference belong together. */
static int fitness(const struct pf_measure *shown, const struct pf_measure *other,
                   enum pf_role role)
{
    if (other->role != role || other->unit != shown->unit || other->aggregation != PF_SUM ||
        other->side != shown->side)
        return 0;
    return other->name == shown->name ? 3 : other->main ? 2 : 1;
}

static struct pf_sums *find_partner(const struct pf_accumulator *accumulator,
                                    const struct pf_sums *shown, enum pf_kind kind,
                                    enum pf_role role)
{
    struct pf_sums *best = NULL;
    int best_fitness = 0;

    for (uint32_t i = 0; i < accumulator->ledger.count; i++) {
        const struct pf_measure *other = &accumulator->ledger.sums[i].quantity.measure;
        int fit = other->kind == kind ? fitness(&shown->quantity.measure, other, role) : 0;
        if (fit > best_fitness) {
            best_fitness = fit;
            best = &accumulator->ledger.sums[i];
        }
    }
    return best;
}

/* The inclusive values of calls made at lines, if the calls have the measure of the lines
 * (callgrind). */
static struct pf_sums *calls_made(const struct pf_accumulator *accumulator,
                                  const struct pf_sums *lines)
{
    struct pf_sums *calls = find_partner(accumulator, lines, PF_EDGE, PF_INCLUSIVE);

    return calls && calls->quantity.measure.name == lines->quantity.measure.name ? calls : NULL;
}

static struct pf_sums *calls_of(const struct pf_accumulator *accumulator,
                                const struct pf_sums *shown)
{
    for (uint32_t i = 0; i < accumulator->ledger.count; i++) {
        const struct pf_measure *measure = &accumulator->ledger.sums[i].quantity.measure;
        if (measure->kind == shown->quantity.measure.kind &&
            pf_measure_calls(accumulator->dict, measure) &&
            measure->side == shown->quantity.measure.side)
            return &accumulator->ledger.sums[i];
    }
    return NULL;
}

/* Converts `scale` and the scales of the subject to the same parts. */
static int join_scale(struct pf_subject *subject, struct pf_scale *scale, struct pf_error *error)
{
    struct pf_scale *const others[] = {&subject->scale, &subject->self_scale,
                                       &subject->inclusive_scale};
    bool good = true;

    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        good = pf_scale_join(scale, others[i]) && good;
    return good ? PF_OK
                : pf_error_set(error, PF_OVERFLOW, "the common scale of %s overflows 64 bits",
                               pf_clip(scale->name).text);
}

static int set_whole(struct pf_subject *subject, struct pf_sums *sums, const struct pf_dict *dict,
                     enum pf_unit unit, struct pf_error *error)
{
    subject->whole = sums;
    if (pf_quantity_scale(&sums->quantity, dict, unit, &subject->whole_scale, error) != PF_OK ||
        join_scale(subject, &subject->whole_scale, error) != PF_OK)
        return error->code;
    subject->total = pf_scale_total(&subject->whole_scale, pf_sums_total(sums));
    return PF_OK;
}

/* The self values of lines in the measure of the calls' self values: they include time outside of
 * all functions. NULL: there are none. */
static struct pf_sums *lines_of(const struct pf_subject *subject,
                                const struct pf_accumulator *accumulator)
{
    struct pf_sums *lines = NULL;

    if (subject->kind == PF_EDGE && subject->self && !subject->derived &&
        subject->shown->quantity.measure.role != PF_COUNT)
        lines = find_partner(accumulator, subject->self, PF_FLAT, PF_SELF);
    return lines && lines != subject->self &&
                   lines->quantity.measure.name == subject->self->quantity.measure.name
               ? lines
               : NULL;
}

/* Sets 100 %: the sum of the flat column, or of the lines if this is more. */
static int choose_whole(struct pf_subject *subject, const struct pf_accumulator *accumulator,
                        enum pf_unit unit, struct pf_error *error)
{
    struct pf_sums *own = subject->self ? subject->self : subject->shown,
                   *lines = lines_of(subject, accumulator);
    const struct pf_dict *dict = accumulator->dict;

    if (!lines)
        return set_whole(subject, own, dict, unit, error);
    if (set_whole(subject, lines, dict, unit, error) != PF_OK)
        return error->code;
    pf_int128 total = subject->total;

    if (set_whole(subject, own, dict, unit, error) != PF_OK)
        return error->code;
    return subject->total > total && total >= 0 ? PF_OK
                                                : set_whole(subject, lines, dict, unit, error);
}

/* The self values computed from the shown inclusive values; NULL: there are none. */
static struct pf_sums *derived_of(const struct pf_accumulator *accumulator,
                                  const struct pf_sums *shown)
{
    for (uint32_t i = 0; i < accumulator->derived_count; i++)
        if (pf_measure_same(&accumulator->derived[i].quantity.measure, &shown->quantity.measure))
            return &accumulator->derived[i];
    return NULL;
}

static void set_columns(struct pf_subject *subject, const struct pf_accumulator *accumulator)
{
    const struct pf_measure *measure = &subject->shown->quantity.measure;
    struct pf_sums *shown = subject->shown;
    enum pf_role other = measure->role == PF_SELF ? PF_INCLUSIVE : PF_SELF;

    subject->self = measure->role == PF_INCLUSIVE && measure->kind != PF_SAMPLE ? NULL : shown;
    subject->inclusive = measure->role == PF_INCLUSIVE && measure->kind != PF_SAMPLE ? shown : NULL;
    if (measure->kind == PF_SAMPLE || measure->role == PF_COUNT || measure->aggregation == PF_MAX)
        return;
    if (measure->role == PF_SELF) {
        subject->inclusive = find_partner(accumulator, shown, measure->kind, other);
        if (!subject->inclusive && measure->kind == PF_FLAT)
            subject->inclusive = calls_made(accumulator, shown);
    } else {
        subject->self = find_partner(accumulator, shown, measure->kind, other);
        if (!subject->self && measure->kind == PF_EDGE)
            subject->self = derived_of(accumulator, shown);
        subject->derived = subject->self && subject->self == derived_of(accumulator, shown);
        if (!subject->self && measure->kind == PF_EDGE)
            subject->self = find_partner(accumulator, shown, PF_FLAT, other);
    }
}

struct pf_sums *pf_subject_beside(const struct pf_accumulator *accumulator,
                                  const struct pf_measure *measure)
{
    for (uint32_t i = 0; i < accumulator->ledger.count; i++) {
        const struct pf_measure *other = &accumulator->ledger.sums[i].quantity.measure;
        if (other->kind == PF_FLAT && other->name == measure->name &&
            other->role == measure->role && other->unit == measure->unit &&
            other->aggregation == measure->aggregation && other->num == measure->num &&
            other->den == measure->den)
            return &accumulator->ledger.sums[i];
    }
    return NULL;
}

bool pf_subject_names(const struct pf_dict *dict, uint32_t location)
{
    uint32_t name = pf_dict_function(dict, pf_dict_location(dict, location)->function)->name;

    return name != 0 && !pf_bytes_equal(pf_dict_string(dict, name), PF_BYTES("[unknown]"));
}

bool pf_subject_has_functions(const struct pf_dict *dict, const struct pf_sums *sums)
{
    for (size_t place = 1; place < sums->count; place++)
        if (sums->data[place] != 0 && pf_subject_names(dict, (uint32_t)place))
            return true;
    return false;
}

struct pf_sums *pf_subject_told(const struct pf_accumulator *accumulator,
                                const struct pf_measure *measure)
{
    struct pf_sums *sums = measure->role == PF_INCLUSIVE && !accumulator->by_labels
                               ? pf_subject_beside(accumulator, measure)
                               : NULL;

    return sums && pf_subject_has_functions(accumulator->dict, sums) ? sums : NULL;
}

/* Replaces the values of calls by the functions' totals that FLAT records give, which are
 * better. */
static void prefer_totals(struct pf_subject *subject, const struct pf_accumulator *accumulator)
{
    struct pf_sums *told = NULL, *self, *calls;

    for (uint32_t i = 0; i < accumulator->ledger.count && !told; i++)
        if (accumulator->ledger.sums[i].quantity.measure.kind == PF_EDGE)
            told = pf_subject_told(accumulator, &accumulator->ledger.sums[i].quantity.measure);
    if (!told)
        return;
    self = subject->self ? pf_subject_beside(accumulator, &subject->self->quantity.measure) : NULL;
    calls = subject->calls && subject->calls != subject->shown
                ? pf_subject_beside(accumulator, &subject->calls->quantity.measure)
                : NULL;
    if (subject->inclusive &&
        pf_subject_told(accumulator, &subject->inclusive->quantity.measure) == told)
        subject->told = told;
    if (self)
        subject->self = self;
    if (calls)
        subject->calls = calls;
}

int pf_subject_choose(struct pf_subject *subject, const struct pf_accumulator *accumulator,
                      uint32_t measure, enum pf_unit unit, struct pf_error *error)
{
    const struct pf_dict *dict = accumulator->dict;
    int status;

    *subject = (struct pf_subject){.kind = pf_measures_row(&dict->measures, measure)->kind};
    subject->shown = pf_accumulator_find(accumulator, measure);
    subject->calls = calls_of(accumulator, subject->shown);
    set_columns(subject, accumulator);
    if (subject->kind == PF_EDGE)
        prefer_totals(subject, accumulator);
    status = pf_quantity_scale(&subject->shown->quantity, dict, unit, &subject->scale, error);
    subject->self_scale = subject->inclusive_scale = subject->scale;
    if (status == PF_OK && subject->self)
        status =
            pf_quantity_scale(&subject->self->quantity, dict, unit, &subject->self_scale, error);
    if (status == PF_OK && subject->inclusive)
        status = pf_quantity_scale(&subject->inclusive->quantity, dict, unit,
                                   &subject->inclusive_scale, error);
    if (status == PF_OK && subject->calls)
        status = pf_quantity_scale(&subject->calls->quantity, dict, PF_UNIT_AUTO,
                                   &subject->calls_scale, error);
    if (status == PF_OK)
        status = join_scale(subject, &subject->self_scale, error);
    if (status == PF_OK)
        status = join_scale(subject, &subject->inclusive_scale, error);
    return status == PF_OK ? choose_whole(subject, accumulator, unit, error) : status;
}
