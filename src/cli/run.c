/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses the options of `run`. After the last option, cli/run_matrix.c makes the list of runs. */
#include "cli/experiment.h"
#include "cli/output.h"
#include "cli/run_matrix.h"
#include "cli/tables.h"
#include "cli/trace.h"
#include "cli/values.h"
#include "report/format.h"
#include "load/kind.h"
#include "transport/transport.h"
#include "util/log.h"
#include "util/parse.h"
#include "workload/handler.h"
#include "workload/pattern.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIZE_MAX_BYTES (1u << 30)
#define RUNS_MAX       1000
#define PRIORITY_MAX   99
#define TICK_NS        10000000

static int set_period(const struct parsing *parsing, char *arg, void *to)
{
	size_t zeros = strspn(arg, "0");

	if (zeros && zeros == strspn(arg, "0123456789")) {
		log_error(
			"--period: '%s': a period is longer than 0: leave it out: push then has a "
			"tick every 10ms, and other patterns send without a pause",
			arg);
		return EINVAL;
	}
	return set_duration(parsing, arg, to);
}

/* Appends the numbers of `more` that `list` lacks. Both end with 0. */
static int add_numbers(uint32_t **list, const uint32_t *more)
{
	uint32_t *all;
	size_t cnt = 0, at;

	for (at = 0; more[at];)
		at++;
	while ((*list)[cnt])
		cnt++;
	all = reallocarray(*list, cnt + at + 1, sizeof(*all));
	if (!all)
		return ENOMEM;
	*list = all;
	for (; *more; more++) {
		for (at = 0; at < cnt && all[at] != *more;)
			at++;
		if (at == cnt)
			all[cnt++] = *more;
	}
	all[cnt] = 0;
	return 0;
}

/* Replaces the default list, or adds to the list of an earlier option. */
static int set_list(const struct parsing *parsing, char *arg, void *to)
{
	char why[PARSE_WHY_LEN];
	uint32_t **list = to, *numbers;
	int err = parse_number_list(arg, parsing->row->max, &numbers, why);

	if (err)
		return err == -EINVAL ? refuse_value(parsing->row->name, why) : ENOMEM;
	if (parsing->is_repeated) {
		err = add_numbers(list, numbers);
		free(numbers);
		return err;
	}
	free(*list);
	*list = numbers;
	return 0;
}

static int add_transport(const char *name, const char **names, size_t cnt)
{
	const struct transport_ops *transport = transport_find(name);

	if (!transport)
		return refuse_word("transport", name, transport_names());
	for (size_t i = 0; i < cnt; i++) {
		if (names[i] != transport->name)
			continue;
		log_error("--transport: '%s': it is listed twice: name it once, and use --runs to "
			  "repeat a run",
			  name);
		return EINVAL;
	}
	names[cnt] = transport->name;
	return 0;
}

/* Replaces the default, or adds to the names of an earlier option. */
static int run_set_transports(const struct parsing *parsing, char *arg, void *to)
{
	const char **known = to, *rest = arg;
	const char *names[TRANSPORTS_MAX + 1] = {0};
	char name[SPEC_TEXT_LEN];
	size_t cnt = 0;
	int err = 0;

	for (; parsing->is_repeated && known[cnt]; cnt++)
		names[cnt] = known[cnt];
	while (!err && cnt < TRANSPORTS_MAX && parse_word(&rest, name, sizeof(name)))
		err = add_transport(name, names, cnt++);
	if (!err)
		memcpy(known, names, sizeof(names));
	return err;
}

static int run_copy_text(const char *option, const char *arg, char *text)
{
	if (strlen(arg) >= SPEC_TEXT_LEN) {
		log_error("--%s: '%s': longer than %d characters: put the command into a script",
			  option, arg, SPEC_TEXT_LEN - 1);
		return EINVAL;
	}
	snprintf(text, SPEC_TEXT_LEN, "%s", arg);
	return 0;
}

static int set_pattern(const struct parsing *parsing, char *arg, void *to)
{
	const char *option = parsing->row->name;

	return pattern_find(arg) ? run_copy_text(option, arg, to)
				 : refuse_word(option, arg, pattern_names());
}

static int set_handler(const struct parsing *parsing, char *arg, void *to)
{
	char why[PARSE_WHY_LEN];
	const char *argument;

	if (handler_find(arg, &argument, why, sizeof(why)))
		return run_copy_text(parsing->row->name, arg, to);
	log_error("--handler: '%s': %s", arg, why);
	return EINVAL;
}

static int set_load(const struct parsing *parsing, char *arg, void *to)
{
	if (!arg[0]) {
		log_error("--load: '': the name is empty: use %s, or any command", load_names());
		return EINVAL;
	}
	return run_copy_text(parsing->row->name, arg, to);
}

