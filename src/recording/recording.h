/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Recordings: the records of one or more cells in a file, with everything that a report needs.
 *
 *	magic  "IPCTRACE"  8 bytes
 *	version             4 bytes, little endian
 *	length of the text  4 bytes
 *	text                JSON: host, command line, workload, clock, record layouts;
 *			    padded with blanks to a multiple of eight
 *	check               4 bytes
 *	blocks              records, coded and compressed, up to the END record: docs/recording.md
 *
 * A sweep is one such cell after the other. An end mark follows the last one. A file that was cut
 * short is readable up to its last whole block; one ends at every watermark.
 */
#ifndef IPCTRACE_RECORDING_RECORDING_H
#define IPCTRACE_RECORDING_RECORDING_H

#include "bpf/record.h"
#include "model/summary.h"

#include <stdbool.h>

#define RECORDING_VERSION 6

/* Are read, too: events, and what --slower-than keeps. They have neither checks nor an end mark. */
#define RECORDING_VERSION_EVENTS 3
#define RECORDING_VERSION_KEPT   5

struct recording_writer;

/*
 * Creates `path`, or replaces it as soon as the first block is written: see atomic_file.h. NULL and
 * errno on failure (logged).
 */
struct recording_writer *recording__create(const char *path);

/* Begins a cell. 0 or -errno (logged). */
int recording__begin_run(struct recording_writer *writer, const struct run_info *info);

/* Appends a record. The first error is logged, later calls return it again. */
int recording__write(struct recording_writer *writer, const struct record *record);

/* Writes out what has gathered, as the end of a block. As recording__write(). */
int recording__flush(struct recording_writer *writer);

/* In place of records, if the cell's keeps_slower_ns says so; the summary ends the cell. */
int recording__keep(struct recording_writer *writer, const struct message *message);
int recording__keep_summary(struct recording_writer *writer, const struct summary *summary);

/*
 * Flushes, marks the end if all cells are whole, and closes; the first error of all. Without a
 * block no file is left. NULL allowed.
 */
int recording__close(struct recording_writer *writer);

struct recording_reader;

/* NULL and errno on failure (logged): not a recording, a newer version, no such file. */
struct recording_reader *recording__open(const char *path);

/*
 * The next cell's header: 1, 0 at the end of the file, -errno (logged). Skips unread records. If
 * the file ends before it should, or is damaged, that is logged.
 */
int recording__next_run(struct recording_reader *reader, struct run_info *info);

/*
 * The cell's next record, valid until the next call. NULL at the end of the cell: after its END
 * record, or where the file was cut short.
 */
const struct record *recording__read(struct recording_reader *reader);

/*
 * After recording__next_run() has found no other: whether the file was read to its proper end. If
 * not, something is missing behind what has been read.
 */
bool recording__is_whole(const struct recording_reader *reader);

/* NULL allowed. */
void recording__free(struct recording_reader *reader);

/*
 * How many cells can be read, at least 1; -errno if there is none (logged). What is cut short or
 * damaged later on is said when it is read there.
 */
int recording_count_runs(const char *path);

#endif
