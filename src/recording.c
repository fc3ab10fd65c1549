/* SPDX-License-Identifier: BSD-2-Clause */
#include "recording.h"

#include "core/kept.h"
#include "log.h"
#include "recording_block.h"
#include "recording_header.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC           "IPCTRACE"
#define MAGIC_LEN       8
#define HEADER_SIZE_MAX (1u << 20)

struct preamble {
	char magic[MAGIC_LEN];
	uint32_t version;
	uint32_t text_size;
};

struct recording_writer {
	FILE *file;
	struct block_writer *blocks;
	char *path;
	int error;
};

static int writer_failed(struct recording_writer *writer, int error)
{
	if (!writer->error) {
		writer->error = -error;
		log_error("cannot write the recording: %s: %s: choose another place; what was "
			  "written so "
			  "far is readable",
			  writer->path, strerror(error));
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

	if (!writer)
		return NULL;
	writer->path = strdup(path);
	writer->file = fopen(path, "we");
	if (writer->file)
		writer->blocks = block_writer__new(writer->file);
	if (!writer->blocks) {
		int err = errno;

		log_error("cannot create the recording: %s: %s", path, strerror(err));
		if (writer->file)
			fclose(writer->file);
		writer_free(writer);
		errno = err;
		return NULL;
	}
	setvbuf(writer->file, NULL, _IOFBF, 1 << 18);
	return writer;
}

/* The header is flushed: a disk that is full already is found before anything runs. */
int recording__cell(struct recording_writer *writer, const struct run_info *info)
{
	static const char blanks[8] = "       ";
	char *text = recording_header_encode(info);
	struct preamble preamble = {.magic = MAGIC,
				    .version = info->keeps_slower_ns ? RECORDING_VERSION_KEPT
								     : RECORDING_VERSION};
	size_t size;

	if (!text)
		return writer_failed(writer, ENOMEM);
	size = strlen(text);
	preamble.text_size = (size + 7) / 8 * 8;
	block_writer__begin(writer->blocks);
	fwrite(&preamble, sizeof(preamble), 1, writer->file);
	fwrite(text, size, 1, writer->file);
	fwrite(blanks, preamble.text_size - size, 1, writer->file);
	free(text);
	return fflush(writer->file) || ferror(writer->file) ? writer_failed(writer, errno)
							    : writer->error;
}

int recording__write(struct recording_writer *writer, const struct record *record)
{
	int err = writer->error ? 0 : block_writer__add(writer->blocks, record);

	return err ? writer_failed(writer, -err) : writer->error;
}

int recording__flush(struct recording_writer *writer)
{
	int err = writer->error ? 0 : block_writer__flush(writer->blocks, 0);

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

int recording__close(struct recording_writer *writer)
{
	int err;

	if (!writer)
		return 0;
	err = writer->error ? 0 : block_writer__flush(writer->blocks, 0);
	if (err)
		writer_failed(writer, -err);
	if (fclose(writer->file))
		writer_failed(writer, errno);
	err = writer->error;
	writer_free(writer);
	return err;
}

struct recording_reader {
	FILE *file;
	struct block_reader *blocks;
	char *path;
	unsigned int cells; /* that were begun */
	bool counts; /* for recording_count_cells(): says nothing of what is cut or damaged */
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

/* A later cell's header is cut short: the cells before it are what there is. */
static void break_off(const struct recording_reader *reader)
{
	if (!reader->counts)
		log_warning("the recording breaks off: %s: after %u run%s", reader->path,
			    reader->cells, reader->cells == 1 ? "" : "s");
}

/* 0 or -errno; 1: it is cut short. */
static int read_header(struct recording_reader *reader, uint32_t size, struct run_info *info)
{
	char why[256];
	char *text = malloc(size + 1);
	int err = 0;

	if (!text)
		return -ENOMEM;
	if (fread(text, size, 1, reader->file) != 1) {
		if (reader->cells)
			break_off(reader);
		err = reader->cells ? 1 : refuse(reader, "it ends inside of its header");
	} else if (recording_header_decode(text, size, info, why, sizeof(why))) {
		err = refuse(reader, why);
	}
	free(text);
	return err;
}

int recording__next_cell(struct recording_reader *reader, struct run_info *info)
{
	struct preamble preamble;
	char why[128];
	size_t size;
	int err;

	block_reader__skip(reader->blocks);
	size = fread(&preamble, 1, sizeof(preamble), reader->file);
	if (ferror(reader->file))
		return refuse(reader, strerror(errno));
	if (!size)
		return 0;
	if (size != sizeof(preamble) && reader->cells) {
		break_off(reader);
		return 0;
	}
	if (size != sizeof(preamble) || memcmp(preamble.magic, MAGIC, MAGIC_LEN))
		return refuse(reader, "it is not an ipctrace recording");
	if (preamble.version != RECORDING_VERSION && preamble.version != RECORDING_VERSION_KEPT) {
		snprintf(why, sizeof(why),
			 "its format is version %u, this program reads versions %u and %u: %s",
			 preamble.version, RECORDING_VERSION, RECORDING_VERSION_KEPT,
			 preamble.version > RECORDING_VERSION_KEPT
				 ? "use the ipctrace that wrote it, or a newer one"
				 : "use the ipctrace that wrote it, or record it anew");
		return refuse(reader, why);
	}
	if (!preamble.text_size || preamble.text_size > HEADER_SIZE_MAX)
		return refuse(reader, "its header is damaged");
	err = read_header(reader, preamble.text_size, info);
	if (err)
		return err < 0 ? err : 0;
	reader->cells++;
	block_reader__begin(reader->blocks);
	return 1;
}

const struct record *recording__read(struct recording_reader *reader)
{
	return block_reader__next(reader->blocks);
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

int recording_count_cells(const char *path)
{
	struct recording_reader *reader = recording__open(path);
	struct run_info info;
	int cells, more;

	if (!reader)
		return -errno;
	reader->counts = true;
	while ((more = recording__next_cell(reader, &info)) > 0)
		;
	cells = reader->cells;
	if (!more && !cells)
		more = refuse(reader, "it is empty");
	recording__free(reader);
	return cells ? cells : more;
}
