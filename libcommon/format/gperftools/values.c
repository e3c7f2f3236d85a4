#include "format/gperftools/gperftools.h"

#include "base/number.h"

#include <math.h>
#include <string.h>

bool pf_gperftools_heap_kind(struct pf_bytes kind, struct pf_gperftools_scale *scale)
{
    static const struct {
        const char *name;
        int64_t divisor; /* of the rate; 0: nothing was sampled */
        bool go, objects;
    } KINDS[] = {
        {"heapprofile", 0, false, false}, {"heap", 2, true, false},    {"heap_v2", 1, false, false}, {"heapz_v2", 1, false, false},
        {"growthz", 0, false, true},      {"growth", 0, false, true},  {"fragmentationz", 0, false, true},
        {"fragmentation", 0, false, true},
    };
    const char *slash = memchr(kind.data, '/', kind.size);
    struct pf_bytes name = {kind.data, slash ? (size_t)(slash - kind.data) : kind.size};
    int64_t rate = 0;

    if (slash && !pf_parse_int((struct pf_bytes){slash + 1, kind.size - name.size - 1}, 0, INT64_MAX, &rate))
        return false;
    for (size_t k = 0; k < sizeof KINDS / sizeof *KINDS; k++) {
        if (!pf_bytes_equal(name, pf_bytes_of(KINDS[k].name)))
            continue;
        *scale = (struct pf_gperftools_scale){.period = KINDS[k].divisor ? rate / KINDS[k].divisor : 1, .go = KINDS[k].go, .objects = KINDS[k].objects};
        return true;
    }
    return false;
}

/* In double, as pprof does it: a number cut in another precision may differ by one. */
static bool to_whole(double number, int64_t *whole)
{
    if (!(number > -0x1p63 && number < 0x1p63))
        return false;
    *whole = (int64_t)number;
    return true;
}

static int unsample(int64_t period, int64_t objects, int64_t bytes, int64_t *values, uint64_t offset, struct pf_error *error)
{
    values[0] = objects;
    values[1] = bytes;
    if (objects == 0 && bytes != 0)
        return pf_error_at(error, PF_FAILED, offset, "%lld bytes in no object", (long long)bytes);
    if (objects == 0 || period <= 1)
        return PF_OK;
    if (bytes == 0) {
        values[0] = 0;
        return PF_OK;
    }
    double scale = 1 / (1 - exp(-((double)bytes / (double)objects) / (double)period));

    if (!to_whole((double)objects * scale, &values[0]) || !to_whole((double)bytes * scale, &values[1]))
        return pf_error_at(error, PF_OVERFLOW, offset, "%lld objects of %lld bytes, sampled, leave 64 bits when scaled", (long long)objects,
                           (long long)bytes);
    return PF_OK;
}

static int64_t block_size(int64_t objects, int64_t bytes)
{
    return objects == 0 || (objects == -1 && bytes == INT64_MIN) ? 0 : bytes / objects;
}

int pf_gperftools_heap_values(const struct pf_gperftools_scale *scale, const int64_t numbers[4], int64_t *values, int64_t *size, uint64_t offset,
                              struct pf_error *error)
{
    int status = PF_OK;

    if (scale->both) {
        status = unsample(scale->period, numbers[2], numbers[3], values, offset, error);
        *size = block_size(numbers[2], numbers[3]);
        values += 2;
    }
    if (status == PF_OK)
        status = unsample(scale->period, numbers[0], numbers[1], values, offset, error);
    if (numbers[0] != 0)
        *size = block_size(numbers[0], numbers[1]);
    return status;
}

int pf_gperftools_delay(const struct pf_gperftools_clock *clock, int64_t delay, int64_t count, int64_t *values, uint64_t offset,
                        struct pf_error *error)
{
    values[0] = count;
    values[1] = delay;
    if (clock->period == 0)
        return PF_OK;
    bool fits = pf_mul64(count, clock->period, &values[0]);

    if (clock->frequency > 0)
        fits = fits && to_whole((double)delay * (double)clock->period / ((double)clock->frequency / 1e9), &values[1]);
    else
        fits = fits && pf_mul64(delay, clock->period, &values[1]);
    if (!fits)
        return pf_error_at(error, PF_OVERFLOW, offset, "%lld contentions of %lld cycles, one in %lld counted, leave 64 bits", (long long)count,
                           (long long)delay, (long long)clock->period);
    return PF_OK;
}
