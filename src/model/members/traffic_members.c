/* SPDX-License-Identifier: BSD-2-Clause */
/* Describes what a summary knows of calls, services, channels and chains. */
#include "model/members/members.h"
#include "model/summary.h"

static const struct member answer_parts_rows[] = {
	{NUMBER, AT(answer_parts, calls), "count", "calls with such an answer", .least = 1},
	{NS, AT(answer_parts, ns)},
	{NUMBER, AT(answer_parts, did.state_ns)},
	{STRUCT, AT(answer_parts, did.blocked), .of = &blocked_calls_members},
	{STRUCT, AT(answer_parts, did.blame), .of = &blame_top_members},
};
MEMBERS(answer_parts,
	"Answers of several messages: what the server did between the first one and the last one.");

static const struct member callee_summary_rows[] = {
	{TEXT, AT(callee_summary, name), "service", "its name", NOT_NULL},
	{NUMBER, AT(callee_summary, calls), "calls", "calls to it"},
	{NS, AT(callee_summary, ns), "open_ns",
	 "for how long at least one of them was open in each service, in all"},
};
MEMBERS(callee_summary);

/* Recordings before version 14 have the largest callee only. */
static bool has_first_callee(void *of)
{
	struct service_summary *service = of;
	struct callee_summary *first = &service->callee[0];

	if (!first->name[0])
		return true;
	service->callee_cnt = 1;
	first->calls = service->nests;
	first->ns = service->nested_ns;
	return true;
}

#define GUESSED_SAYS   "calls for which it is a guess which end serves"
#define AMBIGUOUS_SAYS "calls with an ambiguous request or answer"

/* Before version 11 of recordings there was no state of services behind these. */
#define FIRST_STATES_SIZE (SERVICE_WAKEUP * sizeof(uint64_t))

static const struct member service_summary_rows[] = {
	{STRUCT, AT(service_summary, server), .of = &end_summary_members},
	{STRUCT, AT(service_summary, client), .of = &end_summary_members},
	{TEXT, AT(service_summary, name), "channel", "the name that clients know it by", NULL,
	 .after = "service"},
	{NUMBER, AT(service_summary, transport), "transport", TRANSPORT_SAYS, "not known",
	 NAMES(transport_id_names), .after = "channel"},
	{NUMBER, AT(service_summary, count), "count", "calls", .after = "client"},
	{NUMBER, AT(service_summary, open_several), "open_several",
	 "calls that are in no other figure, as several were open on a connection",
	 .after = "count"},
	{NUMBER, AT(service_summary, ambiguous), "ambiguous", AMBIGUOUS_SAYS,
	 .after = "open_several"},
	{NUMBER, AT(service_summary, guessed), "guessed", GUESSED_SAYS, .after = "ambiguous"},
	{DISTRIBUTION, AT(service_summary, round_trip), "round_trip_ns", .after = "per_second"},
	{DISTRIBUTION, AT(service_summary, service), "service_ns", .after = "round_trip_ns"},
	{NUMBER, AT(service_summary, state_cnt)},
	{NUMBER, .at = offsetof(struct service_summary, state_ns), .size = FIRST_STATES_SIZE},
	SINCE(3),
	{NUMBER, AT(service_summary, state_ns[SERVICE_WAKEUP])},
	SINCE(4),
	{DISTRIBUTION, AT(service_summary, request), "request_ns", .after = "clients"},
	{DISTRIBUTION, AT(service_summary, response), "response_ns", .after = "request_ns"},
	{STRUCT, AT(service_summary, blocked), .of = &blocked_calls_members},
	{STRUCT, AT(service_summary, worker), "worker", "the thread that did most in most calls",
	 "not known", IF(service_summary, worker.tid), .of = &end_summary_members,
	 .after = "blocked_on"},
	{NUMBER, AT(service_summary, worker_calls), "worker_calls", "in so many calls",
	 .after = "worker"},
	{NUMBER, AT(service_summary, nested), "nested",
	 "calls that were made in the service of a call", .after = "callees"},
	{TEXT, AT(service_summary, inside), "inside", "mostly of this service", "none",
	 IF(service_summary, nested), .after = "nested"},
	{NUMBER, AT(service_summary, nests), "nests", "calls in whose services others were made",
	 .after = "worker_calls"},
	{NS, AT(service_summary, nested_ns)},
	{TEXT, AT(service_summary, callee[0].name), "callee", "mostly of this service", "none",
	 IF(service_summary, callee_cnt), .after = "nested_ns"},
	{CHECK, .holds = has_first_callee},
	SINCE(11),
	{STRUCT, AT(service_summary, blame), .of = &blame_top_members},
	{STRUCT, AT(service_summary, parts), "answer_parts", NULL, "none",
	 IF(service_summary, parts.calls), .of = &answer_parts_members, .after = "inside"},
	SINCE(13),
	{LIST, AT(service_summary, callee), "callees",
	 "the services that were called, the largest first", .after = "callee",
	 EACH_OF(service_summary, callee, callee_summary_members),
	 CNT_AT(service_summary, callee_cnt)},
	SINCE(16),
	{FLAG, AT(service_summary, is_target)},
	SINCE(18),
	{STRUCT, AT(service_summary, components), .of = &component_sum_members},
};
MEMBERS(service_summary, "The calls of one client of one service.");

