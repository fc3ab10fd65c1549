/* SPDX-License-Identifier: BSD-2-Clause */
/* Summaries and messages made by hand, for the tests of reports. */
#include "support/sample.h"

#include "support/build.h"

#include <linux/sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SERVER_TID 100
#define PERIOD_NS  10000000

struct run_info sample_info(uint32_t clients)
{
	return (struct run_info){
		.version = "0.1",
		.command_line = "ipctrace --transport uds",
		.host = {.kernel = "6.18.44",
			 .arch = "x86_64",
			 .cpus = 2,
			 .preemption = "none",
			 .clocksource = "tsc",
			 .virtual_machine = "kvm"},
		.workload = {.transport = "uds",
			     .pattern = "push",
			     .clients = clients,
			     .messages = SAMPLE_ROUNDS,
			     .warmup = 10,
			     .period_ns = PERIOD_NS,
			     .size = 64,
			     .sched_policy = POLICY_RR,
			     .server_priority = 99,
			     .client_priority = 98},
		.traced = true,
		.shows_switch = true,
		.shows_room = true,
	};
}

/* All values differ, so that a test notices a swap. A component that is not here takes no time. */
static void components_of(uint32_t client, uint64_t round, uint64_t component_ns[NR_COMPONENTS])
{
	uint64_t seed = client * 1000 + round;

	memset(component_ns, 0, NR_COMPONENTS * sizeof(component_ns[0]));
	component_ns[COMPONENT_DISPATCH] = 4000 * client + random_below(&seed, 500);
	component_ns[COMPONENT_SEND_PATH] = 3100 + random_below(&seed, 200);
	component_ns[COMPONENT_ROOM] = round % 25 ? 0 : 240;
	component_ns[COMPONENT_WAKEUP] = 1200 + random_below(&seed, 100);
	component_ns[COMPONENT_RUNQUEUE] = 9000 + 5000 * client + random_below(&seed, 3000);
	component_ns[COMPONENT_SWITCH] = 1700;
	component_ns[COMPONENT_BUSY] = round % 10 ? 0 : 310;
	component_ns[COMPONENT_BLOCKED] = round % 20 ? 0 : 170;
	component_ns[COMPONENT_RECEIVE] = 1500 + random_below(&seed, 50);
	component_ns[COMPONENT_RETURN] = 230;
}

struct message sample_message(uint32_t client, uint64_t round)
{
	static struct blame blame[2];
	struct message message = {
		.channel = 10 + client,
		.transport = TRANSPORT_UDS,
		.position = round,
		.bytes = 64,
		.receives = 1,
		.has_round = true,
		.has_stamp = true,
		.round = round,
		.client = client,
		.sender = {.tid = SERVER_TID, .cpu = 0, .comm = "ipctrace-server"},
		.receiver = {.tid = SERVER_TID + client, .cpu = 1, .comm = "ipctrace-client"},
		.stamp_ns = 1000000000 + round * PERIOD_NS,
		.path = PATH_SLEPT,
		.match = MATCH_EXACT,
		.shows_switch = true,
		.shows_room = true,
		.blame = blame,
		.blame_cnt = 2,
	};

	components_of(client, round, message.component_ns);
	message.latency_ns = sum_of(message.component_ns, NR_COMPONENTS);
	message.send_ns = message.stamp_ns + message.component_ns[COMPONENT_DISPATCH];
	message.queued_ns = message.send_ns + message.component_ns[COMPONENT_SEND_PATH];
	message.user_ns = message.stamp_ns + message.latency_ns;
	message.recv_ns = message.user_ns - message.component_ns[COMPONENT_RETURN];
	blame[1] = (struct blame){.class = BLAME_IRQ, .kind = SLICE_IRQ, .tid = 24, .ns = 700};
	blame[0] = (struct blame){.class = BLAME_SERVER,
				  .tid = SERVER_TID,
				  .ns = message.component_ns[COMPONENT_RUNQUEUE] - 700,
				  .policy = SCHED_RR,
				  .comm = "ipctrace-server"};
	return message;
}

