/* V8's profiles (.cpuprofile, .heapprofile), which node, Deno, Bun, Hermes and the DevTools
 * write. */
#include "format/v8/v8.h"

#include "io/json_look.h"

static int bid_cpu(struct pf_source *source, const char *path)
{
    static const char *const paths[] = {
        "nodes[].callFrame", "timeDeltas", "nodes[].hitCount",  "head.hitCount",
        "head.callUID",      "timestamps", "head.functionName", NULL};
    uint32_t found = pf_json_look(source, paths);

    (void)path;
    if ((found & 1) || (found & 2 && found & 4))
        return 48;
    return found & 0x68 && found & 0x50 ? 40 : 0;
}

static int bid_heap(struct pf_source *source, const char *path)
{
    static const char *const paths[] = {"head.selfSize", "head.callFrame",
                                        "head.children[].selfSize", NULL};
    uint32_t found = pf_json_look(source, paths);

    (void)path;
    return found & 5 ? 48 : 0;
}

static const struct pf_option cpu_options[] = {
    {"deltas",
     "a sample has the time to the next sample, as in DevTools, or the time since the sample "
     "before",
     "next|before", true, false},
    {"lines", "the hits of lines, as records of places", "yes", true, false},
    {0},
};

static const struct pf_option heap_options[] = {
    {"sizes", "the counts of the nodes, or the samples", "nodes|samples", true, false},
    {0},
};

const struct pf_format pf_format_cpuprofile = {
    .name = "cpuprofile",
    .about = "V8's .cpuprofile (node, Chrome, VS Code), also the old form with a head",
    .suffixes = ".cpuprofile",
    .caps = PF_HOLDS_SAMPLE | PF_IS_TEXT,
    .losses = "labels, lines being executed, images, addresses, measures but a time and hits; "
              "samples of one stack become one",
    .options = cpu_options,
    .bid = bid_cpu,
    .reader_size = sizeof(struct pf_v8_reader),
    .open_reader = pf_v8_open_reader,
    .step = pf_v8_step,
    .close_reader = pf_v8_close_reader,
    .writer_size = sizeof(struct pf_v8_writer),
    .open_writer = pf_v8_open_writer,
    .holds_label = pf_holds_no_label,
    .write = pf_v8_write,
    .finish = pf_v8_finish_cpu,
    .close_writer = pf_v8_close_writer,
};

const struct pf_format pf_format_heapprofile = {
    .name = "heapprofile",
    .about = "V8's .heapprofile: live allocations by stack",
    .suffixes = ".heapprofile",
    .caps = PF_HOLDS_SAMPLE | PF_IS_TEXT,
    .losses = "labels, lines being executed, images, addresses, all measures but bytes; records of "
              "one stack become one",
    .options = heap_options,
    .bid = bid_heap,
    .reader_size = sizeof(struct pf_v8_reader),
    .open_reader = pf_v8_open_reader,
    .step = pf_v8_step,
    .close_reader = pf_v8_close_reader,
    .writer_size = sizeof(struct pf_v8_writer),
    .open_writer = pf_v8_open_writer,
    .holds_label = pf_holds_no_label,
    .write = pf_v8_write,
    .finish = pf_v8_finish_heap,
    .close_writer = pf_v8_close_writer,
};
