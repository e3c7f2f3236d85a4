#include "cli/redirect.h"

#include "base/memory.h"
#include "cli/command.h"
#include "codec/registry.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Sets the name of the file that is standard output, relative to the current directory if the file
 * lies below. False: standard output is not a file, or the system does not tell its name. */
static bool find_name(char name[PATH_MAX])
{
    struct stat file, named;
    char *here;
    ssize_t size;
    size_t length;

    if (fstat(STDOUT_FILENO, &file) != 0 || !S_ISREG(file.st_mode))
        return false;
    size = readlink("/proc/self/fd/1", name, PATH_MAX - 1);
    if (size <= 0)
        return false;
    name[size] = '\0';
    if (stat(name, &named) != 0 || named.st_dev != file.st_dev || named.st_ino != file.st_ino)
        return false;
    here = realpath(".", NULL);
    length = here ? strlen(here) : 0;
    if (length > 0 && strncmp(name, here, length) == 0 && name[length] == '/')
        memmove(name, name + length + 1, (size_t)size - length);
    free(here);
    return true;
}

static bool named_gz(const char *name)
{
    return pf_bytes_ends(pf_bytes_of(name), PF_BYTES(".gz"));
}

/* True if the program writes the format with -o. */
static bool can_write(const struct pf_common *common, const struct pf_format *format, bool table)
{
    enum pf_sheet_form form;

    return !table || !format || strcmp(common->tool.name, "profdiff") == 0 ||
           pf_sheet_form_find(pf_bytes_of(format->name), &form);
}

/* Exits 2. `suffix`: the format that the name has the suffix of; NULL: none. */
static _Noreturn void refuse(struct pf_common *common, const char *name,
                             const struct pf_format *suffix, bool table)
{
    struct pf_buffer text = {0};

    if (suffix && !suffix->write) {
        pf_command_text(&text, "no program writes ");
        pf_command_text(&text, suffix->name);
    } else {
        pf_command_text(&text, can_write(common, suffix, table) ? "type -o " : "type profcat -o ");
        pf_command_word(&text, name);
        pf_command_text(&text, " in place of >");
    }
    if (!pf_buffer_byte(&text, '\0'))
        pf_tool_nomem(&common->tool);
    pf_tool_usage(&common->tool,
                  "standard output is '%s', but %s would be written there; %s (-t %s writes %s all "
                  "the same)",
                  name, table ? "a table" : "a native stream", text.data, table ? "text" : "pfs",
                  table ? "the table" : "the stream");
}

void pf_redirect_check(struct pf_common *common, bool table)
{
    const struct pf_format *written = pf_registry_find(table ? PF_BYTES("text") : PF_BYTES("pfs")),
                           *suffix;
    bool compressed = table && common->compression > 0;
    char name[PATH_MAX];

    if (common->redirected || common->to_text || common->tool.quiet ||
        (common->output && strcmp(common->output, "-") != 0) || !find_name(name))
        return;
    common->redirected = true;
    suffix = pf_registry_suffix(name);
    if (!suffix)
        suffix = pf_registry_suffix_unwritten(name);
    if ((suffix && suffix != written) || (named_gz(name) && !compressed))
        refuse(common, name, suffix, table);
    if (!suffix && !table)
        pf_tool_warn(&common->tool,
                     "'%s' gets a native stream: -o FILE chooses the format by the suffix, -t by "
                     "the name of the format",
                     name);
}
