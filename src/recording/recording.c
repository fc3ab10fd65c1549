/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes and reads runs one after another. A damaged file is read up to the damage. */
#include "recording/recording.h"

#include "model/kept_summary.h"
#include "recording/block.h"
#include "recording/header.h"
#include "recording/spool.h"
#include "recording/plausible.h"
#include "util/atomic_file.h"
#include "util/log.h"
#include "util/rights.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define HEADER_SIZE_MAX (1u << 20)

struct preamble {
	char magic[RECORDING_MAGIC_LEN];
	uint32_t version;
	uint32_t text_size; /* 0: an end mark */
};

/* Follows the last run. */
struct end_mark {
	struct preamble preamble;
	uint32_t runs;  /* before it, since the last end mark */
	uint32_t check; /* CRC-32 of the fields above */
};

#define END_MARK_CHECKED offsetof(struct end_mark, check)

#define NO_RECORDING     "it is not an ipctrace recording: name a file that --record has made"

struct recording_writer {
	struct atomic_file *target;
	FILE *file; /* its stream */
	struct block_writer *blocks;
	char *title;   /* for errors: its path */
	uint32_t runs; /* that began */
	bool committed;
	int error;
};

/* What of the recording remains after an error. */
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
		log_error("cannot write the recording: '%s': %s: %s%s", writer->title,
			  strerror(error), file_place_remedy(error), what_is_left(writer));
	}
	return writer->error;
}

static void writer_free(struct recording_writer *writer)
{
	block_writer__free(writer->blocks);
	free(writer->title);
	free(writer);
}

struct recording_writer *recording__create(const char *path)
{
	return recording__create_titled(path, path);
}

struct recording_writer *recording__create_titled(const char *path, const char *title)
{
	struct recording_writer *writer = calloc(1, sizeof(*writer));
	char why[FILE_WHY_LEN] = "out of memory";

	if (!writer)
		return NULL;
	writer->title = strdup(title);
	writer->target = atomic_file__open(path, why);
	if (writer->target) {
		writer->file = atomic_file__stream(writer->target);
		writer->blocks = block_writer__new(writer->file);
	}
	if (!writer->blocks) {
		int err = errno;

		log_error("cannot create the recording: '%s': %s", title, why);
		if (writer->target)
			atomic_file__close(writer->target, false);
		writer_free(writer);
		errno = err;
		return NULL;
	}
	setvbuf(writer->file, NULL, _IOFBF, 1 << 18);
	return writer;
}

static void recording_put(struct recording_writer *writer, const void *bytes, size_t size,
			  uint32_t *check)
{
	fwrite(bytes, size, 1, writer->file);
	*check = crc32(*check, bytes, size);
}

/* Flushes the header, so that a full disk is detected before the run begins. */
int recording__begin_run(struct recording_writer *writer, const struct run_info *info)
{
	static const char blanks[8] = "       ";
	char *text = recording_header_encode(info);
	struct preamble preamble = {.magic = RECORDING_MAGIC, .version = RECORDING_VERSION};
	uint32_t check = 0;
	size_t size;

	if (!text)
		return writer_failed(writer, ENOMEM);
	size = strlen(text);
	preamble.text_size = (size + 7) / 8 * 8;
	recording_put(writer, &preamble, sizeof(preamble), &check);
	recording_put(writer, text, size, &check);
	recording_put(writer, blanks, preamble.text_size - size, &check);
	fwrite(&check, sizeof(check), 1, writer->file);
	free(text);
	block_writer__begin(writer->blocks, check);
	writer->runs++;
	return fflush(writer->file) || ferror(writer->file) ? writer_failed(writer, errno)
							    : writer->error;
}

/* An old file is replaced as soon as the new one has a block that a report can show. */
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
	int err;

	if (writer->error)
		return writer->error;
	err = block_writer__add(writer->blocks, record) ?: commit_first(writer);
	return err ? writer_failed(writer, -err) : 0;
}

