#include "analysis/names/image_files.h"

#include "base/memory.h"
#include "base/table.h"
#include "base/thread.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>

enum {
    EXAMPLES = 3,        /* in a warning */
    ID_SIZE = 2 * 32 + 1 /* the longest build id of pf_binary_id_of, and a NUL */
};

struct question {
    const struct pf_image *image;
    uint64_t address;
    size_t first, count; /* frames */
};

/* The file of a build id. One thread at a time works on it. */
struct file {
    uint32_t image; /* the first image with this build id; 0: unused */
    bool opened;
    struct pf_binary *binary; /* NULL: no file has the build id */
    struct question *questions;
    size_t question_count, question_capacity;
    struct pf_frame *frames;
    size_t frame_count, frame_capacity;
    struct pf_buffer refused; /* messages about files that cannot be used, each with a NUL */
};

struct pf_image_files {
    struct pf_symbol_dirs *dirs;
    PF_NORETURN void (*no_memory)(void);
    struct pf_table ids; /* build ids, in rows of ID_SIZE */
    struct file *files;  /* by the id of the row; 0: unused */
    size_t file_count, file_capacity;
    uint32_t *file_of; /* by image: file + 1; 0: not known yet */
    size_t file_of_count, file_of_capacity;
    /* by name of images without a build id (a string): addresses without a name */
    uint64_t *unknown;
    size_t unknown_count, unknown_capacity;

    uint32_t *asked; /* files with questions */
    size_t asked_count, asked_capacity;
    bool searched; /* the questions are answered */
    pthread_t *workers;
    size_t threads;
    pthread_mutex_t lock;  /* protects the members below during a search */
    size_t next;           /* next element of `asked` */
    struct pf_error error; /* of the first file that failed, by position in `asked` */
    size_t failed;         /* position of this file */
};

/* --- files ------------------------------------------------------------------------------------ */

static void keep_refused(void *arg, enum pf_severity severity, const char *text)
{
    struct file *file = arg;

    (void)severity;
    pf_buffer_append(&file->refused, text, strlen(text) + 1);
}

static const char *build_id_of(const struct pf_image_files *files, const struct file *file)
{
    return pf_table_row(&files->ids, (uint32_t)(file - files->files));
}

static int open_file(struct pf_image_files *files, struct file *file, struct pf_error *error)
{
    struct pf_report report = {keep_refused, file};
    int status = pf_binary_open_id(&file->binary, files->dirs, build_id_of(files, file),
                                   files->no_memory, &report, error);

    file->opened = true;
    return status >= 0 && file->refused.failed ? pf_error_nomem(error) : status;
}

static bool answer_question(struct file *file, struct question *question)
{
    struct pf_frame found[PF_ADDRESS_FRAMES];
    size_t count = pf_binary_frames(file->binary, question->image, question->address, found);

    if (count == SIZE_MAX || !pf_grow(&file->frames, &file->frame_capacity,
                                      file->frame_count + count, sizeof *file->frames))
        return false;
    if (count > 0)
        memcpy(file->frames + file->frame_count, found, count * sizeof *found);
    question->first = file->frame_count;
    question->count = count;
    file->frame_count += count;
    return true;
}

/* Opens the file if it has not been opened yet, and answers its questions. */
static int search_file(struct pf_image_files *files, struct file *file, struct pf_error *error)
{
    int status = file->opened ? PF_OK : open_file(files, file, error);

    for (size_t k = 0; file->binary && status >= 0 && k < file->question_count; k++)
        if (!answer_question(file, &file->questions[k]))
            status = pf_error_nomem(error);
    return status;
}

/* --- threads ---------------------------------------------------------------------------------- */

/* One thread: searches files until every file has been begun. */
static void *search_files(void *arg)
{
    struct pf_image_files *files = arg;

    pthread_mutex_lock(&files->lock);
    while (files->next < files->asked_count) {
        size_t at = files->next++;
        struct pf_error error = {0};

        pthread_mutex_unlock(&files->lock);
        int status = search_file(files, &files->files[files->asked[at]], &error);

        pthread_mutex_lock(&files->lock);
        if (status < 0 && (files->error.code == PF_OK || at < files->failed)) {
            files->error = error;
            files->failed = at;
        }
    }
    pthread_mutex_unlock(&files->lock);
    return NULL;
}

/* --- new and free ----------------------------------------------------------------------------- */

