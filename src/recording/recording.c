/* SPDX-License-Identifier: BSD-2-Clause */
#include "recording/recording.h"

#include "model/slow_messages.h"
#include "recording/block.h"
#include "recording/header.h"
#include "recording/upgrade.h"
#include "util/atomic_file.h"
#include "util/log.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define MAGIC           "IPCTRACE"
#define MAGIC_LEN       8
#define HEADER_SIZE_MAX (1u << 20)

struct preamble {
	char magic[MAGIC_LEN];
	uint32_t version;
	uint32_t text_size; /* 0: an end mark */
};

/* What follows the last cell. */
struct end_mark {
	struct preamble preamble;
	uint32_t cells; /* before it */
	uint32_t check; /* CRC-32 of what stands before */
};

#define END_MARK_CHECKED offsetof(struct end_mark, check)

struct recording_writer {
	struct atomic_file *target;
	FILE *file; /* its stream */
	struct block_writer *blocks;
	char *path;
	uint32_t cells; /* that were begun */
	bool committed;
	int error;
};

/* What there is of the recording when it cannot be written on. */
static const char *what_is_left(const struct recording_writer *writer)
{
	switch (writer->target ? atomic_file__rest(writer->target) : REST_UNKNOWN) {
	case REST_NOTHING:
		return "; nothing was recorded";
	case REST_OLD:
		return "; nothing was recorded, and the old file is as it was";
	case REST_NEW:
		return "; what was written so far is readable";
	default:
		return "";
	}
}

static int writer_failed(struct recording_writer *writer, int error)
{
	if (!writer->error) {
		writer->error = -error;
		log_error("cannot write the recording: %s: %s: %s%s", writer->path, strerror(error),
			  file_place_remedy(error), what_is_left(writer));
	}
	return writer->error;
}

static void writer_free(struct recording_writer *writer)
{
	block_writer__free(writer->blocks);
	free(writer->path);
	free(writer);
}

struct recording_writer *recording__create(const char *path)
{
	struct recording_writer *writer = calloc(1, sizeof(*writer));
	char why[FILE_WHY_LEN] = "out of memory";

	if (!writer)
		return NULL;
	writer->path = strdup(path);
	writer->target = atomic_file__open(path, why);
	if (writer->target) {
		writer->file = atomic_file__stream(writer->target);
		writer->blocks = block_writer__new(writer->file);
	}
	if (!writer->blocks) {
		int err = errno;

		log_error("cannot create the recording: %s: %s", path, why);
		if (writer->target)
			atomic_file__close(writer->target, false);
		writer_free(writer);
		errno = err;
		return NULL;
	}
	setvbuf(writer->file, NULL, _IOFBF, 1 << 18);
	return writer;
}

static void put(struct recording_writer *writer, const void *bytes, size_t size, uint32_t *check)
{
	fwrite(bytes, size, 1, writer->file);
	*check = crc32(*check, bytes, size);
}

/* The header is flushed: a disk that is full already is found before anything runs. */
int recording__begin_run(struct recording_writer *writer, const struct run_info *info)
{
	static const char blanks[8] = "       ";
	char *text = recording_header_encode(info);
	struct preamble preamble = {.magic = MAGIC, .version = RECORDING_VERSION};
	uint32_t check = 0;
	size_t size;

	if (!text)
		return writer_failed(writer, ENOMEM);
	size = strlen(text);
	preamble.text_size = (size + 7) / 8 * 8;
	put(writer, &preamble, sizeof(preamble), &check);
	put(writer, text, size, &check);
	put(writer, blanks, preamble.text_size - size, &check);
	fwrite(&check, sizeof(check), 1, writer->file);
	free(text);
	block_writer__begin(writer->blocks, check);
	writer->cells++;
	return fflush(writer->file) || ferror(writer->file) ? writer_failed(writer, errno)
							    : writer->error;
}

/* With its first block the recording takes the place of the old one: before, it has nothing to
 * show.
 */
static int commit_first(struct recording_writer *writer)
{
	int err;

	if (writer->committed || !block_writer__has_written(writer->blocks))
		return 0;
	err = atomic_file__commit(writer->target);
	writer->committed = !err;
	return err;
}

int recording__write(struct recording_writer *writer, const struct record *record)
{
	int err = writer->error ? 0 : block_writer__add(writer->blocks, record);

	if (!err && !writer->error)
		err = commit_first(writer);
	return err ? writer_failed(writer, -err) : writer->error;
}

