/* SPDX-License-Identifier: BSD-2-Clause */
#include "support/build.h"

#include "model/record_decode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

static struct record head_of(unsigned int type, size_t size, uint32_t cpu, uint32_t tid)
{
	return (struct record){.type = type, .words = size / 8, .cpu = cpu, .tid = tid};
}

struct record_send make_send(uint32_t tid, uint32_t channel, uint64_t position, uint64_t send_ns,
			     uint64_t queued_ns)
{
	return (struct record_send){
		.head = head_of(RECORD_SEND, sizeof(struct record_send), 0, tid),
		.channel = channel,
		.bytes = 64,
		.position = position,
		.send_ns = send_ns,
		.queued_ns = queued_ns,
	};
}

struct record_receive make_receive(uint32_t tid, uint32_t channel, uint64_t position,
				   uint64_t enter_ns, uint64_t exit_ns)
{
	return (struct record_receive){
		.head = head_of(RECORD_RECEIVE, sizeof(struct record_receive), 0, tid),
		.channel = channel,
		.bytes = 64,
		.position = position,
		.enter_ns = enter_ns,
		.exit_ns = exit_ns,
	};
}

static struct record_slice make_slice(uint32_t cpu, uint32_t seq, uint32_t kind, uint32_t id,
				      uint64_t start_ns, uint64_t end_ns)
{
	return (struct record_slice){
		.head = head_of(RECORD_SLICE, sizeof(struct record_slice), cpu, id),
		.kind = kind,
		.seq = seq,
		.start_ns = start_ns,
		.end_ns = end_ns,
	};
}

struct record_slice make_task(uint32_t cpu, uint32_t seq, uint32_t tid, uint64_t end_ns)
{
	return make_slice(cpu, seq, SLICE_TASK, tid, 0, end_ns);
}

struct record_slice make_irq(uint32_t cpu, uint32_t seq, uint32_t irq, uint64_t start_ns,
			     uint64_t end_ns)
{
	return make_slice(cpu, seq, SLICE_IRQ, irq, start_ns, end_ns);
}

struct record_slice make_softirq(uint32_t cpu, uint32_t seq, uint32_t vector, uint64_t start_ns,
				 uint64_t end_ns)
{
	return make_slice(cpu, seq, SLICE_SOFTIRQ, vector, start_ns, end_ns);
}

struct record_name make_name(uint32_t kind, uint32_t id, uint64_t since_ns, const char *comm)
{
	struct record_name name = {
		.head = head_of(RECORD_NAME, sizeof(struct record_name), 0, id),
		.kind = kind,
		.since_ns = since_ns,
	};

	snprintf(name.comm, sizeof(name.comm), "%s", comm);
	return name;
}

struct record_process make_process(uint32_t tid, uint64_t since_ns, uint32_t pid, const char *comm)
{
	struct record_process process = {
		.head = head_of(RECORD_PROCESS, sizeof(struct record_process), 0, tid),
		.since_ns = since_ns,
		.pid = pid,
	};

	snprintf(process.comm, sizeof(process.comm), "%s", comm);
	return process;
}

struct record_stamp make_stamp(uint32_t client, uint64_t round, uint64_t stamp_ns, uint64_t user_ns)
{
	return (struct record_stamp){
		.head = head_of(RECORD_STAMP, sizeof(struct record_stamp), 0, 0),
		.client = client,
		.index = round,
		.round = round,
		.stamp_ns = stamp_ns,
		.user_ns = user_ns,
	};
}

struct record_tick make_tick(uint64_t round, uint64_t stamp_ns, uint32_t sent)
{
	return (struct record_tick){
		.head = head_of(RECORD_TICK, sizeof(struct record_tick), 0, 0),
		.round = round,
		.due_ns = stamp_ns,
		.stamp_ns = stamp_ns,
		.sent = sent,
	};
}

struct record_role make_role(uint32_t tid, enum role role, uint32_t client)
{
	struct record_role record = {
		.head = head_of(RECORD_ROLE, sizeof(struct record_role), 0, tid),
		.role = role,
		.client = client,
	};

	snprintf(record.comm, sizeof(record.comm), role == ROLE_SERVER ? "server" : "client-%u",
		 client % 1000);
	return record;
}

struct record_thread make_thread(uint32_t tid, uint32_t pid, bool is_peer, uint64_t since_ns)
{
	return (struct record_thread){
		.head = head_of(RECORD_THREAD, sizeof(struct record_thread), 0, tid),
		.pid = pid,
		.is_peer = is_peer,
		.since_ns = since_ns,
	};
}

