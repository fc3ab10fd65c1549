/* SPDX-License-Identifier: BSD-2-Clause */
/* Recordings: what is written comes back, and no file, however broken, is read outside of itself.
 */
#include "support/build.h"
#include "support/capture.h"
#include "support/sample.h"

#include "model/record_decode.h"
#include "recording/block.h"
#include "recording/header.h"
#include "recording/recording.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#define PREAMBLE_SIZE 16
#define CHECK_SIZE    4
#define END_MARK_SIZE 24
#define FILE_MAX      (64 * 1024)

/* A recording of two cells, and where its parts end; of a record, the block that it is in. */
struct file {
	char path[64];
	unsigned char bytes[FILE_MAX];
	size_t size;
	size_t header_end[2];
	size_t record_end[2][16];
	size_t record_cnt[2];
};

static void write_file(const char *path, const void *bytes, size_t size)
{
	FILE *file = fopen(path, "we");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	assert_int_equal(fclose(file), 0);
}

static size_t read_file(const char *path, void *bytes)
{
	FILE *file = fopen(path, "re");
	size_t size;

	assert_non_null(file);
	size = fread(bytes, 1, FILE_MAX, file);
	assert_true(size < FILE_MAX);
	fclose(file);
	return size;
}

/* Every type of record once, the longest RECEIVE among them. */
static void fill_tape(struct tape *tape)
{
	uint64_t change[CHANGES_MAX];
	struct record_left left = {
		.head = {.type = RECORD_LEFT, .words = RECORD_WORDS(struct record_left)},
		.client = 1};
	struct record_channel channel = {
		.head = {.type = RECORD_CHANNEL, .words = RECORD_WORDS(struct record_channel)},
		.channel = 7};
	struct record_name name = make_name(SLICE_TASK, 42, 0, "somebody");

	for (size_t i = 0; i < CHANGES_MAX; i++)
		change[i] = SLEEP(1000 + i, 0);
	put_role(tape, 42, ROLE_CLIENT, 1);
	tape_add(tape, &channel);
	put_watermark(tape, 800);
	tape_add(tape, &name);
	put_send(tape, 41, 7, 0, 1000, 1100);
	put_receive(tape, 42, 7, 0, 900, 1300, 0, change, CHANGES_MAX);
	put_receive(tape, 42, 7, 1, 1400, 1500, CHANGES_MAX, NO_CHANGES);
	put_changes(tape, 42, 2000, CHANGES_MAX, change, 3);
	put_slice(tape, make_task(0, 0, 41, 1200));
	put_tick(tape, 0, 950, 1);
	put_stamp(tape, 1, 0, 950, 1350);
	tape_add(tape, &left);
	put_watermark(tape, 5000);
	put_end(tape);
}

static void write_cell(struct file *file, struct recording_writer *writer, int cell,
		       const struct tape *tape)
{
	struct run_info info = sample_info(cell + 1);

	assert_int_equal(recording__begin_run(writer, &info), 0);
	for (size_t i = 0; i < tape->cnt; i++)
		assert_int_equal(recording__write(writer, tape->record[i]), 0);
	file->record_cnt[cell] = tape->cnt;
}

/* Where the parts of a cell end that begins at `at`; where it ends itself. */
static size_t find_parts(struct file *file, int cell, size_t at)
{
	struct block_head block;
	uint32_t text_size;
	size_t i = 0;

	memcpy(&text_size, file->bytes + at + 12, sizeof(text_size));
	at += PREAMBLE_SIZE + text_size + CHECK_SIZE;
	file->header_end[cell] = at;
	while (i < file->record_cnt[cell]) {
		memcpy(&block, file->bytes + at, sizeof(block));
		at += sizeof(block) + block.stored;
		for (size_t end = i + block.records; i < end; i++)
			file->record_end[cell][i] = at;
	}
	return at;
}

static struct file *file_new(struct tape *tape)
{
	struct file *file = calloc(1, sizeof(*file));
	struct recording_writer *writer;
	int fd;

	assert_non_null(file);
	strcpy(file->path, "/tmp/ipctrace-test-XXXXXX");
	fd = mkstemp(file->path);
	assert_true(fd >= 0);
	close(fd);
	fill_tape(tape);
	writer = recording__create(file->path);
	assert_non_null(writer);
	for (int cell = 0; cell < 2; cell++)
		write_cell(file, writer, cell, tape);
	assert_int_equal(recording__close(writer), 0);
	file->size = read_file(file->path, file->bytes);
	assert_int_equal(find_parts(file, 1, find_parts(file, 0, 0)) + END_MARK_SIZE, file->size);
	return file;
}

static void file_free(struct file *file)
{
	unlink(file->path);
	free(file);
}

/* What reading a whole file comes to, and what was said meanwhile. */
struct reading {
	int cells;
	size_t records[8]; /* of each cell */
	int end;           /* what the last next_cell returned */
	struct run_info info;
	struct capture err;
};

static void read_all(struct reading *reading, const char *path)
{
	struct recording_reader *reader;
	const struct record *record;

	reading->cells = reading->end = 0;
	memset(reading->records, 0, sizeof(reading->records));
	capture_begin(&reading->err, STDERR_FILENO);
	reader = recording__open(path);
	while (reader && reading->cells < 8 &&
	       (reading->end = recording__next_run(reader, &reading->info)) > 0) {
		while ((record = recording__read(reader)))
			reading->records[reading->cells] += record->words > 0;
		reading->cells++;
	}
	recording__free(reader);
	capture_end(&reading->err);
	assert_non_null(reader);
}