int recording__flush(struct recording_writer *writer)
{
	int err = writer->error ? 0 : block_writer__flush(writer->blocks, 0);

	if (!err && !writer->error)
		err = commit_first(writer);
	if (!err && !writer->error && fflush(writer->file))
		err = -errno;
	return err ? writer_failed(writer, -err) : writer->error;
}

static int write_kept(void *ctx, const struct record *record)
{
	return recording__write(ctx, record);
}

int recording__keep(struct recording_writer *writer, const struct message *message)
{
	int err = kept_message(message, write_kept, writer);

	return err && !writer->error ? writer_failed(writer, -err) : writer->error;
}

int recording__keep_summary(struct recording_writer *writer, const struct summary *summary)
{
	struct record_end end = {.head = {.type = RECORD_END, .words = RECORD_WORDS(end)}};
	int err = kept_summary(summary, write_kept, writer);

	memcpy(end.loss, summary->integrity.loss, sizeof(end.loss));
	if (!err)
		err = recording__write(writer, &end.head);
	return err && !writer->error ? writer_failed(writer, -err) : writer->error;
}

/* A cell without its end cannot be followed by anything. */
static void mark_end(struct recording_writer *writer)
{
	struct end_mark mark = {.preamble = {.magic = MAGIC, .version = RECORDING_VERSION},
				.cells = writer->cells};

	if (!block_writer__ended(writer->blocks))
		return;
	mark.check = crc32(0, (const void *)&mark, END_MARK_CHECKED);
	fwrite(&mark, sizeof(mark), 1, writer->file);
}

int recording__close(struct recording_writer *writer)
{
	struct atomic_file *target;
	int err;

	if (!writer)
		return 0;
	recording__flush(writer);
	if (!writer->error)
		mark_end(writer);
	target = writer->target;
	writer->target = NULL;
	err = atomic_file__close(target, !writer->error && writer->committed);
	if (err)
		writer_failed(writer, -err);
	err = writer->error;
	writer_free(writer);
	return err;
}

struct recording_reader {
	FILE *file;
	struct block_reader *blocks;
	char *path;
	unsigned int cells;        /* that were begun */
	unsigned int cells_marked; /* of these, at the last end mark */
	uint32_t version;          /* of the present cell */
	bool is_attach;            /* the present cell */
	bool is_cut;               /* or damaged: the rest of it is not read */
	bool counts; /* for recording_count_runs(): says nothing of what is cut or damaged */
};

struct recording_reader *recording__open(const char *path)
{
	struct recording_reader *reader = calloc(1, sizeof(*reader));

	if (!reader)
		return NULL;
	reader->path = strdup(path);
	reader->file = fopen(path, "re");
	if (reader->file)
		reader->blocks = block_reader__new(reader->file);
	if (!reader->blocks) {
		int err = errno;

		log_error("cannot open the recording: %s: %s", path, strerror(err));
		recording__free(reader);
		errno = err;
		return NULL;
	}
	setvbuf(reader->file, NULL, _IOFBF, 1 << 18);
	return reader;
}

static int refuse(const struct recording_reader *reader, const char *why)
{
	if (!reader->counts || !reader->cells)
		log_error("cannot read the recording: %s: %s", reader->path, why);
	return -EINVAL;
}

/* The cells before this point, or as much of the last as is whole, are what there is. */
static int break_off(struct recording_reader *reader, const char *where)
{
	if (!reader->counts)
		log_error("the recording is cut short or damaged: %s: %s run %u: what follows is "
			  "missing from the report; record it anew to have all of it",
			  reader->path, where, reader->cells);
	reader->is_cut = true;
	return 0;
}

/* 1, 0 or -errno, as recording__next_run(). */
static int read_header(struct recording_reader *reader, const struct preamble *preamble,
		       struct run_info *info)
{
	bool is_checked = preamble->version >= RECORDING_VERSION;
	uint32_t stored, check = crc32(0, (const void *)preamble, sizeof(*preamble));
	size_t size = preamble->text_size;
	char *text = malloc(size), why[256];
	int err;

	if (!text)
		return -ENOMEM;
	if (fread(text, size, 1, reader->file) != 1 ||
	    (is_checked && fread(&stored, sizeof(stored), 1, reader->file) != 1))
		err = reader->cells ? break_off(reader, "after")
				    : refuse(reader, "it ends inside of its header");
	else if (is_checked && stored != (check = crc32(check, (const void *)text, size)))
		err = refuse(reader, "its header is damaged");
	else if (recording_header_decode(text, size, info, why, sizeof(why)))
		err = refuse(reader, why);
	else
		err = 1;
	free(text);
	if (err == 1)
		block_reader__begin(reader->blocks, is_checked, check);
	return err;
}

