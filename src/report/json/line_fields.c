/* SPDX-License-Identifier: BSD-2-Clause */
/* Describes the lines of -f ndjson for their schema. */
#include "report/json/summary_fields.h"
#include "model/call.h"

static const struct member header_rows[] = {
	{WORD, .name = "schema", WORDS("ipctrace.messages/1")},
	{TEXT, .name = "version", "of the ipctrace that recorded"},
	{STRUCT, .name = "host", .of = &host_members},
	{STRUCT, .name = "workload", NULL, "an attach", .of = &workload_spec_members},
	{TEXTS, .name = "fields", "the members of a message, in their order", NOT_NULL,
	 .limits = "{\"uniqueItems\": true}"},
	{WORD, .name = "level", "how much was traced", NAMES(level_names)},
	{NS, .name = "slower_than_ns", "only slower messages are shown", "all are"},
	{STRUCT, .name = "began", NULL, "not known", .of = &begin_members},
	{TEXT, .name = "select", "the options that select messages, in words", "all are shown"},
	{TEXT, .name = "condition",
	 "the recording has only what is around messages that fulfil this", "it has all"},
};
SHAPE(header, "The first line of each run.");

static const struct member message_blame_rows[] = {
	{WORD, .name = "class", "what it is; server: the sender of the message",
	 NAMES_OF(blame_classes, NR_BLAME_CLASSES)},
	{TEXT, .name = "comm", "its name", "it has none, or it is not known"},
	{NUMBER, .name = "tid", "the thread, or the number of the interrupt; 0: no thread"},
	{NS, .name = "ns", "for how long it had the CPU"},
};
static SHAPE(message_blame);

static const struct member message_sleep_rows[] = {
	{TEXT, .name = "call", "the system call; or 'no call', 'stopped', 'others'", NOT_NULL},
	{NS, .name = "ns", "for how long"},
};
static SHAPE(message_sleep);

static const struct member message_rows[] = {
	{NUMBER, .name = "channel", "the channel"},
	{WORD, .name = "transport", TRANSPORT_SAYS, "several, or not known",
	 NAMES(transport_id_names)},
	{NUMBER, .name = "seq", "the number of the message in its channel"},
	{NUMBER, .name = "round", "the number of its round or exchange, from 0", "it is in none"},
	{NUMBER, .name = "client", "the number of its client", "it is in no round", .least = 1},
	{NUMBER, .name = "bytes", "its size, in bytes"},
	{NUMBER, .name = "receives", "how many receive calls took it"},
	{NUMBER, .name = "sender_tid", "the thread of the sender; 0: an interrupt"},
	{TEXT, .name = "sender_comm", "its name", "not known"},
	{NUMBER, .name = "sender_cpu", "the CPU that it ran on"},
	{NUMBER, .name = "receiver_tid", "the thread of the receiver; 0: an interrupt"},
	{TEXT, .name = "receiver_comm", "its name", "not known"},
	{NUMBER, .name = "receiver_cpu", "the CPU that it ran on"},
	{NS, .name = "send_ns", "the instant at which the send call began", "level light"},
	{NS, .name = "latency_ns", "the latency"},
	{NS, .name = "dispatch_ns", "from the stamp to the begin of the send call", ""},
	{NS, .name = "send_path_ns",
	 "the send call, until the receiver can see the message, less room", ""},
	{NS, .name = "wakeup_ns", "the receiver sleeps until it is woken up"},
	{NS, .name = "runqueue_ns", "the receiver is runnable and waits for a CPU", ""},
	{NS, .name = "switch_ns", "the scheduler switches to the receiver", ""},
	{NS, .name = "busy_ns", "the receiver runs, outside of the receive call of this message",
	 ""},
	{NS, .name = "blocked_ns", "the receiver sleeps for another reason"},
	{NS, .name = "receive_ns", "the receiver is in its receive call"},
	{NS, .name = "return_ns",
	 "from the end of the receive call to the receiver's own clock reading", ""},
	{WORD, .name = "path", "what the receiver was doing when the message came",
	 NAMES_OF(paths, NR_PATHS)},
	{WORD, .name = "match", "how send and receive were joined", NAMES(match_names)},
	{LIST, .name = "blame",
	 "What ran while the receiver waited for a CPU, longest first. Adds up to runqueue_ns.",
	 .of = &message_blame_object},
	{NS, .name = "stamp_ns", "the instant at which the server read its clock",
	 "it has no stamp"},
	{NS, .name = "queued_ns", "the instant at which the receiver could see the message"},
	{NS, .name = "recv_ns", "the instant at which the receive call ended", "level light"},
	{NS, .name = "user_ns", "the instant at which the receiver read its clock",
	 "it has no stamp"},
	{FLAG, .name = "to_server", "the client sent it to the server", "an attach"},
	{NS, .name = "due_ns", "the instant at which its exchange was due to begin",
	 "no fixed rate"},
	{LIST, .name = "blocked_on",
	 "The system calls that the receiver slept in. Adds up to blocked_ns.", "a run",
	 .of = &message_sleep_object},
	{NS, .name = "taken_ns", "the instant at which the kernel handed the message over",
	 "not level light"},
	{TEXTS, .name = "unseen", "components that lack a part, which another component has",
	 WORDS("runqueue", "switch"), .limits = "{\"uniqueItems\": true}"},
	{NS, .name = "room_ns", "the sender, or its data, waits for room at the receiver", ""},
	{WORD, .name = "kind", WORDS("message")},
};
SHAPE(message,
      "A message. Its components add up to latency_ns; dispatch_ns of an attach lies before it.");

