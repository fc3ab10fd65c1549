/* SPDX-License-Identifier: BSD-2-Clause */
/* Codes a block of records (coder.c), compresses it, and protects it by a checksum. */
#include "recording/block.h"

#include "model/record_decode.h"
#include "recording/coder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

/* Higher levels need several times as long for files that are hardly smaller. */
#define COMPRESSION_LEVEL 1

struct block_writer {
	FILE *file;
	struct coder *coder;
	ZSTD_CCtx *zstd;
	uint32_t check; /* CRC-32 of the run so far */
	bool ended;     /* the END record of the run is written */
	uint32_t records;
	bool has_written;
	size_t coded_size;
	unsigned char coded[BLOCK_CODED_MAX + CODED_MAX];
	unsigned char stored[ZSTD_COMPRESSBOUND(BLOCK_CODED_MAX + CODED_MAX)];
};

struct block_writer *block_writer__new(FILE *file)
{
	struct block_writer *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->file = file;
	w->coder = coder__new();
	w->zstd = ZSTD_createCCtx();
	if (!w->coder || !w->zstd) {
		block_writer__free(w);
		return NULL;
	}
	ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_compressionLevel, COMPRESSION_LEVEL);
	return w;
}

void block_writer__begin(struct block_writer *w, uint32_t check)
{
	coder__reset(w->coder);
	w->check = check;
	w->ended = false;
	w->coded_size = 0;
	w->records = 0;
}

/* The CRC-32 up to the end of a block: its head without the check, and its contents. */
static uint32_t check_block(uint32_t before, const struct block_head *head, const void *contents)
{
	uint32_t check = crc32(before, (const void *)head, BLOCK_HEAD_UNCHECKED);

	return crc32(check, contents, head->stored);
}

/* Compresses the block, unless a reader would refuse it, see BLOCK_EXPANSION_MAX. */
static int pack(struct block_writer *w, struct block_head *head, const unsigned char **contents)
{
	size_t stored =
		ZSTD_compress2(w->zstd, w->stored, sizeof(w->stored), w->coded, w->coded_size);

	if (ZSTD_isError(stored))
		return -ENOMEM;
	if (stored * BLOCK_EXPANSION_MAX < w->coded_size ||
	    stored * BLOCK_RECORDS_PER_BYTE_MAX < w->records) {
		head->flags |= BLOCK_UNPACKED;
		head->stored = w->coded_size;
		*contents = w->coded;
	} else {
		head->stored = stored;
		*contents = w->stored;
	}
	return 0;
}

int block_writer__flush(struct block_writer *w, uint32_t flags)
{
	struct block_head head = {.coded = w->coded_size, .flags = flags, .records = w->records};
	const unsigned char *contents;
	int err;

	if (!w->records)
		return 0;
	err = pack(w, &head, &contents);
	if (err)
		return err;
	head.check = w->check = check_block(w->check, &head, contents);
	w->coded_size = 0;
	w->records = 0;
	if (fwrite(&head, sizeof(head), 1, w->file) != 1 ||
	    fwrite(contents, head.stored, 1, w->file) != 1)
		return -errno;
	w->ended = flags & BLOCK_LAST;
	w->has_written = true;
	return 0;
}

bool block_writer__ended(const struct block_writer *w)
{
	return w->ended;
}

bool block_writer__has_written(const struct block_writer *w)
{
	return w->has_written;
}

int block_writer__add(struct block_writer *w, const struct record *record)
{
	w->coded_size += coder__encode(w->coder, record, w->coded + w->coded_size);
	w->records++;
	if (record->type == RECORD_END)
		return block_writer__flush(w, BLOCK_LAST);
	if (record->type == RECORD_WATERMARK || w->coded_size >= BLOCK_CODED_MAX)
		return block_writer__flush(w, 0);
	return 0;
}

void block_writer__free(struct block_writer *w)
{
	if (!w)
		return;
	coder__free(w->coder);
	ZSTD_freeCCtx(w->zstd);
	free(w);
}

struct block_reader {
	FILE *file;
	struct coder *coder;
	ZSTD_DCtx *zstd;
	bool is_checked;        /* blocks have checks */
	uint32_t check;         /* CRC-32 of the run so far */
	struct block_head head; /* of the current block */
	uint32_t records;       /* that were read from it */
	size_t at;              /* offset of the next record in `coded` */
	bool ended;             /* nothing more is read of this run */
	bool is_damaged;        /* damaged, or cut short before its end */
	_Alignas(8) unsigned char record[RECORD_SIZE_MAX];
	unsigned char coded[BLOCK_CODED_MAX + 2 * CODED_MAX];
	unsigned char stored[ZSTD_COMPRESSBOUND(BLOCK_CODED_MAX + CODED_MAX)];
};

