/* SPDX-License-Identifier: BSD-2-Clause */
/* Describes the connections in struct summary, and exchanges, which have one and a message each. */
#include "model/members/members.h"
#include "model/summary.h"

#define PART(tag, part_, name)                                                                     \
	{                                                                                          \
		DISTRIBUTION, AT(tag, part[part_]), name                                           \
	}
#define CONNECTION_PART_ROWS(tag)                                                                  \
	PART(tag, CONNECTION_CONNECT, "connect_ns"), PART(tag, CONNECTION_QUEUE, "queue_ns"),      \
		PART(tag, CONNECTION_WAKEUP, "wakeup_ns"),                                         \
		PART(tag, CONNECTION_RUNQUEUE, "runqueue_ns"),                                     \
		PART(tag, CONNECTION_SWITCH, "switch_ns"),                                         \
		PART(tag, CONNECTION_ACCEPT, "accept_ns")

static const struct member listener_summary_rows[] = {
	{STRUCT, AT(listener_summary, server), "server", .of = &end_summary_members},
	{NUMBER, AT(listener_summary, transport), "transport", TRANSPORT_SAYS,
	 NAMES(transport_id_names)},
	{NUMBER, AT(listener_summary, port), "port", "the port that is listened on", "no TCP",
	 IF_SET},
	{NUMBER, AT(listener_summary, backlog), "backlog",
	 "connections that may wait to be accepted, as listen() has set it"},
	{NUMBER, AT(listener_summary, most_waiting), "most_waiting",
	 "connections that still waited when one was accepted, at most"},
	{DISTRIBUTION, AT(listener_summary, latency), "latency_ns"},
	CONNECTION_PART_ROWS(listener_summary),
	{NS, AT(listener_summary, busy_ns), "queue_busy_ns",
	 "of the time in the queue: the accepting thread ran"},
	{NS, AT(listener_summary, blocked_ns), "queue_blocked_ns",
	 "of the time in the queue: the accepting thread slept"},
	{STRUCT, AT(listener_summary, blocked), .of = &blocked_calls_members},
	{NUMBER, AT(listener_summary, full.count), "full",
	 "connections that waited because the queue was full"},
	{NS, AT(listener_summary, full.least_ns), "full_least_ns", "the shortest of these waits",
	 "none", IF(listener_summary, full.count)},
	{NS, AT(listener_summary, full.most_ns), "full_most_ns", "the longest of these waits",
	 "none", IF(listener_summary, full.count)},
	SINCE(17),
	{NUMBER, AT(listener_summary, full.still_waiting), "full_still_waiting",
	 "of `full`: they still waited when tracing ended", .after = "full"},
	{NUMBER, AT(listener_summary, unanswered.count), "unanswered",
	 "connections that sent their first segment again and again, while the queue had room"},
	{NUMBER, AT(listener_summary, unanswered.still_waiting), "unanswered_still_waiting",
	 "of these: they still waited when tracing ended"},
	{NS, AT(listener_summary, unanswered.least_ns), "unanswered_least_ns",
	 "the shortest of these waits", "none", IF(listener_summary, unanswered.count)},
	{NS, AT(listener_summary, unanswered.most_ns), "unanswered_most_ns",
	 "the longest of these waits", "none", IF(listener_summary, unanswered.count)},
};
MEMBERS(listener_summary, "A socket that is listened on.");

static const struct member connection_error_rows[] = {
	{NUMBER, AT(connection_error, error), "errno", "why; 0: for other reasons"},
	{NUMBER, AT(connection_error, count), "count", "connect() calls"},
	SINCE(17),
	{NUMBER, AT(connection_error, retried), "retried",
	 "of these: the thread tried again, and a connection was made at last"},
	{NS, AT(connection_error, retry_ns), "retry_ns",
	 "for how long in all threads waited until they tried again"},
};
MEMBERS(connection_error);

