/* SPDX-License-Identifier: BSD-2-Clause */
#include "recording_block.h"

#include "core/decode.h"
#include "recording_coder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

/* Hardly larger files than with higher ones, in a fraction of the time. */
#define COMPRESSION_LEVEL 1

struct block_writer {
	FILE *file;
	struct coder *coder;
	ZSTD_CCtx *zstd;
	uint32_t records;
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
	ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_checksumFlag, 1);
	return w;
}

void block_writer__begin(struct block_writer *w)
{
	coder__reset(w->coder);
	w->coded_size = 0;
	w->records = 0;
}

int block_writer__flush(struct block_writer *w, uint32_t flags)
{
	struct block_head head = {.coded = w->coded_size, .flags = flags, .records = w->records};
	size_t stored;

	if (!w->records)
		return 0;
	stored = ZSTD_compress2(w->zstd, w->stored, sizeof(w->stored), w->coded, w->coded_size);
	if (ZSTD_isError(stored))
		return -ENOMEM;
	head.stored = stored;
	w->coded_size = 0;
	w->records = 0;
	if (fwrite(&head, sizeof(head), 1, w->file) != 1 ||
	    fwrite(w->stored, stored, 1, w->file) != 1)
		return -errno;
	return 0;
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
	struct block_head head; /* of the present block */
	uint32_t records;       /* that have been read of it */
	size_t at;              /* the next one in `coded` */
	bool ended;             /* no further block follows */
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

void block_reader__begin(struct block_reader *r)
{
	coder__reset(r->coder);
	r->head = (struct block_head){0};
	r->records = 0;
	r->at = 0;
	r->ended = false;
}

static bool is_possible(const struct block_head *head)
{
	return head->records && head->coded <= BLOCK_CODED_MAX + CODED_MAX &&
	       head->stored <= ZSTD_COMPRESSBOUND(BLOCK_CODED_MAX + CODED_MAX) &&
	       (!(head->flags & BLOCK_PLAIN) || head->stored == head->coded);
}

/* False: there is none, or it is cut short. */
static bool next_head(struct block_reader *r)
{
	r->records = 0;
	r->at = 0;
	if (r->ended || r->head.flags & BLOCK_LAST)
		return false;
	return fread(&r->head, sizeof(r->head), 1, r->file) == 1 && is_possible(&r->head);
}

static bool next_block(struct block_reader *r)
{
	size_t size;

	if (!next_head(r) || fread(r->stored, r->head.stored, 1, r->file) != 1)
		return false;
	if (r->head.flags & BLOCK_PLAIN) {
		memcpy(r->coded, r->stored, r->head.stored);
		return true;
	}
	size = ZSTD_decompressDCtx(r->zstd, r->coded, sizeof(r->coded) - CODED_MAX, r->stored,
				   r->head.stored);
	return size == r->head.coded;
}

/* Its size, or what is no size. */
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

/* A record that is none ends the cell: what follows cannot be trusted. */
const struct record *block_reader__next(struct block_reader *r)
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
		r->ended = true;
		/* Nothing after this point is read as another cell. */
		fseek(r->file, 0, SEEK_END);
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
		r->ended = true;
		fseek(r->file, 0, SEEK_END);
		return false;
	}
	r->ended = true;
	return true;
}

void block_reader__free(struct block_reader *r)
{
	if (!r)
		return;
	coder__free(r->coder);
	ZSTD_freeDCtx(r->zstd);
	free(r);
}