static const struct member call_rows[] = {
	{WORD, .name = "kind", WORDS("call")},
	{NUMBER, .name = "call", "the number of the call", "several were open"},
	{NUMBER, .name = "parent", "the call in whose service it was made", "none", .least = 1},
	{NUMBER, .name = "channel", "the channel of the request"},
	{WORD, .name = "transport", TRANSPORT_SAYS, "several, or not known",
	 NAMES(transport_id_names)},
	{NUMBER, .name = "client_tid", "the thread that sent the request"},
	{TEXT, .name = "client_comm", "its name", "not known"},
	{NUMBER, .name = "server_tid", "the thread that received the request"},
	{TEXT, .name = "server_comm", "its name", "not known"},
	{NS, .name = "request_sent_ns", "the instant at which the round trip begins"},
	{NS, .name = "round_trip_ns", "the round trip, which is request, service and response"},
	{NS, .name = "request_ns", "the way to the server"},
	{NS, .name = "service_ns", "the time that the server needs to answer"},
	{NS, .name = "response_ns", "the way back, to the last part of the answer"},
	{NS, .name = "response_first_ns", "the way back, to the first part of the answer"},
	{NS, .name = "on_cpu_ns", "the serving threads ran", "not known"},
	{NS, .name = "runqueue_ns", "they waited for a CPU", "not known"},
	{NS, .name = "blocked_ns", "they slept", "not known"},
	{NS, .name = "wakeup_ns",
	 "another thread had handed on the work, and the next one was not runnable yet",
	 "not known"},
	{NUMBER, .name = "threads", "through how many threads the service went", "not known"},
	{NUMBER, .name = "worker_tid", "the thread that had it longest", "not known"},
	{NUMBER, .name = "nested", "how many calls were made in its service"},
	{NS, .name = "nested_ns", "for how long at least one of these was open"},
	{NUMBER, .name = "requests", "the messages of the request"},
	{NUMBER, .name = "answers", "the messages of the answer"},
	{WORD, .name = "match", "how sure it is that the answer belongs to the request",
	 NAMES(call_match_names)},
	{FLAG, .name = "guessed", "it is a guess which end serves"},
	{FLAG, .name = "ambiguous", "its request or answer is ambiguous"},
};
SHAPE(call, "A request and its answer, in an attach.");

static const struct member last_rows[] = {
	{WORD, .name = "end", WORDS("ipctrace.messages/1")},
	{FLAG, .name = "truncated",
	 "the output lacks messages, because a run failed or a recording is cut"},
	{NUMBER, .name = "runs", "headers", .least = 1},
	{NUMBER, .name = "messages", "messages"},
	{NUMBER, .name = "incomplete",
	 "messages that are not shown, because they have no components"},
	{NUMBER, .name = "lost", "records that were lost"},
	{NUMBER, .name = "calls", "calls"},
};
SHAPE(last, "The last line. An output without it is not whole.");
