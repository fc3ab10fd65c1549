/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Implements `ipctrace attach`, which traces running programs, or a command that ipctrace starts.
 * Supplies the functions that session.c calls at each step of tracing. targets.c finds the
 * programs, and child.c starts the command.
 */
#include "bpf/timing.h"
#include "command/live/target/child.h"
#include "command/live/target/children.h"
#include "command/commands.h"
#include "command/live/after_run.h"
#include "command/host.h"
#include "command/live/interrupt.h"
#include "command/output.h"
#include "command/progress.h"
#include "command/live/session.h"
#include "command/live/target/asleep.h"
#include "command/sight.h"
#include "command/live/target/surroundings.h"
#include "command/live/target/targets.h"
#include "model/transport_names.h"
#include "tracer/programs.h"
#include "report/words/labels.h"
#include "util/caller.h"
#include "util/clock.h"
#include "util/duration.h"
#include "util/failure.h"
#include "util/log.h"
#include "util/pid_namespace.h"
#include "util/status_line.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * Bytes. The kernel makes, maps and frees a ring without a pause where it does not preempt itself:
 * 4 ms for this size, in which no real-time thread gets that CPU. It lasts for 200 ms at 80 MB/s;
 * see command/live/yield/hurry.h for how the reader keeps up.
 */
#define RING_SIZE (16u << 20)

/* Messages that are under way when tracing stops have this long to arrive. */
#define ARRIVAL_NS (20 * NSEC_PER_MSEC)

/* A command has this long to exit after SIGTERM. */
#define GRACE_NS      (5000 * NSEC_PER_MSEC)
#define GRACE_POLL_NS (20 * NSEC_PER_MSEC)

/* If all targets have exited, for so long is looked for what takes their place. */
#define HEIR_NS      (1000 * NSEC_PER_MSEC)
#define HEIR_POLL_NS (200 * NSEC_PER_MSEC)

/* The transports that the tracer can see in programs that it did not start. */
#define TRANSPORTS                                                                                 \
	(TRANSPORTS_SOCKETS | TRANSPORTS_PIPES | TRANSPORTS_QUEUES |                               \
	 TRANSPORT_BIT(TRANSPORT_EVENTFD) | TRANSPORT_BIT(TRANSPORT_FUTEX))

struct attach {
	struct session session;
	const struct attach_options *options;
	struct run_info info;
	struct output output;
	struct targets targets;
	struct surroundings surroundings;
	struct sleepers sleepers; /* when tracing began */
	struct after_run after;
	struct child *child; /* NULL: no command */
	uint64_t begin_ns;
	uint64_t until_ns; /* 0: unlimited */
	struct attach_progress progress;
	uint64_t say_ns;    /* when the next line of --interval is due; 0: never */
	uint64_t sample_ns; /* no search for starving threads before */
	uint64_t said_messages;
	enum left_reason ended_by; /* NR_LEFT_REASONS: tracing goes on */
	uint64_t ended_ns;
};

static struct attach *attach_of(struct session *session)
{
	return (struct attach *)session;
}

/* A command is a target, too. It is traced before it executes its first instruction. */
static int find_targets(struct attach *attach)
{
	const struct caller *caller = caller_find();
	int err = caller ? targets_find(&attach->targets, attach->options) : -EINVAL;

	if (!err && !attach->options->no_children)
		err = children_add(&attach->targets);
	if (err || !attach->options->command)
		return err;
	attach->child =
		child__new(attach->options->command, attach->options->as_root ? NULL : caller);
	return attach->child ? targets_add(&attach->targets, child__pid(attach->child)) : -errno;
}

/* Without memory, or if the kernel does not say, there are none. */
static void find_sleepers(struct sleepers *sleepers, struct tracer *tracer)
{
	ssize_t cnt = 0;

	sleepers->sleeper = calloc(SLEEPERS_MAX, sizeof(*sleepers->sleeper));
	if (sleepers->sleeper)
		cnt = tracer__find_asleep(tracer, sleepers->sleeper, SLEEPERS_MAX);
	sleepers->cnt = cnt > 0 ? (size_t)cnt : 0;
}

