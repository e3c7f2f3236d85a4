#include "codec/json_reader.h"

void pf_json_reader_open(struct pf_json_cut *cut, struct pf_reader *reader)
{
    pf_json_cut_open(cut, reader->source, &reader->error);
    cut->owner = reader;
}

int pf_json_read_text(struct pf_json_cut *cut, void *field)
{
    struct pf_reader *reader = cut->owner;
    uint32_t *id = field;
    struct pf_bytes text;
    int status = pf_json_cut_number(cut, &text);

    if (status == PF_OK)
        *id = pf_dict_intern_text(reader->dict, text);
    return status;
}