struct record_baseline make_baseline(uint32_t channel, uint64_t leftover, bool is_new)
{
	return (struct record_baseline){
		.head = head_of(RECORD_BASELINE, sizeof(struct record_baseline), 0, 0),
		.channel = channel,
		.is_new = is_new,
		.leftover = leftover,
	};
}

struct record_channel make_channel(uint32_t channel, uint32_t transport, uint64_t sender,
				   uint64_t receiver)
{
	return (struct record_channel){
		.head = head_of(RECORD_CHANNEL, sizeof(struct record_channel), 0, 0),
		.channel = channel,
		.transport = transport,
		.sender = sender,
		.receiver = receiver,
	};
}

static struct record_address address_of(uint32_t channel, uint16_t family, const void *text,
					size_t length)
{
	struct record_address address = {
		.head = head_of(RECORD_ADDRESS, sizeof(struct record_address), 0, 0),
		.channel = channel,
		.family = family,
		.length = length,
	};

	assert_true(length <= sizeof(address.text));
	memcpy(address.text, text, length);
	return address;
}

struct record_address make_address(uint32_t channel, const char *path, uint32_t named)
{
	struct record_address address = address_of(channel, AF_UNIX, path, strlen(path));

	address.named = named;
	return address;
}

struct record_address make_file_address(uint32_t channel, const char *name, uint64_t inode)
{
	struct record_address address = address_of(channel, 0, name, strlen(name));

	address.inode = inode;
	return address;
}

struct record_address make_port_address(uint32_t channel, uint16_t sender, uint16_t receiver)
{
	static const uint8_t both[20] = {127, 0, 0, 1, [16] = 127, 0, 0, 1};
	struct record_address address = address_of(channel, AF_INET, both, sizeof(both));

	address.length = 4;
	address.sender_port = sender;
	address.receiver_port = receiver;
	return address;
}

struct record_arrival make_arrival(uint32_t channel, uint64_t end, uint64_t at_ns)
{
	return (struct record_arrival){
		.head = head_of(RECORD_ARRIVAL, sizeof(struct record_arrival), 0, 0),
		.channel = channel,
		.end = end,
		.at_ns = at_ns,
	};
}

void tape_add(struct tape *tape, const void *record)
{
	size_t size = record_size(record);

	if (tape->cnt == tape->capacity) {
		tape->capacity = tape->capacity ? 2 * tape->capacity : 64;
		tape->record = realloc(tape->record, tape->capacity * sizeof(*tape->record));
		assert_non_null(tape->record);
	}
	tape->record[tape->cnt] = malloc(size);
	assert_non_null(tape->record[tape->cnt]);
	memcpy(tape->record[tape->cnt++], record, size);
}

void tape_free(struct tape *tape)
{
	for (size_t i = 0; i < tape->cnt; i++)
		free(tape->record[i]);
	free(tape->record);
	*tape = (struct tape){0};
}

void put_send(struct tape *tape, uint32_t tid, uint32_t channel, uint64_t position,
	      uint64_t send_ns, uint64_t queued_ns)
{
	struct record_send send = make_send(tid, channel, position, send_ns, queued_ns);

	tape_add(tape, &send);
}

void put_receive(struct tape *tape, uint32_t tid, uint32_t channel, uint64_t position,
		 uint64_t enter_ns, uint64_t exit_ns, uint64_t first, const uint64_t *change,
		 size_t cnt)
{
	struct {
		struct record_receive record;
		uint64_t change[CHANGES_MAX];
	} out = {.record = make_receive(tid, channel, position, enter_ns, exit_ns)};

	assert_true(cnt <= CHANGES_MAX);
	out.record.head.words += cnt;
	out.record.first = first;
	if (cnt)
		memcpy(out.change, change, cnt * sizeof(*change));
	tape_add(tape, &out);
}

void put_changes(struct tape *tape, uint32_t tid, uint64_t base_ns, uint64_t first,
		 const uint64_t *change, size_t cnt)
{
	struct {
		struct record_changes record;
		uint64_t change[CHANGES_MAX];
	} out = {.record = {.head = head_of(RECORD_CHANGES, sizeof(struct record_changes), 0, tid),
			    .base_ns = base_ns,
			    .first = first}};

	assert_true(cnt <= CHANGES_MAX);
	out.record.head.words += cnt;
	memcpy(out.change, change, cnt * sizeof(*change));
	tape_add(tape, &out);
}