struct pf_image_files *pf_image_files_new(struct pf_symbol_dirs *dirs, size_t threads,
                                          PF_NORETURN void (*no_memory)(void))
{
    struct pf_image_files *files = calloc(1, sizeof *files);

    if (!files) {
        pf_symbol_dirs_free(dirs);
        return NULL;
    }
    files->dirs = dirs;
    files->no_memory = no_memory;
    files->threads = threads;
    files->workers = calloc(threads, sizeof *files->workers);
    pthread_mutex_init(&files->lock, NULL);
    if (pf_table_init(&files->ids, ID_SIZE) == PF_OK && files->workers)
        return files;
    pf_image_files_free(files);
    return NULL;
}

void pf_image_files_free(struct pf_image_files *files)
{
    if (!files)
        return;
    for (size_t k = 0; k < files->file_count; k++) {
        pf_binary_close(files->files[k].binary);
        free(files->files[k].questions);
        free(files->files[k].frames);
        pf_buffer_free(&files->files[k].refused);
    }
    pthread_mutex_destroy(&files->lock);
    pf_table_free(&files->ids);
    pf_symbol_dirs_free(files->dirs);
    free(files->files);
    free(files->file_of);
    free(files->unknown);
    free(files->asked);
    free(files->workers);
    free(files);
}

/* --- questions -------------------------------------------------------------------------------- */

/* The file of an image; 0: the image has no build id. False: out of memory. */
static bool file_of(struct pf_image_files *files, const struct pf_dict *dict, uint32_t image,
                    uint32_t *file)
{
    char id[PF_BUILD_ID_SIZE] = "";

    if (!pf_grow_zeroed(&files->file_of, &files->file_of_count, &files->file_of_capacity,
                        (size_t)image + 1, sizeof *files->file_of))
        return false;
    *file = files->file_of[image];
    if (*file == 0) {
        if (pf_binary_id_of(pf_dict_string(dict, pf_dict_image(dict, image)->identifier), id))
            *file = pf_table_intern(&files->ids, id);
        if (files->ids.status != PF_OK ||
            !pf_grow_zeroed(&files->files, &files->file_count, &files->file_capacity,
                            (size_t)*file + 1, sizeof *files->files))
            return false;
        files->file_of[image] = ++*file;
    }
    --*file;
    if (*file > 0 && files->files[*file].image == 0)
        files->files[*file].image = image;
    return true;
}

/* Removes the questions of the last search. */
static void remove_questions(struct pf_image_files *files)
{
    for (size_t k = 0; k < files->asked_count; k++) {
        struct file *file = &files->files[files->asked[k]];

        file->question_count = file->frame_count = 0;
        if (!file->binary) {
            free(file->questions);
            file->questions = NULL;
            file->question_capacity = 0;
        }
    }
    files->asked_count = 0;
    files->searched = false;
}

bool pf_image_files_ask(struct pf_image_files *files, const struct pf_dict *dict, uint32_t image,
                        uint64_t address, struct pf_image_answer *place)
{
    *place = (struct pf_image_answer){0};
    if (files->searched)
        remove_questions(files);
    if (!file_of(files, dict, image, &place->file))
        return false;
    struct file *file = &files->files[place->file];

    if (place->file == 0 || (file->opened && !file->binary))
        return true;
    if (!pf_grow(&file->questions, &file->question_capacity, file->question_count + 1,
                 sizeof *file->questions) ||
        !pf_grow(&files->asked, &files->asked_capacity, files->asked_count + 1,
                 sizeof *files->asked))
        return false;
    if (file->question_count == 0)
        files->asked[files->asked_count++] = place->file;
    place->row = (uint32_t)file->question_count;
    file->questions[file->question_count++] =
        (struct question){.image = pf_dict_image(dict, image), .address = address};
    return true;
}

int pf_image_files_search(struct pf_image_files *files, struct pf_error *error)
{
    size_t started = 0;

    files->searched = true;
    files->next = 0;
    /* if not all threads start, the others do their work */
    while (started + 1 < files->threads && started + 1 < files->asked_count &&
           pf_thread_start(&files->workers[started], search_files, files))
        started++;
    search_files(files);
    while (started > 0)
        pthread_join(files->workers[--started], NULL);
    if (files->error.code == PF_OK)
        return PF_OK;
    return pf_error_set(error, files->error.code, "--symbols-from: %s", files->error.text);
}

size_t pf_image_files_frames(const struct pf_image_files *files, struct pf_image_answer place,
                             struct pf_frame frames[PF_ADDRESS_FRAMES])
{
    const struct file *file = &files->files[place.file];

