/* SPDX-License-Identifier: BSD-2-Clause */
/* `ipctrace report FILE`: from a file to a report, whatever state the file is in. */
#include "support/build.h"
#include "support/capture.h"
#include "support/page.h"
#include "support/sample.h"

#include "cli/options.h"
#include "command/report.h"
#include "model/record_decode.h"
#include "recording/recording.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SERVER   41
#define CLIENT   42
#define CHANNEL  7
#define WARMUP   10
#define ROUNDS   20
#define ROUND_NS 10000000ULL
#define PREAMBLE 16
#define CHECK    4
#define END_MARK 24
#define FILE_MAX (64 * 1024)

/* So many rounds are slower than that. */
#define SLOW_ROUNDS 3
#define SLOW_NS     13000

/* A message whose receiver sleeps until it is woken, waits for its CPU, and takes the message. */
static void put_message(struct tape *tape, uint64_t round, uint64_t stamp_ns)
{
	put_send(tape, SERVER, CHANNEL, round, stamp_ns + 1000, stamp_ns + 3000);
	put_slice(tape, make_task(0, round, SERVER, stamp_ns + 9000));
	put_receive(tape, CLIENT, CHANNEL, round, stamp_ns - 5000, stamp_ns + 12000, 4 * round,
		    CHANGES(SLEEP(stamp_ns - 4000, 0), WAKE(stamp_ns + 4000, 0),
			    SWITCH(stamp_ns + 9000, 0), RUN(stamp_ns + 10000, 0)));
}

