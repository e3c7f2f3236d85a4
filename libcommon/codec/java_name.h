/* Names of Java's methods in the spelling of virtual machines. */
#ifndef PF_CODEC_JAVA_NAME_H
#define PF_CODEC_JAVA_NAME_H

#include "model/dict.h"

#include <stdint.h>

/* Interns the symbol of a frame and sets the name of the function. Maps of Java's virtual machines
 * spell methods `Lorg/x/Y;::m`, `Lorg/x/Y;.m` (perf-map-agent) or `Lorg/x/Y;m(I)V` (perf's JVMTI
 * agent): the name is org.x.Y.m, and the symbol becomes the system name, if the function has none
 * yet. `flags`: PF_UTF8 or 0. Failures as pf_strings_intern. */
void pf_function_symbol(struct pf_dict *, struct pf_function *, struct pf_bytes symbol,
                        unsigned flags);

#endif