struct block_reader *block_reader__new(FILE *file)
{
	struct block_reader *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->file = file;
	r->ended = true;
	r->coder = coder__new();
	r->zstd = ZSTD_createDCtx();
	if (!r->coder || !r->zstd) {
		block_reader__free(r);
		return NULL;
	}
	return r;
}

void block_reader__begin(struct block_reader *r, bool is_checked, uint32_t check)
{
	coder__reset(r->coder);
	r->is_checked = is_checked;
	r->check = check;
	r->head = (struct block_head){0};
	r->records = 0;
	r->at = 0;
	r->ended = false;
	r->is_damaged = false;
}

static bool head_is_possible(const struct block_reader *r)
{
	const struct block_head *head = &r->head;
	uint32_t expansion = r->is_checked ? BLOCK_EXPANSION_MAX : BLOCK_EXPANSION_UNCHECKED_MAX;

	if (!head->records || head->coded > BLOCK_CODED_MAX + CODED_MAX ||
	    head->records > head->coded / BLOCK_RECORD_LEAST)
		return false;
	if (head->flags & (BLOCK_PLAIN | BLOCK_UNPACKED))
		return head->stored == head->coded;
	return head->stored <= ZSTD_COMPRESSBOUND(BLOCK_CODED_MAX + CODED_MAX) &&
	       head->records / BLOCK_RECORDS_PER_BYTE_MAX <= head->stored &&
	       head->coded / expansion <= head->stored;
}

/* False: there is no next block, or it is cut short or impossible. */
static bool next_head(struct block_reader *r)
{
	size_t size = r->is_checked ? sizeof(r->head) : BLOCK_HEAD_UNCHECKED;

	r->records = 0;
	r->at = 0;
	if (r->ended || r->head.flags & BLOCK_LAST)
		return false;
	return fread(&r->head, size, 1, r->file) == 1 && head_is_possible(r);
}

/* Whether the contents match their check. Old versions have none. */
static bool is_unchanged(struct block_reader *r)
{
	if (!r->is_checked)
		return true;
	r->check = check_block(r->check, &r->head, r->stored);
	return r->check == r->head.check;
}

static bool next_block(struct block_reader *r)
{
	size_t size;

	/* Bytes after the last record of a block are damage. */
	if (r->at != r->head.coded || !next_head(r) ||
	    fread(r->stored, r->head.stored, 1, r->file) != 1 || !is_unchanged(r))
		return false;
	if (r->head.flags & (BLOCK_PLAIN | BLOCK_UNPACKED)) {
		memcpy(r->coded, r->stored, r->head.stored);
		return true;
	}
	size = ZSTD_decompressDCtx(r->zstd, r->coded, sizeof(r->coded) - CODED_MAX, r->stored,
				   r->head.stored);
	return size == r->head.coded;
}

/* Copies a record of a BLOCK_PLAIN block. Returns its size or -EINVAL. */
static ssize_t plain_record(struct block_reader *r)
{
	struct record *record = (struct record *)r->record;
	size_t left = r->head.coded - r->at;

	if (left < sizeof(*record))
		return -EINVAL;
	memcpy(record, r->coded + r->at, sizeof(*record));
	if (record_size(record) > left)
		return -EINVAL;
	memcpy(record, r->coded + r->at, record_size(record));
	return record_size(record);
}

/* What follows is not read as another run. */
void block_reader__refuse(struct block_reader *r)
{
	r->ended = true;
	r->is_damaged = true;
	fseek(r->file, 0, SEEK_END);
}

/* An impossible record ends the run, because nothing after it can be trusted. */
struct record *block_reader__next(struct block_reader *r)
{
	struct record *record = (struct record *)r->record;
	ssize_t size = -EINVAL;

	if (r->ended)
		return NULL;
	if (r->records < r->head.records || next_block(r))
		size = r->head.flags & BLOCK_PLAIN ? plain_record(r)
						   : coder__decode(r->coder, r->coded + r->at,
								   r->head.coded - r->at, record);
	if (size <= 0 || record_check(record, record_size(record)) < 0) {
		block_reader__refuse(r);
		return NULL;
	}
	r->at += size;
	r->records++;
	r->ended = record->type == RECORD_END;
	return record;
}

bool block_reader__skip(struct block_reader *r)
{
	while (!r->ended && !(r->head.flags & BLOCK_LAST)) {
		if (next_head(r) && !fseek(r->file, r->head.stored, SEEK_CUR))
			continue;
		block_reader__refuse(r);
	}
	r->ended = true;
	return !r->is_damaged;
}

void block_reader__free(struct block_reader *r)
{
	if (!r)
		return;
	coder__free(r->coder);
	ZSTD_freeDCtx(r->zstd);
	free(r);
}
