/* SPDX-License-Identifier: BSD-2-Clause */
/* Describes struct summary, but for calls, channels (traffic_members.c) and connections. */
#include "model/members/members.h"
#include "model/summary.h"

#include <math.h>

static const struct member integrity_rows[] = {
	{NUMBER, AT(integrity, sent), "sent", "messages that were sent"},
	{NUMBER, AT(integrity, matched), "matched",
	 "messages of the statistics: their send is joined with their receive, and they add up"},
	{NUMBER, AT(integrity, incomplete), "incomplete", "the others, by reason",
	 NAMES_OF(incompletes, NR_INCOMPLETES), .is_each = true},
	{NUMBER, AT(integrity, loss), "losses", "the lost records, by reason",
	 .after = "unseen_wakeups", EACH(loss_names)},
	{NUMBER, AT(integrity, corrupt), "corrupt",
	 "messages with a wrong number or wrong contents", "contents are not checked",
	 .known = has_contents, .after = "truncated"},
	{NS, AT(integrity, residual_ns_max), "residual_ns_max",
	 "by how much components miss the latency, at most", IF_TRACED},
	{NUMBER, AT(integrity, unseen_switches), "unseen_switches",
	 "messages of which no program saw the start of a switch"},
	{NUMBER, AT(integrity, unseen_wakeups), "unseen_wakeups",
	 "messages of which no program saw a wakeup"},
	{FLAG, AT(integrity, truncated), "truncated", "the end is missing"},
	{NUMBER, AT(integrity, match)},
	{NUMBER, AT(integrity, elsewhere), "elsewhere",
	 "ends whose other end is on another machine, or is not known", IN_ATTACH},
	SINCE(5),
	{NUMBER, AT(integrity, dropped), "dropped", "datagrams that the kernel dropped", IN_ATTACH},
	SINCE(13),
	{NUMBER, AT(integrity, notifications), "notifications",
	 "writes to an eventfd that nothing reads: they wake threads", IN_ATTACH},
};
MEMBERS(integrity);

#define NO_OVERHEAD "no --overhead"

static const struct member observer_rows[] = {
	{FLAG, AT(observer, measured)},
	{REAL_NS, AT(observer, bpf_ns_per_message), "bpf_ns_per_message",
	 "the time in BPF programs for each message", NO_OVERHEAD, IF(observer, measured)},
	{NUMBER, AT(observer, effect.pairs), "pairs", "pairs of runs that were compared",
	 NO_OVERHEAD, IF_SET, .after = "traced_over_untraced_interval"},
	{REAL, AT(observer, effect.ratio), "traced_over_untraced",
	 "the latency of traced runs divided by that of untraced ones", NO_OVERHEAD,
	 IF(observer, effect.pairs)},
	{REAL, AT(observer, effect.low)},
	{REAL, AT(observer, effect.high)},
	SINCE(2),
	{FLAG, AT(observer, has_reader)},
	{WORD, AT(observer, reader), "reader_policy", "how ipctrace itself gets a CPU", "not known",
	 IF(observer, has_reader), NAMES(reader_policy_names)},
	{NS, AT(observer, start_ns), "start_ns", "from the start until sends were counted",
	 "not known", IF(observer, has_reader), .after = "reader_hurried_ns"},
	{NS, AT(observer, hurried_ns), "reader_hurried_ns",
	 "for how long it came before other threads", "not known", IF(observer, has_reader)},
	SINCE(10),
	{FLAG, AT(observer, has_pauses)},
	{NUMBER, AT(observer, pauses), "pauses",
	 "how often the workload paused, between two exchanges or rounds, so that no record is "
	 "lost",
	 "an attach", IF(observer, has_pauses)},
	{NS, AT(observer, paused_ns), "paused_ns", "for how long in all", "an attach",
	 IF(observer, has_pauses)},
};
MEMBERS(observer);

