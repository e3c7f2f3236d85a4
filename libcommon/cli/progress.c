#include "cli/progress.h"

#include <stdio.h>
#include <time.h>

enum { QUIET_MS = 1000, STEP_MS = 250 };

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void pf_progress_start(struct pf_progress *progress, struct pf_tool *tool, uint64_t total)
{
    progress->tool = tool;
    progress->total = total;
    progress->wanted = pf_tool_shows_progress(tool);
    progress->started = progress->shown = progress->wanted ? now_ms() : 0;
    progress->shown += QUIET_MS - STEP_MS;
}

void pf_progress_update(struct pf_progress *progress, uint64_t done)
{
    int64_t now;
    if (!progress->wanted || (now = now_ms()) < progress->shown + STEP_MS)
        return;
    progress->shown = now;
    char text[128];
    double seconds = (double)(now - progress->started) / 1000, mib = (double)done / (1024 * 1024);
    int used = snprintf(text, sizeof text, "%.1f MiB, %.1f MiB/s", mib, mib / seconds);
    if (progress->total && done && done <= progress->total)
        snprintf(text + used, sizeof text - (size_t)used, ", %.0f%%, eta %.0f s", 100 * (double)done / (double)progress->total,
                 seconds * (double)(progress->total - done) / (double)done);
    pf_tool_line(progress->tool, text);
}

void pf_progress_end(struct pf_progress *progress)
{
    if (progress->wanted)
        pf_tool_line(progress->tool, NULL);
}
