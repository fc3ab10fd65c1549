/* SPDX-License-Identifier: BSD-2-Clause */
#include "options_run.h"

#include "log.h"
#include "options_output.h"
#include "parse.h"
#include "transport/transport.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	KEY_TRANSPORT = 0x100,
	KEY_PATTERN,
	KEY_CLIENTS,
	KEY_MESSAGES,
	KEY_WARMUP,
	KEY_PERIOD,
	KEY_SIZE,
	KEY_POLICY,
	KEY_SERVER_PRIORITY,
	KEY_CLIENT_PRIORITY,
	KEY_CPUS,
	KEY_NO_TRACE,
	KEY_RECORD,
};

static const struct argp_option run_option[] = {
	{0, 0, 0, 0, "Workload:", 1},
	{"transport", KEY_TRANSPORT, "NAME", 0, "uds: unix datagram sockets (default)", 0},
	{"pattern", KEY_PATTERN, "NAME", 0,
	 "push: the server sends to every client on every tick (default)", 0},
	{"clients", KEY_CLIENTS, "N", 0,
	 "Clients; a list such as 1-5,7,10 runs one after the other (1)", 0},
	{"messages", KEY_MESSAGES, "N", 0, "Messages that count, per client (1000)", 0},
	{"warmup", KEY_WARMUP, "N", 0, "Messages before these, per client, that do not (100)", 0},
	{"period", KEY_PERIOD, "DUR", 0, "Time from tick to tick (10ms)", 0},
	{"size", KEY_SIZE, "BYTES", 0, "Bytes per message, at least 24 (64)", 0},
	{0, 0, 0, 0, "Scheduling:", 2},
	{"policy", KEY_POLICY, "NAME", 0, "rr (default), fifo, deadline or other", 0},
	{"server-priority", KEY_SERVER_PRIORITY, "N", 0, "For rr and fifo, 1 to 99 (99)", 0},
	{"client-priority", KEY_CLIENT_PRIORITY, "N", 0, "For rr and fifo, 1 to 99 (98)", 0},
	{"cpus", KEY_CPUS, "WHERE", 0,
	 "free: the machine decides (default); one: all on one CPU; spread: the server alone; or "
	 "server=LIST,clients=LIST",
	 0},
	{0, 0, 0, 0, "Tracing:", 3},
	{"no-trace", KEY_NO_TRACE, 0, 0, "The same workload without tracing", 0},
	{"record", KEY_RECORD, "FILE", 0, "Keep all records, for ipctrace report", 0},
	{0},
};

static int bad_value(const char *option, const char *why)
{
	log_error("--%s: %s", option, why);
	return EINVAL;
}

static int parse_bounded(const char *option, const char *arg, uint64_t min, uint64_t max,
			 uint64_t *value)
{
	char why[PARSE_WHY_LEN];

	return parse_number(arg, min, max, value, why) ? bad_value(option, why) : 0;
}

static int parse_priority(const char *option, const char *arg, int *priority)
{
	uint64_t value;
	int err = parse_bounded(option, arg, 1, 99, &value);

	if (!err)
		*priority = value;
	return err;
}

static int parse_period(const char *arg, uint64_t *ns)
{
	char why[PARSE_WHY_LEN];

	return parse_duration(arg, ns, why) ? bad_value("period", why) : 0;
}

static int parse_clients(const char *arg, struct run_options *run)
{
	char why[PARSE_WHY_LEN];
	uint32_t *list;
	size_t cnt;
	int err = parse_number_list(arg, CLIENTS_MAX, &list, &cnt, why);

	if (err)
		return err == -EINVAL ? bad_value("clients", why) : ENOMEM;
	free(run->clients);
	run->clients = list;
	run->client_cnt = cnt;
	return 0;
}

static int parse_transport(const char *arg, struct workload_spec *spec)
{
	if (!transport_find(arg)) {
		log_error("--transport: unknown transport '%s': use one of %s", arg,
			  transport_names());
		return EINVAL;
	}
	snprintf(spec->transport, sizeof(spec->transport), "%s", arg);
	return 0;
}

static int parse_pattern(const char *arg, struct workload_spec *spec)
{
	if (strcmp(arg, "push")) {
		log_error("--pattern: unknown pattern '%s': use push", arg);
		return EINVAL;
	}
	snprintf(spec->pattern, sizeof(spec->pattern), "%s", arg);
	return 0;
}

static int parse_policy(const char *arg, enum policy *policy)
{
	for (int i = 0; i < NR_POLICIES; i++) {
		if (strcmp(arg, policy_name(i)))
			continue;
		*policy = i;
		return 0;
	}
	log_error("--policy: unknown policy '%s': use rr, fifo, deadline or other", arg);
	return EINVAL;
}

