/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table of the fields of a message, and the loop over a table that passes each value to a
 * format. ndjson writes its calls and its last line so, too.
 */
#include "report/message_fields.h"

#include "model/transport_names.h"
#include "report/words/labels.h"

static const struct member message_blame_rows[] = {
	{WORD, AT(blame, class), "class", "what it is; server: the sender of the message",
	 NAMES_OF(blame_classes, NR_BLAME_CLASSES)},
	{TEXT, AT(blame, comm), "comm", "its name", "it has none, or it is not known"},
	{NUMBER, AT(blame, tid), "tid", "the thread, or the number of the interrupt; 0: no thread"},
	{NS, AT(blame, ns), "ns", "for how long it had the CPU"},
};
static const struct members message_blame = {
	.name = "message_blame", .size = sizeof(struct blame), ROWS(message_blame_rows)};

struct message_sleep {
	char call[NAME_LEN];
	uint64_t ns;
};

static const struct member message_sleep_rows[] = {
	{TEXT, AT(message_sleep, call), "call",
	 "the system call; or 'no call', 'stopped', 'others'", NOT_NULL},
	{NS, AT(message_sleep, ns), "ns", "for how long"},
};
static MEMBERS(message_sleep);

/* For patterns with answers. */
static bool knows_direction(const struct run_info *info, const void *of)
{
	const struct message *message = of;

	return message->has_round && info->mode == MODE_RUN;
}

#define COMPONENT_NS(id) .component = &components[id], AT(message, component_ns[id])

#define EXCHANGE_NS(id)  AT(message, exchange.part_ns[id])
#define IF_EXCHANGE_CUT  "its connection is not traced", IF(message, exchange.is_cut)

/* The order of the fields is part of the schema. New fields go to the end. */
static const struct member message_rows[] = {
	{NUMBER, AT(message, channel), "channel", "the channel"},
	{WORD, AT(message, transport), "transport", TRANSPORT_SAYS, "several, or not known",
	 NAMES(transport_id_names)},
	{NUMBER, AT(message, position), "seq", "the number of the message in its channel"},
	{NUMBER, AT(message, round), "round", "the number of its round or exchange, from 0",
	 "it is in none", IF(message, has_round)},
	{NUMBER, AT(message, client), "client", "the number of its client", "it is in no round",
	 IF(message, has_round), .least = 1},
	{NUMBER, AT(message, bytes), "bytes", "its size, in bytes"},
	{NUMBER, AT(message, receives), "receives", "how many receive calls took it"},
	{NUMBER, AT(message, sender.tid), "sender_tid",
	 "the thread of the sender; 0: an interrupt"},
	{TEXT, AT(message, sender.comm), "sender_comm", "its name", "not known"},
	{NUMBER, AT(message, sender.cpu), "sender_cpu", "the CPU that it ran on"},
	{NUMBER, AT(message, receiver.tid), "receiver_tid",
	 "the thread of the receiver; 0: an interrupt"},
	{TEXT, AT(message, receiver.comm), "receiver_comm", "its name", "not known"},
	{NUMBER, AT(message, receiver.cpu), "receiver_cpu", "the CPU that it ran on"},
	{NS, AT(message, send_ns), "send_ns", "the instant at which the send call began",
	 "level light", UNLESS(message, hides_calls)},
	{NS, AT(message, latency_ns), "latency_ns", "the latency"},
	{NS, COMPONENT_NS(COMPONENT_DISPATCH), "dispatch_ns", .null = ""},
	{NS, COMPONENT_NS(COMPONENT_SEND_PATH), "send_path_ns", .null = ""},
	{NS, COMPONENT_NS(COMPONENT_WAKEUP), "wakeup_ns"},
	{NS, COMPONENT_NS(COMPONENT_RUNQUEUE), "runqueue_ns", .null = ""},
	{NS, COMPONENT_NS(COMPONENT_SWITCH), "switch_ns", .null = ""},
	{NS, COMPONENT_NS(COMPONENT_BUSY), "busy_ns", .null = ""},
	{NS, COMPONENT_NS(COMPONENT_BLOCKED), "blocked_ns"},
	{NS, COMPONENT_NS(COMPONENT_RECEIVE), "receive_ns", "the receiver is in its receive call"},
	{NS, COMPONENT_NS(COMPONENT_RETURN), "return_ns", .null = ""},
	{WORD, AT(message, path), "path", "what the receiver was doing when the message came",
	 NAMES_OF(paths, NR_PATHS)},
	{WORD, AT(message, match), "match", "how send and receive were joined", NAMES(match_names)},
	{ENTRIES, AT(message, blame), "blame",
	 "What ran while the receiver waited for a CPU, longest first. Adds up to runqueue_ns.",
	 CNT_AT(message, blame_cnt), .of = &message_blame},
	{NS, AT(message, stamp_ns), "stamp_ns", "the instant at which the server read its clock",
	 "it has no stamp", IF(message, has_stamp)},
	{NS, AT(message, queued_ns), "queued_ns",
	 "the instant at which the receiver could see the message"},
	{NS, AT(message, recv_ns), "recv_ns", "the instant at which the receive call ended",
	 "level light", UNLESS(message, hides_calls)},
	{NS, AT(message, user_ns), "user_ns", "the instant at which the receiver read its clock",
	 "it has no stamp", IF(message, has_stamp)},
	{FLAG, AT(message, to_server), "to_server", "the client sent it to the server", "an attach",
	 .known = knows_direction},
	{NS, AT(message, due_ns), "due_ns", "the instant at which its exchange was due to begin",
	 "no fixed rate", IF(message, due_ns)},
	{LIST, .name = "blocked_on",
	 "The system calls that the receiver slept in. Adds up to blocked_ns.", "a run",
	 .of = &message_sleep_members},
	{NS, AT(message, recv_ns), "taken_ns",
	 "the instant at which the kernel handed the message over", "not level light",
	 IF(message, hides_calls)},
	{TEXTS, .name = "unseen", "components that lack a part, which another component has",
	 WORDS("runqueue", "switch"), .limits = "{\"uniqueItems\": true}"},
	{NS, COMPONENT_NS(COMPONENT_ROOM), "room_ns", .null = ""},
	{WORD, .name = "kind", WORDS("message")},
	{NS, AT(message, exchange.latency_ns), "exchange_ns",
	 "the exchange that the message is of (pattern connect), by the client's clock",
	 "another pattern, or an older recording", IF(message, exchange.latency_ns)},
	{NS, EXCHANGE_NS(EXCHANGE_SOCKET), "exchange_socket_ns",
	 "of it: the client makes its socket", IF_EXCHANGE_CUT},
	{NS, EXCHANGE_NS(EXCHANGE_CONNECT), "exchange_connect_ns",
	 "of it: from connect() until the connection can be accepted", IF_EXCHANGE_CUT},
	{NS, EXCHANGE_NS(EXCHANGE_QUEUE), "exchange_queue_ns",
	 "of it: the server does other things", IF_EXCHANGE_CUT},
	{NS, EXCHANGE_NS(EXCHANGE_WAKEUP), "exchange_wakeup_ns",
	 "of it: the server sleeps in accept()", IF_EXCHANGE_CUT},
	{NS, EXCHANGE_NS(EXCHANGE_RUNQUEUE), "exchange_runqueue_ns",
	 "of it: the server waits for a CPU, to accept", IF_EXCHANGE_CUT},
	{NS, EXCHANGE_NS(EXCHANGE_SWITCH), "exchange_switch_ns", "of it: the switch to the server",
	 IF_EXCHANGE_CUT},
	{NS, EXCHANGE_NS(EXCHANGE_ACCEPT), "exchange_accept_ns", "of it: the server is in accept()",
	 IF_EXCHANGE_CUT},
	{NS, EXCHANGE_NS(EXCHANGE_SERVICE), "exchange_service_ns",
	 "of it: from the end of accept() until the server reads its clock", IF_EXCHANGE_CUT},
	{NS, EXCHANGE_NS(EXCHANGE_CLOSE), "exchange_close_ns",
	 "of it: both ends are closed; these parts and latency_ns add up to exchange_ns",
	 "another pattern, or an older recording", IF(message, exchange.latency_ns)},
};
MEMBERS(message,
	"A message. Its components add up to latency_ns; dispatch_ns of an attach lies before it.");