/* Ends the current block and writes it to the file. */
static void recording__flush(struct recording_writer *writer)
{
	int err = block_writer__flush(writer->blocks, 0) ?: commit_first(writer);

	if (!err && fflush(writer->file))
		err = -errno;
	if (err)
		writer_failed(writer, -err);
}

static int recording_write_record(void *ctx, const struct record *record)
{
	return recording__write(ctx, record);
}

int recording__keep_summary(struct recording_writer *writer, const struct summary *summary)
{
	struct record_end end = {.head = {.type = RECORD_END, .words = RECORD_WORDS(end)}};
	int err = kept_summary_write(summary, recording_write_record, writer);

	memcpy(end.loss, summary->integrity.loss, sizeof(end.loss));
	if (!err)
		err = recording__write(writer, &end.head);
	return err && !writer->error ? writer_failed(writer, -err) : writer->error;
}

/* Nothing may follow a run without its END record. */
static void mark_end(struct recording_writer *writer)
{
	struct end_mark mark = {
		.preamble = {.magic = RECORDING_MAGIC, .version = RECORDING_VERSION},
		.runs = writer->runs};

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
	if (!writer->error)
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
	unsigned int runs;           /* that began */
	unsigned int runs_marked;    /* runs before the last end mark */
	uint64_t run_at;             /* where the current run starts */
	uint32_t version;            /* of the current run */
	bool is_attach;              /* the current run is an attach */
	struct plausible *plausible; /* of the current run */
	bool is_cut;                 /* the file is cut or damaged: the rest is not read */
	bool is_quiet;               /* does not log damage */
};

struct recording_reader *recording__open(const char *path)
{
	struct recording_reader *reader = calloc(1, sizeof(*reader));
	const char *remedy;
	bool was_used;

	if (!reader)
		return NULL;
	reader->path = strdup(path);
	was_used = rights_lower();
	reader->file = spool_open(path, &remedy);
	rights_restore(was_used);
	if (reader->file)
		reader->blocks = block_reader__new(reader->file);
	if (!reader->blocks) {
		int err = errno;

		log_error("cannot open the recording: '%s': %s%s%s", path, strerror(err),
			  err == ENOMEM ? "" : ": ", err == ENOMEM ? "" : remedy);
		recording__free(reader);
		errno = err;
		return NULL;
	}
	setvbuf(reader->file, NULL, _IOFBF, 1 << 18);
	return reader;
}

static int recording_refuse(const struct recording_reader *reader, const char *why)
{
	if (!reader->is_quiet || !reader->runs)
		log_error("cannot read the recording: '%s': %s", reader->path, why);
	return -EINVAL;
}

/* The report shows what was read up to here. */
static int break_off(struct recording_reader *reader, const char *where)
{
	if (!reader->is_quiet)
		log_error(
			"the recording is cut short or damaged: '%s': %s run %u: the report lacks "
			"what follows: record it anew to have all of it",
			reader->path, where, reader->runs);
	reader->is_cut = true;
	return 0;
}

/* Returns 1, 0 or -errno as recording__next_run() does. */
static int read_header(struct recording_reader *reader, const struct preamble *preamble,
		       struct run_info *info)
{
	bool is_checked = preamble->version >= RECORDING_VERSION_CHECKED;
	uint32_t stored, check = crc32(0, (const void *)preamble, sizeof(*preamble));
	size_t size = preamble->text_size;
	char *text = malloc(size), why[256];
	int err;

	if (!text)
		return -ENOMEM;
	if (fread(text, size, 1, reader->file) != 1 ||
	    (is_checked && fread(&stored, sizeof(stored), 1, reader->file) != 1))
		err = reader->runs ? break_off(reader, "after")
				   : recording_refuse(reader,
						      "it ends within its header: record it anew");
	else if (is_checked && stored != (check = crc32(check, (const void *)text, size)))
		err = recording_refuse(reader, "its header is damaged: record it anew");
	else if (recording_header_decode(text, size, info, why, sizeof(why)))
		err = recording_refuse(reader, why);
	else
		err = 1;
	free(text);
	if (err == 1)
		block_reader__begin(reader->blocks, is_checked, check);
	return err;
}