/* "server=LIST,clients=LIST"; the lists may hold commas themselves. */
static int parse_cpu_lists(const char *arg, struct workload_spec *spec)
{
	const char *prefix = "server=", *server = arg + strlen(prefix);
	const char *clients = strstr(arg, ",clients=");
	size_t server_len;

	if (strncmp(arg, prefix, strlen(prefix)) || !clients || clients < server)
		goto refuse;
	server_len = clients - server;
	clients += strlen(",clients=");
	if (!server_len || !*clients || server_len >= SPEC_TEXT_LEN ||
	    strlen(clients) >= SPEC_TEXT_LEN)
		goto refuse;
	spec->placement = CPUS_LISTS;
	snprintf(spec->server_cpus, SPEC_TEXT_LEN, "%.*s", (int)server_len, server);
	snprintf(spec->client_cpus, SPEC_TEXT_LEN, "%s", clients);
	return 0;
refuse:
	log_error("--cpus: '%s' is no placement: use free, one, spread or "
		  "server=LIST,clients=LIST, as in server=0,clients=1-3",
		  arg);
	return EINVAL;
}

static int parse_cpus(const char *arg, struct workload_spec *spec)
{
	for (int i = 0; i < NR_PLACEMENTS; i++) {
		if (i == CPUS_LISTS || strcmp(arg, placement_name(i)))
			continue;
		spec->placement = i;
		return 0;
	}
	return parse_cpu_lists(arg, spec);
}

static int check_priority(const struct run_options *run)
{
	enum policy policy = run->spec.policy;

	if (!run->priority_given || policy == POLICY_RR || policy == POLICY_FIFO)
		return 0;
	log_error("--policy: %s has no priorities: leave out --server-priority and "
		  "--client-priority, or use rr or fifo",
		  policy_name(policy));
	return EINVAL;
}

static error_t parse_run(int key, char *arg, struct argp_state *state)
{
	struct run_options *run = state->input;
	struct workload_spec *spec = &run->spec;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &run->output;
		return 0;
	case KEY_TRANSPORT:
		return parse_transport(arg, spec);
	case KEY_PATTERN:
		return parse_pattern(arg, spec);
	case KEY_CLIENTS:
		return parse_clients(arg, run);
	case KEY_MESSAGES:
		return parse_bounded("messages", arg, 1, 1000000000, &spec->messages);
	case KEY_WARMUP:
		return parse_bounded("warmup", arg, 0, 1000000000, &spec->warmup);
	case KEY_PERIOD:
		return parse_period(arg, &spec->period_ns);
	case KEY_SIZE:
		return parse_bounded("size", arg, 1, 1 << 30, &spec->size);
	case KEY_POLICY:
		return parse_policy(arg, &spec->policy);
	case KEY_SERVER_PRIORITY:
		run->priority_given = true;
		return parse_priority("server-priority", arg, &spec->server_priority);
	case KEY_CLIENT_PRIORITY:
		run->priority_given = true;
		return parse_priority("client-priority", arg, &spec->client_priority);
	case KEY_CPUS:
		return parse_cpus(arg, spec);
	case KEY_NO_TRACE:
		run->no_trace = true;
		return 0;
	case KEY_RECORD:
		run->record = arg;
		return 0;
	case ARGP_KEY_END:
		return check_priority(run);
	case ARGP_KEY_ARG:
		log_error("what is '%s'? a value belongs behind its option, as in --clients 5",
			  arg);
		return EINVAL;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child run_children[] = {{.argp = &output_argp}, {0}};

const struct argp run_argp = {
	.options = run_option,
	.parser = parse_run,
	.doc = "Where the latency of local messages goes: runs a client/server workload under an "
	       "eBPF tracer and cuts the latency of every message into its components.\v"
	       "Commands: run (may be left out), report FILE (see ipctrace report --help).\n\n"
	       "Examples:\n"
	       "  sudo ipctrace --transport uds --clients 5\n"
	       "  sudo ipctrace --clients 1-5,7,10 -f json -o sweep.json\n"
	       "  sudo ipctrace --cpus one --record run.ipct && ipctrace report run.ipct\n",
	.children = run_children,
};

void run_options_init(struct run_options *run)
{
	*run = (struct run_options){
		.spec =
			{
				.transport = "uds",
				.pattern = "push",
				.messages = 1000,
				.warmup = 100,
				.period_ns = 10000000,
				.size = 64,
				.policy = POLICY_RR,
				.server_priority = 99,
				.client_priority = 98,
			},
	};
	run->clients = malloc(sizeof(*run->clients));
	if (run->clients) {
		run->clients[0] = 1;
		run->client_cnt = 1;
	}
}