static int attach_open_tracer(struct session *session)
{
	struct attach *attach = attach_of(session);
	bool is_light = attach->options->trace.level == LEVEL_LIGHT;
	const struct tracer_spec spec = {
		.transports = is_light ? TRANSPORTS_LIGHT : TRANSPORTS,
		.attach = true,
		.no_syscalls = is_light,
		.deep = attach->options->trace.level == LEVEL_DEEP,
		.short_lived = true,
		.connections = true,
		.stacks_ns = session->stacks_over_ns,
		.ring_size = RING_SIZE,
	};
	struct targets *targets = &attach->targets;
	struct tracer *tracer;
	int processes;

	session->collector.scripts = scripts__new();
	if (!session->collector.scripts)
		return -ENOMEM;
	yield__keep_off(session->yield, targets->pid, targets->cnt);
	tracer = tracer__new(&spec);
	session->collector.tracer = tracer;
	processes = tracer ? tracer__attach(tracer) : -errno;
	yield__come_back(session->yield);
	/* Loading took a while. Children that are started from now on are followed. */
	if (processes >= 0 && !attach->options->no_children)
		processes = children_add(targets) ?: targets_watch(targets);
	if (!attach->child)
		children_left_out(targets, &session->info->untraced);
	/* Sends count from here on. */
	session->info->begin = begin_now();
	if (!processes)
		processes = tracer__add_targets(tracer, targets->pid, targets->cnt);
	if (processes >= 0)
		find_sleepers(&attach->sleepers, tracer);
	return processes < 0 ? processes : 0;
}

/*
 * A script that waits for this line misses no message. A command is started by this program, and
 * has the same stderr: for it the line is nothing but noise.
 */
static void say_it_begins(const struct attach *attach)
{
	const struct targets *targets = &attach->targets;
	uint64_t duration_ns = attach->options->duration_ns;
	size_t threads = targets_threads(targets);
	char end[64] = "press ^C to end it and see the report";

	if (attach->child)
		snprintf(end, sizeof(end), "until the command exits");
	else if (duration_ns)
		snprintf(end, sizeof(end), "for %s; ^C ends it earlier", DURATION(duration_ns));
	(attach->child ? log_info : log_notice)(
		"tracing '%s': %zu process%s, %zu thread%s, and their peers: %s",
		attach->info.target, targets->cnt, targets->cnt == 1 ? "" : "es", threads,
		threads == 1 ? "" : "s", end);
}

static int attach_start(struct session *session)
{
	struct attach *attach = attach_of(session);
	uint64_t begin_ns = clock_now_ns();
	int err;

	attach->begin_ns = begin_ns;
	if (attach->options->duration_ns)
		attach->until_ns = begin_ns + attach->options->duration_ns;
	if (attach->options->interval_ns)
		attach->say_ns = begin_ns + attach->options->interval_ns;
	say_it_begins(attach);
	attach->progress.began_ns = begin_ns;
	attach->progress.due_ns = begin_ns + PROGRESS_NS;
	err = surroundings_put_paths(&attach->surroundings, collector_put, &session->collector);
	err = err ?: sleepers_put_first(&attach->sleepers, collector_put, &session->collector);
	return !err && attach->child ? child__go(attach->child) : err;
}

static enum left_reason ending_find(const struct attach *attach)
{
	bool alive;

	if (interrupt_happened())
		return LEFT_SIGNAL;
	if (session_end(&attach->session))
		return session_end(&attach->session) == WATCH_STOPPED ? LEFT_STOP_AT : LEFT_COUNT;
	if (attach->until_ns && clock_now_ns() >= attach->until_ns)
		return LEFT_DURATION;
	alive = attach->child ? child__alive(attach->child) : targets_running(&attach->targets) > 0;
	return alive ? NR_LEFT_REASONS : LEFT_TARGETS;
}

/* The end of a command is never early. */
static bool ended_early(const struct attach *attach)
{
	return attach->until_ns && !attach->child && attach->ended_by != LEFT_DURATION &&
	       attach->ended_by < LEFT_STOP_AT;
}