static void drop_summary(void *summary)
{
	summary_clean(summary);
	free(summary);
}

struct summary *sample_begin(uint32_t clients)
{
	struct summary *summary = drop_after(calloc(1, sizeof(*summary)), drop_summary);

	*summary = (struct summary){.info = sample_info(clients), .client_cnt = clients};
	summary->client = calloc(clients + 1, sizeof(*summary->client));
	assert_non_null(summary->client);
	for (uint32_t i = 0; i < clients; i++) {
		summary->client[i].client = i + 1;
		summary->client[i].tid = SERVER_TID + i + 1;
		snprintf(summary->client[i].comm, RECORD_COMM_LEN, "client-%u", (i + 1) % 10000);
	}
	return summary;
}

static void add_component_sum(struct component_sum *sum, const uint64_t component_ns[NR_COMPONENTS])
{
	sum->count++;
	for (int i = 0; i < NR_COMPONENTS; i++)
		sum->ns[i] += component_ns[i];
}

void sample_add(struct summary *summary, uint32_t client,
		const uint64_t component_ns[NR_COMPONENTS])
{
	uint64_t latency_ns = sum_of(component_ns, NR_COMPONENTS);

	summary->integrity.sent++;
	summary->integrity.matched++;
	summary->path[PATH_SLEPT]++;
	stat_add(&summary->latency, latency_ns);
	stat_add(&summary->client[client - 1].latency, latency_ns);
	for (int i = 0; i < NR_COMPONENTS; i++)
		stat_add(&summary->component[i], component_ns[i]);
	add_component_sum(&summary->client[client - 1].components, component_ns);
}

/* The server sends to the clients in the order of their numbers. */
static void add_round(struct summary *summary, uint64_t round)
{
	struct rounds_summary *rounds = &summary->rounds;
	uint64_t component_ns[NR_COMPONENTS], latency_ns, before_ns = 0;

	for (uint32_t client = 1; client <= summary->client_cnt; client++) {
		components_of(client, round, component_ns);
		sample_add(summary, client, component_ns);
		summary->client[client - 1].position_sum += client;
		summary->client[client - 1].position_cnt++;
		latency_ns = sum_of(component_ns, NR_COMPONENTS);
		if (client == 1) {
			stat_add(&rounds->first, latency_ns);
			add_component_sum(&rounds->first_components, component_ns);
		} else {
			stat_add(&rounds->next, latency_ns - before_ns);
			add_component_sum(&rounds->next_components, component_ns);
		}
		before_ns = latency_ns;
	}
	stat_add(&rounds->last, before_ns);
	stat_add(&summary->tick.lateness, 5000 + round * 10);
	rounds->count++;
	rounds->complete++;
}

static void finish_rounds(struct rounds_summary *rounds, uint32_t clients)
{
	rounds->tick_ns = 1000000;
	rounds->service_ns = stat_mean(&rounds->last) + stat_stddev(&rounds->last);
	rounds->efficiency_pct = 100 * rounds->service_ns / (double)rounds->tick_ns;
	rounds->order_cnt = 1;
	rounds->order[0].rounds = rounds->count;
	for (uint32_t i = 0; i < clients && i < ARRAY_SIZE(rounds->order[0].first); i++)
		rounds->order[0].first[i] = i + 1;
}

static void finish_peaks(struct summary *summary)
{
	struct peaks_summary *peaks = &summary->peaks;

	peaks->medium_ns = stat_mean(&summary->rounds.last);
	peaks->width_ns = 2 * stat_stddev(&summary->rounds.last);
	peaks->count = 2;
	peaks->per_second = 2;
	peaks->min_ns = 66200;
	peaks->max_ns = 812500;
	peaks->cause[COMPONENT_RUNQUEUE] = 2;
	peaks->has_largest = true;
	peaks->largest = (struct peak){
		.latency_ns = 812500,
		.at_ns = 3214000000,
		.stamp_ns = 8714000000,
		.client = 1,
		.component = COMPONENT_RUNQUEUE,
		.component_ns = 790000,
		.blame = {.class = BLAME_KTHREAD,
			  .tid = 77,
			  .ns = 780000,
			  .priority = 120,
			  .comm = "kworker/u8:2"},
	};
}