static const struct member blame_summary_rows[] = {
	{STRUCT, AT(blame_summary, total), "", .of = &blame_members},
	{NUMBER, AT(blame_summary, folded), "folded", "so many threads are counted here",
	 "this one alone", IF_SET, .after = "messages"},
	{NUMBER, AT(blame_summary, messages), "messages",
	 "how many messages, or calls, waited for it", "several threads",
	 UNLESS(blame_summary, folded)},
	SINCE(1),
	{NUMBER, AT(blame_summary, pid), "pid", "its process",
	 "the thread is the first one of its process, or it is not known", IF_SET},
	{TEXT, AT(blame_summary, process), "process", "the name of that process", NULL,
	 IF(blame_summary, pid)},
	SINCE(7),
	{NS, AT(blame_summary, worst_ns), "worst_ns",
	 "the longest time that one message waited for it", "not known", IF_SET, .after = "script"},
	{NUMBER, AT(blame_summary, worst_cpu)},
	{WORD, AT(blame_summary, relation), "relation",
	 "what it has to do with the targets of an attach", "no user thread, or a run",
	 NAMES_OF(blame_relations, NR_BLAME_RELATIONS)},
	{NUMBER, AT(blame_summary, alike.messages)},
	{NUMBER, AT(blame_summary, alike.worst_ns)},
	{NUMBER, AT(blame_summary, alike.worst_cpu)},
	{NUMBER, AT(blame_summary, alike.entries)},
};
MEMBERS(blame_summary,
	"A thread or an interrupt that ran while others waited, or several of one class.");

static const struct member missed_cause_rows[] = {
	{FLAG, AT(missed_cause, is_late)},
	{FLAG, AT(missed_cause, is_known)},
	{WORD, AT(missed_cause, component), "component",
	 "the longest part; of a late round, what the sender did", "not known",
	 IF(missed_cause, is_known), A_COMPONENT},
	{FLAG, AT(missed_cause, has_blame)},
	{STRUCT, AT(missed_cause, blame), .of = &blame_members},
	{NUMBER, AT(missed_cause, count), "count", "rounds"},
};
MEMBERS(missed_cause);

static const struct member missed_summary_rows[] = {
	{NUMBER, AT(missed_summary, late), "late",
	 "rounds that began more than 1.5 periods after the one before"},
	{NUMBER, AT(missed_summary, skipped), "skipped",
	 "periods without a start because of these"},
	{NUMBER, AT(missed_summary, unfinished), "unfinished",
	 "complete rounds whose last latency is longer than the period"},
	{LIST, AT(missed_summary, cause), "causes", "Most rounds first.",
	 EACH_OF(missed_summary, cause, missed_cause_members), CNT_AT(missed_summary, cause_cnt)},
};
MEMBERS(missed_summary);

static const struct member serving_order_rows[] = {
	{BITS, AT(serving_order, hash)},
	{NUMBER, AT(serving_order, rounds), "rounds", "rounds with this order", .after = "first"},
	{BITS, AT(serving_order, first)},
};
MEMBERS(serving_order);

static bool has_efficiency(const struct run_info *info, const void *of)
{
	const struct rounds_summary *rounds = of;

	return rounds->complete && (info->mode == MODE_RUN || rounds->period_ns);
}