static const struct member calls_summary_rows[] = {
	{NUMBER, AT(calls_summary, count), "count", "calls of round_trip_ns"},
	{DISTRIBUTION, AT(calls_summary, round_trip), "round_trip_ns", .after = "unasked"},
	{DISTRIBUTION, AT(calls_summary, request), "request_ns", .after = "round_trip_ns"},
	{DISTRIBUTION, AT(calls_summary, service)},
	{DISTRIBUTION, AT(calls_summary, response), "response_ns", .after = "service_ns"},
	{DISTRIBUTION, AT(calls_summary, from_due), "from_due_ns", NULL, "no fixed rate",
	 IF(calls_summary, from_due.count), .after = "response_ns"},
	{NUMBER, AT(calls_summary, state_cnt)},
	{NUMBER, AT(calls_summary, handed_over)},
	{NUMBER, AT(calls_summary, guessed), "guessed", GUESSED_SAYS, IN_ATTACH},
	{NUMBER, AT(calls_summary, ambiguous), "ambiguous", AMBIGUOUS_SAYS, IN_ATTACH},
	{NUMBER, AT(calls_summary, unasked), "unasked",
	 "messages of a server that belong to no call", IN_ATTACH},
	{NUMBER, .at = offsetof(struct calls_summary, state_ns), .size = FIRST_STATES_SIZE},
	{STRUCT, AT(calls_summary, blocked), .of = &blocked_calls_members},
	SINCE(2),
	{NUMBER, AT(calls_summary, undecided), "undecided",
	 "messages that may be parts of an answer, or not", IN_ATTACH, .after = "open_several"},
	{NUMBER, AT(calls_summary, in_parts), "in_parts",
	 "calls whose request consists of several messages", IN_ATTACH, .after = "undecided"},
	{NUMBER, AT(calls_summary, messages)},
	{NUMBER, AT(calls_summary, cut_tries)},
	{DISTRIBUTION, AT(calls_summary, response_first), "response_first_ns", NULL, IN_ATTACH,
	 .after = "service_blame"},
	{DISTRIBUTION, AT(calls_summary, open_several), "open_several", NULL, IN_ATTACH,
	 .after = "response_first_ns"},
	SINCE(3),
	{NUMBER, AT(calls_summary, followed)},
	{NUMBER, AT(calls_summary, state_ns[SERVICE_WAKEUP])},
	SINCE(11),
	{STRUCT, AT(calls_summary, parts), "answer_parts", NULL, "none",
	 IF(calls_summary, parts.calls), .of = &answer_parts_members, .after = "end_at"},
	SINCE(13),
	{NUMBER, AT(calls_summary, unbalanced), "unbalanced",
	 "calls with several requests open, of which some had no counterpart: neither in these "
	 "figures nor in open_several",
	 IN_ATTACH, .after = "answer_parts"},
	SINCE(18),
	{STRUCT, AT(calls_summary, components), .of = &component_sum_members},
};
MEMBERS(calls_summary, "Requests and their answers.");