static void read_bytes(struct reading *reading, const struct file *file, const void *bytes,
		       size_t size)
{
	write_file(file->path, bytes, size);
	read_all(reading, file->path);
}

static void assert_refused(const struct reading *reading, const struct file *file,
			   const char *reason)
{
	assert_int_equal(reading->end, -EINVAL);
	assert_one_line_with(reading->err.text, file->path);
	assert_has(reading->err.text, reason);
}

static struct run_info info_with_everything(void)
{
	struct run_info info = {0};

	strcpy(info.version, "12.34-rc5");
	strcpy(info.command_line, "ipctrace --cpus 'server=0' \"quoted\" \\ \t gr\xc3\xbc\xc3\x9f");
	strcpy(info.host.kernel, "6.18.44-custom");
	strcpy(info.host.arch, "aarch64");
	info.host.cpus = UINT32_MAX;
	strcpy(info.host.preemption, "full");
	strcpy(info.host.clocksource, "arch_sys_counter");
	strcpy(info.host.virtual_machine, "kvm");
	strcpy(info.workload.transport, "uds");
	strcpy(info.workload.pattern, "push");
	info.workload.clients = CLIENTS_MAX;
	info.workload.messages = 1000000001;
	info.workload.warmup = 1000000002;
	info.workload.period_ns = 86400000000003;
	info.workload.size = 1000000004;
	info.workload.policy = POLICY_DEADLINE;
	info.workload.server_priority = 55;
	info.workload.client_priority = -44;
	info.workload.placement = CPUS_LISTS;
	strcpy(info.workload.server_cpus, "0,2");
	strcpy(info.workload.client_cpus, "1,3-5");
	strcpy(info.workload.handler, "exec=gr\xc3\xbcn \"$1\"");
	strcpy(info.workload.load, "while :; do \\true; done");
	info.workload.threads = true;
	info.workload.reader = READER_EPOLL;
	info.workload.read_size = 1000000005;
	info.workload.run = 77;
	strcpy(info.experiment, "colorado");
	info.traced = true;
	return info;
}

static void assert_same_workload(const struct workload_spec *got, const struct workload_spec *spec)
{
	assert_string_equal(got->transport, spec->transport);
	assert_string_equal(got->pattern, spec->pattern);
	assert_int_equal(got->clients, spec->clients);
	assert_int_equal(got->messages, spec->messages);
	assert_int_equal(got->warmup, spec->warmup);
	assert_int_equal(got->period_ns, spec->period_ns);
	assert_int_equal(got->size, spec->size);
	assert_int_equal(got->policy, spec->policy);
	assert_int_equal(got->server_priority, spec->server_priority);
	assert_int_equal(got->client_priority, spec->client_priority);
	assert_int_equal(got->placement, spec->placement);
	assert_string_equal(got->server_cpus, spec->server_cpus);
	assert_string_equal(got->client_cpus, spec->client_cpus);
	assert_string_equal(got->handler, spec->handler);
	assert_string_equal(got->load, spec->load);
	assert_int_equal(got->threads, spec->threads);
	assert_int_equal(got->reader, spec->reader);
	assert_int_equal(got->read_size, spec->read_size);
	assert_int_equal(got->run, spec->run);
}

static void assert_same_info(const struct run_info *got, const struct run_info *info)
{
	assert_string_equal(got->version, info->version);
	assert_string_equal(got->command_line, info->command_line);
	assert_string_equal(got->host.kernel, info->host.kernel);
	assert_string_equal(got->host.arch, info->host.arch);
	assert_int_equal(got->host.cpus, info->host.cpus);
	assert_string_equal(got->host.preemption, info->host.preemption);
	assert_string_equal(got->host.clocksource, info->host.clocksource);
	assert_string_equal(got->host.virtual_machine, info->host.virtual_machine);
	assert_same_workload(&got->workload, &info->workload);
	assert_int_equal(got->traced, info->traced);
	assert_int_equal(got->shows_switch, info->shows_switch);
	assert_int_equal(got->level, info->level);
	assert_string_equal(got->experiment, info->experiment);
}

/* Through the text of the header and back. */
static void assert_survives(const struct run_info *info)
{
	char *text = recording_header_encode(info), why[256] = "";
	struct run_info got;
	int err;

	assert_non_null(text);
	memset(&got, 0xee, sizeof(got));
	err = recording_header_decode(text, strlen(text), &got, why, sizeof(why));
	free(text);
	if (err)
		fail_msg("not decoded: %s", why);
	assert_same_info(&got, info);
}

static void every_field_of_the_run_survives(void **state)
{
	struct run_info info = info_with_everything();

	(void)state;
	assert_survives(&info);
	info.traced = false;
	info.shows_switch = true;
	info.level = LEVEL_LIGHT;
	assert_survives(&info);
	for (info.workload.policy = 0; info.workload.policy < NR_SCHED_POLICIES;
	     info.workload.policy++)
		assert_survives(&info);
	info.workload.policy = POLICY_RR;
	for (info.workload.placement = 0; info.workload.placement < NR_CPU_AFFINITIES;
	     info.workload.placement++)
		assert_survives(&info);
}

