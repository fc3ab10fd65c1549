/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses the options of `run`. After the last option, cli/run_matrix.c makes the list of runs. */
#include "cli/attach_hint.h"
#include "cli/commands.h"
#include "cli/explain_live.h"
#include "cli/experiment.h"
#include "cli/output.h"
#include "cli/repeated.h"
#include "cli/run_help.h"
#include "cli/run_matrix.h"
#include "report/format.h"
#include "load/kinds.h"
#include "transport/transport.h"
#include "cli/watch.h"
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
#define TICK_NS        10000000

/* run_help() appends the values that an option accepts. */
static const struct argp_option run_option[] = {
	{0, 0, 0, 0, "What to send:", 0},
	{"transport", KEY_TRANSPORT, "NAME,...", OPTION_ADDS_UP,
	 "Transport of the messages (default: uds). With several names, ipctrace makes one run for "
	 "each.",
	 0},
	{"pattern", KEY_PATTERN, "NAME", 0, "Which side sends, and when (default: push):", 0},
	{"size", KEY_SIZE, "BYTES,...", OPTION_ADDS_UP,
	 "Bytes per message (default: 64). With several sizes, ipctrace makes one run for each.",
	 0},
	{0, 0, 0, 0, "How many and how often:", 0},
	{"clients", KEY_CLIENTS, "N,...", OPTION_ADDS_UP,
	 "Number of clients (default: 1). With a list such as 1-5,7,10, ipctrace makes one run for "
	 "each number.",
	 0},
	{"messages", KEY_MESSAGES, "N", 0, "Measured messages per client (default: 1000)", 0},
	{"warmup", KEY_WARMUP, "N", 0,
	 "Messages per client before the measurement starts (default: 100)", 0},
	{"period", KEY_PERIOD, "DUR", 0,
	 "With push: send to all clients every DUR (default: 10ms). With pingpong, request and "
	 "connect: let "
	 "each client begin an exchange every DUR (default: no pause).",
	 0},
	{0, 0, 0, 0, "What the server and the clients do:", 0},
	{"handler", KEY_HANDLER, "NAME", 0,
	 "With --pattern request: what the server does with each request (default: echo):", 0},
	{"reader", KEY_READER, "HOW", 0,
	 "How a receiver waits for a message (default: block):\n"
	 "block\tsleep in the receive call\n"
	 "poll\tsleep in poll(), then receive\n"
	 "epoll\tsleep in epoll_wait(), then receive",
	 0},
	{"read-size", KEY_READ_SIZE, "BYTES", 0,
	 "Bytes that each receive call asks for on a byte stream (default: the message size)", 0},
	{"threads", KEY_THREADS, 0, 0,
	 "Run all clients as threads of one process (default: each client is a process)", 0},
	{0, 0, 0, 0, "Priorities and CPUs:", 0},
	{"policy", KEY_POLICY, "NAME", 0,
	 "Scheduling policy of the server and the clients (default: rr):\n"
	 "rr\treal-time priorities, in turns (SCHED_RR)\n"
	 "fifo\treal-time priorities, first come first served (SCHED_FIFO)\n"
	 "deadline\tdeadlines instead of priorities (SCHED_DEADLINE)\n"
	 "other\tthe normal policy, without priorities (SCHED_OTHER)",
	 0},
	{"server-priority", KEY_SERVER_PRIORITY, "N", 0,
	 "Priority of the server, 1 to 99, for rr and fifo (default: 99)", 0},
	{"client-priority", KEY_CLIENT_PRIORITY, "N", 0,
	 "Priority of the clients, 1 to 99, for rr and fifo (default: 98)", 0},
	{"cpus", KEY_CPUS, "WHERE", 0,
	 "CPUs of the server and the clients (default: free):\n"
	 "free\tthe kernel chooses\n"
	 "one\tone CPU for all\n"
	 "spread\tone CPU for the server, the others for the clients\n"
	 "server=LIST,clients=LIST\tthese CPUs, as in server=0,clients=1-3",
	 0},
	{0, 0, 0, 0, "A busy machine:", 0},
	{"load", KEY_LOAD, "NAME|CMD", 0, "Background load during the run (default: none):", 0},
	{0, 0, 0, 0, "Several runs:", 0},
	{"runs", KEY_RUNS, "N", 0,
	 "Make each run N times, and show the mean of the N results (default: 1). If N is 3 or "
	 "more, the slowest and the fastest of them do not count.",
	 0},
	{"experiment", KEY_EXPERIMENT, "NAME", 0,
	 "Repeat a published experiment, and show its published figures (default: none). Other "
	 "options "
	 "replace its settings.",
	 0},
	{0, 0, 0, 0, "What to trace and keep:", 0},
	{"no-trace", KEY_NO_TRACE, 0, 0, "Run the same workload without tracing", 0},
	{"level", KEY_LEVEL, "NAME", 0, LEVEL_HELP, 0},
	{"stacks", KEY_STACKS, "DUR", OPTION_ARG_OPTIONAL, STACKS_HELP, 0},
	{"reader-policy", KEY_READER_POLICY, "POLICY", 0, READER_POLICY_HELP, 0},
	{"overhead", KEY_OVERHEAD, 0, 0,
	 "First measure how much tracing slows the messages down. This compares short runs with "
	 "and without tracing.",
	 0},
	{"record", KEY_RECORD, "FILE", 0, RECORD_HELP, 0},
	{"btf", KEY_BTF, "FILE", 0,
	 "Read the type information (BTF) of the kernel from FILE (default: "
	 "/sys/kernel/btf/vmlinux). A kernel without the default file needs this option.",
	 0},
	{0},
};

