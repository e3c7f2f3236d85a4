#include "analysis/merge/scale.h"

#include "model/dict.h"
#include "model/units.h"

/* a * 2^32 / b, rounded half to even. */
static int divide(pf_int128 a, pf_int128 b, pf_int128 *times, struct pf_error *error)
{
    pf_int128 pieces;

    if (__builtin_mul_overflow(a, PF_MERGE_SCALE_ONE, &pieces))
        return pf_error_set(error, PF_OVERFLOW, "the normalizing factor overflows 128 bits");
    *times = pf_divide128(pieces, b);
    if (*times == 0 || *times > INT64_MAX || *times < INT64_MIN)
        return pf_error_set(error, PF_OVERFLOW,
                            "the normalizing factor is not between 2^-32 and 2^31");
    return PF_OK;
}

static int scale_duration(struct pf_merge_scale *scale, const struct pf_dict *dict,
                          const struct pf_sums *column, pf_int128 total, pf_int128 duration,
                          pf_int128 *times, struct pf_error *error)
{
    const struct pf_measure *measure = column ? &column->quantity.measure : NULL;

    /* wall-clock samples sum up to the duration */
    if (duration <= 0 && measure && measure->kind == PF_SAMPLE && measure->den == 1 &&
        pf_bytes_equal(pf_dict_string(dict, measure->name), PF_BYTES("wall")) &&
        pf_measure_is_time(dict, measure))
        duration = total * (pf_int128)measure->num;
    if (duration <= 0)
        return pf_error_set(error, PF_UNSUPPORTED,
                            "the input has no duration: --normalize=duration cannot scale it");
    if (!scale->known)
        scale->target = duration;
    scale->known = true;
    return divide(scale->target, duration, times, error);
}

/* The factor that scales `total`, in raw units of the measure, to `target` * num / den base
 * units. */
static int divide_total(pf_int128 target, uint64_t num, uint64_t den,
                        const struct pf_measure *measure, pf_int128 total, pf_int128 *times,
                        struct pf_error *error)
{
    uint64_t a = pf_gcd(num, measure->num), b = pf_gcd(den, measure->den);
    pf_int128 up, down;

    if (__builtin_mul_overflow(target, (pf_int128)(num / a), &up) ||
        __builtin_mul_overflow(up, (pf_int128)(measure->den / b), &up) ||
        __builtin_mul_overflow(total, (pf_int128)(measure->num / a), &down) ||
        __builtin_mul_overflow(down, (pf_int128)(den / b), &down))
        return pf_error_set(error, PF_OVERFLOW, "the normalizing factor overflows 128 bits");
    return divide(up, down, times, error);
}

int pf_merge_scale_input(struct pf_merge_scale *scale, const struct pf_dict *dict,
                         const struct pf_sums *column, pf_int128 total, pf_int128 duration,
                         pf_int128 *times, struct pf_error *error)
{
    if (scale->normalize == PF_MERGE_DURATION)
        return scale_duration(scale, dict, column, total, duration, times, error);
    if (!column)
        return pf_error_set(
            error, PF_UNSUPPORTED,
            "no measure of the input can be summed: the input cannot be normalized");
    const struct pf_measure *measure = &column->quantity.measure;

    if (scale->known && (scale->kind != measure->kind || scale->name != measure->name))
        return pf_error_set(
            error, PF_UNSUPPORTED,
            "the input has no measure '%s', by whose total --normalize=total scales "
            "all inputs (the main measure here is '%s')",
            pf_clip(pf_dict_string(dict, scale->name)).text,
            pf_clip(pf_dict_string(dict, measure->name)).text);
    if (total == 0)
        return pf_error_set(
            error, PF_UNSUPPORTED,
            "the total is 0: the measure '%s' has no amount, so the input cannot be "
            "normalized",
            pf_clip(pf_dict_string(dict, measure->name)).text);

    if (scale->normalize == PF_MERGE_AMOUNT)
        return divide_total(scale->amount, 1, 1, measure, total, times, error);
    if (!scale->known) {
        scale->known = true;
        scale->kind = measure->kind;
        scale->name = measure->name;
        scale->num = measure->num;
        scale->den = measure->den;
        scale->target = total;
    }
    return divide_total(scale->target, scale->num, scale->den, measure, total, times, error);
}