/* All bytes behind the head are fields, but for the padding of one record. */
static void assert_layout_is_whole(const char *name, json_t *layout)
{
	size_t bytes = json_integer_value(json_object_get(layout, "bytes"));
	json_t *field, *fields = json_object_get(layout, "fields");
	size_t i, known = sizeof(struct record);

	json_array_foreach(fields, i, field)
	{
		size_t offset = json_integer_value(json_array_get(field, 1));
		size_t size = json_integer_value(json_array_get(field, 2));

		if (offset < known || offset + size > bytes)
			fail_msg("%s: field %zu is at %zu", name, i, offset);
		known = offset + size;
	}
	assert_int_equal(known, bytes);
}

static void every_record_has_a_layout(void **state)
{
	struct run_info info = info_with_everything();
	char *text = recording_header_encode(&info);
	json_t *layouts, *layout, *json = json_loads(text, 0, NULL);
	bool seen[NR_RECORD_TYPES] = {0};
	const char *name;

	(void)state;
	assert_non_null(json);
	layouts = json_object_get(json, "layouts");
	json_object_foreach(layouts, name, layout)
	{
		json_int_t type = json_integer_value(json_object_get(layout, "type"));

		assert_in_range(type, 1, NR_RECORD_TYPES - 1);
		assert_false(seen[type]);
		seen[type] = true;
		assert_layout_is_whole(name, layout);
	}
	assert_int_equal(json_object_size(layouts), NR_RECORD_TYPES - 1);
	json_decref(json);
	free(text);
}

static void an_empty_and_an_extreme_run_survive(void **state)
{
	struct run_info info = {.workload.clients = 1};

	(void)state;
	assert_survives(&info);
	info.workload.messages = info.workload.warmup = UINT64_MAX;
	info.workload.period_ns = info.workload.size = UINT64_MAX;
	memset(info.version, 'v', sizeof(info.version) - 1);
	memset(info.command_line, '\x01', sizeof(info.command_line) - 1);
	memset(info.host.kernel, '"', sizeof(info.host.kernel) - 1);
	memset(info.workload.server_cpus, '1', sizeof(info.workload.server_cpus) - 1);
	assert_survives(&info);
}

/* A file name is bytes: "--record grün.ipct" in Latin-1 is a command line like any other. */
static void a_command_line_that_is_no_utf8_does_not_prevent_the_recording(void **state)
{
	struct run_info info = info_with_everything(), got;
	char *text, why[256] = "";

	(void)state;
	strcpy(info.command_line, "ipctrace --record gr\xfcn.ipct");
	text = recording_header_encode(&info);
	assert_non_null(text);
	assert_int_equal(recording_header_decode(text, strlen(text), &got, why, sizeof(why)), 0);
	free(text);
	assert_has(got.command_line, "ipctrace --record gr");
	assert_same_workload(&got.workload, &info.workload);
}

/* What is too long for its field is cut at any byte. */
static void a_command_line_that_is_cut_in_a_character_is_recorded_too(void **state)
{
	struct run_info info = info_with_everything();
	char *text;

	(void)state;
	memset(info.command_line, 'x', sizeof(info.command_line) - 1);
	info.command_line[sizeof(info.command_line) - 2] = '\xc3';
	text = recording_header_encode(&info);
	assert_non_null(text);
	free(text);
}

static void the_header_tells_other_readers_where_every_field_is(void **state)
{
	static const char *const names[] = {
		"\"send\"",      "\"receive\"",    "\"slice\"",
		"\"channel\"",   "\"name\"",       "\"role\"",
		"\"tick\"",      "\"stamp\"",      "\"left\"",
		"\"watermark\"", "\"end\"",        "\"changes\"",
		"\"queued_ns\"", "\"loss\"",       "ipctrace.recording/1",
		"\"comm\"",      "CLOCK_MONOTONIC"};
	struct run_info info = info_with_everything();
	char *text = recording_header_encode(&info);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		assert_has(text, names[i]);
	assert_has(text, "\"send\":{\"type\":1,\"bytes\":40,");
	assert_has(text, "[\"queued_ns\",32,8]");
	free(text);
}

static void assert_tape_in(struct recording_reader *reader, const struct tape *tape)
{
	const struct record *record;

	for (size_t i = 0; i < tape->cnt; i++) {
		record = recording__read(reader);
		assert_non_null(record);
		assert_int_equal(record_size(record), record_size(tape->record[i]));
		assert_memory_equal(record, tape->record[i], record_size(record));
	}
	assert_null(recording__read(reader));
	assert_null(recording__read(reader));
}

static void all_records_of_two_cells_come_back(void **state)
{
	struct tape tape = {0};
	struct file *file = file_new(&tape);
	struct recording_reader *reader = recording__open(file->path);
	struct run_info info, expected;

	(void)state;
	assert_non_null(reader);
	for (uint32_t clients = 1; clients <= 2; clients++) {
		assert_int_equal(recording__next_run(reader, &info), 1);
		expected = sample_info(clients);
		assert_same_info(&info, &expected);
		assert_tape_in(reader, &tape);
	}
	assert_int_equal(recording__next_run(reader, &info), 0);
	assert_null(recording__read(reader));
	recording__free(reader);
	file_free(file);
	tape_free(&tape);
}

