#include "render/table/sheet.h"

#include "model/json.h"
#include "model/utf8.h"
#include "render/table/separated.h"

#include <string.h>

bool pf_sheet_form_find(struct pf_bytes name, enum pf_sheet_form *form)
{
    static const char *const names[] = {"text", "json",      "ndjson",   "csv",
                                        "tsv",  "csv:guard", "tsv:guard"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (pf_bytes_equal(name, pf_bytes_of(names[i]))) {
            *form = (enum pf_sheet_form)i;
            return true;
        }
    return false;
}

/* --- JSON ------------------------------------------------------------------------------------- */

static void begin_document(struct pf_sheet *sheet, struct pf_sheet_head head)
{
    pf_sink_printf(sheet->sink, "{\"schema\":\"%s\",\"meta\":", head.schema);
    if (!pf_json_dump(sheet->sink, head.meta) && pf_sink_status(sheet->sink, NULL) == PF_OK)
        sheet->status = PF_NOMEM;
    pf_sink_text(sheet->sink, ",\"measures\":");
    head.measures(head.arg, sheet->sink);
    pf_sink_text(sheet->sink, ",\"rows\":[");
}

static void write_json(struct pf_sheet *sheet, const struct pf_sheet_column *column,
                       const struct pf_cell *cell)
{
    if (cell->missing)
        pf_sink_text(sheet->sink, "null");
    else if (column->type == PF_CELL_INT)
        pf_json_parts(sheet->sink, cell->integer, cell->parts);
    else if (column->type == PF_CELL_BOOL)
        pf_sink_text(sheet->sink, cell->integer != 0 ? "true" : "false");
    else if (column->type == PF_CELL_REAL)
        pf_json_real(sheet->sink, cell->real);
    else if (column->type == PF_CELL_NUMBER)
        pf_json_number(sheet->sink, cell->real);
    else
        pf_json_string(sheet->sink, cell->text, cell->flags, &sheet->scratch);
}

static void json_row(struct pf_sheet *sheet, const struct pf_cell *cells)
{
    if (sheet->form == PF_SHEET_JSON)
        pf_sink_text(sheet->sink, sheet->rows == 0 ? "\n" : ",\n");
    for (size_t i = 0; i < sheet->column_count; i++) {
        pf_sink_text(sheet->sink, i == 0 ? "{\"" : ",\"");
        pf_sink_text(sheet->sink, sheet->columns[i].name);
        pf_sink_text(sheet->sink, "\":");
        write_json(sheet, &sheet->columns[i], &cells[i]);
    }
    pf_sink_text(sheet->sink, sheet->form == PF_SHEET_JSON ? "}" : "}\n");
}

/* --- CSV and TSV ------------------------------------------------------------------------------ */

static bool is_separated(enum pf_sheet_form form)
{
    return form >= PF_SHEET_CSV;
}

static struct pf_separated separated(const struct pf_sheet *sheet)
{
    return (struct pf_separated){sheet->form == PF_SHEET_TSV || sheet->form == PF_SHEET_TSV_GUARD,
                                 sheet->form == PF_SHEET_CSV_GUARD ||
                                     sheet->form == PF_SHEET_TSV_GUARD};
}

static void separated_row(struct pf_sheet *sheet, const struct pf_cell *cells)
{
    for (size_t i = 0; i < sheet->column_count; i++) {
        struct pf_bytes text;
        if (i > 0)
            pf_sink_text(sheet->sink, separated(sheet).tabs ? "\t" : ",");
        if (cells[i].missing)
            continue;
        if (sheet->columns[i].type != PF_CELL_TEXT) {
            write_json(sheet, &sheet->columns[i], &cells[i]);
            continue;
        }
        text = pf_text_utf8(cells[i].text, cells[i].flags, &sheet->scratch);
        pf_separated_text(separated(sheet), sheet->sink, text);
    }
    pf_sink_text(sheet->sink, "\n");
}

static void separated_heading(struct pf_sheet *sheet)
{
    for (size_t i = 0; i < sheet->column_count; i++) {
        if (i > 0)
            pf_sink_text(sheet->sink, separated(sheet).tabs ? "\t" : ",");
        pf_sink_text(sheet->sink, sheet->columns[i].name);
    }
    pf_sink_text(sheet->sink, "\n");
}

/* --- all -------------------------------------------------------------------------------------- */

void pf_sheet_begin(struct pf_sheet *sheet, struct pf_sink *sink, enum pf_sheet_form form,
                    const struct pf_sheet_column *columns, size_t count, struct pf_sheet_head head)
{
    sheet->sink = sink;
    sheet->form = form;
    sheet->columns = columns;
    sheet->column_count = count;
    if (form == PF_SHEET_JSON)
        begin_document(sheet, head);
    else if (is_separated(form))
        separated_heading(sheet);
    if (form != PF_SHEET_JSON)
        json_decref(head.meta);
}

void pf_sheet_row(struct pf_sheet *sheet, const struct pf_cell *cells)
{
    if (is_separated(sheet->form))
        separated_row(sheet, cells);
    else
        json_row(sheet, cells);
    sheet->rows++;
}

int pf_sheet_end(struct pf_sheet *sheet)
{
    if (sheet->form == PF_SHEET_JSON)
        pf_sink_text(sheet->sink, sheet->rows > 0 ? "\n]}\n" : "]}\n");
    if (sheet->scratch.failed)
        sheet->status = PF_NOMEM;
    pf_buffer_free(&sheet->scratch);
    return sheet->status;
}
