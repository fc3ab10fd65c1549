/* SPDX-License-Identifier: BSD-2-Clause */
/* Where each field of each record is: for the coder, and for readers other than this program. */
#ifndef IPCTRACE_RECORDING_LAYOUT_H
#define IPCTRACE_RECORDING_LAYOUT_H

#include <stddef.h>

struct field {
	const char *name;
	size_t offset;
	size_t size;
};

struct layout {
	const char *name;
	unsigned int type;         /* enum record_type */
	size_t size;               /* bytes; words may follow, see record.h */
	const struct field *field; /* up to one without a name; what none covers is 0 */
};

/* All of them; `cnt` is how many. */
const struct layout *recording_layouts(size_t *cnt);

#endif