static void unread_records_are_skipped(void **state)
{
	struct tape tape = {0};
	struct file *file = file_new(&tape);
	struct recording_reader *reader = recording__open(file->path);
	struct run_info info;

	(void)state;
	assert_null(recording__read(reader));
	assert_int_equal(recording__next_run(reader, &info), 1);
	assert_int_equal(recording__next_run(reader, &info), 1);
	assert_int_equal(info.workload.clients, 2);
	assert_non_null(recording__read(reader));
	assert_int_equal(recording__next_run(reader, &info), 0);
	recording__free(reader);
	file_free(file);
	tape_free(&tape);
}

static void a_recording_starts_as_its_description_says(void **state)
{
	struct tape tape = {0};
	struct file *file = file_new(&tape);
	uint32_t version, text_size;

	(void)state;
	memcpy(&version, file->bytes + 8, sizeof(version));
	memcpy(&text_size, file->bytes + 12, sizeof(text_size));
	assert_memory_equal(file->bytes, "IPCTRACE", 8);
	assert_int_equal(version, RECORDING_VERSION);
	assert_int_equal(text_size % 8, 0);
	assert_int_equal(PREAMBLE_SIZE + text_size + CHECK_SIZE, file->header_end[0]);
	assert_int_equal(file->bytes[PREAMBLE_SIZE], '{');
	file_free(file);
	tape_free(&tape);
}

static size_t records_before(const struct file *file, int cell, size_t end)
{
	size_t cnt = 0;

	while (cnt < file->record_cnt[cell] && file->record_end[cell][cnt] <= end)
		cnt++;
	return cnt;
}

/* What is left of a file that ends after `size` bytes. */
static void assert_cut(const struct file *file, const struct reading *reading, size_t size)
{
	int cells = (size >= file->header_end[0]) + (size >= file->header_end[1]);
	bool in_first = size && size < file->header_end[0];
	bool is_cut = size && !in_first && size < file->size;

	if (reading->cells != cells || reading->records[0] != records_before(file, 0, size) ||
	    reading->records[1] != records_before(file, 1, size))
		fail_msg("cut at %zu: %d cells, %zu and %zu records", size, reading->cells,
			 reading->records[0], reading->records[1]);
	if (in_first)
		assert_refused(reading, file, "");
	else if (is_cut && !reading->end)
		assert_one_line_with(reading->err.text, file->path);
	else if (reading->end || reading->err.text[0])
		fail_msg("cut at %zu: %d, %s", size, reading->end, reading->err.text);
}

static void a_file_cut_anywhere_is_readable_up_to_there(void **state)
{
	struct tape tape = {0};
	struct file *file = file_new(&tape);
	struct reading reading;

	(void)state;
	for (size_t size = file->size + 1; size-- > 0;) {
		assert_int_equal(truncate(file->path, size), 0);
		read_all(&reading, file->path);
		assert_cut(file, &reading, size);
	}
	file_free(file);
	tape_free(&tape);
}

static void a_file_that_is_no_recording_is_refused_by_name(void **state)
{
	static const char *const foreign[] = {
		"x",
		"\177ELF\2\1\1",
		"{\"schema\": \"ipctrace.summary/1\"}\n",
		"ipctrace 0.1  push over uds, 5 clients x 1000 messages\n",
		"IPCTRACF and then something that is long enough for a header",
	};
	struct tape tape = {0};
	struct file *file = file_new(&tape);
	struct reading reading;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(foreign); i++) {
		read_bytes(&reading, file, foreign[i], strlen(foreign[i]));
		assert_int_equal(reading.cells, 0);
		assert_refused(&reading, file, "not an ipctrace recording");
	}
	file_free(file);
	tape_free(&tape);
}

static void another_version_is_refused_by_its_number_with_a_remedy(void **state)
{
	static const uint32_t versions[] = {0, 1, 2, 4, 7, 77, UINT32_MAX};
	struct tape tape = {0};
	struct file *file = file_new(&tape);
	struct reading reading;
	char text[32];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(versions); i++) {
		memcpy(file->bytes + 8, &versions[i], sizeof(versions[i]));
		snprintf(text, sizeof(text), "version %u,", versions[i]);
		read_bytes(&reading, file, file->bytes, file->size);
		assert_int_equal(reading.cells, 0);
		assert_refused(&reading, file, text);
		assert_has(reading.err.text, "this program reads versions 3, 5 and 6");
		assert_has(reading.err.text, versions[i] > 6 ? "newer one" : "record it anew");
	}
	file_free(file);
	tape_free(&tape);
}

static void a_header_of_impossible_size_is_refused(void **state)
{
	static const uint32_t sizes[] = {0, 1, 8, (1 << 20), (1 << 20) + 1, 1u << 31, UINT32_MAX};
	struct tape tape = {0};
	struct file *file = file_new(&tape);
	struct reading reading;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		memcpy(file->bytes + 12, &sizes[i], sizeof(sizes[i]));
		read_bytes(&reading, file, file->bytes, file->size);
		assert_int_equal(reading.cells, 0);
		assert_refused(&reading, file, "header");
	}
	file_free(file);
	tape_free(&tape);
}

/* A header with one thing replaced, through the decoder. */
static int decode_with(const char *from, const char *to)
{
	struct run_info info = sample_info(3);
	char *text = recording_header_encode(&info), why[256] = "", changed[16 * 1024];
	char *at = strstr(text, from);
	int err;

	assert_non_null(at);
	snprintf(changed, sizeof(changed), "%.*s%s%s", (int)(at - text), text, to,
		 at + strlen(from));
	free(text);
	err = recording_header_decode(changed, strlen(changed), &info, why, sizeof(why));
	assert_true(err == 0 || (err == -EINVAL && why[0]));
	return err;
}