static const struct member connections_summary_rows[] = {
	{NUMBER, AT(connections_summary, calls), "connect_calls",
	 "connect() calls to or of a target, with those that failed"},
	{DISTRIBUTION, AT(connections_summary, latency), "latency_ns"},
	CONNECTION_PART_ROWS(connections_summary),
	{NUMBER, AT(connections_summary, retransmits), "retransmits",
	 "segments of handshakes that were sent again"},
	{NUMBER, AT(connections_summary, uncut), "uncut",
	 "connections of which it is not known what the accepting thread did"},
	{NUMBER, AT(connections_summary, not_seen), "not_seen",
	 "connections whose connecting end is not traced"},
	{NUMBER, AT(connections_summary, not_accepted), "not_accepted",
	 "connections that no traced thread has accepted"},
	{NUMBER, AT(connections_summary, failed), "failed", "connect() calls that failed"},
	{LIST, AT(connections_summary, error), "errors", "the failed calls, by reason",
	 EACH_OF(connections_summary, error, connection_error_members),
	 CNT_AT(connections_summary, error_cnt)},
	{NUMBER, AT(connections_summary, full_failed), "full_failed",
	 "failed calls for which the queue of a unix socket was full"},
	{ENTRIES, AT(connections_summary, listener), "listeners", "Most connections first.",
	 .cnt = SUMMARY_LISTENERS_MAX, CNT_AT(connections_summary, listener_cnt),
	 .of = &listener_summary_members},
	SINCE(17),
	{NUMBER, AT(connections_summary, still_waiting), "still_waiting",
	 "connections that waited in their handshake when tracing ended, for what is known",
	 .after = "not_accepted"},
	{NUMBER, AT(connections_summary, requests), "requests",
	 "calls on connections of which connect() and the first call were seen",
	 .after = "accept_ns"},
	{DISTRIBUTION, AT(connections_summary, first_call), "first_call_ns",
	 .after = "requests_per_connection"},
	{DISTRIBUTION, AT(connections_summary, before_call), "before_call_ns",
	 .after = "first_call_ns"},
	{NS, AT(connections_summary, opening_ns), "opening_ns",
	 "of first_call_ns, all together: until the connections were open at both ends",
	 .after = "before_call_ns"},
};
MEMBERS(connections_summary, "Connections: from the entry of connect() to the end of accept().");

#define IF_CUT "not traced, or level light", IF(exchanges_summary, part[EXCHANGE_CONNECT].count)

static const struct member exchange_parts_rows[] = {
	{DISTRIBUTION, AT(exchanges_summary, part[EXCHANGE_SOCKET]), "socket",
	 "the client makes its socket", IF_CUT},
	{DISTRIBUTION, AT(exchanges_summary, part[EXCHANGE_CONNECT]), "connect",
	 "from connect() until the connection can be accepted", IF_CUT},
	{DISTRIBUTION, AT(exchanges_summary, part[EXCHANGE_QUEUE]), "queue",
	 "it waits to be accepted while the server does other things", IF_CUT},
	{DISTRIBUTION, AT(exchanges_summary, part[EXCHANGE_WAKEUP]), "wakeup",
	 "it waits for the server, which sleeps in accept(), to be woken up", IF_CUT},
	{DISTRIBUTION, AT(exchanges_summary, part[EXCHANGE_RUNQUEUE]), "runqueue",
	 "it waits for the server, which waits for a CPU", IF_CUT},
	{DISTRIBUTION, AT(exchanges_summary, part[EXCHANGE_SWITCH]), "switch",
	 "the switch to the server", IF_CUT},
	{DISTRIBUTION, AT(exchanges_summary, part[EXCHANGE_ACCEPT]), "accept",
	 "the server is in accept()", IF_CUT},
	{DISTRIBUTION, AT(exchanges_summary, part[EXCHANGE_SERVICE]), "service",
	 "from the end of accept() until the server reads its clock", IF_CUT},
	{DISTRIBUTION, AT(exchanges_summary, part[EXCHANGE_MESSAGE]), "message",
	 "the latency of the message"},
	{DISTRIBUTION, AT(exchanges_summary, part[EXCHANGE_CLOSE]), "close",
	 "both ends are closed"},
};
static const struct members exchange_parts_members = {
	.name = "exchange_parts",
	.says = "The parts of an exchange, in their order. They add up to exchange_ns.",
	.size = sizeof(struct exchanges_summary),
	ROWS(exchange_parts_rows)};

static const struct member exchanges_summary_rows[] = {
	{DISTRIBUTION, AT(exchanges_summary, latency), "exchange_ns"},
	{STRUCT, ALL(exchanges_summary), "parts_ns", .of = &exchange_parts_members},
	{NUMBER, AT(exchanges_summary, uncut), "uncut",
	 "messages whose connection, or its parts, are not known: they are in no figure here"},
};
MEMBERS(exchanges_summary,
	"The exchanges of the pattern connect, by the clock of the client: from before it makes "
	"its socket until it has closed it.");