/* Three blamed threads share the whole run queue time. */
static void finish_blame(struct summary *summary)
{
	uint64_t all_ns = summary->component[COMPONENT_RUNQUEUE].sum;
	uint64_t most_ns = all_ns * 6 / 10, more_ns = all_ns * 3 / 10;

	summary->blame = calloc(3, sizeof(*summary->blame));
	assert_non_null(summary->blame);
	summary->blame_cnt = 3;
	summary->blame[0].total = (struct blame){.class = BLAME_SERVER,
						 .tid = SERVER_TID,
						 .ns = most_ns,
						 .policy = SCHED_RR,
						 .comm = "ipctrace-server"};
	summary->blame[1].total = (struct blame){.class = BLAME_CLIENT,
						 .tid = SERVER_TID + 1,
						 .ns = more_ns,
						 .policy = SCHED_RR,
						 .priority = 1,
						 .comm = "client-1"};
	summary->blame[2].total = (struct blame){.class = BLAME_IRQ,
						 .kind = SLICE_IRQ,
						 .tid = 24,
						 .ns = all_ns - most_ns - more_ns,
						 .comm = "virtio0"};
	for (uint32_t i = 0; i < 3; i++)
		summary->blame[i].messages = summary->latency.count / (i + 1);
}

struct summary *sample_summary(uint32_t clients)
{
	struct summary *summary = sample_begin(clients);

	for (uint64_t round = 0; round < SAMPLE_ROUNDS; round++)
		add_round(summary, round);
	finish_rounds(&summary->rounds, clients);
	finish_peaks(summary);
	finish_blame(summary);
	summary->observer = (struct observer){.measured = true, .bpf_ns_per_message = 1234.5};
	summary->duration_s = SAMPLE_ROUNDS * 0.01;
	return summary;
}

struct summary *sample_untraced(uint32_t clients)
{
	struct summary *summary = sample_summary(clients);

	summary->info.traced = summary->info.shows_switch = summary->info.shows_room = false;
	summary->observer = (struct observer){0};
	summary->blame_cnt = 0;
	memset(summary->path, 0, sizeof(summary->path));
	memset(&summary->rounds.first_components, 0, sizeof(struct component_sum));
	memset(&summary->rounds.next_components, 0, sizeof(struct component_sum));
	memset(summary->peaks.cause, 0, sizeof(summary->peaks.cause));
	summary->peaks.largest.blame = (struct blame){0};
	for (int i = 0; i < NR_COMPONENTS; i++) {
		stat_free(&summary->component[i]);
		summary->component[i] = (struct stat){0};
	}
	for (uint32_t i = 0; i < clients; i++)
		summary->client[i].components = (struct component_sum){0};
	return summary;
}

static void add_call(struct calls_summary *calls, const uint64_t component_ns[NR_COMPONENTS])
{
	uint64_t way_ns = sum_of(component_ns, NR_COMPONENTS);

	calls->count++;
	stat_add(&calls->request, way_ns);
	stat_add(&calls->service, 2000);
	stat_add(&calls->response, way_ns + 500);
	stat_add(&calls->round_trip, 2 * way_ns + 2500);
	calls->state_cnt++;
	calls->state_ns[SERVICE_ON_CPU] += 1500;
	calls->state_ns[SERVICE_RUNQUEUE] += 400;
	calls->state_ns[SERVICE_BLOCKED] += 100;
}