static void a_header_without_a_field_or_with_an_impossible_value_is_refused(void **state)
{
	(void)state;
	assert_int_equal(decode_with("\"clients\":3", "\"clients\":3"), 0);
	assert_int_equal(decode_with("\"clients\":3", "\"clients\":0"), -EINVAL);
	assert_int_equal(decode_with("\"clients\":3", "\"clients\":1001"), -EINVAL);
	assert_int_equal(decode_with("\"clients\":3", "\"clients\":-1"), -EINVAL);
	assert_int_equal(decode_with("\"clients\":3", "\"clients\":4294967297"), -EINVAL);
	assert_int_equal(decode_with("\"clients\":3", "\"clients\":\"3\""), -EINVAL);
	assert_int_equal(decode_with("\"clients\":3", "\"customers\":3"), -EINVAL);
	assert_int_equal(decode_with("\"policy\":0", "\"policy\":4"), -EINVAL);
	assert_int_equal(decode_with("\"policy\":0", "\"policy\":-1"), -EINVAL);
	assert_int_equal(decode_with("\"placement\":0", "\"placement\":4"), -EINVAL);
	assert_int_equal(decode_with("\"host\":{", "\"toast\":{"), -EINVAL);
	assert_int_equal(decode_with("\"workload\":{", "\"workload\":[],\"old\":{"), -EINVAL);
	assert_int_equal(decode_with("\"kernel\":\"6.18.44\"", "\"kernel\":null"), -EINVAL);
	assert_int_equal(decode_with("\"traced\":true", "\"traced\":1"), -EINVAL);
}

/* A later ipctrace of the same format may add fields. */
static void a_field_that_is_not_known_is_passed_over(void **state)
{
	(void)state;
	assert_int_equal(decode_with("\"clients\":3", "\"more\":[1,2],\"clients\":3"), 0);
	assert_int_equal(decode_with("\"traced\":true", "\"weather\":\"fine\",\"traced\":true"), 0);
}

static void text_longer_than_its_field_is_cut(void **state)
{
	char longer[3000] = "\"kernel\":\"", why[256];
	struct run_info info = sample_info(3);
	char *text = recording_header_encode(&info), changed[16 * 1024];
	char *at = strstr(text, "\"kernel\":\"");

	(void)state;
	memset(longer + strlen(longer), 'k', sizeof(longer) - strlen(longer) - 1);
	snprintf(changed, sizeof(changed), "%.*s%s%s", (int)(at - text), text, longer,
		 at + strlen("\"kernel\":\""));
	free(text);
	assert_int_equal(recording_header_decode(changed, strlen(changed), &info, why, sizeof(why)),
			 0);
	assert_int_equal(strlen(info.host.kernel), SPEC_TEXT_LEN - 1);
	assert_string_equal(info.host.arch, "x86_64");
}

static void flip_bits(unsigned char *bytes, size_t from, size_t to, uint64_t *seed)
{
	size_t cnt = 1 + random_below(seed, 4);

	while (cnt--)
		bytes[from + random_below(seed, to - from)] ^= 1 << random_below(seed, 8);
}

static void a_damaged_header_is_refused_in_one_line(void **state)
{
	struct tape tape = {0};
	struct file *file = file_new(&tape);
	unsigned char *bytes = malloc(file->size);
	struct reading reading;
	uint64_t seed = 1;
	int refused = 0;

	(void)state;
	for (int i = 0; i < 3000; i++) {
		memcpy(bytes, file->bytes, file->size);
		flip_bits(bytes, 0, file->header_end[0], &seed);
		read_bytes(&reading, file, bytes, file->size);
		if (reading.end)
			assert_refused(&reading, file, "");
		else /* what was flipped was flipped back */
			assert_memory_equal(bytes, file->bytes, file->size);
		refused += !reading.cells;
	}
	assert_in_range(refused, 2900, 3000);
	free(bytes);
	file_free(file);
	tape_free(&tape);
}

/* The check of a file's first block, after whatever was done to its contents. */
static void seal(unsigned char *bytes, size_t header_end)
{
	struct block_head *block = (struct block_head *)(bytes + header_end);
	uint32_t check = crc32(0, bytes, header_end - CHECK_SIZE);

	check = crc32(check, (void *)block, BLOCK_HEAD_UNCHECKED);
	block->check = crc32(check, (void *)(block + 1), block->stored);
}

/* The first cell's records as they are, in one block, and behind it the second cell. */
static struct file *file_plain(struct tape *tape)
{
	struct file *file = file_new(tape), *plain = calloc(1, sizeof(*plain));
	size_t begin = file->record_end[0][file->record_cnt[0] - 1];
	struct block_head block = {.flags = BLOCK_PLAIN | BLOCK_LAST, .records = tape->cnt};
	size_t at = file->header_end[0] + sizeof(block);