/* Without tracing, the workload's own records are all there is. */
static void fill_tape(struct tape *tape, bool traced)
{
	struct record_name name = make_name(SLICE_TASK, SERVER, 0, "ipctrace-server");

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

struct file {
	char path[64];
	unsigned char bytes[FILE_MAX];
	size_t size;
	size_t cell_size;
	size_t header_size;
};

static void write_bytes(const struct file *file, const void *bytes, size_t size)
{
	FILE *out = fopen(file->path, "we");

	assert_non_null(out);
	assert_int_equal(fwrite(bytes, 1, size, out), size);
	assert_int_equal(fclose(out), 0);
}

static void write_cells(struct file *file, const struct tape *tape, int cells, bool traced)
{
	struct recording_writer *writer = recording__create(file->path);
	struct run_info info = info_of_tape();
	FILE *in;

	assert_non_null(writer);
	info.traced = info.shows_switch = traced;
	for (int cell = 0; cell < cells; cell++) {
		assert_int_equal(recording__begin_run(writer, &info), 0);
		for (size_t i = 0; i < tape->cnt; i++)
			assert_int_equal(recording__write(writer, tape->record[i]), 0);
	}
	assert_int_equal(recording__close(writer), 0);
	in = fopen(file->path, "re");
	assert_non_null(in);
	file->size = fread(file->bytes, 1, FILE_MAX, in);
	fclose(in);
	file->cell_size = (file->size - END_MARK) / cells;
}

static void find_header(struct file *file)
{
	uint32_t text_size;

	memcpy(&text_size, file->bytes + 12, sizeof(text_size));
	file->header_size = PREAMBLE + text_size + CHECK;
}

static struct file *file_of(const struct tape *tape, int cells, bool traced)
{
	struct file *file = calloc(1, sizeof(*file));
	int fd;

	assert_non_null(file);
	strcpy(file->path, "/tmp/ipctrace-test-XXXXXX");
	fd = mkstemp(file->path);
	assert_true(fd >= 0);
	close(fd);
	write_cells(file, tape, cells, traced);
	find_header(file);
	return file;
}

static struct file *file_new(int cells)
{
	struct tape tape = {0};
	struct file *file;

	fill_tape(&tape, true);
	file = file_of(&tape, cells, true);
	tape_free(&tape);
	return file;
}

static void file_free(struct file *file)
{
	unlink(file->path);
	free(file);
}

/* The same run, of which only slow messages are kept. */
static struct file *kept_file_new(void)
{
	struct run_info info = info_of_tape();
	struct file *file = file_new(1);
	struct recording_writer *writer = recording__create(file->path);
	struct tape tape = {0};
	struct hearing hearing;
	FILE *in;

	fill_tape(&tape, true);
	info.keeps_slower_ns = SLOW_NS;
	hearing = hear(&info, &tape);
	assert_non_null(writer);
	assert_int_equal(recording__begin_run(writer, &info), 0);
	for (size_t i = 0; i < hearing.cnt; i++) {
		if (hearing.message[i].latency_ns > SLOW_NS)
			assert_int_equal(recording__keep(writer, &hearing.message[i]), 0);
		assert_int_equal(recording__flush(writer), 0);
	}
	assert_int_equal(recording__keep_summary(writer, hearing.summary), 0);
	assert_int_equal(recording__close(writer), 0);
	hearing_free(&hearing);
	tape_free(&tape);
	in = fopen(file->path, "re");
	assert_non_null(in);
	file->size = fread(file->bytes, 1, FILE_MAX, in);
	file->cell_size = file->size - END_MARK;
	fclose(in);
	find_header(file);
	return file;
}

struct said {
	int status;
	struct capture out;
	struct capture err;
};

static void report_to(struct said *said, const char *path, const char *format, const char *output)
{
	const struct report_options options = {
		.output = {.format = report_format_find(format), .path = output}, .path = path};

	capture_begin(&said->out, STDOUT_FILENO);
	capture_begin(&said->err, STDERR_FILENO);
	said->status = report_run(&options);
	capture_end(&said->err);
	capture_end(&said->out);
}

static void report(struct said *said, const struct file *file, const char *format)
{
	report_to(said, file->path, format, NULL);
}

static void assert_fine(const struct said *said)
{
	assert_string_equal(said->err.text, "");
	assert_int_equal(said->status, EXIT_SUCCESS);
}

static json_t *parse(const struct said *said)
{
	json_error_t error;
	json_t *json = json_loads(said->out.text, 0, &error);

	if (!json)
		fail_msg("%s in:\n%.500s", error.text, said->out.text);
	return json;
}

static void a_whole_recording_gives_a_whole_report(void **state)
{
	struct file *file = file_new(1);
	struct said said;

	(void)state;
	report(&said, file, "text");
	assert_fine(&said);
	assert_has(said.out.text, "20 sent, 20 matched, 0 incomplete, 0 lost");
	assert_has(said.out.text, "while the server itself kept");
	assert_has_not(said.out.text, "breaks off");
	file_free(file);
}

static void every_format_is_made_of_a_recording(void **state)
{
	struct file *file = file_new(1);
	struct said said;
	json_t *json;

	(void)state;
	report(&said, file, "json");
	assert_fine(&said);
	json = parse(&said);
	assert_string_equal(json_string_value(json_object_get(json, "schema")),
			    "ipctrace.summary/1");
	json_decref(json);
	report(&said, file, "ndjson");
	assert_fine(&said);
	assert_int_equal(count_lines(said.out.text), 1 + ROUNDS + 1);
	file_free(file);
}

static void two_cells_are_a_sweep(void **state)
{
	struct file *file = file_new(2);
	struct said said;
	json_t *json;

	(void)state;
	report(&said, file, "json");
	assert_fine(&said);
	json = parse(&said);
	assert_string_equal(json_string_value(json_object_get(json, "schema")), "ipctrace.sweep/1");
	assert_int_equal(json_array_size(json_object_get(json, "cells")), 2);
	json_decref(json);
	report(&said, file, "ndjson");
	assert_int_equal(count_lines(said.out.text), 2 * (1 + ROUNDS) + 1);
	file_free(file);
}

static void a_report_goes_to_the_file_that_is_asked_for(void **state)
{
	struct file *file = file_new(1), *output = file_new(1);
	char text[FILE_MAX] = "";
	struct said said;
	FILE *in;

	(void)state;
	report_to(&said, file->path, "text", output->path);
	assert_fine(&said);
	assert_string_equal(said.out.text, "");
	in = fopen(output->path, "re");
	assert_non_null(in);
	text[fread(text, 1, sizeof(text) - 1, in)] = '\0';
	fclose(in);
	assert_has(text, "20 sent, 20 matched");
	file_free(file);
	file_free(output);
}

/* Whatever is there to be read says that it is not all. */
static void assert_marked(struct said *said, const char *format)
{
	char *text = said->out.text;

	if (!text[0])
		return;
	if (!strcmp(format, "ndjson"))
		assert_has(text, "{\"end\":\"ipctrace.messages/1\",\"truncated\":true,");
	else if (!strcmp(format, "json"))
		assert_has(text, "\"truncated\": true");
	else
		assert_has(unwrapped(text), "breaks off");
}

/* Any file that ends too early, in any format. */
static void assert_says_cut(struct file *file, size_t from, size_t step)
{
	static const char *const formats[] = {"text", "json", "ndjson"};
	struct said said;

	for (size_t size = from; size < file->size; size += step) {
		assert_int_equal(truncate(file->path, size), 0);
		for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
			report(&said, file, formats[i]);
			assert_int_equal(said.status, EXIT_FAILURE);
			assert_one_line_with(said.err.text, file->path);
			assert_marked(&said, formats[i]);
		}
		write_bytes(file, file->bytes, file->size);
	}
}