static int set_experiment(const struct parsing *parsing, char *arg, void *to)
{
	const struct experiment *experiment = experiment_find(arg);

	*(const struct experiment **)to = experiment;
	return experiment ? 0 : refuse_word(parsing->row->name, arg, experiment_names());
}

/* "server=LIST,clients=LIST". The lists may contain commas themselves. */
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
	spec->cpu_affinity = CPUS_LISTS;
	snprintf(spec->server_cpus, SPEC_TEXT_LEN, "%.*s", (int)server_len, server);
	snprintf(spec->client_cpus, SPEC_TEXT_LEN, "%s", clients);
	return 0;
refuse:
	return refuse_word("cpus", arg,
			   "free, one, spread or server=LIST,clients=LIST, as in "
			   "server=0,clients=1-3");
}

static int set_cpus(const struct parsing *parsing, char *arg, void *to)
{
	struct workload_spec *spec = to;

	(void)parsing;
	for (int i = 0; i < NR_CPU_AFFINITIES; i++) {
		if (i == CPUS_LISTS || strcmp(arg, cpu_affinity_names[i]))
			continue;
		spec->cpu_affinity = i;
		return 0;
	}
	return parse_cpu_lists(arg, spec);
}

static enum sched_policy policy_of(const struct run_options *run)
{
	return run->experiment && !run->given.policy ? run->experiment->policy
						     : run->spec.sched_policy;
}

static int check_priority(const struct run_options *run)
{
	bool has_priority = run->given.server_priority || run->given.client_priority;
	enum sched_policy policy = policy_of(run);

	if (!has_priority || policy == POLICY_RR || policy == POLICY_FIFO)
		return 0;
	log_error("--policy: '%s': it has no priorities: leave out --server-priority and "
		  "--client-priority, or use rr or fifo",
		  sched_policy_names[policy]);
	return EINVAL;
}

static int check_experiment(const struct run_options *run)
{
	if (!run->experiment || !run->given.pattern)
		return 0;
	log_error("--experiment: '%s': it defines its own patterns: leave out --pattern %s",
		  run->experiment->name, run->spec.pattern);
	return EINVAL;
}

static int check_untraced(const struct run_options *run)
{
	const struct trace_options *trace = &run->trace;

	if (!run->no_trace || !(trace_options_explain(trace) || trace->stacks_over_ns))
		return 0;
	log_error("--%s: --no-trace: the messages of an untraced run are not known: leave out one "
		  "of them",
		  run->output.format->wants_recording ? "format"
		  : trace->explain.is_asked           ? "explain"
		  : trace->stacks_over_ns             ? "stacks"
		  : trace->watch.has_trigger          ? "trigger"
						      : "stop-at");
	return EINVAL;
}

/* Fills in what was not given and follows from the other options. */
static void run_fill_in(struct run_options *run)
{
	struct workload_spec *spec = &run->spec;

	if (!run->given.period && pattern_find(spec->pattern)->needs_period)
		spec->period_ns = TICK_NS;
	if (!run->given.handler && pattern_find(spec->pattern)->handles)
		snprintf(spec->handler, sizeof(spec->handler), "echo");
}

static int cli_run_finish(void *options)
{
	struct run_options *run = options;
	int err = check_experiment(run);

	if (!err)
		err = check_priority(run);
	if (!err)
		err = trace_options_finish(&run->trace, &run->output);
	if (!err)
		err = check_untraced(run);
	if (err)
		return err;
	run_fill_in(run);
	run_matrix_free(&run->matrix);
	err = -run_matrix_make(run, &run->matrix);
	return err ? err : output_options_check(&run->output, run->trace.record);
}

static void run_add_transports(FILE *out)
{
	const struct transport_ops *transport;

	for (size_t i = 0; (transport = transports[i]); i++)
		value_help(out, transport->name, transport->summary);
}

static void add_patterns(FILE *out)
{
	const struct pattern *pattern;

	for (size_t i = 0; (pattern = patterns[i]); i++)
		value_help(out, pattern->name, pattern->summary);
}

static void add_handlers(FILE *out)
{
	const struct handler_ops *handler;
	char label[HANDLER_LABEL_LEN];

	for (size_t i = 0; (handler = handlers[i]); i++) {
		handler_label(handler, label);
		value_help(out, label, handler->summary);
	}
}

static void add_loads(FILE *out)
{
	const struct load_kind *kind;

	for (size_t i = 0; (kind = load_kinds[i]); i++)
		value_help(out, kind->name, kind->summary);
	value_help(out, "CMD", "any other command, run by the shell");
}