static void say_why_it_ended(const struct attach *attach)
{
	if (attach->ended_by == LEFT_SIGNAL)
		log_info("the attach has ended: %s", strsignal(interrupt_signal()));
	else if (attach->ended_by >= LEFT_STOP_AT)
		log_info("the attach has ended: --%s was reached",
			 attach->ended_by == LEFT_STOP_AT ? "stop-at" : "count");
	else if (!ended_early(attach))
		log_info("the attach has ended: %s", attach->ended_by == LEFT_DURATION
							     ? "--duration is over"
							     : "all targets have exited");
	else
		log_warning(
			"the attach has ended early: '%s': all targets exited %s before the end "
			"of --duration: the report shows the time until then",
			attach->info.target, DURATION(attach->until_ns - attach->ended_ns));
}

/* The line only shows that tracing goes on. The report has the means and shares. */
static void say_how_it_goes(struct attach *attach)
{
	const struct summary *summary = analysis__summary(attach->session.collector.analysis);
	uint64_t messages = summary->integrity.matched, now_ns = clock_now_ns();

	if (!attach->say_ns || now_ns < attach->say_ns)
		return;
	attach->say_ns += attach->options->interval_ns;
	log_notice("%llu messages, %llu since the last line: latency mean %s, max %s",
		   (unsigned long long)messages,
		   (unsigned long long)(messages - attach->said_messages),
		   DURATION((uint64_t)stat_mean(&summary->latency)),
		   DURATION(summary->latency.max));
	attach->said_messages = messages;
}

/* The last pause ends when --duration is over. */
static uint64_t attach_pause_ns(const struct attach *attach, uint64_t interval_ns)
{
	uint64_t now_ns = clock_now_ns();

	if (!attach->until_ns || now_ns + interval_ns < attach->until_ns)
		return interval_ns;
	return attach->until_ns > now_ns ? attach->until_ns - now_ns : 0;
}

static bool attach_goes_on(struct session *session, uint64_t interval_ns)
{
	struct attach *attach = attach_of(session);

	say_how_it_goes(attach);
	attach_progress_show(&attach->progress, clock_now_ns(), session->collector.analysis,
			     tracer__lost(session->collector.tracer));
	attach->ended_by = ending_find(attach);
	attach->ended_ns = clock_now_ns();
	if (attach->ended_by != NR_LEFT_REASONS) {
		status_line_clear();
		return false;
	}
	interrupt_sleep(attach_pause_ns(attach, interval_ns));
	return true;
}

/* Events of this drain are settled later, when it must be known which threads are starving. */
static int find_starving(struct session *session)
{
	struct attach *attach = attach_of(session);
	uint64_t now_ns = clock_now_ns();

	if (attach->ended_by != NR_LEFT_REASONS || now_ns < attach->sample_ns ||
	    !analysis__needs_starving(session->collector.analysis))
		return 0;
	attach->sample_ns = now_ns + SEARCH_NS;
	return tracer__find_starving(session->collector.tracer);
}

/* The message of --stop-at has been seen, and its explanation should not wait. */
static int put_sleepers(struct attach *attach, const struct sleepers *sleepers)
{
	struct collector *collector = &attach->session.collector;
	bool is_silent = !analysis__summary(collector->analysis)->integrity.sent;

	if (attach->ended_by >= LEFT_STOP_AT)
		return 0;
	return sleepers_put_last(sleepers, &attach->sleepers, is_silent, collector_put, collector);
}

/* Messages that are under way get some time to arrive. Next, programs and maps are removed. */
static int attach_stop(struct session *session)
{
	struct attach *attach = attach_of(session);
	const struct targets *targets = &attach->targets;
	struct record_stop stop = {.head = {.type = RECORD_STOP, .words = RECORD_WORDS(stop)}};
	struct sleepers sleepers = {0};
	int err;

	find_sleepers(&sleepers, session->collector.tracer);
	stop.at_ns = tracer__disarm(session->collector.tracer);
	interrupt_sleep(ARRIVAL_NS);
	yield__keep_off(session->yield, targets->pid, targets->cnt);
	err = collector_put(&session->collector, &stop.head);
	if (!err)
		err = put_sleepers(attach, &sleepers);
	sleepers_free(&sleepers);
	return err;
}

