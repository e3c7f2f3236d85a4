#include "analysis/names/symbol_dirs.h"

#include "base/scan.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { DEPTH_MAX = 64, ID_MIN = 16 }; /* of a walk; digits of the shortest build id */

/* A directory of perf's layout whose name is a build id. */
struct found {
    const char *path, *id; /* `id` is the last part of `path` */
    size_t order;
};

struct pf_symbol_dirs {
    const char **dirs;
    size_t count, capacity;

    pthread_mutex_t lock; /* protects the members below, until `walked` */
    bool walked;
    struct pf_error error; /* of the walk */
    struct found *found;   /* sorted by id, then in the order of the walk */
    size_t found_count, found_capacity;
    struct pf_arena texts;
};

struct pf_symbol_dirs *pf_symbol_dirs_new(void)
{
    struct pf_symbol_dirs *dirs = calloc(1, sizeof *dirs);

    if (dirs && pthread_mutex_init(&dirs->lock, NULL) != 0) {
        free(dirs);
        return NULL;
    }
    return dirs;
}

void pf_symbol_dirs_free(struct pf_symbol_dirs *dirs)
{
    if (!dirs)
        return;
    pthread_mutex_destroy(&dirs->lock);
    pf_arena_free(&dirs->texts);
    free(dirs->found);
    free(dirs->dirs);
    free(dirs);
}

int pf_symbol_dirs_add(struct pf_symbol_dirs *dirs, const char *path, struct pf_error *error)
{
    DIR *opened = opendir(path);

    if (!opened && errno == ENOTDIR)
        return pf_error_set(error, PF_FAILED, "not a directory");
    if (!opened)
        return pf_error_system(error, "cannot open '%s'", path);
    closedir(opened);
    if (!pf_grow(&dirs->dirs, &dirs->capacity, dirs->count + 1, sizeof *dirs->dirs))
        return pf_error_nomem(error);
    dirs->dirs[dirs->count++] = path;
    return PF_OK;
}

/* --- the walk --------------------------------------------------------------------------------- */

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* .build-id is searched by name. */
static int walkable(const struct dirent *entry)
{
    return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
           strcmp(entry->d_name, ".build-id") != 0;
}

static bool is_id(struct pf_bytes name)
{
    return name.size >= ID_MIN && name.size < PF_BUILD_ID_SIZE &&
           pf_all_of(name, "0123456789abcdef");
}

static void add_found(struct pf_symbol_dirs *dirs, struct pf_bytes path, size_t name)
{
    const char *copy = pf_arena_copy(&dirs->texts, path.data, path.size);

    if (!copy ||
        !pf_grow(&dirs->found, &dirs->found_capacity, dirs->found_count + 1, sizeof *dirs->found)) {
        pf_error_nomem(&dirs->error);
        return;
    }
    dirs->found[dirs->found_count] =
        (struct found){copy, copy + path.size - name, dirs->found_count};
    dirs->found_count++;
}

bool pf_symbol_dirs_io(int number)
{
    return number == EIO || number == EMFILE || number == ENFILE || number == ENOMEM;
}

/* Finds the directories named by a build id below `path`, on the same file system. Links are not
 * followed; a directory that cannot be read is skipped. */
static void walk_directory(struct pf_symbol_dirs *dirs, struct pf_buffer *path, dev_t device,
                           unsigned depth)
{
    struct dirent **entries = NULL;
    size_t size = path->size;
    int count = pf_buffer_byte(path, '\0') ? scandir(path->data, &entries, walkable, by_name) : 0;

    if (path->failed)
        pf_error_nomem(&dirs->error);
    else if (count < 0 && pf_symbol_dirs_io(errno))
        pf_error_system(&dirs->error, "cannot read the directory '%s'", path->data);
    for (int k = 0; k < count; k++) {
        struct pf_bytes name = pf_bytes_of(entries[k]->d_name);
        struct stat info;

        path->size = size;
        pf_buffer_byte(path, '/');
        pf_buffer_append(path, name.data, name.size + 1);
        path->size -= !path->failed;
        if (path->failed)
            pf_error_nomem(&dirs->error);
        if (dirs->error.code == PF_OK && lstat(path->data, &info) == 0 && S_ISDIR(info.st_mode) &&
            info.st_dev == device) {
            if (is_id(name))
                add_found(dirs, (struct pf_bytes){path->data, path->size}, name.size);
            else if (depth < DEPTH_MAX)
                walk_directory(dirs, path, device, depth + 1);
        }
        free(entries[k]);
    }
    free(entries);
    path->size = size;
}

