#include "cli/formats.h"

#include "codec/registry.h"

#include <stdio.h>

void pf_formats_names(char *names, size_t size, bool writing)
{
    size_t used = 0;
    const struct pf_format *format;
    names[0] = '\0';
    for (size_t k = 0; (format = pf_registry_format(k)) && used < size; k++)
        if (writing ? format->write != NULL : format->bid != NULL)
            used += (size_t)snprintf(names + used, size - used, "%s%s", used ? ", " : "", format->name);
}

static void print_details(struct pf_sink *sink, const struct pf_format *format)
{
    if (format->suffixes)
        pf_sink_printf(sink, "    suffixes: %s\n", format->suffixes);
    for (const struct pf_option *option = format->options; option && option->name; option++)
        pf_sink_printf(sink, "    %s %s:%s=%s  %s\n", option->reads ? option->writes ? "-f -t" : "-f" : "-t", format->name,
                       option->name, option->values ? option->values : "VALUE", option->about);
    if (format->losses)
        pf_sink_printf(sink, "    cannot hold: %s\n", format->losses);
}

static void print_format(struct pf_sink *sink, const struct pf_format *format, bool details)
{
    char kinds[64];
    unsigned caps = format->caps;
    snprintf(kinds, sizeof kinds, "%s%s%s", caps & PF_HOLDS_SAMPLE ? "sample " : "", caps & PF_HOLDS_FLAT ? "flat " : "",
             caps & PF_HOLDS_EDGE ? "edge " : "");
    pf_sink_printf(sink, "%-13s %s%s  %-17s %s\n", format->name, format->bid ? "r" : "-", format->write ? "w" : "-", kinds,
                   format->about);
    if (details)
        print_details(sink, format);
}

void pf_formats_exit(struct pf_tool *tool)
{
    struct pf_error error = {0};
    struct pf_sink *sink;
    const struct pf_format *format;
    if (pf_sink_open(&sink, NULL, &error) < 0)
        pf_tool_die(tool, NULL, &error, true);
    for (size_t k = 0; (format = pf_registry_format(k)); k++) {
        if (tool->quiet)
            pf_sink_printf(sink, "%s\n", format->name);
        else
            print_format(sink, format, tool->verbose);
    }
    pf_tool_sink_exit(tool, sink);
}