static const struct member rounds_summary_rows[] = {
	{NUMBER, AT(rounds_summary, count), "count", "rounds"},
	{NUMBER, AT(rounds_summary, complete), "complete",
	 "rounds in which each client has its message: those of the statistics"},
	{NUMBER, AT(rounds_summary, given_up), "given_up",
	 "messages that could not be assigned to a round", IN_ATTACH},
	{NS, AT(rounds_summary, tick_ns), "tick_ns", "the theoretical tick", IN_RUN},
	{DISTRIBUTION, AT(rounds_summary, first)},
	{DISTRIBUTION, AT(rounds_summary, next)},
	{DISTRIBUTION, AT(rounds_summary, last), "last_latency_ns", .after = "next_latency_ns"},
	{STRUCT, AT(rounds_summary, first_components), .of = &component_sum_members},
	{STRUCT, AT(rounds_summary, next_components), .of = &component_sum_members},
	{REAL_NS, AT(rounds_summary, service_ns), "service_time_ns",
	 "the mean of the last latency plus one standard deviation", "no complete round",
	 IF(rounds_summary, complete), .after = "last_latency_ns"},
	{REAL, AT(rounds_summary, efficiency_pct), "efficiency_pct",
	 "the service time in percent of tick or period", "not regular", .known = has_efficiency,
	 .after = "service_time_ns"},
	{LIST, AT(rounds_summary, order), "orders", "Most frequent first.",
	 .after = "efficiency_pct", EACH_OF(rounds_summary, order, serving_order_members),
	 CNT_AT(rounds_summary, order_cnt)},
	{NUMBER, AT(rounds_summary, order_other), "orders_other", "rounds of further orders",
	 .after = "orders"},
	SINCE(9),
	{DISTRIBUTION, AT(rounds_summary, distance), "start_distance_ns", NULL, IN_ATTACH,
	 .after = "period_ns"},
	{NS, AT(rounds_summary, period_ns), "period_ns", "an attach: the time from start to start",
	 "not regular, or a run", IF_SET, .after = "orders_other"},
	{STRUCT, AT(rounds_summary, missed), "missed", NULL, "there is no period",
	 IF(rounds_summary, period_ns), .after = "start_distance_ns",
	 .of = &missed_summary_members},
};
MEMBERS(rounds_summary);

static bool is_rate(void *of)
{
	const struct peaks_summary *peaks = of;

	return isnan(peaks->per_second) ||
	       (isfinite(peaks->per_second) && !signbit(peaks->per_second));
}

static bool is_range(void *of)
{
	const struct peaks_summary *peaks = of;

	return peaks->min_ns <= peaks->max_ns;
}

static const struct member peak_rows[] = {
	{NS, AT(peak, latency_ns), "latency_ns", "its latency"},
	{NS, AT(peak, at_ns), "at_ns", "since the first stamp after the warm-up"},
	{NUMBER, AT(peak, client), "client", "its client", "none", IF_SET},
	{WORD, AT(peak, component), "component", "its largest component", IF_TRACED, A_COMPONENT},
	{NS, AT(peak, component_ns), "component_ns", "the time of this component", IF_TRACED},
	{STRUCT, AT(peak, blame), "blame", NULL, "no wait for a CPU", IF(peak, blame.ns),
	 .of = &blame_members},
	SINCE(14),
	{NUMBER, AT(peak, stamp_ns)},
};
MEMBERS(peak);

static const struct member peaks_summary_rows[] = {
	{REAL_NS, AT(peaks_summary, medium_ns)},
	{REAL_NS, AT(peaks_summary, width_ns)},
	{NUMBER, AT(peaks_summary, count), "count", "latencies beyond range_ns"},
	{BITS, AT(peaks_summary, per_second)},
	{CHECK, .holds = is_rate},
	{NS, AT(peaks_summary, min_ns), "min_ns", "the smallest", "there is none",
	 IF(peaks_summary, count)},
	{NS, AT(peaks_summary, max_ns), "max_ns", "the largest", "there is none",
	 IF(peaks_summary, count)},
	{CHECK, .holds = is_range},
	{NUMBER, AT(peaks_summary, cause), .by_component = true},
	{FLAG, AT(peaks_summary, has_largest)},
	{STRUCT, AT(peaks_summary, largest), "largest", NULL, "there is none",
	 IF(peaks_summary, has_largest), .of = &peak_members},
};
MEMBERS(peaks_summary);

#define LEFT_SAYS "send_failed: the errno; signal: its number; exit: the status"

static const struct member client_left_rows[] = {
	{FLAG, AT(client_summary, left)},
	{WORD, AT(client_summary, left_reason), "reason", "why", NAMES(left_reason_names),
	 .else_word = "?"},
	{NUMBER, AT(client_summary, left_detail), "detail", LEFT_SAYS},
	{NUMBER, AT(client_summary, left_round), "round", "rounds until then"},
};
static const struct members client_left_members = {.name = "client_left", ROWS(client_left_rows)};

