/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Codes records without loss, in few bytes. The coder predicts each record from earlier records,
 * and stores only the difference (see docs/recording.md). After coder__new() or coder__reset(),
 * writer and reader must therefore process the same records in the same order.
 */
#pragma once

#include "bpf/record.h"

#include <stddef.h>
#include <sys/types.h>

/* The largest coded size of a record, in bytes. */
#define CODED_MAX 6144

/* The size of the longest record, in bytes. */
#define RECORD_SIZE_MAX (255 * 8)

struct coder;

/* NULL: no memory. */
struct coder *coder__new(void);

/* Forgets all earlier records. */
void coder__reset(struct coder *c);

/* `out` has room for CODED_MAX bytes. Returns the coded size. */
size_t coder__encode(struct coder *c, const struct record *record, unsigned char *out);

/*
 * `in` has `size` bytes, followed by CODED_MAX readable ones with any contents. `record` has room
 * for RECORD_SIZE_MAX. Returns how many bytes were read; -EINVAL: these are no record.
 */
ssize_t coder__decode(struct coder *c, const unsigned char *in, size_t size, struct record *record);

/* NULL allowed. */
void coder__free(struct coder *c);
