/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records in few bytes, and back, to the bit: what can be foretold from the records before takes no
 * room. docs/recording.md says how.
 *
 * Both sides see the same records in the same order, from coder__new() or coder__reset() on.
 */
#ifndef IPCTRACE_RECORDING_CODER_H
#define IPCTRACE_RECORDING_CODER_H

#include "bpf/record.h"

#include <stddef.h>
#include <sys/types.h>

/* Bytes that one record may take when coded, at the most. */
#define CODED_MAX 6144

/* Bytes of the longest record. */
#define RECORD_SIZE_MAX (255 * 8)

struct coder;

/* NULL: no memory. */
struct coder *coder__new(void);

/* Forgets what it has seen. */
void coder__reset(struct coder *c);

/* `out` has room for CODED_MAX bytes. How many it takes. */
size_t coder__encode(struct coder *c, const struct record *record, unsigned char *out);

/*
 * `in` has `size` bytes and CODED_MAX more behind these, whatever they are; `record` has room for
 * RECORD_SIZE_MAX. How many bytes were read; -EINVAL: that is no record.
 */
ssize_t coder__decode(struct coder *c, const unsigned char *in, size_t size, struct record *record);

/* NULL allowed. */
void coder__free(struct coder *c);

#endif
