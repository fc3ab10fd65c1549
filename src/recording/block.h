/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Blocks: how the records of a cell lie in a recording. A block is complete in itself but for what
 * its coder has seen in the blocks before it, so a file that is cut short is readable up to the
 * last whole block.
 */
#ifndef IPCTRACE_RECORDING_BLOCK_H
#define IPCTRACE_RECORDING_BLOCK_H

#include "bpf/record.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* What stands before every block, little endian. */
struct block_head {
	uint32_t stored; /* bytes that follow */
	uint32_t coded; /* bytes when decompressed; the same as `stored` if nothing is compressed */
	uint32_t flags; /* BLOCK_ */
	uint32_t records;
	uint32_t check; /* CRC-32 of the cell up to the end of this block, checks left out */
};

/* Versions before 6 have no `check`. */
#define BLOCK_HEAD_UNCHECKED 16

#define BLOCK_LAST           1u /* the cell's last: ends with its END record */
#define BLOCK_PLAIN          2u /* neither coded nor compressed: records as in record.h */
#define BLOCK_UNPACKED       4u /* coded, and not compressed */

/* Bytes of coded records in one block, at the most. */
#define BLOCK_CODED_MAX (256u << 10)

/*
 * Bounds the work that a byte of a file can cause: a block decompresses to at most so many times
 * its bytes, and has at most so many records for each. Recordings of real runs stay below 6, and
 * below one record; a block that could be smaller is left uncompressed. Before version 6 none was,
 * and statistics that are mostly zeros may have expanded more.
 */
#define BLOCK_EXPANSION_MAX           16
#define BLOCK_EXPANSION_UNCHECKED_MAX 64
#define BLOCK_RECORDS_PER_BYTE_MAX    2
#define BLOCK_RECORD_LEAST            2 /* bytes of a record when coded */

struct block_writer;

/* Borrows `file`. NULL: no memory. */
struct block_writer *block_writer__new(FILE *file);

/* A cell begins; `check` is the CRC-32 of its header. */
void block_writer__begin(struct block_writer *w, uint32_t check);

/* 0 or -errno. The block is written when it is full, after a watermark, and after END. */
int block_writer__add(struct block_writer *w, const struct record *record);

/* Writes what has gathered. 0 or -errno. */
int block_writer__flush(struct block_writer *w, uint32_t flags);

/* Whether the present cell is whole: its END record is written. */
bool block_writer__ended(const struct block_writer *w);
/* Whether a whole block, of any cell, has gone to the file or its buffer. */
bool block_writer__has_written(const struct block_writer *w);

/* NULL allowed. What has not been flushed is gone. */
void block_writer__free(struct block_writer *w);

struct block_reader;

/* Borrows `file`. NULL: no memory. */
struct block_reader *block_reader__new(FILE *file);

/* A cell begins. `is_checked`: its blocks have checks, and `check` is that of its header. */
void block_reader__begin(struct block_reader *r, bool is_checked, uint32_t check);

/*
 * The cell's next record, the caller's to change until the next call. NULL at the end of the cell,
 * or where the file is cut short or damaged.
 */
struct record *block_reader__next(struct block_reader *r);

/*
 * Goes to the end of the cell without looking at its records. False: the file is cut short or
 * damaged, here or in what has been read of the cell, and nothing after that can be trusted.
 */
bool block_reader__skip(struct block_reader *r);

/* NULL allowed. */
void block_reader__free(struct block_reader *r);

#endif