static void add_exchange(struct summary *summary, uint32_t client, uint64_t round)
{
	struct client_summary *served = &summary->client[client - 1];
	uint64_t component_ns[NR_COMPONENTS];

	components_of(client, round, component_ns);
	sample_add(summary, client, component_ns);
	if (spec_has_calls(&summary->info.workload)) {
		sample_add(summary, client, component_ns);
		add_call(&summary->calls, component_ns);
	}
	summary->flow.messages++;
	summary->flow.bytes += summary->info.workload.size;
	served->messages++;
	served->time_ns += 1000000 + 100000 * client;
	served->gap_ns = 2000000 + 1000 * client;
}

struct summary *sample_paced(const char *pattern, uint32_t clients)
{
	struct summary *summary = sample_begin(clients);

	snprintf(summary->info.workload.pattern, SPEC_TEXT_LEN, "%s", pattern);
	summary->info.workload.period_ns = 0;
	if (!strcmp(pattern, "request"))
		strcpy(summary->info.workload.handler, "echo");
	for (uint64_t round = 0; round < SAMPLE_ROUNDS; round++) {
		for (uint32_t client = 1; client <= clients; client++)
			add_exchange(summary, client, round);
	}
	summary->flow.seconds = (double)summary->flow.messages / (1000 * SAMPLE_ROUNDS);
	finish_blame(summary);
	summary->duration_s = summary->flow.seconds;
	return summary;
}

static void add_to_channel(struct summary *summary, struct channel_summary *channel, uint64_t round)
{
	uint64_t component_ns[NR_COMPONENTS], latency_ns;

	components_of(1, round, component_ns);
	component_ns[COMPONENT_DISPATCH] = component_ns[COMPONENT_RETURN] = 0;
	latency_ns = sum_of(component_ns, NR_COMPONENTS);
	summary->integrity.sent++;
	summary->integrity.matched++;
	summary->integrity.match[MATCH_EXACT]++;
	summary->path[PATH_SLEPT]++;
	stat_add(&summary->latency, latency_ns);
	for (int i = 0; i < NR_COMPONENTS; i++)
		stat_add(&summary->component[i], component_ns[i]);
	channel->messages++;
	channel->bytes += 64;
	stat_add(&channel->latency, latency_ns);
	add_component_sum(&channel->components, component_ns);
}

static void begin_channels(struct summary *summary)
{
	static const struct end_summary client = {.pid = 812, .tid = 813, .comm = "psql"};
	static const struct end_summary server = {.pid = 700, .tid = 701, .comm = "postgres"};
	struct channel_summary *channel = calloc(3, sizeof(*channel));

	assert_non_null(channel);
	summary->channel = channel;
	summary->channel_cnt = 3;
	for (int i = 0; i < 2; i++) {
		channel[i].id = 7 + i;
		channel[i].transport = TRANSPORT_UDS_STREAM;
		channel[i].sender = i ? server : client;
		channel[i].receiver = i ? client : server;
		snprintf(channel[i].name, CHANNEL_NAME_LEN, "/run/x.sock");
	}
	channel[2].folded = 3;
	snprintf(channel[2].name, CHANNEL_NAME_LEN, "other");
}

struct summary *sample_attach(void)
{
	struct summary *summary = sample_begin(0);
	uint64_t component_ns[NR_COMPONENTS];

	summary->info.mode = MODE_ATTACH;
	summary->info.workload = (struct workload_spec){0};
	snprintf(summary->info.target, sizeof(summary->info.target), "postgres (pid 700)");
	begin_channels(summary);
	for (uint64_t round = 0; round < SAMPLE_ROUNDS; round++) {
		components_of(1, round, component_ns);
		add_to_channel(summary, &summary->channel[0], round);
		add_to_channel(summary, &summary->channel[1], round);
		add_call(&summary->calls, component_ns);
	}
	for (uint64_t round = 0; round < 30; round++)
		add_to_channel(summary, &summary->channel[2], round);
	summary->channel[0].calls = SAMPLE_ROUNDS;
	finish_blame(summary);
	summary->duration_s = 1;
	return summary;
}

