/* SPDX-License-Identifier: BSD-2-Clause */
/* The dictionary that handler "translate" has without a file: English to German. */
#ifndef IPCTRACE_WORKLOAD_HANDLERS_DICTIONARY_H
#define IPCTRACE_WORKLOAD_HANDLERS_DICTIONARY_H

/* What such a file would say: in every line a word, a blank and its translation. */
extern const char dictionary_text[];

#endif