static void add_experiments(FILE *out)
{
	const struct experiment *experiment;

	for (size_t i = 0; (experiment = experiment_at(i)); i++)
		value_help(out, experiment->name, experiment->summary);
}

#define AT(member)    offsetof(struct run_options, member)
#define GIVEN(option) .given = AT(given.option)

#define MESSAGES_MAX  1000000000

static const struct option_row run_rows[] = {
	{.help = "What to send:"},
	{"transport", .arg = "NAME,...", .flags = OPTION_ADDS_UP, .set = run_set_transports,
	 .to = AT(transports), GIVEN(transport), .values = run_add_transports,
	 .help = "Transport of the messages (default: uds). With several names, ipctrace makes one "
		 "run for each."},
	{"pattern", .arg = "NAME", .set = set_pattern, .to = AT(spec.pattern), GIVEN(pattern),
	 .values = add_patterns, .help = "Which side sends, and when (default: push):"},
	{"size", .arg = "BYTES,...", .flags = OPTION_ADDS_UP, .set = set_list,
	 .max = SIZE_MAX_BYTES, .to = AT(sizes), GIVEN(size),
	 .help = "Bytes per message (default: 64). With several sizes, ipctrace makes one run for "
		 "each."},
	{.help = "How many and how often:"},
	{"clients", .arg = "N,...", .flags = OPTION_ADDS_UP, .set = set_list, .max = CLIENTS_MAX,
	 .to = AT(clients), GIVEN(clients),
	 .help = "Number of clients (default: 1). With a list such as 1-5,7,10, ipctrace makes one "
		 "run for each number."},
	{"messages", .arg = "N", .set = set_number, .min = 1, .max = MESSAGES_MAX,
	 .to = AT(spec.messages), GIVEN(messages),
	 .help = "Measured messages per client (default: 1000)"},
	{"warmup", .arg = "N", .set = set_number, .max = MESSAGES_MAX, .to = AT(spec.warmup),
	 GIVEN(warmup), .help = "Messages per client before the measurement starts (default: 100)"},
	{"period", .arg = "DUR", .set = set_period, .to = AT(spec.period_ns), GIVEN(period),
	 .help = "With push: send to all clients every DUR (default: 10ms). With pingpong, request "
		 "and connect: let each client begin an exchange every DUR (default: no pause)."},
	{.help = "What the server and the clients do:"},
	{"handler", .arg = "NAME", .set = set_handler, .to = AT(spec.handler), GIVEN(handler),
	 .values = add_handlers,
	 .help = "With --pattern request: what the server does with each request (default: "
		 "echo):"},
	{"reader", .arg = "HOW", .set = set_name, NAMES(reader_names), .to = AT(spec.reader),
	 .help = "How a receiver waits for a message (default: block):\n"
		 "block\tsleep in the receive call\n"
		 "poll\tsleep in poll(), then receive\n"
		 "epoll\tsleep in epoll_wait(), then receive"},
	{"read-size", .arg = "BYTES", .set = set_number, .min = 1, .max = SIZE_MAX_BYTES,
	 .to = AT(spec.read_size),
	 .help = "Bytes that each receive call asks for on a byte stream (default: the message "
		 "size)"},
	{"threads", .set = set_flag, .to = AT(spec.threads), GIVEN(threads),
	 .help = "Run all clients as threads of one process (default: each client is a process)"},
	{.help = "Priorities and CPUs:"},
	{"policy", .arg = "NAME", .set = set_name, NAMES(sched_policy_names),
	 .to = AT(spec.sched_policy), GIVEN(policy),
	 .help = "Scheduling policy of the server and the clients (default: rr):\n"
		 "rr\treal-time priorities, in turns (SCHED_RR)\n"
		 "fifo\treal-time priorities, first come first served (SCHED_FIFO)\n"
		 "deadline\tdeadlines instead of priorities (SCHED_DEADLINE)\n"
		 "other\tthe normal policy, without priorities (SCHED_OTHER)"},
	{"server-priority", .arg = "N", .set = set_count, .min = 1, .max = PRIORITY_MAX,
	 .to = AT(spec.server_priority), GIVEN(server_priority),
	 .help = "Priority of the server, 1 to 99, for rr and fifo (default: 99)"},
	{"client-priority", .arg = "N", .set = set_count, .min = 1, .max = PRIORITY_MAX,
	 .to = AT(spec.client_priority), GIVEN(client_priority),
	 .help = "Priority of the clients, 1 to 99, for rr and fifo (default: 98)"},
	{"cpus", .arg = "WHERE", .set = set_cpus, .to = AT(spec),
	 .help = "CPUs of the server and the clients (default: free):\n"
		 "free\tthe kernel chooses\n"
		 "one\tone CPU for all\n"
		 "spread\tone CPU for the server, the others for the clients\n"
		 "server=LIST,clients=LIST\tthese CPUs, as in server=0,clients=1-3"},
	{.help = "A busy machine:"},
	{"load", .arg = "NAME|CMD", .set = set_load, .to = AT(spec.load), GIVEN(load),
	 .values = add_loads, .help = "Background load during the run (default: none):"},
	{.help = "Several runs:"},
	{"runs", .arg = "N", .set = set_count, .min = 1, .max = RUNS_MAX, .to = AT(runs),
	 GIVEN(runs),
	 .help = "Make each run N times, and show the mean of the N results (default: 1). If N is "
		 "3 or more, the slowest and the fastest of them do not count."},
	{"experiment", .arg = "NAME", .set = set_experiment, .to = AT(experiment),
	 .values = add_experiments,
	 .help = "Repeat a published experiment, and show its published figures (default: none). "
		 "Other options replace its settings."},
	{.help = "What to trace and keep:"},
	{"no-trace", .set = set_flag, .to = AT(no_trace),
	 .help = "Run the same workload without tracing"},
	LEVEL_ROW(struct run_options),
	STACKS_ROW(struct run_options),
	READER_POLICY_ROW(struct run_options),
	{"overhead", .set = set_flag, .to = AT(overhead),
	 .help = "First measure how much tracing slows the messages down. This compares short runs "
		 "with and without tracing."},
	RECORD_ROW(struct run_options),
	{"btf", .arg = "FILE", .set = set_text, .to = AT(btf),
	 .help = "Read the type information (BTF) of the kernel from FILE (default: "
		 "/sys/kernel/btf/vmlinux). A kernel without the default file needs this option."},
	{0},
};