void sample_times(struct summary *summary)
{
	summary->info.begin = (struct begin){.unix_ns = 1795674708352334929, .ns = 5000000000};
	summary->stopped_ns = 15000000000;
	summary->all_left = true;
	summary->all_left_reason = LEFT_DURATION;
	summary->all_left_detail = 9990000000;
}

void sample_found(struct summary *summary)
{
	summary->found = (struct found_summary){.known = true,
						.targets = 1,
						.connections = 3,
						.services = 2,
						.elsewhere = 12,
						.transport = TRANSPORT_UDS_STREAM,
						.name = "/run/x.sock"};
}

void sample_choice(struct summary *summary, enum choice_kind kind, const char *wanted)
{
	char *const place[NR_CHOICES] = {summary->info.peer, summary->info.server,
					 summary->info.client};

	snprintf(place[kind], sizeof(summary->info.peer), "%s", wanted);
	summary->choice[kind] = (struct choice_summary){
		.others = 75000,
		.names = 5,
		.seen = {{{.pid = 4711, .tid = 4711, .comm = "redis-server"}, 74000},
			 {{.tid = 4713, .comm = "psql"}, 900},
			 {{.pid = 4715, .tid = 4715, .comm = "cron"}, 100}},
	};
}

/* Writes the report. Returns its first error. */
static int show(const struct report_style *wanted, const char *name,
		const struct summary *const *run, size_t cnt)
{
	const struct report_format *format = report_format_find(name);
	struct report_style style = *wanted;
	struct report *report;
	int err = 0, end_err;

	style.is_run_matrix = cnt > 1 || (cnt && run[0]->info.experiment[0]);
	assert_non_null(format);
	report = format->begin(&style);
	assert_non_null(report);
	for (size_t i = 0; i < cnt && !err; i++) {
		err = format->run(report, &run[i]->info);
		if (!err)
			err = format->summary(report, run[i]);
	}
	end_err = format->end(report, false);
	return err ? err : end_err;
}

char *sample_show_styled(const char *format, struct report_style style,
			 const struct summary *const *run, size_t cnt)
{
	char *text = NULL;
	size_t size;

	style.out = open_memstream(&text, &size);
	assert_non_null(style.out);
	assert_int_equal(show(&style, format, run, cnt), 0);
	assert_int_equal(fclose(style.out), 0);
	return drop_after(text, free);
}

char *sample_show(const char *format, const struct summary *const *run, size_t cnt)
{
	return sample_show_styled(format, (struct report_style){0}, run, cnt);
}

char *sample_show_one(const char *format, const struct summary *summary)
{
	return sample_show(format, &summary, 1);
}

int sample_show_full(const char *format, const struct summary *summary)
{
	FILE *out = fopen("/dev/full", "we");
	int err;

	assert_non_null(out);
	err = show(&(struct report_style){.out = out}, format, &summary, 1);
	fclose(out);
	return err;
}

void sample_room(struct summary *summary)
{
	enum { CLOCK_NANOSLEEP = 230 };

	summary->room = calloc(2, sizeof(*summary->room));
	assert_non_null(summary->room);
	summary->room_cnt = 2;
	summary->room[0] = (struct room_summary){
		.reader = {.pid = 12, .tid = 12, .comm = "reader"},
		.messages = 7,
		.ns = 8000,
		.state_ns = {[SERVICE_ON_CPU] = 7200,
			     [SERVICE_RUNQUEUE] = 320,
			     [SERVICE_BLOCKED] = 400},
		.unknown_ns = 80,
	};
	blocked_calls_add(&summary->room[0].blocked, CLOCK_NANOSLEEP, 400, 3);
	summary->room[1] = (struct room_summary){
		.reader = {.pid = 13, .tid = 14, .comm = "reader"},
		.messages = 2,
		.ns = 2000,
		.state_ns = {[SERVICE_ON_CPU] = 2000},
	};
	stat_free(&summary->component[COMPONENT_ROOM]);
	summary->component[COMPONENT_ROOM] = (struct stat){0};
	stat_add(&summary->component[COMPONENT_ROOM], 8000);
	stat_add(&summary->component[COMPONENT_ROOM], 2000);
}