/* A server that is being restarted needs a moment. */
static bool find_surroundings(struct attach *attach, struct found_with_name *found)
{
	struct surroundings *before = &attach->surroundings;
	uint64_t until_ns = clock_now_ns() + HEIR_NS;
	bool is_known = surroundings_find(before, &attach->targets, found);

	while (is_known && !found->found.targets && before->cnt && !found->found.pid &&
	       !interrupt_happened() && clock_now_ns() < until_ns) {
		interrupt_sleep(HEIR_POLL_NS);
		is_known = surroundings_find(before, &attach->targets, found);
	}
	return is_known;
}

/* Nothing open, and nothing visible, are not the same. */
static void say_what_is_hidden(const struct attach *attach)
{
	const struct surroundings *surroundings = &attach->surroundings;

	if (surroundings->hides_channels)
		log_warning("the channels of the target are not known: '%s': its descriptors are "
			    "not visible: the report does not say what was open: %s",
			    attach->info.target, sight_remedy());
	if (surroundings->hides_heir)
		log_warning("another process may have taken the place of the target: '%s' is in "
			    "use: the process that has it is not visible: the report does not say "
			    "which one it is: %s",
			    surroundings->at[0].shown, sight_remedy());
}

static void say_which_children_are_left_out(const struct attach *attach)
{
	struct untraced untraced;
	char children[UNTRACED_TITLE_LEN];

	children_left_out(&attach->targets, &untraced);
	untraced_title(&untraced, children);
	if (untraced.cnt)
		log_notice("no message was seen: '%s': children of it are not traced: %s: %s",
			   attach->info.target, children,
			   attach->options->no_children ? "leave out --no-children"
							: "name them by --pid or --comm");
}

/* Where messages are missing, the user has to know what was there instead. */
static int put_surroundings(struct attach *attach)
{
	struct collector *collector = &attach->session.collector;
	bool is_over = attach->ended_by == LEFT_TARGETS, is_known;
	struct found_with_name found;

	/* The message of --stop-at has been seen, and its explanation should not wait. */
	if (attach->child || attach->ended_by >= LEFT_STOP_AT)
		return 0;
	if (!is_over && analysis__summary(collector->analysis)->integrity.sent)
		return 0;
	if (!is_over)
		say_which_children_are_left_out(attach);
	is_known = find_surroundings(attach, &found);
	say_what_is_hidden(attach);
	if (!is_known)
		return 0;
	if (found.found.pid)
		log_notice("another process has taken the place of the target: '%s' (pid %u) has "
			   "'%s' now: its messages are not in the report: attach to it with "
			   "--pid %u",
			   found.found.comm, found.found.pid, found.name, found.found.pid);
	return collector_put(collector, &found.found.head);
}

static int live_attach_finish(struct session *session, struct record_end *end)
{
	struct attach *attach = attach_of(session);
	struct record_left left = {
		.head = {.type = RECORD_LEFT, .words = RECORD_WORDS(left)},
		.client = LEFT_ALL,
		.reason = attach->ended_by,
		.round = ended_early(attach),
		.detail = attach->ended_by == LEFT_SIGNAL ? (uint64_t)interrupt_signal()
							  : attach->ended_ns - attach->begin_ns,
	};
	int err = put_surroundings(attach);

	(void)end;
	say_why_it_ended(attach);
	return err ?: collector_put(&session->collector, &left.head);
}

static const struct session_ops attach_ops = {
	.open = attach_open_tracer,
	.start = attach_start,
	.goes_on = attach_goes_on,
	.before_drain = find_starving,
	.stop = attach_stop,
	.finish = live_attach_finish,
};

