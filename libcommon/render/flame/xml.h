/* Text in XML and HTML. */
#ifndef PF_RENDER_FLAME_XML_H
#define PF_RENDER_FLAME_XML_H

#include "base/bytes.h"
#include "io/sink.h"

/* Well-formed UTF-8 without controls (pf_text_line), escaped for text and for attributes in
 * quotes. U+FFFE and U+FFFF, which XML does not allow, become U+FFFD. The sink keeps a failed
 * write. */
void pf_xml_text(struct pf_sink *, struct pf_bytes);

#endif