/* Answers of several messages: the server slept for most of the time in between. */
static void sample_parts(struct answer_parts *parts)
{
	enum { CLOCK_NANOSLEEP = 230 };
	const struct blame hog = {.class = BLAME_TASK, .tid = 66, .ns = 200, .comm = "hog"};

	*parts = (struct answer_parts){
		.calls = 2,
		.ns = 3000,
		.did.state_ns = {[SERVICE_ON_CPU] = 100,
				 [SERVICE_RUNQUEUE] = 200,
				 [SERVICE_BLOCKED] = 2400},
	};
	blocked_calls_add(&parts->did.blocked, CLOCK_NANOSLEEP, 2400, 2);
	blame_top_add(&parts->did.blame, &hog, 1);
}

void sample_services(struct summary *summary)
{
	struct calls_summary *calls = &summary->calls;
	struct service_summary *service = calloc(2, sizeof(*service));

	assert_non_null(service);
	service_callee_add(&service[0], "cache on /run/cache.sock", 3, 12345);
	service_callee_add(&service[0], "/run/db.sock", 1, 345);
	calls->service_of = service;
	calls->service_cnt = 2;
	calls->undecided = 3;
	calls->unbalanced = 2;
	summary->integrity.notifications = 13;
	calls->in_parts = 4;
	stat_add(&calls->response_first, 500);
	stat_add(&calls->open_several, 7000);
	service[0] = (struct service_summary){
		.server = {.pid = 700, .tid = 701, .comm = "postgres"},
		.client = {.pid = 812, .tid = 813, .comm = "psql"},
		.name = "/run/x.sock",
		.transport = TRANSPORT_UDS_STREAM,
		.count = 4,
		.ambiguous = 1,
		.state_cnt = 3,
		.state_ns = {[SERVICE_ON_CPU] = 6000, [SERVICE_BLOCKED] = 3000},
	};
	sample_parts(&calls->parts);
	sample_parts(&service[0].parts);
	service[0].blame = service[0].parts.did.blame;
	for (int i = 1; i <= 4; i++) {
		stat_add(&service[0].round_trip, 10000);
		stat_add(&service[0].service, 3000);
	}
	service[1] = (struct service_summary){
		.server = {.pid = 900, .tid = 900, .comm = "Xorg"},
		.name = "@/tmp/.X11-unix/X0",
		.transport = TRANSPORT_UDS_STREAM,
		.open_several = 2,
	};
}

void sample_names(struct summary *summary)
{
	summary->script = calloc(1, sizeof(*summary->script));
	summary->steal = calloc(2, sizeof(*summary->steal));
	assert_non_null(summary->script);
	assert_non_null(summary->steal);
	summary->script_cnt = 1;
	summary->script[0] = (struct script_summary){700, "/srv/worker.py"};
	summary->steal_cnt = 2;
	summary->steal[0] = (struct steal_summary){0, 10000000, 1000000000};
	summary->steal[1] = (struct steal_summary){1, 50000000, 1000000000};
	for (uint32_t i = 0; i < 2; i++) {
		struct blame_summary *blame = &summary->blame[i];

		*blame = (struct blame_summary){.total = blame->total,
						.messages = 7 + i,
						.worst_ns = 12300,
						.worst_cpu = 1 + i,
						.relation = RELATION_TARGET + i,
						.alike = {9, 45600, BLAME_CPU_SEVERAL, 2}};
		blame->total.class = BLAME_TASK;
		blame->total.tid = 700 + i;
		blame->total.priority = 120;
		blame->total.policy = SCHED_NORMAL;
		strcpy(blame->total.comm, "python3");
	}
	summary->channel[0].named = ADDRESS_OF_RECEIVER;
}