static void a_cut_recording_is_reported_and_said_to_be_cut(void **state)
{
	struct file *file = file_new(1);

	(void)state;
	assert_says_cut(file, file->header_size, 61);
	assert_says_cut(file, file->size - END_MARK - 2, 1);
	file_free(file);
}

static void so_is_a_cut_sweep_even_between_its_runs(void **state)
{
	struct file *file = file_new(2);

	(void)state;
	assert_says_cut(file, file->header_size, 211);
	assert_says_cut(file, file->size - END_MARK - 2, 1);
	assert_int_equal(truncate(file->path, file->cell_size), 0);
	file->size = file->cell_size + 1;
	assert_says_cut(file, file->cell_size, 1);
	file_free(file);
}

static void so_is_a_recording_of_slow_messages(void **state)
{
	struct file *file = kept_file_new();

	(void)state;
	assert_says_cut(file, file->header_size, 61);
	file_free(file);
}

/* A run in the middle is gone: what is left is whole, but not all. */
static void a_sweep_that_lacks_a_run_is_said_to_be_cut(void **state)
{
	struct file *file = file_new(2);
	struct said said;

	(void)state;
	write_bytes(file, file->bytes + file->cell_size, file->size - file->cell_size);
	report(&said, file, "ndjson");
	assert_int_equal(said.status, EXIT_FAILURE);
	assert_marked(&said, "ndjson");
	file_free(file);
}

/* The disk was full when the second cell began. What the first one measured is not lost by that. */
static void a_sweep_cut_in_a_header_is_reported_up_to_there_and_says_so(void **state)
{
	static const size_t offsets[] = {1, 8, 15, 16, 17, 1000};
	struct file *file = file_new(2);
	struct said said;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(offsets); i++) {
		assert_int_equal(truncate(file->path, file->cell_size + offsets[i]), 0);
		report(&said, file, "text");
		assert_int_equal(said.status, EXIT_FAILURE);
		assert_has(said.out.text, "20 sent, 20 matched");
		assert_one_line_with(said.err.text, file->path);
		write_bytes(file, file->bytes, file->size);
	}
	file_free(file);
}

/* The disk was full from the start. */
static void an_empty_file_is_refused_by_name(void **state)
{
	struct file *file = file_new(1);
	struct said said;

	(void)state;
	write_bytes(file, "", 0);
	report(&said, file, "text");
	assert_string_equal(said.out.text, "");
	assert_int_equal(said.status, EXIT_FAILURE);
	assert_one_line_with(said.err.text, file->path);
	file_free(file);
}

static void a_file_that_is_missing_or_foreign_is_refused_by_name(void **state)
{
	struct file *file = file_new(1);
	struct said said;

	(void)state;
	write_bytes(file, "GIF89a and so on, and so on", 27);
	report(&said, file, "text");
	assert_int_equal(said.status, EXIT_FAILURE);
	assert_string_equal(said.out.text, "");
	assert_one_line_with(said.err.text, file->path);
	assert_has(said.err.text, "not an ipctrace recording");
	report_to(&said, "/nonexistent/run.ipct", "text", NULL);
	assert_int_equal(said.status, EXIT_FAILURE);
	assert_one_line_with(said.err.text, "/nonexistent/run.ipct");
	report_to(&said, "/", "text", NULL);
	assert_int_equal(said.status, EXIT_FAILURE);
	assert_has(said.err.text, "Is a directory");
	file_free(file);
}

static void an_output_that_cannot_be_opened_is_named(void **state)
{
	struct file *file = file_new(1);
	struct said said;

	(void)state;
	report_to(&said, file->path, "text", "/nonexistent/out.txt");
	assert_int_equal(said.status, EXIT_FAILURE);
	assert_one_line_with(said.err.text, "/nonexistent/out.txt");
	file_free(file);
}