static bool is_read(uint32_t version)
{
	return version >= RECORDING_VERSION_OLDEST && version <= RECORDING_VERSION &&
	       version != RECORDING_VERSION_NEVER && version != RECORDING_VERSION_SKIPPED;
}

static int check_version(const struct recording_reader *reader, uint32_t version)
{
	const char *remedy = version > RECORDING_VERSION
				     ? "use the ipctrace that wrote it, or a newer one"
				     : "use the ipctrace that wrote it, or record it anew";
	char why[256], list[128] = "";
	size_t at = 0;

	if (is_read(version))
		return 0;
	for (uint32_t i = RECORDING_VERSION_OLDEST; i < RECORDING_VERSION; i++) {
		if (is_read(i) && at < sizeof(list))
			at += snprintf(list + at, sizeof(list) - at, "%s%u", at ? ", " : "", i);
	}
	snprintf(why, sizeof(why),
		 "its format is version %u, this program reads versions %s and %u: %s", version,
		 list, RECORDING_VERSION, remedy);
	return recording_refuse(reader, why);
}

static int check_preamble(const struct recording_reader *reader, const struct preamble *preamble)
{
	int err;

	if (memcmp(preamble->magic, RECORDING_MAGIC, RECORDING_MAGIC_LEN))
		return recording_refuse(
			reader, reader->runs ? "other data follows its last run: record it anew"
					     : NO_RECORDING);
	err = check_version(reader, preamble->version);
	if (!err && (preamble->text_size > HEADER_SIZE_MAX || !preamble->text_size))
		err = recording_refuse(reader, "its header is damaged: record it anew");
	return err;
}

/* 1, or -EINVAL. */
static int check_kept(const struct recording_reader *reader, uint32_t version,
		      const struct run_info *info)
{
	char why[200];

	if (!info->keeps_slower_ns || version >= RECORDING_VERSION_WINDOWS)
		return 1;
	snprintf(why, sizeof(why),
		 "it was made with --slower-than, and in version %u such recordings have no "
		 "records: use the ipctrace %s that wrote it, or record it anew",
		 version, info->version);
	return recording_refuse(reader, why);
}

static bool begins_end_mark(const struct recording_reader *reader, const struct preamble *preamble)
{
	return reader->runs && !memcmp(preamble->magic, RECORDING_MAGIC, RECORDING_MAGIC_LEN) &&
	       preamble->version >= RECORDING_VERSION_CHECKED &&
	       preamble->version <= RECORDING_VERSION && !preamble->text_size;
}

/* Reads the rest of an end mark. False: it is cut, damaged, or of other runs. */
static bool read_end_mark(struct recording_reader *reader, const struct preamble *preamble)
{
	struct end_mark mark = {.preamble = *preamble};

	if (fread(&mark.runs, sizeof(mark) - sizeof(mark.preamble), 1, reader->file) != 1 ||
	    mark.check != crc32(0, (const void *)&mark, END_MARK_CHECKED) ||
	    mark.runs != reader->runs - reader->runs_marked)
		return false;
	reader->runs_marked = reader->runs;
	return true;
}

/* The file must end with an end mark, unless its version has none. */
static int end_of_file(struct recording_reader *reader)
{
	bool has_marks = reader->runs && reader->version >= RECORDING_VERSION_CHECKED;

	return has_marks && reader->runs_marked != reader->runs ? break_off(reader, "after") : 0;
}

