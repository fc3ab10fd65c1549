/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes and reads recordings. A recording is a file with the records of one or more runs, and
 * with everything else that a report needs:
 *
 *	magic  "IPCTRACE"  8 bytes
 *	version             4 bytes, little endian
 *	length of the text  4 bytes
 *	text                JSON: host, command line, workload, clock, record layouts;
 *			    padded with blanks to a multiple of eight
 *	check               4 bytes
 *	blocks              records, coded and compressed, up to the END record: docs/recording.md
 *
 * Each run in the file has all of these parts, and an end mark follows the last run. The writer
 * ends a block every half second or more often. A file that is cut short therefore loses only its
 * last moments.
 */
#pragma once

#include "bpf/record.h"
#include "model/summary.h"

#include <stdbool.h>

#define RECORDING_VERSION 17

/* These are read, too: from OLDEST on, but NEVER is not. */
#define RECORDING_VERSION_OLDEST 3
#define RECORDING_VERSION_NEVER  4

/* One flipped bit turns 7 into 3, 5 or 6, and 3 and 5 have no check: there is no such version. */
#define RECORDING_VERSION_SKIPPED 7

/* Checks, end marks and flags begin with this one. */
#define RECORDING_VERSION_CHECKED 6

/* Before this one, a recording with --slower-than had messages instead of records. */
#define RECORDING_VERSION_WINDOWS 12

struct recording_writer;

/*
 * Creates `path`, or replaces it when the first block is written: see atomic_file.h. NULL and errno
 * on failure (logged).
 */
struct recording_writer *recording__create(const char *path);

/* The same for a file whose errors are logged under another name than its path. */
struct recording_writer *recording__create_titled(const char *path, const char *title);

/* Begins a run. 0 or -errno (logged). */
int recording__begin_run(struct recording_writer *writer, const struct run_info *info);

/* Appends a record. 0 or -errno. The first error is logged, and all later calls return it. */
int recording__write(struct recording_writer *writer, const struct record *record);

/* Ends a run of which only windows were written: with the statistics of all and an END record. */
int recording__keep_summary(struct recording_writer *writer, const struct summary *summary);

/*
 * Flushes, writes the end mark if all runs are complete, and closes. Returns the first error of
 * all. A file without a block is removed. NULL allowed.
 */
int recording__close(struct recording_writer *writer);

/*
 * Converts a record of a version before 6 in place. There the flags of an attach were in unused
 * bits of `cpu`, `position` and `bytes`. A length of 1 GiB or more cannot be distinguished from
 * these flags.
 */
void record_upgrade(struct record *record, bool is_attach);

struct recording_reader;

/*
 * `path` - is standard input. A pipe is copied first, see spool.h. NULL and errno on failure
 * (logged).
 */
struct recording_reader *recording__open(const char *path);

/*
 * Opens the file once more, behind the header of the run that starts at `run_at`, see
 * recording__run_at(): a file may have very many runs. Damage is not logged, as the other reader
 * does that. NULL and errno on failure.
 */
struct recording_reader *recording__open_at(const char *path, uint64_t run_at);

/*
 * Skips unread records and reads the header of the next run. Returns 1, 0 at the end of the file,
 * or -errno (logged). A file that is damaged or cut short ends there, which is logged.
 */
int recording__next_run(struct recording_reader *reader, struct run_info *info);

/* Where the current run starts in the file. */
uint64_t recording__run_at(const struct recording_reader *reader);

/*
 * The next record of the run, valid until the next call. NULL: the END record was read, or the file
 * is damaged or cut short.
 */
const struct record *recording__read(struct recording_reader *reader);

/*
 * After recording__next_run() has returned 0: whether the file was read to its end mark. If not,
 * the rest is missing.
 */
bool recording__is_whole(const struct recording_reader *reader);

/* NULL allowed. */
void recording__free(struct recording_reader *reader);

/*
 * How many runs can be read: at least 1, or -errno (logged). Damage after the first run is not
 * logged here.
 */
int recording_count_runs(const char *path);