static void a_full_disk_fails_the_report_in_every_format(void **state)
{
	static const char *const formats[] = {"text", "json", "ndjson"};
	struct file *file = file_new(1);
	struct said said;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		report_to(&said, file->path, formats[i], "/dev/full");
		assert_int_equal(said.status, EXIT_FAILURE);
		assert_has(said.err.text, "/dev/full");
		assert_has(said.err.text, "No space left on device");
	}
	file_free(file);
}

static void an_output_error_is_told_once(void **state)
{
	static const char *const formats[] = {"text", "json", "ndjson"};
	struct file *file = file_new(1);
	struct said said;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		report_to(&said, file->path, formats[i], "/dev/full");
		assert_one_line_with(said.err.text, "/dev/full");
	}
	file_free(file);
}

/* Names in a file need not end where they should. */
static void a_name_without_an_end_stays_within_its_field(void **state)
{
	struct record_role role = make_role(CLIENT, ROLE_CLIENT, 1);
	struct record_name name = make_name(SLICE_TASK, SERVER, 0, "");
	struct tape tape = {0};
	struct file *file;
	struct said said;
	json_t *json, *client;

	(void)state;
	memset(role.comm, 'r', sizeof(role.comm));
	memset(name.comm, 'n', sizeof(name.comm));
	fill_tape(&tape, true);
	memcpy(tape.record[1], &role, sizeof(role));
	memcpy(tape.record[2], &name, sizeof(name));
	file = file_of(&tape, 1, true);
	report(&said, file, "json");
	assert_fine(&said);
	json = parse(&said);
	client = json_array_get(json_object_get(json, "clients"), 0);
	assert_string_equal(json_string_value(json_object_get(client, "comm")), "rrrrrrrrrrrrrrr");
	json_decref(json);
	file_free(file);
	tape_free(&tape);
}

/* A message that is not there says nothing. */
static void messages_that_are_not_all_come_with_a_warning(void **state)
{
	struct record_end end = {.head = {.type = RECORD_END, .words = RECORD_WORDS(end)},
				 .loss = {[LOSS_RING_FULL] = 12}};
	struct tape tape = {0};
	struct file *file;
	struct said said;

	(void)state;
	fill_tape(&tape, true);
	memcpy(tape.record[tape.cnt - 1], &end, sizeof(end));
	file = file_of(&tape, 1, true);
	report(&said, file, "ndjson");
	assert_int_equal(said.status, EXIT_SUCCESS);
	assert_one_line_with(said.err.text, "12 records were lost, and 0 of 20 messages");
	report(&said, file, "json");
	assert_fine(&said);
	file_free(file);
	tape_free(&tape);
}

static void an_untraced_recording_is_reported_by_its_stamps(void **state)
{
	struct tape tape = {0};
	struct file *file;
	struct said said;

	(void)state;
	fill_tape(&tape, false);
	file = file_of(&tape, 1, false);
	report(&said, file, "text");
	assert_fine(&said);
	assert_has(said.out.text, "20 sent, 20 matched");
	assert_has(said.out.text, "untraced");
	report(&said, file, "ndjson");
	assert_int_equal(said.status, EXIT_FAILURE);
	assert_one_line_with(said.err.text, "an untraced run has no messages");
	file_free(file);
	tape_free(&tape);
}

static void a_recording_of_slow_messages_has_these_and_counts_all(void **state)
{
	struct file *file = kept_file_new();
	struct said said;
	json_t *json, *keeps;

	(void)state;
	report(&said, file, "ndjson");
	assert_fine(&said);
	assert_int_equal(count_lines(said.out.text), 1 + SLOW_ROUNDS + 1);
	assert_has(said.out.text, "\"slower_than_ns\":13000");
	report(&said, file, "text");
	assert_fine(&said);
	assert_has(said.out.text, "20 sent, 20 matched, 0 incomplete, 0 lost");
	assert_has(unwrapped(said.out.text),
		   "keeps only messages that took longer than 13 us, and the "
		   "statistics of all: 3 of 20");
	report(&said, file, "json");
	assert_fine(&said);
	json = parse(&said);
	keeps = json_object_get(json, "recording_keeps");
	assert_int_equal(json_integer_value(json_object_get(keeps, "slower_than_ns")), SLOW_NS);
	assert_int_equal(json_integer_value(json_object_get(keeps, "messages")), SLOW_ROUNDS);
	assert_true(json_is_true(json_object_get(keeps, "statistics")));
	json_decref(json);
	file_free(file);
}