static const struct member channel_summary_rows[] = {
	{NUMBER, AT(channel_summary, id), "id", "its number", "several channels",
	 UNLESS(channel_summary, folded)},
	{NUMBER, AT(channel_summary, transport), "transport", TRANSPORT_SAYS,
	 "several, or not known", NAMES(transport_id_names)},
	{NUMBER, AT(channel_summary, folded)},
	{TEXT, AT(channel_summary, name), "name", "its name"},
	{STRUCT, AT(channel_summary, sender), .of = &end_summary_members},
	{STRUCT, AT(channel_summary, receiver), .of = &end_summary_members},
	{NUMBER, AT(channel_summary, messages), "messages", "matched messages",
	 .after = "receiver"},
	{NUMBER, AT(channel_summary, bytes), "bytes", "their bytes", .after = "messages"},
	{NUMBER, AT(channel_summary, calls), "calls", "calls whose request used this channel",
	 .after = "bytes"},
	{DISTRIBUTION, AT(channel_summary, latency), "latency_ns", .after = "dropped"},
	{STRUCT, AT(channel_summary, components), .of = &component_sum_members},
	SINCE(5),
	{NUMBER, AT(channel_summary, awake), "awake", "messages that found their receiver awake",
	 .after = "calls"},
	{NUMBER, AT(channel_summary, dropped), "dropped", "datagrams that the kernel dropped",
	 .after = "awake"},
	SINCE(8),
	{NUMBER, AT(channel_summary, named)},
	SINCE(12),
	{STRUCT, AT(channel_summary, blame), .of = &blame_top_members},
	{NUMBER, AT(channel_summary, loop.ns)},
	{NUMBER, AT(channel_summary, loop.known_ns)},
	{NUMBER, AT(channel_summary, loop.asleep_ns)},
	SINCE(16),
	{TEXT, AT(channel_summary, sender_process)},
	{TEXT, AT(channel_summary, receiver_process)},
};
MEMBERS(channel_summary);

static const struct member chain_hop_rows[] = {
	{STRUCT, AT(chain_hop, from), "from", .of = &end_summary_members},
	{STRUCT, AT(chain_hop, to), "to", .of = &end_summary_members},
	{NUMBER, AT(chain_hop, channel), "channel", "the channel", "several", IF_SET},
	{NUMBER, AT(chain_hop, transport), "transport", TRANSPORT_SAYS, "several, or not known",
	 NAMES(transport_id_names)},
	{NUMBER, AT(chain_hop, latency.ns)},
	{NUMBER, AT(chain_hop, latency.max_ns)},
	{NUMBER, AT(chain_hop, handled.ns)},
	{NUMBER, AT(chain_hop, handled.max_ns)},
};
MEMBERS(chain_hop);

static bool has_hops(void *of)
{
	return ((const struct chain_summary *)of)->hop_cnt;
}

static const struct member chain_summary_rows[] = {
	{LIST, AT(chain_summary, hop), "hops", "In their order.",
	 EACH_OF(chain_summary, hop, chain_hop_members), CNT_AT(chain_summary, hop_cnt)},
	{CHECK, .holds = has_hops},
	{NUMBER, AT(chain_summary, count), "count", "how often"},
	{DISTRIBUTION, AT(chain_summary, cycle), "cycle_ns"},
};
MEMBERS(chain_summary, "Messages that went on from process to process.");