	assert_non_null(plain);
	*plain = *file;
	free(file);
	for (size_t i = 0; i < tape->cnt; i++) {
		memcpy(plain->bytes + at, tape->record[i], record_size(tape->record[i]));
		at += record_size(tape->record[i]);
		plain->record_end[0][i] = at;
	}
	block.coded = block.stored = at - plain->header_end[0] - sizeof(block);
	memcpy(plain->bytes + plain->header_end[0], &block, sizeof(block));
	seal(plain->bytes, plain->header_end[0]);
	file = calloc(1, sizeof(*file));
	assert_non_null(file);
	assert_int_equal(read_file(plain->path, file->bytes), plain->size);
	memcpy(plain->bytes + at, file->bytes + begin, plain->size - begin);
	plain->size += at - begin;
	free(file);
	return plain;
}

static void records_may_lie_there_as_they_are(void **state)
{
	struct tape tape = {0};
	struct file *file = file_plain(&tape);
	struct reading reading;

	(void)state;
	read_bytes(&reading, file, file->bytes, file->size);
	assert_int_equal(reading.cells, 2);
	assert_int_equal(reading.records[0], tape.cnt);
	assert_int_equal(reading.records[1], tape.cnt);
	file_free(file);
	tape_free(&tape);
}

/* The k-th record of the first cell replaced: reading ends there, for good. */
static void assert_ends_at(struct file *file, size_t k, struct record head)
{
	size_t at =
		k ? file->record_end[0][k - 1] : file->header_end[0] + sizeof(struct block_head);
	unsigned char *bytes = malloc(file->size);
	struct reading reading;

	memcpy(bytes, file->bytes, file->size);
	memcpy(bytes + at, &head, sizeof(head));
	seal(bytes, file->header_end[0]);
	read_bytes(&reading, file, bytes, file->size);
	free(bytes);
	if (reading.cells != 1 || reading.records[0] != k || reading.end)
		fail_msg("type %u of %u words: %d cells, %zu records, then %d", head.type,
			 head.words, reading.cells, reading.records[0], reading.end);
}

static void a_record_of_impossible_type_or_length_ends_the_cell(void **state)
{
	struct tape tape = {0};
	struct file *file = file_plain(&tape);

	(void)state;
	for (size_t k = 0; k + 1 < tape.cnt; k++) {
		uint8_t words = tape.record[k]->words, type = tape.record[k]->type;
		uint8_t fewest = type == RECORD_RECEIVE   ? RECORD_WORDS(struct record_receive)
				 : type == RECORD_CHANGES ? RECORD_WORDS(struct record_changes)
							  : words;

		assert_ends_at(file, k, (struct record){.type = 0, .words = words});
		assert_ends_at(file, k, (struct record){.type = NR_RECORD_TYPES, .words = words});
		assert_ends_at(file, k, (struct record){.type = 255, .words = 255});
		assert_ends_at(file, k, (struct record){.type = type, .words = 0});
		assert_ends_at(file, k, (struct record){.type = type, .words = 1});
		assert_ends_at(file, k, (struct record){.type = type, .words = fewest - 1});
	}
	file_free(file);
	tape_free(&tape);
}

/* Of a block with a bit that is not as it was written, no record is believed. */
static void a_damaged_block_ends_the_cell_before_it(void **state)
{
	struct tape tape = {0};
	struct file *file = file_new(&tape);
	size_t first = records_before(file, 0, file->record_end[0][0]);
	struct reading reading;

	(void)state;
	assert_in_range(first, 1, tape.cnt - 1);
	for (size_t at = file->record_end[0][0] + sizeof(struct block_head);
	     at < file->record_end[0][first]; at++) {
		file->bytes[at] ^= 0xff;
		read_bytes(&reading, file, file->bytes, file->size);
		file->bytes[at] ^= 0xff;
		assert_int_equal(reading.cells, 1);
		assert_int_equal(reading.records[0], first);
	}
	file_free(file);
	tape_free(&tape);
}

/* What a block's bytes may become is bounded; what could be smaller is left as it is. */
static void records_that_are_all_alike_are_not_compressed_without_end(void **state)
{
	struct record_load load = {.head = {.type = RECORD_LOAD, .words = RECORD_WORDS(load)}};
	struct tape tape = {0};
	struct file *file = file_new(&tape);
	struct recording_writer *writer = recording__create(file->path);
	struct run_info info = sample_info(1);
	struct reading reading;
	struct block_head block;
	uint32_t text_size;

	(void)state;
	assert_int_equal(recording__begin_run(writer, &info), 0);
	for (int i = 0; i < 20000; i++)
		assert_int_equal(recording__write(writer, &load.head), 0);
	assert_int_equal(recording__close(writer), 0);
	read_all(&reading, file->path);
	assert_int_equal(reading.records[0], 20000);
	read_file(file->path, file->bytes);
	memcpy(&text_size, file->bytes + 12, sizeof(text_size));
	memcpy(&block, file->bytes + PREAMBLE_SIZE + text_size + CHECK_SIZE, sizeof(block));
	assert_int_equal(block.flags, BLOCK_UNPACKED);
	assert_int_equal(block.stored, block.coded);
	file_free(file);
	tape_free(&tape);
}

/* A block that claims to hold more than its bytes can is not even decompressed. */
static void a_block_that_expands_too_far_is_refused(void **state)
{
	struct block_head block;
	struct tape tape = {0};
	struct file *file = file_new(&tape);
	size_t at = file->header_end[0];
	struct reading reading;

	(void)state;
	memcpy(&block, file->bytes + at, sizeof(block));
	for (int i = 0; i < 2; i++) {
		struct block_head bomb = block;

		if (i)
			bomb.coded = BLOCK_EXPANSION_MAX * (block.stored + 1);
		else
			bomb.records = BLOCK_RECORDS_PER_BYTE_MAX * (block.stored + 1);
		memcpy(file->bytes + at, &bomb, sizeof(bomb));
		seal(file->bytes, at);
		read_bytes(&reading, file, file->bytes, file->size);
		assert_int_equal(reading.cells, 1);
		assert_int_equal(reading.records[0], 0);
	}
	file_free(file);
	tape_free(&tape);
}

