/* Speedscope's JSON, which its viewer and many profilers write: stacks of frame numbers with
 * weights, or frames opening and closing. */
#include "format/speedscope/speedscope.h"

#include "io/json_look.h"

const struct pf_speedscope_unit pf_speedscope_units[] = {
    {"none", "count", "hits"},
    {"nanoseconds", "nanoseconds", "wall"},
    {"microseconds", "microseconds", "wall"},
    {"milliseconds", "milliseconds", "wall"},
    {"seconds", "seconds", "wall"},
    {"bytes", "bytes", "bytes"},
    {NULL, NULL, NULL},
};

static int bid(struct pf_source *source, const char *path)
{
    static const char *const paths[] = {"$schema=speedscope.app", "shared.frames",
                                        "profiles[].type", "profiles", NULL};
    uint32_t found = pf_json_look(source, paths);

    (void)path;
    if (found & 1)
        return 64;
    return (found & 2 && found & 8) || found & 4 ? 24 : 0;
}

static const struct pf_option options[] = {
    {"by",
     "the label that splits the output into one profile for each value (thread); of several values "
     "of a record the last is used",
     NULL, false, true},
    {0},
};

const struct pf_format pf_format_speedscope = {
    .name = "speedscope",
    .about = "speedscope's JSON, sampled and evented profiles",
    .suffixes = ".speedscope.json .speedscope",
    .losses =
        "images, addresses, first lines of functions, inlining, labels but one (by=), metadata; "
        "that a value is a maximum (such values are added up); records of one stack become one, "
        "those without a value none",
    .caps = PF_HOLDS_SAMPLE | PF_IS_TEXT,
    .options = options,
    .bid = bid,
    .reader_size = sizeof(struct pf_speedscope_reader),
    .open_reader = pf_speedscope_open_reader,
    .step = pf_speedscope_step,
    .close_reader = pf_speedscope_close_reader,
    .writer_size = sizeof(struct pf_speedscope_writer),
    .open_writer = pf_speedscope_open_writer,
    .holds_label = pf_speedscope_holds_label,
    .write = pf_speedscope_write,
    .finish = pf_speedscope_finish,
    .close_writer = pf_speedscope_close_writer,
};