/* Its statistics come last: without them, no figure is shown, but what was kept is. */
static void a_cut_recording_of_slow_messages_says_what_is_missing(void **state)
{
	struct file *file = kept_file_new();
	struct said said;
	size_t most = 0;

	(void)state;
	for (size_t size = file->header_size; size < file->cell_size; size += 31) {
		assert_int_equal(truncate(file->path, size), 0);
		report(&said, file, "text");
		assert_int_equal(said.status, EXIT_FAILURE);
		assert_has(unwrapped(said.out.text), "it breaks off before");
		assert_has_not(said.out.text, "0 sent");
		report(&said, file, "json");
		assert_has(said.out.text, "\"statistics\": false");
		report(&said, file, "ndjson");
		if (count_lines(said.out.text) > most)
			most = count_lines(said.out.text);
		write_bytes(file, file->bytes, file->size);
	}
	assert_int_equal(most, 1 + SLOW_ROUNDS + 1);
	file_free(file);
}

/* Whatever can be read is shown and said not to be all, with the reason, and JSON stays JSON. */
static void report_damaged(struct file *file, uint64_t *seed, const char *format)
{
	unsigned char *bytes = malloc(file->size);
	struct said said;
	bool is_whole;

	assert_non_null(bytes);
	memcpy(bytes, file->bytes, file->size);
	for (uint64_t n = 1 + random_below(seed, 40); n; n--)
		bytes[random_below(seed, file->size)] ^= 1 << random_below(seed, 8);
	is_whole = !memcmp(bytes, file->bytes, file->size); /* bits were flipped back */
	write_bytes(file, bytes, file->size);
	free(bytes);
	report(&said, file, format);
	if (!strcmp(format, "json") && said.out.text[0])
		json_decref(parse(&said));
	if (is_whole)
		return;
	assert_int_equal(said.status, EXIT_FAILURE);
	assert_true(said.err.text[0]);
	assert_marked(&said, format);
}

static void a_damaged_recording_never_breaks_the_report(void **state)
{
	static const char *const formats[] = {"text", "json", "ndjson"};
	uint64_t seed = 3;

	(void)state;
	for (int traced = 0; traced < 2; traced++) {
		struct tape tape = {0};
		struct file *file;

		fill_tape(&tape, traced);
		file = file_of(&tape, 2, traced);
		tape_free(&tape);
		for (int i = 0; i < 600; i++)
			report_damaged(file, &seed, formats[i % 3]);
		file_free(file);
	}
}

static void nor_does_a_damaged_one_of_slow_messages(void **state)
{
	static const char *const formats[] = {"text", "json", "ndjson"};
	struct file *file = kept_file_new();
	uint64_t seed = 5;

	(void)state;
	for (int i = 0; i < 300; i++)
		report_damaged(file, &seed, formats[i % 3]);
	file_free(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_whole_recording_gives_a_whole_report),
		cmocka_unit_test(every_format_is_made_of_a_recording),
		cmocka_unit_test(two_cells_are_a_sweep),
		cmocka_unit_test(a_report_goes_to_the_file_that_is_asked_for),
		cmocka_unit_test(a_cut_recording_is_reported_and_said_to_be_cut),
		cmocka_unit_test(so_is_a_cut_sweep_even_between_its_runs),
		cmocka_unit_test(so_is_a_recording_of_slow_messages),
		cmocka_unit_test(a_sweep_that_lacks_a_run_is_said_to_be_cut),
		cmocka_unit_test(a_sweep_cut_in_a_header_is_reported_up_to_there_and_says_so),
		cmocka_unit_test(an_empty_file_is_refused_by_name),
		cmocka_unit_test(a_file_that_is_missing_or_foreign_is_refused_by_name),
		cmocka_unit_test(an_output_that_cannot_be_opened_is_named),
		cmocka_unit_test(a_full_disk_fails_the_report_in_every_format),
		cmocka_unit_test(an_output_error_is_told_once),
		cmocka_unit_test(a_name_without_an_end_stays_within_its_field),
		cmocka_unit_test(messages_that_are_not_all_come_with_a_warning),
		cmocka_unit_test(an_untraced_recording_is_reported_by_its_stamps),
		cmocka_unit_test(a_recording_of_slow_messages_has_these_and_counts_all),
		cmocka_unit_test(a_cut_recording_of_slow_messages_says_what_is_missing),
		cmocka_unit_test(a_damaged_recording_never_breaks_the_report),
		cmocka_unit_test(nor_does_a_damaged_one_of_slow_messages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