static int trace_targets(struct attach *attach)
{
	const struct attach_options *options = attach->options;
	int err = output_open(&attach->output, &options->output, options->trace.record, false);

	if (!err)
		err = after_run_begin(&attach->after, &options->trace, &options->calls,
				      &attach->output);
	/*
	 * The lines of --interval say the same, and stay. A command has the same terminal, where it
	 * writes at any time.
	 */
	attach->progress.is_wanted = !err && !options->interval_ns && !options->command &&
				     progress_is_wanted(&attach->output, &options->trace.watch);
	if (!err)
		err = session_run(&attach->session);
	status_line_clear();
	if (!err)
		err = session_report(&attach->session);
	if (!err)
		err = after_run_show(&attach->after, session_stopped_by(&attach->session),
				     &attach->output, interrupt_is_second);
	after_run_end(&attach->after);
	if (output_close(&attach->output) && !err)
		err = -EIO;
	return err;
}

/* The command may clean up, but a second interrupt or GRACE_NS ends the wait for it. */
static int end_child(struct child *child)
{
	uint64_t until_ns = clock_now_ns() + GRACE_NS;

	child__ask_to_end(child);
	while (child__alive(child) && !interrupt_is_second() && clock_now_ns() < until_ns)
		interrupt_sleep(GRACE_POLL_NS);
	if (child__alive(child))
		log_warning(
			"the command is killed: pid %d: it has not exited on SIGTERM: tracing had "
			"ended, so no message is missing",
			child__pid(child));
	return child__end(child);
}

/* Before exec, a command still has the name of this program. */
static void describe_targets(struct attach *attach)
{
	const char *command = attach->options->command ? attach->options->command[0] : NULL;
	const char *slash = command ? strrchr(command, '/') : NULL;

	if (attach->child && attach->targets.cnt == 1)
		snprintf(attach->info.target, sizeof(attach->info.target), "%s (pid %d)",
			 slash ? slash + 1 : command, child__pid(attach->child));
	else
		targets_text(&attach->targets, attach->info.target, sizeof(attach->info.target));
}

static void attach_describe(struct attach *attach, char **argv)
{
	const struct attach_options *options = attach->options;

	attach->info = (struct run_info){
		.mode = MODE_ATTACH,
		.traced = true,
		.level = options->trace.level,
	};
	output_describe(&attach->info, &options->output, &options->trace);
	if (options->peer[0])
		snprintf(attach->info.peer, sizeof(attach->info.peer), "%s", options->peer);
	call_choice_describe(&attach->info, &options->calls);
	host_describe_run(&attach->info, argv);
}

/* How late a drain may be. A line about the progress has to have what came before it. */
static uint64_t patience_ns(const struct attach_options *options)
{
	bool is_short = options->interval_ns && options->interval_ns < 4 * NSEC_PER_SEC;

	return is_short ? options->interval_ns / 4 : NSEC_PER_SEC;
}

int attach_run(const struct attach_options *options, char **argv)
{
	struct attach attach = {
		.session = {.ops = &attach_ops,
			    .info = &attach.info,
			    .output = &attach.output,
			    .drain_interval_ns = session_drain_ns(&options->trace, DRAIN_NS),
			    .trace = &options->trace,
			    .is_alone = !options->command,
			    .patience_ns = patience_ns(options)},
		.options = options,
		.ended_by = NR_LEFT_REASONS,
	};
	int err, status = EXIT_SUCCESS;
	bool is_usage, is_stopped;

	attach_describe(&attach, argv);
	interrupt_setup();
	err = pid_namespace_check("cannot attach");
	if (!err)
		err = find_targets(&attach);
	is_usage = err == -EINVAL;
	describe_targets(&attach);
	if (!err)
		err = targets_watch(&attach.targets);
	if (!err && !attach.child)
		surroundings_note(&attach.surroundings, &attach.targets);
	if (!err)
		err = trace_targets(&attach);
	is_stopped = session_end(&attach.session) == WATCH_STOPPED;
	session_close(&attach.session);
	if (attach.child)
		status = end_child(attach.child);
	sleepers_free(&attach.sleepers);
	targets_free(&attach.targets);
	if (is_usage)
		return EXIT_USAGE;
	if (!err && is_stopped)
		return EXIT_STOPPED;
	return err ? failure_status("attach", err) : status;
}