static const struct member client_summary_rows[] = {
	{NUMBER, AT(client_summary, client), "client", "its number", .least = 1},
	{NUMBER, AT(client_summary, tid), "tid", "its thread"},
	{TEXT, AT(client_summary, comm), "comm", "its name", "not known"},
	{DISTRIBUTION, AT(client_summary, latency), "latency_ns"},
	{STRUCT, AT(client_summary, components), .of = &component_sum_members},
	{NUMBER, AT(client_summary, position_sum)},
	{NUMBER, AT(client_summary, position_cnt)},
	{NS, AT(client_summary, time_ns), "time_ns", "the time of all of its messages", "not known",
	 IF_SET, .after = "left"},
	{NS, AT(client_summary, gap_ns), "gap_ns", "the longest time between two of its messages",
	 "not known", IF(client_summary, time_ns), .after = "time_ns"},
	{NUMBER, AT(client_summary, messages)},
	{STRUCT, ALL(client_summary), "left", "it left before its last message",
	 "it did not leave early", IF(client_summary, left), .of = &client_left_members},
};
MEMBERS(client_summary);

static const struct member room_states_rows[] = {
	{NS, AT(room_summary, state_ns[SERVICE_ON_CPU]), "on_cpu", "the reader ran"},
	{NS, AT(room_summary, state_ns[SERVICE_RUNQUEUE]), "runqueue", "it waited for a CPU"},
	{NS, AT(room_summary, state_ns[SERVICE_BLOCKED]), "blocked", "it slept"},
	{NS, AT(room_summary, unknown_ns), "unknown", "not known"},
};
static const struct members room_states_members = {.name = "room_states", ROWS(room_states_rows)};

static const struct member room_summary_rows[] = {
	{STRUCT, AT(room_summary, reader), .of = &end_summary_members},
	{NUMBER, AT(room_summary, messages), "messages", "messages that waited for room at it"},
	{NS, AT(room_summary, ns), "ns", "for how long"},
	{STRUCT, ALL(room_summary), "states_ns", "What the reader did meanwhile.",
	 .of = &room_states_members},
	{STRUCT, AT(room_summary, blocked), .of = &blocked_calls_members},
};
MEMBERS(room_summary);

static const struct member signals_rows[] = {
	{NUMBER, AT(flow_summary, wakes_sent), "sent", "signals that were sent"},
	{NUMBER, AT(flow_summary, wakes_delivered), "delivered", "signals that were delivered"},
};
const struct members signals_members = {.name = "signals", ROWS(signals_rows)};

static const struct member flow_summary_rows[] = {
	{NUMBER, AT(flow_summary, messages), "messages", "messages of all links after the warm-up"},
	{NUMBER, AT(flow_summary, bytes), "bytes", "their bytes"},
	{REAL, AT(flow_summary, seconds), "seconds",
	 "from the first to the last message, in seconds"},
	{STRUCT, ALL(flow_summary), "signals", NULL, "no signals", IF(flow_summary, wakes_sent),
	 .of = &signals_members, .after = "bytes_per_second"},
};
MEMBERS(flow_summary);

static const struct member tick_summary_rows[] = {
	{DISTRIBUTION, AT(tick_summary, lateness), "lateness_ns"},
	{NUMBER, AT(tick_summary, skipped), "skipped", "ticks that were skipped"},
};
MEMBERS(tick_summary, "How late the server read its clock after a tick was due.");

static const struct member load_summary_rows[] = {
	{NUMBER, AT(load_summary, count), "count", "how often it did its work", "not known",
	 IF_SET},
	{FLAG, AT(load_summary, ended), "ended", "it ended before the workload"},
};
MEMBERS(load_summary, "What else the machine did.");

