/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes a recording of a made-up run and captures the output of the report. */
#include "support/recorded_run.h"

#include "support/json_report.h"

#include "support/sample.h"
#include "support/window_file.h"

#include "cli/options.h"
#include "command/commands.h"
#include "recording/recording.h"
#include "report/format.h"

#include <linux/sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * A message whose receiver sleeps until it is woken, waits for its CPU, and receives the message.
 */
static void put_message(struct tape *tape, uint64_t round, uint64_t stamp_ns)
{
	put_send(tape, SERVER, CHANNEL, round, stamp_ns + 1000, stamp_ns + 3000);
	put_slice(tape, make_task(0, round, SERVER, stamp_ns + 9000));
	put_receive(tape, CLIENT, CHANNEL, round, stamp_ns - 5000, stamp_ns + 12000, 4 * round,
		    CHANGES(SLEEP(stamp_ns - 4000, 0), WAKE(stamp_ns + 4000, 0),
			    SWITCH(stamp_ns + 9000, 0), RUN(stamp_ns + 10000, 0)));
}

void fill_tape(struct tape *tape, bool traced)
{
	struct record_name name = make_name(SLICE_TASK, SERVER, 0, "ipctrace-server");

	name.policy = SCHED_RR;
	name.priority = 0; /* the kernel's number of RR 99 */
	put_role(tape, SERVER, ROLE_SERVER, 0);
	put_role(tape, CLIENT, ROLE_CLIENT, 1);
	if (traced)
		tape_add(tape, &name);
	for (uint64_t round = 0; round < WARMUP + ROUNDS; round++) {
		uint64_t stamp_ns = 1000000000 + round * ROUND_NS;

		put_tick(tape, round, stamp_ns, 1);
		if (traced)
			put_message(tape, round, stamp_ns);
		put_stamp(tape, 1, round, stamp_ns,
			  stamp_ns + (round < WARMUP + SLOW_ROUNDS ? 13500 : 12500));
	}
	put_watermark(tape, UINT64_MAX);
	put_end(tape);
}

static struct run_info info_of_tape(void)
{
	struct run_info info = sample_info(1);

	info.workload.messages = ROUNDS;
	info.workload.warmup = WARMUP;
	return info;
}

void write_bytes(const struct file *file, const void *bytes, size_t size)
{
	FILE *out = fopen(file->path, "we");

	assert_non_null(out);
	assert_int_equal(fwrite(bytes, 1, size, out), size);
	assert_int_equal(fclose(out), 0);
}

static void write_runs(struct file *file, const struct tape *tape, int runs, bool traced)
{
	struct recording_writer *writer = recording__create(file->path);
	struct run_info info = info_of_tape();
	FILE *in;

	assert_non_null(writer);
	info.traced = info.shows_switch = traced;
	for (int run = 0; run < runs; run++) {
		assert_int_equal(recording__begin_run(writer, &info), 0);
		for (size_t i = 0; i < tape->cnt; i++)
			assert_int_equal(recording__write(writer, tape->record[i]), 0);
	}
	assert_int_equal(recording__close(writer), 0);
	in = fopen(file->path, "re");
	assert_non_null(in);
	file->size = fread(file->bytes, 1, FILE_MAX, in);
	fclose(in);
	file->run_size = (file->size - END_MARK) / runs;
}

static void find_header(struct file *file)
{
	uint32_t text_size;

	memcpy(&text_size, file->bytes + 12, sizeof(text_size));
	file->header_size = PREAMBLE + text_size + CHECK;
}

static void drop(void *made)
{
	struct file *file = made;

	unlink(file->path);
	free(file);
}

struct file *file_of(const struct tape *tape, int runs, bool traced)
{
	struct file *file = drop_after(calloc(1, sizeof(*file)), drop);
	int fd;

	strcpy(file->path, "/tmp/ipctrace-test-XXXXXX");
	fd = mkstemp(file->path);
	assert_true(fd >= 0);
	close(fd);
	write_runs(file, tape, runs, traced);
	find_header(file);
	return file;
}

struct file *file_new(int runs)
{
	struct tape tape = {0};
	struct file *file;

	fill_tape(&tape, true);
	file = file_of(&tape, runs, true);
	tape_free(&tape);
	return file;
}

struct file *slow_file_new(void)
{
	struct run_info info = info_of_tape();
	struct file *file = file_new(1);
	struct tape tape = {0};
	FILE *in;

	fill_tape(&tape, true);
	info.keeps_slower_ns = SLOW_NS;
	assert_int_equal(window_file_write(file->path, &info, &tape, SLOW_CONDITION, KEEP_NS),
			 ROUNDS);
	tape_free(&tape);
	in = fopen(file->path, "re");
	assert_non_null(in);
	file->size = fread(file->bytes, 1, FILE_MAX, in);
	file->run_size = file->size - END_MARK;
	fclose(in);
	find_header(file);
	return file;
}

void report_with(struct said *said, const struct report_options *options)
{
	capture_begin(&said->out, STDOUT_FILENO);
	capture_begin(&said->err, STDERR_FILENO);
	said->status = report_run(options);
	capture_end(&said->err);
	capture_end(&said->out);
}

void report_to(struct said *said, const char *path, const char *format, const char *output)
{
	const struct report_options options = {
		.output = {.format = report_format_find(format), .path = output}, .path = path};

	report_with(said, &options);
}

void report_file(struct said *said, const struct file *file, const char *format)
{
	report_to(said, file->path, format, NULL);
}

json_t *parse_report(const struct said *said)
{
	json_error_t error;
	json_t *json = json_loads(said->out.text, 0, &error);

	if (!json)
		fail_msg("%s in:\n%.500s", error.text, said->out.text);
	return json_of_test(json);
}