static int by_id(const void *a, const void *b)
{
    const struct found *x = a, *y = b;
    int order = strcmp(x->id, y->id);

    return order ? order : (x->order > y->order) - (x->order < y->order);
}

/* Walks through all directories, once. */
static void walk_all(struct pf_symbol_dirs *dirs)
{
    struct stat info;

    pthread_mutex_lock(&dirs->lock);
    for (size_t k = 0; !dirs->walked && k < dirs->count; k++) {
        struct pf_buffer path = {0};

        pf_buffer_append(&path, dirs->dirs[k], strlen(dirs->dirs[k]));
        if (path.failed)
            pf_error_nomem(&dirs->error);
        else if (stat(dirs->dirs[k], &info) == 0)
            walk_directory(dirs, &path, info.st_dev, 0);
        pf_buffer_free(&path);
    }
    if (!dirs->walked && dirs->found_count > 0)
        qsort(dirs->found, dirs->found_count, sizeof *dirs->found, by_id);
    dirs->walked = true;
    pthread_mutex_unlock(&dirs->lock);
}

/* The directory number `n` with this build id; NULL after the last directory. */
static const struct found *find_walked(const struct pf_symbol_dirs *dirs, const char *build_id,
                                       size_t n)
{
    size_t low = 0, high = dirs->found_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (strcmp(dirs->found[middle].id, build_id) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (n >= dirs->found_count - low || strcmp(dirs->found[low + n].id, build_id) != 0)
        return NULL;
    return &dirs->found[low + n];
}

/* --- names ------------------------------------------------------------------------------------ */

/* A name below DIR: `before`, the build id, `after`. `split`: a '/' is after the first two digits.
 */
struct form {
    const char *before;
    bool split;
    const char *after;
};

static const struct form programs[] = {
    {"/.build-id/", true, ""}, {"/.build-id/", true, "/elf"}, {"/.build-id/", true, "/vdso"},
    {"/", true, ""},           {"/", true, "/elf"},           {"/", true, "/vdso"},
    {"/", false, "/elf"},      {"/", false, "/executable"},
};
static const struct form debugs[] = {
    {"/.build-id/", true, ".debug"}, {"/.build-id/", true, "/debug"}, {"/", true, ".debug"},
    {"/", true, "/debug"},           {"/", false, "/debuginfo"},
};
/* in a directory of the walk */
static const struct form walked_programs[] = {{.after = "/elf"}, {.after = "/vdso"}};
static const struct form walked_debugs[] = {{.after = "/debug"}};

static const struct {
    const struct form *list;
    size_t count;
} forms[2][2] = {
    {{programs, sizeof programs / sizeof *programs}, {debugs, sizeof debugs / sizeof *debugs}},
    {{walked_programs, sizeof walked_programs / sizeof *walked_programs},
     {walked_debugs, sizeof walked_debugs / sizeof *walked_debugs}},
};

static void add_text(struct pf_buffer *path, const char *text)
{
    pf_buffer_append(path, text, strlen(text));
}

static int add_walked(struct pf_symbol_dirs *dirs, const char *build_id, size_t n,
                      struct pf_buffer *path, struct pf_error *error)
{
    walk_all(dirs);
    const struct found *found = find_walked(dirs, build_id, n);

    if (dirs->error.code != PF_OK) {
        *error = dirs->error;
        return error->code;
    }
    if (!found)
        return PF_EOF;
    add_text(path, found->path);
    return PF_OK;
}

static int add_named(const struct pf_symbol_dirs *dirs, const char *build_id, size_t n,
                     const struct form *form, struct pf_buffer *path)
{
    if (n >= dirs->count)
        return PF_EOF;
    add_text(path, dirs->dirs[n]);
    add_text(path, form->before);
    pf_buffer_append(path, build_id, 2);
    if (form->split)
        pf_buffer_byte(path, '/');
    add_text(path, build_id + 2);
    return PF_OK;
}

int pf_symbol_dirs_name(struct pf_symbol_dirs *dirs, const char *build_id, enum pf_symbol_file what,
                        bool walked, size_t n, struct pf_buffer *path, struct pf_error *error)
{
    size_t count = forms[walked][what].count;
    const struct form *form = &forms[walked][what].list[n % count];
    int status;

    path->size = 0;
    status = walked ? add_walked(dirs, build_id, n / count, path, error)
                    : add_named(dirs, build_id, n / count, form, path);
    add_text(path, form->after);
    pf_buffer_byte(path, '\0');
    return path->failed ? pf_error_nomem(error) : status;
}