static const struct member found_summary_rows[] = {
	{FLAG, AT(found_summary, known)},
	{NUMBER, AT(found_summary, targets), "targets", "targets that still ran at the end"},
	{NUMBER, AT(found_summary, connections), "connections", "their open local channels"},
	{NUMBER, AT(found_summary, services), "services",
	 "names under which others can reach them"},
	{NUMBER, AT(found_summary, elsewhere), "elsewhere", "their connections to other machines"},
	{NUMBER, AT(found_summary, transport), "transport", TRANSPORT_SAYS, "no name",
	 .flag_at = offsetof(struct found_summary, name), .flag_size = 1,
	 NAMES(transport_id_names)},
	{TEXT, AT(found_summary, name), "name", "the first of these names", "they have none"},
	{STRUCT, AT(found_summary, now), .of = &end_summary_members},
};
MEMBERS(found_summary);

static const struct member chosen_process_rows[] = {
	{STRUCT, AT(chosen_process, end), .of = &end_summary_members},
	{NUMBER, AT(chosen_process, messages), "messages", "its messages"},
};
MEMBERS(chosen_process, "A process that was met instead.");

static const struct member choice_summary_rows[] = {
	{NUMBER, AT(choice_summary, matched), "matched", "messages with a process that it names"},
	{NUMBER, AT(choice_summary, others), "others", "messages without"},
	{NUMBER, AT(choice_summary, names), "names",
	 "names of processes of these, if nothing matched"},
	{FIRST, AT(choice_summary, seen), "seen", "the most frequent ones",
	 EACH_OF(choice_summary, seen, chosen_process_members), CNT_AT(choice_summary, names)},
};
MEMBERS(choice_summary);

static const struct member script_summary_rows[] = {
	{NUMBER, AT(script_summary, pid)},
	{TEXT, AT(script_summary, text)},
};
MEMBERS(script_summary);

static const struct member steal_summary_rows[] = {
	{NUMBER, AT(steal_summary, cpu), "cpu", "the CPU"},
	{NS, AT(steal_summary, steal_ns), "ns", "for how long"},
	{NS, AT(steal_summary, span_ns), "span_ns", "of this time"},
};
MEMBERS(steal_summary);

static const struct member server_left_rows[] = {
	{FLAG, AT(summary, server_left)},
	{WORD, AT(summary, server_left_reason), "reason", "why", NAMES(left_reason_names),
	 .else_word = "?"},
	{NUMBER, AT(summary, server_left_detail), "detail", LEFT_SAYS},
};
static const struct members server_left_members = {.name = "server_left", ROWS(server_left_rows)};

static bool summary_members_has_rounds(const struct run_info *info, const void *of)
{
	const struct summary *summary = of;

	(void)info;
	return summary->rounds.count || summary->rounds.given_up;
}

static bool summary_members_has_calls(const struct run_info *info, const void *of)
{
	const struct summary *summary = of;

	(void)info;
	return calls_seen(&summary->calls);
}

static const struct member drops_summary_rows[] = {
	{NUMBER, AT(drops_summary, reason), "reasons", "dropped datagrams, by reason",
	 NAMES_OF(drop_reasons, NR_DROP_REASONS), .is_each = true},
	{NUMBER, AT(drops_summary, channel), "channel",
	 "that with the most drops for one reason, as the next three say"},
	{NUMBER, AT(drops_summary, channel_reason), "channel_reason", "the reason there",
	 NAMES_OF(drop_reasons, NR_DROP_REASONS)},
	{NUMBER, AT(drops_summary, channel_cnt), "channel_count", "drops there for this reason"},
	{NUMBER, AT(drops_summary, buffer_bytes), "buffer_bytes",
	 "size of the receive buffer that was full there", "not known", IF_SET},
	{NUMBER, AT(drops_summary, timeouts), "timeouts",
	 "how often a sender, behind a dropped datagram, waited for data until its own timeout"},
	{NS, AT(drops_summary, timeout_least_ns), "timeout_least_ns",
	 "the shortest of these timeouts", "none", IF_SET},
	{NS, AT(drops_summary, timeout_most_ns), "timeout_most_ns", "the longest", "none", IF_SET},
	{NUMBER, AT(drops_summary, timeout_tid), "timeout_tid", "the last of these threads", "none",
	 IF_SET},
};
MEMBERS(drops_summary, "Datagrams that the kernel dropped.");