    if (place.file == 0 || !file->binary)
        return 0;
    const struct question *question = &file->questions[place.row];

    if (question->count > 0)
        memcpy(frames, file->frames + question->first, question->count * sizeof *frames);
    return question->count;
}

bool pf_image_files_count_unknown(struct pf_image_files *files, const struct pf_image *image)
{
    if (!pf_grow_zeroed(&files->unknown, &files->unknown_count, &files->unknown_capacity,
                        (size_t)image->name + 1, sizeof *files->unknown))
        return false;
    files->unknown[image->name]++;
    return true;
}

/* --- messages --------------------------------------------------------------------------------- */

/* The examples of a warning: "'a', 'b', 'c' and 2 more". */
struct examples {
    struct pf_buffer text;
    size_t count;
};

static void add_example(struct examples *examples, struct pf_bytes name, const char *build_id)
{
    if (examples->count++ >= EXAMPLES)
        return;
    if (examples->count > 1)
        pf_buffer_printf(&examples->text, ", ");
    pf_buffer_printf(&examples->text, name.size > 0 ? "'%s'" : "no name", pf_clip(name).text);
    if (build_id)
        pf_buffer_printf(&examples->text, " (%s)", build_id);
}

static const char *examples_text(struct examples *examples)
{
    if (examples->count > EXAMPLES)
        pf_buffer_printf(&examples->text, " and %zu more (-v names all)",
                         examples->count - EXAMPLES);
    pf_buffer_byte(&examples->text, '\0');
    return examples->text.failed ? "" : examples->text.data;
}

static void report_refused(const struct pf_image_files *files, const struct pf_report *report)
{
    size_t count = 0;

    for (size_t k = 1; k < files->file_count; k++) {
        const struct pf_buffer *refused = &files->files[k].refused;

        for (size_t at = 0; at < refused->size; at += strlen(refused->data + at) + 1)
            pf_report_send(report, count++ < EXAMPLES ? PF_WARNING : PF_NOTE,
                           "--symbols-from: %s: the file is not used", refused->data + at);
    }
    if (count > EXAMPLES)
        pf_report_send(report, PF_WARNING,
                       "--symbols-from: %zu more files are not used (-v names all)",
                       count - EXAMPLES);
}

static void report_missing(const struct pf_image_files *files, const struct pf_dict *dict,
                           const struct pf_report *report)
{
    struct examples examples = {0};

    for (size_t k = 1; k < files->file_count; k++) {
        const struct file *file = &files->files[k];
        if (!file->opened || file->binary)
            continue;
        struct pf_bytes name = pf_dict_string(dict, pf_dict_image(dict, file->image)->name);

        add_example(&examples, name, build_id_of(files, file));
        pf_report_send(report, PF_NOTE, "--symbols-from: no file for build id %s of '%s'",
                       build_id_of(files, file), pf_clip(name).text);
    }
    if (examples.count > 0)
        pf_report_send(report, PF_WARNING, "--symbols-from: no file for %zu build id%s: %s",
                       examples.count, examples.count == 1 ? "" : "s", examples_text(&examples));
    pf_buffer_free(&examples.text);
}

static void report_unknown(const struct pf_image_files *files, const struct pf_dict *dict,
                           const struct pf_report *report)
{
    struct examples examples = {0};
    uint64_t addresses = 0;

    for (uint32_t k = 0; k < files->unknown_count; k++) {
        if (files->unknown[k] == 0)
            continue;
        struct pf_bytes name = pf_dict_string(dict, k);

        addresses += files->unknown[k];
        add_example(&examples, name, NULL);
        pf_report_send(report, PF_NOTE,
                       "--symbols-from: '%s' has no build id: %" PRIu64 " addresses without a name",
                       pf_clip(name).text, files->unknown[k]);
    }
    if (examples.count > 0)
        pf_report_send(report, PF_WARNING,
                       "--symbols-from: %" PRIu64
                       " addresses are in images without a build id and have no name: %s",
                       addresses, examples_text(&examples));
    pf_buffer_free(&examples.text);
}

size_t pf_image_files_report(const struct pf_image_files *files, const struct pf_dict *dict,
                             const struct pf_report *report)
{
    size_t used = 0;

    report_refused(files, report);
    report_missing(files, dict, report);
    report_unknown(files, dict, report);
    for (size_t k = 1; k < files->file_count; k++)
        used += files->files[k].binary != NULL;
    return used;
}