static bool message_fields_is_known(const struct member *row, const struct run_info *info,
				    const void *of)
{
	if (!row->component)
		return member_is_known(row, info, of);
	return message_knows(of, row->component - components, info->mode == MODE_ATTACH);
}

static void put_text(const char *text, const struct field_writer *writer, void *out)
{
	if (text && text[0])
		writer->text(out, text);
	else
		writer->null(out);
}

/* Known in an attach only. */
static void put_sleeps(const struct message *message, const struct run_info *info,
		       const struct field_writer *writer, void *out)
{
	struct message_sleep sleep[BLOCKED_CALLS_MAX];
	struct blocked_calls blocked;

	if (info->mode == MODE_RUN || !info->host.arch[0]) {
		writer->null(out);
		return;
	}
	blocked_calls_of_message(message, &blocked);
	blocked_calls_sort(&blocked);
	for (uint32_t i = 0; i < blocked.cnt; i++) {
		syscall_name(info->host.arch, blocked.entry[i].call, sleep[i].call);
		sleep[i].ns = blocked.entry[i].ns;
	}
	writer->entries(out, &message_sleep_members, sleep, blocked.cnt);
}

static void put_unseen(const struct message *message, const struct field_writer *writer, void *out)
{
	const char *word[2];
	uint32_t cnt = 0;

	if (message->unseen_wakeup)
		word[cnt++] = components[COMPONENT_RUNQUEUE].name;
	if (message->unseen_switch)
		word[cnt++] = components[COMPONENT_SWITCH].name;
	writer->words(out, word, cnt);
}

void field_write(const struct member *row, const struct run_info *info, const void *of,
		 const struct field_writer *writer, void *out)
{
	const void *value = (const char *)of + row->at;
	uint32_t cnt;

	if (!message_fields_is_known(row, info, of)) {
		writer->null(out);
		return;
	}
	switch (row->kind) {
	case WORD:
		put_text(member_word(row, member_number(row, of)), writer, out);
		break;
	case TEXT:
		put_text(value, writer, out);
		break;
	case FLAG:
		writer->flag(out, *(const bool *)value);
		break;
	case ENTRIES:
		value = member_entries(row, of, &cnt);
		writer->entries(out, row->of, value, cnt);
		break;
	case LIST:
		put_sleeps(of, info, writer, out);
		break;
	case TEXTS:
		put_unseen(of, writer, out);
		break;
	default:
		writer->integer(out, member_number(row, of));
	}
}

void fields_write(const struct members *table, const struct run_info *info, const void *of,
		  const struct field_writer *writer, void *out)
{
	for (size_t i = 0; i < table->cnt; i++) {
		writer->name(out, table->row[i].name);
		field_write(&table->row[i], info, of, writer, out);
	}
}