static const struct member failing_summary_rows[] = {
	{STRUCT, AT(failing_summary, thread), "thread", .of = &end_summary_members},
	{NUMBER, AT(failing_summary, number), "number", "of the system call, on this architecture"},
	{NUMBER, AT(failing_summary, error), "errno", "why they failed"},
	{NUMBER, AT(failing_summary, port), "port", "the thread's own one", "none, or several",
	 IF_SET},
	{FLAG, AT(failing_summary, has_channel)},
	{NUMBER, AT(failing_summary, channel), "channel",
	 "one of `channels` that leads from this socket, or to it", "not known, or several",
	 IF(failing_summary, has_channel)},
	{NUMBER, AT(failing_summary, count), "count", "how many failed, at least"},
	{NS, AT(failing_summary, ns), "cpu_ns", "for how long they had a CPU, at least"},
};
MEMBERS(failing_summary, "System calls of a thread that failed: to receive, accept or send.");

static const struct member sleeper_summary_rows[] = {
	{STRUCT, AT(sleeper_summary, thread), "thread", .of = &end_summary_members},
	{NUMBER, AT(sleeper_summary, flags)},
	{NUMBER, AT(sleeper_summary, number), "number", "of the system call, on this architecture"},
	{NUMBER, AT(sleeper_summary, transport), "transport", TRANSPORT_SAYS, "not known", IF_SET,
	 NAMES(transport_id_names)},
	{NS, AT(sleeper_summary, ns), "asleep_ns", "since it fell asleep",
	 "before tracing began, or not known", IF_SET},
	{STRUCT, AT(sleeper_summary, other), "other",
	 "the process at the other end of the channel; `tid` is that of its first thread",
	 "not known, or no channel", IF(sleeper_summary, other.pid), .of = &end_summary_members},
};
MEMBERS(sleeper_summary, "A thread that slept in a system call when tracing ended.");

static bool summary_members_has_drops(const struct run_info *info, const void *of)
{
	const struct summary *summary = of;

	(void)info;
	return summary->drops.channel_cnt;
}

static bool summary_members_has_connections(const struct run_info *info, const void *of)
{
	const struct summary *summary = of;

	(void)info;
	return summary->connections.calls || summary->connections.not_seen ||
	       summary->connections.listener_cnt;
}

static bool summary_members_has_exchanges(const struct run_info *info, const void *of)
{
	const struct summary *summary = of;

	(void)info;
	return summary->exchanges.latency.count || summary->exchanges.uncut;
}

#define OWNED(member, most, table) .cnt = (most), CNT_AT(summary, member##_cnt), .of = &(table)