static int parse_priority(const char *option, const char *arg, int *priority)
{
	uint32_t value;
	int err = parse_count(option, arg, 99, &value);

	if (!err)
		*priority = value;
	return err;
}

static int parse_tick(const char *arg, uint64_t *ns)
{
	size_t zeros = strspn(arg, "0");

	if (zeros && zeros == strspn(arg, "0123456789")) {
		log_error(
			"--period: '%s': a period is longer than 0: leave it out: push then has a "
			"tick every 10ms, and other patterns send without a pause",
			arg);
		return EINVAL;
	}
	return parse_period("period", arg, ns);
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
static int parse_list(const char *option, const char *arg, uint32_t max, bool is_repeated,
		      uint32_t **list)
{
	char why[PARSE_WHY_LEN];
	uint32_t *numbers;
	int err = parse_number_list(arg, max, &numbers, why);

	if (err)
		return err == -EINVAL ? refuse_value(option, why) : ENOMEM;
	if (is_repeated) {
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
static int parse_transports(const char *arg, bool is_repeated, struct run_options *run)
{
	const char *names[TRANSPORTS_MAX + 1] = {0};
	char name[SPEC_TEXT_LEN];
	size_t cnt = 0;
	int err = 0;

	for (; is_repeated && run->transports[cnt]; cnt++)
		names[cnt] = run->transports[cnt];
	while (!err && cnt < TRANSPORTS_MAX && parse_word(&arg, name, sizeof(name)))
		err = add_transport(name, names, cnt++);
	if (!err)
		memcpy(run->transports, names, sizeof(names));
	return err;
}

static int parse_pattern(const char *arg, struct workload_spec *spec)
{
	if (!pattern_find(arg))
		return refuse_word("pattern", arg, pattern_names());
	snprintf(spec->pattern, sizeof(spec->pattern), "%s", arg);
	return 0;
}

static int copy_text(const char *option, const char *arg, char text[SPEC_TEXT_LEN])
{
	if (strlen(arg) >= SPEC_TEXT_LEN) {
		log_error("--%s: '%s': longer than %d characters: put the command into a script",
			  option, arg, SPEC_TEXT_LEN - 1);
		return EINVAL;
	}
	snprintf(text, SPEC_TEXT_LEN, "%s", arg);
	return 0;
}

static int parse_handler(const char *arg, struct workload_spec *spec)
{
	char why[PARSE_WHY_LEN];
	const char *argument;

	if (handler_find(arg, &argument, why, sizeof(why)))
		return copy_text("handler", arg, spec->handler);
	log_error("--handler: '%s': %s", arg, why);
	return EINVAL;
}

static int parse_load(const char *arg, struct workload_spec *spec)
{
	if (!arg[0]) {
		log_error("--load: '': the name is empty: use %s, or any command", load_names());
		return EINVAL;
	}
	return copy_text("load", arg, spec->load);
}

static int parse_experiment(const char *arg, struct run_options *run)
{
	run->experiment = experiment_find(arg);
	if (run->experiment)
		return 0;
	return refuse_word("experiment", arg, experiment_names());
}

static int parse_reader(const char *arg, enum reader *reader)
{
	for (int i = 0; i < NR_READERS; i++) {
		if (strcmp(arg, reader_names[i]))
			continue;
		*reader = i;
		return 0;
	}
	return refuse_word("reader", arg, "block, poll or epoll");
}

static int parse_policy(const char *arg, enum sched_policy *policy)
{
	for (int i = 0; i < NR_SCHED_POLICIES; i++) {
		if (strcmp(arg, sched_policy_names[i]))
			continue;
		*policy = i;
		return 0;
	}
	return refuse_word("policy", arg, "rr, fifo, deadline or other");
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

static int parse_cpus(const char *arg, struct workload_spec *spec)
{
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
	return run->experiment && !(run->given & GIVEN(KEY_POLICY)) ? run->experiment->policy
								    : run->spec.sched_policy;
}

static int check_priority(const struct run_options *run)
{
	unsigned int priorities = GIVEN(KEY_SERVER_PRIORITY) | GIVEN(KEY_CLIENT_PRIORITY);
	enum sched_policy policy = policy_of(run);

	if (!(run->given & priorities) || policy == POLICY_RR || policy == POLICY_FIFO)
		return 0;
	log_error("--policy: '%s': it has no priorities: leave out --server-priority and "
		  "--client-priority, or use rr or fifo",
		  sched_policy_names[policy]);
	return EINVAL;
}

static int check_experiment(const struct run_options *run)
{
	if (!run->experiment || !(run->given & GIVEN(KEY_PATTERN)))
		return 0;
	log_error("--experiment: '%s': it defines its own patterns: leave out --pattern %s",
		  run->experiment->name, run->spec.pattern);
	return EINVAL;
}

static bool explains(const struct run_options *run)
{
	return run->explain.is_asked || watch_options_explain(&run->watch);
}

static int check_untraced(const struct run_options *run)
{
	if (!run->no_trace || !(explains(run) || run->stacks_over_ns))
		return 0;
	log_error("--%s: --no-trace: the messages of an untraced run are not known: leave out one "
		  "of them",
		  run->output.format->wants_recording ? "format"
		  : run->explain.is_asked             ? "explain"
		  : run->stacks_over_ns               ? "stacks"
		  : run->watch.has_trigger            ? "trigger"
						      : "stop-at");
	return EINVAL;
}

/* Fills in what was not given and follows from the other options. */
static void fill_in(struct run_options *run)
{
	struct workload_spec *spec = &run->spec;

	if (!(run->given & GIVEN(KEY_PERIOD)) && pattern_find(spec->pattern)->needs_period)
		spec->period_ns = TICK_NS;
	if (!(run->given & GIVEN(KEY_HANDLER)) && pattern_find(spec->pattern)->handles)
		snprintf(spec->handler, sizeof(spec->handler), "echo");
	if ((explains(run) || run->stacks_over_ns) && !(run->given & GIVEN(KEY_LEVEL)))
		run->level = LEVEL_DEEP;
}

static int finish(struct run_options *run)
{
	int err = check_experiment(run);

	if (!err)
		err = check_priority(run);
	if (!err)
		err = explain_live_finish(&run->explain, &run->output, run->record);
	if (!err)
		err = stacks_check(run->stacks_over_ns, explains(run) || run->record);
	if (!err)
		err = watch_options_finish(&run->watch, &run->output, run->record);
	if (!err)
		err = check_untraced(run);
	if (err)
		return err;
	fill_in(run);
	run_matrix_free(&run->matrix);
	err = -run_matrix_make(run, &run->matrix);
	return err ? err : output_options_check(&run->output, run->record);
}

/* Parses the options that are a part of the spec. ARGP_ERR_UNKNOWN: another option. */
static error_t parse_spec(int key, char *arg, struct workload_spec *spec)
{
	switch (key) {
	case KEY_PATTERN:
		return parse_pattern(arg, spec);
	case KEY_MESSAGES:
		return parse_bounded("messages", arg, 1, 1000000000, &spec->messages);
	case KEY_WARMUP:
		return parse_bounded("warmup", arg, 0, 1000000000, &spec->warmup);
	case KEY_PERIOD:
		return parse_tick(arg, &spec->period_ns);
	case KEY_HANDLER:
		return parse_handler(arg, spec);
	case KEY_LOAD:
		return parse_load(arg, spec);
	case KEY_THREADS:
		spec->threads = true;
		return 0;
	case KEY_READER:
		return parse_reader(arg, &spec->reader);
	case KEY_READ_SIZE:
		return parse_bounded("read-size", arg, 1, SIZE_MAX_BYTES, &spec->read_size);
	case KEY_POLICY:
		return parse_policy(arg, &spec->sched_policy);
	case KEY_SERVER_PRIORITY:
		return parse_priority("server-priority", arg, &spec->server_priority);
	case KEY_CLIENT_PRIORITY:
		return parse_priority("client-priority", arg, &spec->client_priority);
	case KEY_CPUS:
		return parse_cpus(arg, spec);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse_run(int key, char *arg, struct argp_state *state)
{
	struct run_options *run = state->input;
	bool is_repeated = false;

	if (key >= KEY_TRANSPORT && key <= KEY_BTF) {
		is_repeated = run->given & GIVEN(key);
		run->given |= GIVEN(key);
	}
	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &run->output;
		state->child_inputs[1] = &run->explain;
		state->child_inputs[2] = &run->watch;
		return 0;
	case KEY_TRANSPORT:
		return parse_transports(arg, is_repeated, run);
	case KEY_CLIENTS:
		return parse_list("clients", arg, CLIENTS_MAX, is_repeated, &run->clients);
	case KEY_SIZE:
		return parse_list("size", arg, SIZE_MAX_BYTES, is_repeated, &run->sizes);
	case KEY_RUNS:
		return parse_count("runs", arg, RUNS_MAX, &run->runs);
	case KEY_EXPERIMENT:
		return parse_experiment(arg, run);
	case KEY_NO_TRACE:
		run->no_trace = true;
		return 0;
	case KEY_OVERHEAD:
		run->overhead = true;
		return 0;
	case KEY_READER_POLICY:
		return parse_reader_policy(arg, &run->reader);
	case KEY_LEVEL:
		return parse_level(arg, &run->level);
	case KEY_STACKS:
		return parse_stacks(arg, &run->stacks_over_ns);
	case KEY_RECORD:
		run->record = arg;
		return 0;
	case KEY_BTF:
		run->btf = arg;
		return 0;
	case ARGP_KEY_END:
		return finish(run);
	case ARGP_KEY_ARG:
		log_error("unexpected argument: '%s': run has only options: put a value after its "
			  "option, as in --clients 5",
			  arg);
		return EINVAL;
	default:
		return parse_spec(key, arg, &run->spec);
	}
}

static const struct argp_child run_children[] = {{.argp = &run_report_argp},
						 {.argp = &explain_live_argp},
						 {.argp = &watch_argp},
						 {.argp = &attach_hint_argp},
						 {0}};

const struct argp run_argp = {
	.options = run_option,
	.parser = parse_run,
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
	.children = run_children,
	.help_filter = run_help,
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