static void damaged_records_are_never_read_outside_of_the_file(void **state)
{
	struct tape tape = {0};
	struct file *file = file_new(&tape);
	unsigned char *bytes = malloc(file->size);
	struct reading reading;
	uint64_t seed = 2;

	(void)state;
	for (int i = 0; i < 3000; i++) {
		memcpy(bytes, file->bytes, file->size);
		flip_bits(bytes, file->header_end[0], file->size, &seed);
		read_bytes(&reading, file, bytes, file->size);
		assert_in_range(reading.cells, 1, 2);
		assert_true(reading.records[0] <= file->size / 8);
		if (reading.end)
			assert_refused(&reading, file, "");
	}
	free(bytes);
	file_free(file);
	tape_free(&tape);
}

static void a_full_disk_is_found_before_anything_runs(void **state)
{
	struct run_info info = sample_info(1);
	struct recording_writer *writer = recording__create("/dev/full");
	struct capture err;
	int status, again;

	(void)state;
	assert_non_null(writer);
	capture_begin(&err, STDERR_FILENO);
	status = recording__begin_run(writer, &info);
	again = recording__begin_run(writer, &info);
	capture_end(&err);
	assert_int_equal(status, -ENOSPC);
	assert_int_equal(again, -ENOSPC);
	assert_one_line_with(err.text, "/dev/full");
	assert_has(err.text, "No space left on device");
	capture_begin(&err, STDERR_FILENO);
	status = recording__close(writer);
	capture_end(&err);
	assert_int_equal(status, -ENOSPC);
	assert_string_equal(err.text, "");
}

/* Blocks are buffered: the error comes late, is told once, and is not forgotten. */
static void a_disk_that_fills_up_is_told_once_and_fails_the_whole(void **state)
{
	struct record_watermark mark = {
		.head = {.type = RECORD_WATERMARK, .words = RECORD_WORDS(mark)}};
	struct recording_writer *writer = recording__create("/dev/full");
	struct capture err;
	int status = 0, after, end;

	(void)state;
	capture_begin(&err, STDERR_FILENO);
	for (int i = 0; i < 100000 && !status; i++)
		status = recording__write(writer, &mark.head);
	after = recording__write(writer, &mark.head);
	end = recording__close(writer);
	capture_end(&err);
	assert_int_equal(status, -ENOSPC);
	assert_int_equal(after, -ENOSPC);
	assert_int_equal(end, -ENOSPC);
	assert_one_line_with(err.text, "/dev/full");
}

static void what_is_still_buffered_at_the_end_is_not_lost_silently(void **state)
{
	struct record_send send = make_send(1, 1, 0, 1, 2);
	struct recording_writer *writer = recording__create("/dev/full");
	struct capture err;
	int status;

	(void)state;
	assert_int_equal(recording__write(writer, &send.head), 0);
	capture_begin(&err, STDERR_FILENO);
	status = recording__close(writer);
	capture_end(&err);
	assert_int_equal(status, -ENOSPC);
	assert_one_line_with(err.text, "/dev/full");
}

static void a_path_that_cannot_be_opened_is_named_with_the_reason(void **state)
{
	static const char path[] = "/nonexistent/folder/run.ipct";
	struct recording_writer *writer;
	struct recording_reader *reader;
	struct capture err;
	int writer_errno;

	(void)state;
	capture_begin(&err, STDERR_FILENO);
	writer = recording__create(path);
	writer_errno = errno;
	capture_end(&err);
	assert_null(writer);
	assert_int_equal(writer_errno, ENOENT);
	assert_one_line_with(err.text, path);
	assert_has(err.text, "No such file or directory");
	capture_begin(&err, STDERR_FILENO);
	reader = recording__open(path);
	writer_errno = errno;
	capture_end(&err);
	assert_null(reader);
	assert_int_equal(writer_errno, ENOENT);
	assert_one_line_with(err.text, path);
}

static void nothing_to_close_is_fine(void **state)
{
	(void)state;
	assert_int_equal(recording__close(NULL), 0);
	recording__free(NULL);
}

/* There is no workload to describe: zeros, which a run would be refused for, are fine. */
static void a_header_of_an_attach_keeps_its_target(void **state)
{
	struct run_info info = sample_info(0), back;
	char why[256] = "", *header;

	(void)state;
	info.mode = MODE_ATTACH;
	info.workload = (struct workload_spec){0};
	strcpy(info.target, "postgres (700)");
	header = recording_header_encode(&info);
	assert_non_null(header);
	assert_int_equal(recording_header_decode(header, strlen(header), &back, why, sizeof(why)),
			 0);
	assert_int_equal(back.mode, MODE_ATTACH);
	assert_string_equal(back.target, "postgres (700)");
	assert_string_equal(back.host.kernel, info.host.kernel);
	assert_int_equal(back.workload.clients, 0);
	free(header);
}

static int decode_changed(const struct run_info *info, const char *name, json_t *value,
			  struct run_info *back)
{
	char why[256] = "", *header = recording_header_encode(info), *changed;
	json_t *json = json_loads(header, 0, NULL);
	int err;

