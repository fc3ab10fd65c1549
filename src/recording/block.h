/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stores the records of a run as a sequence of blocks. A block depends only on the blocks before
 * it. A file that is cut short is therefore readable up to its last complete block.
 */
#pragma once

#include "bpf/record.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* The head of every block, little endian. */
struct block_head {
	uint32_t stored; /* bytes that follow the head */
	uint32_t coded; /* bytes when decompressed; equal to `stored` if the block is not compressed
			 */
	uint32_t flags; /* BLOCK_ */
	uint32_t records;
	uint32_t check; /* CRC-32 of the run up to the end of this block, without the checks */
};

/* Bytes of the head without `check`, which versions before 6 do not have. */
#define BLOCK_HEAD_UNCHECKED 16

#define BLOCK_LAST           1u /* the last block of the run: ends with its END record */
#define BLOCK_PLAIN          2u /* neither coded nor compressed: records as in record.h */
#define BLOCK_UNPACKED       4u /* coded, but not compressed */

/* A block is full when it has this many bytes of coded records. */
#define BLOCK_CODED_MAX (256u << 10)

/*
 * These limits bound the work that a byte of a file can cause: decompressed bytes and records for
 * each stored byte. Recordings of real runs have less than 6 bytes and one record for each. A block
 * above a limit is stored uncompressed. Before version 6 blocks were always compressed, and
 * statistics with many zeros may exceed the limit.
 */
#define BLOCK_EXPANSION_MAX           16
#define BLOCK_EXPANSION_UNCHECKED_MAX 64
#define BLOCK_RECORDS_PER_BYTE_MAX    2
#define BLOCK_RECORD_LEAST            2 /* bytes of the smallest coded record */

struct block_writer;

/* Borrows `file`. NULL: no memory. */
struct block_writer *block_writer__new(FILE *file);

/* Begins a run. `check` is the CRC-32 of its header. */
void block_writer__begin(struct block_writer *w, uint32_t check);

/* Adds a record. The block is written when full, after a watermark and after END. 0 or -errno. */
int block_writer__add(struct block_writer *w, const struct record *record);

/* Writes the records that were added since the last block, if any. 0 or -errno. */
int block_writer__flush(struct block_writer *w, uint32_t flags);

/* Whether the END record of the current run is written. */
bool block_writer__ended(const struct block_writer *w);
/* Whether a block of any run was written to the file or its buffer. */
bool block_writer__has_written(const struct block_writer *w);

/* Drops records that were not flushed. NULL allowed. */
void block_writer__free(struct block_writer *w);

struct block_reader;

/* Borrows `file`. NULL: no memory. */
struct block_reader *block_reader__new(FILE *file);

/* Begins a run. `is_checked`: its blocks have checks, and `check` is the CRC-32 of its header. */
void block_reader__begin(struct block_reader *r, bool is_checked, uint32_t check);

/*
 * The next record of the run, which the caller may change and keep until the next call. NULL: the
 * run has ended, or the file is cut short or damaged.
 */
struct record *block_reader__next(struct block_reader *r);

/* The last record contradicts others: the run ends before it, as it does before a damaged one. */
void block_reader__refuse(struct block_reader *r);

/*
 * Skips the rest of the run without decoding records. False: the file is cut short or damaged in
 * this run, and nothing after that can be trusted.
 */
bool block_reader__skip(struct block_reader *r);

/* NULL allowed. */
void block_reader__free(struct block_reader *r);