/* Returns 1 for another run or an end mark, else 0 or -errno as recording__next_run() does. */
static int read_preamble(struct recording_reader *reader, struct preamble *preamble)
{
	size_t size;

	reader->run_at = ftello(reader->file);
	size = fread(preamble, 1, sizeof(*preamble), reader->file);
	if (ferror(reader->file))
		return recording_refuse(reader, strerror(errno));
	if (!size)
		return end_of_file(reader);
	if (size == sizeof(*preamble))
		return 1;
	return reader->runs ? break_off(reader, "after") : recording_refuse(reader, NO_RECORDING);
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
	/* Concatenated recordings are valid: a run may follow an end mark. */
	while (more > 0 && begins_end_mark(reader, &preamble)) {
		if (!read_end_mark(reader, &preamble))
			return break_off(reader, "after");
		more = read_preamble(reader, &preamble);
	}
	if (more > 0)
		more = check_preamble(reader, &preamble) ?: read_header(reader, &preamble, info);
	if (more > 0)
		more = check_kept(reader, preamble.version, info);
	if (more <= 0)
		return more;
	reader->runs++;
	reader->version = preamble.version;
	reader->is_attach = info->mode == MODE_ATTACH;
	plausible__free(reader->plausible);
	reader->plausible = plausible__new(info);
	return reader->plausible ? 1 : -ENOMEM;
}

uint64_t recording__run_at(const struct recording_reader *reader)
{
	return reader->run_at;
}

struct recording_reader *recording__open_at(const char *path, uint64_t run_at)
{
	struct recording_reader *reader = recording__open(path);
	struct run_info info;

	if (!reader)
		return NULL;
	reader->is_quiet = true;
	if (!fseeko(reader->file, (off_t)run_at, SEEK_SET) &&
	    recording__next_run(reader, &info) > 0)
		return reader;
	recording__free(reader);
	errno = EIO;
	return NULL;
}

/* Where the flags were before version 6. */
#define UNWATCHED_IN_CPU      (1u << 15)
#define AMBIGUOUS_IN_POSITION (1ULL << 63)
#define LATE_IN_BYTES         (1u << 31)
#define AMBIGUOUS_IN_BYTES    (1u << 30)

static void upgrade_send(struct record_send *send)
{
	if (send->head.cpu & UNWATCHED_IN_CPU)
		send->head.flags |= SEND_UNWATCHED;
	send->head.cpu &= ~UNWATCHED_IN_CPU;
	if (send->channel == CHANNEL_UNKNOWN)
		return;
	if (send->position & AMBIGUOUS_IN_POSITION)
		send->head.flags |= SEND_AMBIGUOUS;
	send->position &= ~AMBIGUOUS_IN_POSITION;
}

static void upgrade_receive(struct record_receive *receive)
{
	if (receive->channel == CHANNEL_UNKNOWN)
		return;
	if (receive->bytes & LATE_IN_BYTES)
		receive->head.flags |= RECEIVE_LATE;
	if (receive->bytes & AMBIGUOUS_IN_BYTES)
		receive->head.flags |= RECEIVE_AMBIGUOUS;
	receive->bytes &= ~(LATE_IN_BYTES | AMBIGUOUS_IN_BYTES);
}

void record_upgrade(struct record *record, bool is_attach)
{
	record->flags = 0;
	if (is_attach && record->type == RECORD_SEND)
		upgrade_send((struct record_send *)record);
	else if (is_attach && record->type == RECORD_RECEIVE)
		upgrade_receive((struct record_receive *)record);
}

const struct record *recording__read(struct recording_reader *reader)
{
	struct record *record = block_reader__next(reader->blocks);

	if (record && reader->version < RECORDING_VERSION_CHECKED)
		record_upgrade(record, reader->is_attach);
	if (!record || plausible__record(reader->plausible, record))
		return record;
	block_reader__refuse(reader->blocks);
	return NULL;
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
	plausible__free(reader->plausible);
	if (reader->file)
		fclose(reader->file);
	free(reader->path);
	free(reader);
}

int recording_count_runs(const char *path)
{
	struct recording_reader *reader = recording__open(path);
	struct run_info info;
	int runs, more;

	if (!reader)
		return -errno;
	reader->is_quiet = true;
	while ((more = recording__next_run(reader, &info)) > 0)
		;
	runs = reader->runs;
	if (!more && !runs)
		more = recording_refuse(reader, "it is empty: record it anew");
	recording__free(reader);
	return runs ? runs : more;
}