static const struct member summary_rows[] = {
	{STRUCT, AT(summary, integrity), "integrity", .of = &integrity_members},
	{STRUCT, AT(summary, observer), "observer", .of = &observer_members},
	{REAL, AT(summary, duration_s), "duration_s",
	 "from the first to the last message, in seconds", "", .after = "traced"},
	{DISTRIBUTION, AT(summary, latency), "latency_ns"},
	{DISTRIBUTION, AT(summary, component), .cnt = NR_COMPONENTS, .by_component = true},
	{NUMBER, AT(summary, path), "paths", "what receivers were doing when the data came",
	 IF_TRACED, NAMES_OF(paths, NR_PATHS), .is_each = true},
	{DISTRIBUTION, AT(summary, from_due), "from_due_ns", NULL, "no fixed rate",
	 IF(summary, from_due.count), .after = "fairness"},
	{STRUCT, AT(summary, rounds), "rounds", NULL, "none", .known = summary_members_has_rounds,
	 .of = &rounds_summary_members},
	{STRUCT, AT(summary, calls), "calls", NULL, "none", .known = summary_members_has_calls,
	 .of = &calls_summary_members},
	{STRUCT, AT(summary, flow), "flow", NULL, "not known", IF(summary, flow.messages),
	 .of = &flow_summary_members, .after = "duration_s"},
	{STRUCT, AT(summary, tick), "tick", .of = &tick_summary_members, .after = "channels"},
	{STRUCT, AT(summary, load), "load", NULL, "nothing", IF(summary, info.workload.load[0]),
	 .of = &load_summary_members, .after = "from_due_ns"},
	{STRUCT, AT(summary, peaks), "peaks", .of = &peaks_summary_members},
	{ENTRIES, AT(summary, blame), OWNED(blame, SUMMARY_BLAMES_MAX, blame_summary_members)},
	{STRUCT, AT(summary, blocked), .of = &blocked_calls_members},
	{ENTRIES, AT(summary, client), "clients",
	 OWNED(client, SUMMARY_CLIENTS_MAX, client_summary_members)},
	{ENTRIES, AT(summary, channel), "channels",
	 "The channels of an attach, most messages first.",
	 OWNED(channel, SUMMARY_CHANNELS_MAX, channel_summary_members)},
	{NUMBER, AT(summary, slower_cnt)},
	{STRUCT, ALL(summary), "server_left", "the server ended before its last round",
	 "it did not", IF(summary, server_left), .of = &server_left_members, .after = "tick"},
	{FLAG, AT(summary, all_left)},
	{WORD, AT(summary, all_left_reason), NAMES(left_reason_names)},
	{NUMBER, AT(summary, all_left_detail)},
	{FLAG, AT(summary, all_left_early)},
	SINCE(1),
	{ENTRIES, AT(summary, calls.blame),
	 OWNED(calls.blame, SUMMARY_BLAMES_MAX, blame_summary_members)},
	SINCE(2),
	{ENTRIES, AT(summary, calls.service_of), .cnt = SUMMARY_SERVICES_MAX,
	 CNT_AT(summary, calls.service_cnt), .of = &service_summary_members},
	{ENTRIES, AT(summary, room), OWNED(room, SUMMARY_ROOMS_MAX, room_summary_members)},
	SINCE(6),
	{NUMBER, AT(summary, stopped_ns)},
	{STRUCT, AT(summary, found), "found", NULL, "not looked for", IF(summary, found.known),
	 .of = &found_summary_members, .after = "tracing"},
	SINCE(8),
	{ENTRIES, AT(summary, script), OWNED(script, SUMMARY_SCRIPTS_MAX, script_summary_members)},
	{ENTRIES, AT(summary, steal), OWNED(steal, SUMMARY_STEAL_MAX, steal_summary_members)},
	SINCE(9),
	{ENTRIES, AT(summary, chain), "chains", "Messages that went on from process to process.",
	 OWNED(chain, SUMMARY_CHAINS_MAX, chain_summary_members)},
	{NUMBER, AT(summary, chains_other), "chains_other", "chains for which there was no room",
	 IN_ATTACH},
	SINCE(15),
	{STRUCT, AT(summary, choice), EACH_OF(summary, choice, choice_summary_members)},
	SINCE(16),
	{STRUCT, AT(summary, connections), "connections", NULL, "none",
	 .known = summary_members_has_connections, .of = &connections_summary_members,
	 .after = "channels"},
	SINCE(17),
	{STRUCT, AT(summary, exchanges), "exchanges", NULL, "another pattern",
	 .known = summary_members_has_exchanges, .of = &exchanges_summary_members,
	 .after = "connections"},
	{STRUCT, AT(summary, drops), "drops", NULL, "none is known",
	 .known = summary_members_has_drops, .of = &drops_summary_members, .after = "connections"},
	{ENTRIES, AT(summary, failing), "failing_calls",
	 "The system calls that failed, most CPU time first (level deep).", .after = "drops",
	 OWNED(failing, SUMMARY_FAILING_MAX, failing_summary_members)},
	{NUMBER, AT(summary, failing_other), "failing_calls_other",
	 "system calls that failed, for which there was no room", .after = "failing_calls"},
	{ENTRIES, AT(summary, sleeper), "sleepers",
	 "Threads that waited for room at a receiver, or were stopped, when tracing ended; and "
	 "others that matter for these, or if no message was seen.",
	 .after = "failing_calls_other",
	 OWNED(sleeper, SUMMARY_SLEEPERS_MAX, sleeper_summary_members)},
};
MEMBERS(summary, "The results of a run or an attach.");
