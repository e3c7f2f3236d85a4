#include "codec/java_name.h"

#include "base/scan.h"

#include <string.h>

/* Cuts `Lorg/x/Y;::m` into class and method. False: the symbol is not a method of Java. */
static bool split(struct pf_bytes symbol, struct pf_bytes *class, struct pf_bytes *method)
{
    *method = symbol;
    if (!pf_scan_past(method, PF_BYTES("L")) || !pf_scan_field(method, ';', class) ||
        class->size == 0)
        return false;
    for (size_t k = 0; k < class->size; k++)
        if (class->data[k] == '\0' || strchr(" :()<>[", class->data[k]))
            return false;
    if (!pf_scan_past(method, PF_BYTES("::")) && !pf_scan_past(method, PF_BYTES(".")) &&
        !memchr(class->data, '/', class->size))
        return false;
    return method->size > 0;
}

void pf_function_symbol(struct pf_dict *dict, struct pf_function *function, struct pf_bytes symbol,
                        unsigned flags)
{
    uint32_t whole = pf_dict_intern(dict, symbol, flags);
    struct pf_bytes class, method;
    struct pf_buffer name = {0};

    function->name = whole;
    if (!split(symbol, &class, &method))
        return;
    for (size_t k = 0; k < class.size; k++)
        pf_buffer_byte(&name, class.data[k] == '/' ? '.' : (unsigned char)class.data[k]);
    pf_buffer_byte(&name, '.');
    pf_buffer_append(&name, method.data, method.size);
    function->name = pf_dict_intern_buffer(dict, &name, flags);
    if (function->system_name == 0)
        function->system_name = whole;
}
