#include "codec/shared.h"

#include <stdlib.h>

struct shared_object {
    struct shared_object *next;
    const void *owner;
    void (*destroy)(void *);
    max_align_t data[];
};

struct pf_shared {
    struct shared_object *objects;
};

struct pf_shared *pf_shared_new(void)
{
    return calloc(1, sizeof(struct pf_shared));
}

void pf_shared_free(struct pf_shared *shared)
{
    if (!shared)
        return;
    while (shared->objects) {
        struct shared_object *object = shared->objects;
        shared->objects = object->next;
        object->destroy(object->data);
        free(object);
    }
    free(shared);
}

void *pf_shared_get(struct pf_shared *shared, const void *owner, size_t size,
                    void (*destroy)(void *))
{
    for (struct shared_object *object = shared->objects; object; object = object->next)
        if (object->owner == owner)
            return object->data;
    struct shared_object *object = calloc(1, sizeof *object + size);
    if (!object)
        return NULL;
    object->owner = owner;
    object->destroy = destroy;
    object->next = shared->objects;
    shared->objects = object;
    return object->data;
}