static int check_version(const struct recording_reader *reader, uint32_t version)
{
	char why[160];

	if (version == RECORDING_VERSION || version == RECORDING_VERSION_KEPT ||
	    version == RECORDING_VERSION_EVENTS)
		return 0;
	snprintf(why, sizeof(why),
		 "its format is version %u, this program reads versions %u, %u and %u: %s", version,
		 RECORDING_VERSION_EVENTS, RECORDING_VERSION_KEPT, RECORDING_VERSION,
		 version > RECORDING_VERSION ? "use the ipctrace that wrote it, or a newer one"
					     : "use the ipctrace that wrote it, or record it anew");
	return refuse(reader, why);
}

static int check_preamble(const struct recording_reader *reader, const struct preamble *preamble)
{
	int err;

	if (memcmp(preamble->magic, MAGIC, MAGIC_LEN))
		return refuse(reader, reader->cells ? "what follows its last run is no part of it"
						    : "it is not an ipctrace recording");
	err = check_version(reader, preamble->version);
	if (!err && (preamble->text_size > HEADER_SIZE_MAX || !preamble->text_size))
		err = refuse(reader, "its header is damaged");
	return err;
}

static bool begins_end_mark(const struct recording_reader *reader, const struct preamble *preamble)
{
	return reader->cells && !memcmp(preamble->magic, MAGIC, MAGIC_LEN) &&
	       preamble->version == RECORDING_VERSION && !preamble->text_size;
}

/* The rest of it. False: it is not whole, or not of these cells. */
static bool read_end_mark(struct recording_reader *reader, const struct preamble *preamble)
{
	struct end_mark mark = {.preamble = *preamble};

	if (fread(&mark.cells, sizeof(mark) - sizeof(mark.preamble), 1, reader->file) != 1 ||
	    mark.check != crc32(0, (const void *)&mark, END_MARK_CHECKED) ||
	    mark.cells != reader->cells - reader->cells_marked)
		return false;
	reader->cells_marked = reader->cells;
	return true;
}

/* Nothing follows: as it should be, if the end is marked, or if it is of a time without marks. */
static int end_of_file(struct recording_reader *reader)
{
	bool has_marks = reader->cells && reader->version >= RECORDING_VERSION;

	return has_marks && reader->cells_marked != reader->cells ? break_off(reader, "after") : 0;
}

/* 1: there is another cell, or an end mark; 0 or -errno as recording__next_run(). */
static int read_preamble(struct recording_reader *reader, struct preamble *preamble)
{
	size_t size = fread(preamble, 1, sizeof(*preamble), reader->file);

	if (ferror(reader->file))
		return refuse(reader, strerror(errno));
	if (!size)
		return end_of_file(reader);
	if (size == sizeof(*preamble))
		return 1;
	return reader->cells ? break_off(reader, "after")
			     : refuse(reader, "it is not an ipctrace recording");
}

int recording__next_run(struct recording_reader *reader, struct run_info *info)
{
	struct preamble preamble;
	int more;

	if (reader->is_cut)
		return 0;
	if (!block_reader__skip(reader->blocks))
		return break_off(reader, "in");
	more = read_preamble(reader, &preamble);
	/* Recordings may be put one behind the other. */
	while (more > 0 && begins_end_mark(reader, &preamble)) {
		if (!read_end_mark(reader, &preamble))
			return break_off(reader, "after");
		more = read_preamble(reader, &preamble);
	}
	if (more > 0)
		more = check_preamble(reader, &preamble) ?: read_header(reader, &preamble, info);
	if (more <= 0)
		return more;
	reader->cells++;
	reader->version = preamble.version;
	reader->is_attach = info->mode == MODE_ATTACH;
	return 1;
}

const struct record *recording__read(struct recording_reader *reader)
{
	struct record *record = block_reader__next(reader->blocks);

	if (record && reader->version < RECORDING_VERSION)
		record_upgrade(record, reader->is_attach);
	return record;
}

bool recording__is_whole(const struct recording_reader *reader)
{
	return !reader->is_cut;
}

void recording__free(struct recording_reader *reader)
{
	if (!reader)
		return;
	block_reader__free(reader->blocks);
	if (reader->file)
		fclose(reader->file);
	free(reader->path);
	free(reader);
}

int recording_count_runs(const char *path)
{
	struct recording_reader *reader = recording__open(path);
	struct run_info info;
	int cells, more;

	if (!reader)
		return -errno;
	reader->counts = true;
	while ((more = recording__next_run(reader, &info)) > 0)
		;
	cells = reader->cells;
	if (!more && !cells)
		more = refuse(reader, "it is empty");
	recording__free(reader);
	return cells ? cells : more;
}