static const struct option_table run_table = {run_rows, cli_run_finish};

const struct command_syntax run_syntax = {
	.name = "run",
	.doc = "Show where the latency of local messages goes. ipctrace has two modes:\n"
	       "  ipctrace [run]             Run a client/server workload, and trace it.\n"
	       "  ipctrace attach TARGET     Trace programs that already run.\n"
	       "\n"
	       "The other commands:\n"
	       "  ipctrace report FILE       Show a recording again, or convert it.\n"
	       "  ipctrace explain FILE      Explain why slow messages were slow.\n"
	       "  ipctrace list              List the programs that attach can trace.\n"
	       "  ipctrace doctor            Check what this machine supports.\n"
	       "\n"
	       "Each command has its own --help. This is the help of run.\v" DURATION_HELP "\n"
	       "Examples:\n"
	       "  # Where does the latency of 5 clients go?\n"
	       "  sudo ipctrace --transport uds --clients 5\n"
	       "\n"
	       "  # How does the latency grow with the number of clients? Answer in JSON.\n"
	       "  sudo ipctrace --clients 1-5,7,10 -f json -o sweep.json\n"
	       "\n"
	       "  # What happens if all processes share one CPU? Keep the run for later.\n"
	       "  sudo ipctrace --cpus one --record run.ipct && ipctrace report run.ipct\n"
	       "\n"
	       "  # Which transport is the fastest for small and for large messages?\n"
	       "  sudo ipctrace --pattern pingpong --transport pipe,shm,tcp --size 64,4096\n"
	       "\n"
	       "  # How does this machine compare with a published experiment?\n"
	       "  sudo ipctrace --experiment colorado --runs 1\n",
	.instead = "put a value after its option, as in --clients 5",
	.part = {{&run_table, 0},
		 {&run_report_table, AT(output)},
		 {&explain_live_table, AT(trace)},
		 {&watch_table, AT(trace)},
		 {&attach_hint_table, 0}},
};

static uint32_t *list_of(uint32_t number)
{
	uint32_t *list = malloc(2 * sizeof(*list));

	if (list) {
		list[0] = number;
		list[1] = 0;
	}
	return list;
}

int run_options_init(struct run_options *run)
{
	*run = (struct run_options){
		.spec =
			{
				.pattern = "push",
				.messages = 1000,
				.warmup = 100,
				.sched_policy = POLICY_RR,
				.server_priority = 99,
				.client_priority = 98,
			},
		.transports = {"uds"},
		.sizes = list_of(64),
		.clients = list_of(1),
		.runs = 1,
	};
	return run->sizes && run->clients ? 0 : -ENOMEM;
}

void run_options_clean(struct run_options *run)
{
	free(run->clients);
	free(run->sizes);
	run_matrix_free(&run->matrix);
}
