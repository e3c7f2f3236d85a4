/* How likely a text is perf script's. */
#include "format/perf_script/perf_script.h"

#include "base/scan.h"
#include "codec/text_reader.h"

/* --- evidence --------------------------------------------------------------------------------- */

/* True if an address ends 16 columns after `before`, where perf's `%16lx` ends it. */
static bool in_columns(struct pf_bytes line, size_t before)
{
    size_t end = before + 16;

    return line.size > end + 1 && !pf_blank(line.data[end - 1]) && pf_blank(line.data[end]);
}

/* True for a frame as perf prints it: after a tab, or with an image, or in the columns of `%16lx`,
 * even if the tab was lost or became blanks. */
static bool printed_frame(struct pf_bytes line)
{
    enum { TAB = 8 };
    struct pf_perf_frame frame;

    if (!pf_perf_frame_parse(line, &frame) && !pf_perf_frame_unindented(line, &frame))
        return false;
    return line.data[0] == '\t' || frame.image.size > 0 || in_columns(line, 0) ||
           in_columns(line, TAB);
}

/* Bits of evidence in the first event: its header and the line below. The header has a time, an
 * event, or both; a frame is in the header or below it. Other texts look like a header without a
 * time, but they have no frame as perf prints it. */
static int evidence(const struct pf_perf_header *header, struct pf_bytes below)
{
    enum { INSIDE = 2 }; /* columns between an event and a frame in its line */
    struct pf_perf_frame frame;
    bool inside = pf_perf_frame_parse(header->rest, &frame) && pf_perf_frame_named(&frame);
    bool chain = pf_bytes_trim(below).size > 0 &&
                 (pf_perf_frame_parse(below, &frame) || pf_perf_frame_unindented(below, &frame));
    int bits = header->has_time ? 12 : 0;

    if (header->event.size > 0 && header->has_time)
        bits += 8;
    if (!header->has_time)
        return (chain && printed_frame(below)) ||
                       (inside && header->has_tid && in_columns(header->rest, INSIDE))
                   ? 12
                   : 0;
    return inside || chain ? bits + 12 : header->event.size > 0 && header->has_tid ? bits : 0;
}

/* True for a frame with a symbol as perf prints it, `\t%16lx SYMBOL`. */
static bool aligned_frame(struct pf_bytes line)
{
    enum { WIDTH = 17 };
    struct pf_perf_frame frame;

    return line.size > WIDTH && line.data[0] == '\t' && line.data[WIDTH - 1] != ' ' &&
           line.data[WIDTH] == ' ' && pf_perf_frame_parse(line, &frame) && frame.symbol.size > 0;
}

/* True for a header without a time and with nothing after the event but perf's blank, and with a
 * thread, a period, or a command in the columns of `%16s `. */
static bool aligned_header(struct pf_bytes line)
{
    enum { COMM = 16 };
    struct pf_perf_header header;

    if (line.size <= 2 || memcmp(line.data + line.size - 2, ": ", 2) != 0 ||
        !pf_perf_header_parse(line, false, &header) || header.has_time)
        return false;
    if (header.has_period || header.has_tid)
        return true;
    return header.event.size > 0 && header.who.size >= COMM && line.data[COMM] == ' ' &&
           line.data[COMM - 1] != ' ';
}

/* Bits of evidence in a text without times and call chains: each line ahead must be an event. */
static int weigh_aligned(struct pf_bytes text, bool whole)
{
    int lines = 0;

    while (text.size > 0) {
        struct pf_bytes line = pf_bytes_line(&text);

        if (pf_bytes_trim(line).size == 0 || line.data[0] == '#')
            continue;
        if (text.size == 0 && !whole)
            break;
        if (!aligned_header(line))
            return 0;
        lines++;
    }
    return lines > 0 ? 12 : 0;
}

int pf_perf_bid(struct pf_source *source, const char *path)
{
    bool captured = false, ended;
    struct pf_bytes text = pf_text_window(source, false, &ended), all = text;

    (void)path;
    while (text.size > 0) {
        struct pf_bytes line = pf_bytes_line(&text);
        struct pf_perf_header header;
        bool comment = line.size > 0 && line.data[0] == '#';

        captured = captured || (line.size > 14 && memcmp(line.data, "# captured on ", 14) == 0);
        if (pf_bytes_trim(line).size == 0 || pf_perf_other_record(line))
            continue;
        if (pf_perf_header_parse(line, comment, &header)) {
            struct pf_bytes below = text.size > 0 ? pf_bytes_line(&text) : PF_BYTES("");
            int bits = evidence(&header, below);

            if (bits == 0 && !header.has_time)
                bits = weigh_aligned(all, all.size < PF_TEXT_WINDOW);
            return bits > 0 && captured ? bits + 8 : bits;
        }
        if (!comment)
            return aligned_frame(line.data[0] == '\t' ? line : pf_bytes_line(&text)) ? 12 : 0;
    }
    return 0;
}