void put_slice(struct tape *tape, struct record_slice slice)
{
	tape_add(tape, &slice);
}

void put_stamp(struct tape *tape, uint32_t client, uint64_t round, uint64_t stamp_ns,
	       uint64_t user_ns)
{
	struct record_stamp stamp = make_stamp(client, round, stamp_ns, user_ns);

	tape_add(tape, &stamp);
}

void put_tick(struct tape *tape, uint64_t round, uint64_t stamp_ns, uint32_t sent)
{
	struct record_tick tick = make_tick(round, stamp_ns, sent);

	tape_add(tape, &tick);
}

void put_role(struct tape *tape, uint32_t tid, enum role role, uint32_t client)
{
	struct record_role record = make_role(tid, role, client);

	tape_add(tape, &record);
}

void put_watermark(struct tape *tape, uint64_t before_ns)
{
	struct record_watermark watermark = {
		.head = head_of(RECORD_WATERMARK, sizeof(struct record_watermark), 0, 0),
		.before_ns = before_ns,
	};

	tape_add(tape, &watermark);
}

void put_end(struct tape *tape)
{
	struct record_end end = {.head = head_of(RECORD_END, sizeof(struct record_end), 0, 0)};

	tape_add(tape, &end);
}

static void swap(struct tape *tape, size_t i, size_t k)
{
	struct record *record = tape->record[i];

	tape->record[i] = tape->record[k];
	tape->record[k] = record;
}

void tape_reverse(struct tape *tape)
{
	for (size_t i = 0; i < tape->cnt / 2; i++)
		swap(tape, i, tape->cnt - 1 - i);
}

void tape_shuffle(struct tape *tape, uint64_t *seed)
{
	for (size_t i = tape->cnt; i > 1; i--)
		swap(tape, i - 1, random_below(seed, i));
}

static void *copy(const void *from, size_t size)
{
	void *to = malloc(size + 1);

	assert_non_null(to);
	return size ? memcpy(to, from, size) : to;
}

static int on_message(void *ctx, const struct message *message)
{
	struct hearing *hearing = ctx;
	struct message *kept;

	if (hearing->cnt == hearing->capacity) {
		hearing->capacity = hearing->capacity ? 2 * hearing->capacity : 64;
		hearing->message =
			realloc(hearing->message, hearing->capacity * sizeof(*hearing->message));
		assert_non_null(hearing->message);
	}
	kept = &hearing->message[hearing->cnt++];
	*kept = *message;
	kept->segment = copy(message->segment, message->segment_cnt * sizeof(*message->segment));
	kept->blame = copy(message->blame, message->blame_cnt * sizeof(*message->blame));
	return 0;
}

struct hearing hear(const struct run_info *info, const struct tape *tape)
{
	struct hearing hearing = {0};
	const struct analysis_request request = {.on_message = on_message, .ctx = &hearing};

	hearing.analysis = analysis__new(info, &request);
	assert_non_null(hearing.analysis);
	for (size_t i = 0; i < tape->cnt; i++)
		assert_int_equal(analysis__record(hearing.analysis, tape->record[i]), 0);
	assert_int_equal(analysis__finish(hearing.analysis), 0);
	hearing.summary = analysis__summary(hearing.analysis);
	return hearing;
}

void hearing_free(struct hearing *hearing)
{
	for (size_t i = 0; i < hearing->cnt; i++) {
		free((void *)hearing->message[i].segment);
		free((void *)hearing->message[i].blame);
	}
	free(hearing->message);
	analysis__free(hearing->analysis);
	*hearing = (struct hearing){0};
}

/* splitmix64, by Sebastiano Vigna. */
uint64_t random_next(uint64_t *seed)
{
	uint64_t bits = *seed += 0x9e3779b97f4a7c15ULL;

	bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9ULL;
	bits = (bits ^ bits >> 27) * 0x94d049bb133111ebULL;
	return bits ^ bits >> 31;
}

uint64_t random_below(uint64_t *seed, uint64_t limit)
{
	return (random_next(seed) & UINT32_MAX) * (unsigned __int128)limit >> 32;
}

uint64_t sum_of(const uint64_t *value, size_t cnt)
{
	uint64_t sum = 0;

	while (cnt--)
		sum += value[cnt];
	return sum;
}

uint64_t accounted(const struct integrity *integrity)
{
	return integrity->matched + sum_of(integrity->incomplete, NR_INCOMPLETES);
}