	assert_non_null(json);
	if (value)
		json_object_set_new(json, name, value);
	else
		json_object_del(json, name);
	changed = json_dumps(json, 0);
	err = recording_header_decode(changed, strlen(changed), back, why, sizeof(why));
	assert_int_equal(!err, !why[0]);
	json_decref(json);
	free(changed);
	free(header);
	return err;
}

static void a_header_of_before_there_was_attach_is_a_runs(void **state)
{
	struct run_info info = sample_info(2), back;

	(void)state;
	assert_int_equal(decode_changed(&info, "mode", NULL, &back), 0);
	assert_int_equal(back.mode, MODE_RUN);
	assert_int_equal(decode_changed(&info, "target", NULL, &back), 0);
	assert_string_equal(back.target, "");
}

static void an_impossible_mode_is_refused(void **state)
{
	struct run_info info = sample_info(2), back;

	(void)state;
	assert_int_equal(decode_changed(&info, "mode", json_integer(-1), &back), -EINVAL);
	assert_int_equal(decode_changed(&info, "mode", json_integer(NR_MODES), &back), -EINVAL);
	assert_int_equal(decode_changed(&info, "mode", json_string("attach"), &back), -EINVAL);
	info.workload.clients = 0; /* a run without clients is none */
	assert_int_equal(decode_changed(&info, "mode", json_integer(MODE_RUN), &back), -EINVAL);
}

/* A process may have any name: bytes that are no UTF-8 become '?'. */
static void a_target_may_have_any_bytes(void **state)
{
	struct run_info info = sample_info(0), back;
	char why[256] = "", *header;

	(void)state;
	info.mode = MODE_ATTACH;
	strcpy(info.target, "x\xff\"\n (1)");
	header = recording_header_encode(&info);
	assert_non_null(header);
	assert_int_equal(recording_header_decode(header, strlen(header), &back, why, sizeof(why)),
			 0);
	assert_string_equal(back.target, "x?\"\n (1)");
	free(header);
}

/* They come back as they were, and record_check() wants all of them. */
static void records_of_an_attach_are_recorded(void **state)
{
	struct record_thread thread = make_thread(5, 4, true, 77);
	struct record_baseline start = make_start(9, BASELINE_UNKNOWN, false);
	struct record_address address = make_port_address(9, 40000, 80);
	const struct record *record[] = {&thread.head, &start.head, &address.head};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(record); i++) {
		size_t size = record_size(record[i]);
		struct record shorter = *record[i];

		assert_int_equal(record_check(record[i], size), size);
		assert_int_equal(record_check(record[i], size - 8), 0); /* it goes on */
		shorter.words--;
		assert_int_equal(record_check(&shorter, size), -EINVAL);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_field_of_the_run_survives),
		cmocka_unit_test(every_record_has_a_layout),
		cmocka_unit_test(an_empty_and_an_extreme_run_survive),
		cmocka_unit_test(a_command_line_that_is_no_utf8_does_not_prevent_the_recording),
		cmocka_unit_test(a_command_line_that_is_cut_in_a_character_is_recorded_too),
		cmocka_unit_test(the_header_tells_other_readers_where_every_field_is),
		cmocka_unit_test(all_records_of_two_cells_come_back),
		cmocka_unit_test(unread_records_are_skipped),
		cmocka_unit_test(a_recording_starts_as_its_description_says),
		cmocka_unit_test(a_file_cut_anywhere_is_readable_up_to_there),
		cmocka_unit_test(a_file_that_is_no_recording_is_refused_by_name),
		cmocka_unit_test(another_version_is_refused_by_its_number_with_a_remedy),
		cmocka_unit_test(a_header_of_impossible_size_is_refused),
		cmocka_unit_test(a_header_without_a_field_or_with_an_impossible_value_is_refused),
		cmocka_unit_test(a_field_that_is_not_known_is_passed_over),
		cmocka_unit_test(text_longer_than_its_field_is_cut),
		cmocka_unit_test(a_damaged_header_is_refused_in_one_line),
		cmocka_unit_test(records_may_lie_there_as_they_are),
		cmocka_unit_test(a_record_of_impossible_type_or_length_ends_the_cell),
		cmocka_unit_test(a_damaged_block_ends_the_cell_before_it),
		cmocka_unit_test(records_that_are_all_alike_are_not_compressed_without_end),
		cmocka_unit_test(a_block_that_expands_too_far_is_refused),
		cmocka_unit_test(damaged_records_are_never_read_outside_of_the_file),
		cmocka_unit_test(a_full_disk_is_found_before_anything_runs),
		cmocka_unit_test(a_disk_that_fills_up_is_told_once_and_fails_the_whole),
		cmocka_unit_test(what_is_still_buffered_at_the_end_is_not_lost_silently),
		cmocka_unit_test(a_path_that_cannot_be_opened_is_named_with_the_reason),
		cmocka_unit_test(nothing_to_close_is_fine),
		cmocka_unit_test(a_header_of_an_attach_keeps_its_target),
		cmocka_unit_test(a_header_of_before_there_was_attach_is_a_runs),
		cmocka_unit_test(an_impossible_mode_is_refused),
		cmocka_unit_test(a_target_may_have_any_bytes),
		cmocka_unit_test(records_of_an_attach_are_recorded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
