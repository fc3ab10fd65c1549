/* SPDX-License-Identifier: BSD-2-Clause */
/* Evaluates the conditions, and pulls the trigger of the flight recorder. */
#include "command/watch/watch.h"

#include "command/watch/on_slow.h"
#include "recording/flight/flight.h"
#include "report/json/message_line.h"
#include "util/clock.h"
#include "util/duration.h"
#include "util/log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A window ends so long after its trigger. */
#define AFTER_NS (100 * NSEC_PER_MSEC)

/* The round of a message may be known so late. */
#define LATE_ROUND_NS NSEC_PER_SEC

/* Memory for records; the program has about as much for the messages that are under way. */
#define BYTES_MAX (64u << 20)

/* Quantities that are known when the round of a message is. */
#define OF_ROUNDS   (1u << QUANTITY_FIRST | 1u << QUANTITY_NEXT | 1u << QUANTITY_LAST)
#define WITH_ROUNDS (OF_ROUNDS | 1u << COMPONENT_DISPATCH)

/* The last call of a channel for which a condition was true. */
struct watched_call {
	uint32_t channel;
	uint64_t sent_ns;
};

#define CALLS_KEPT 256

struct watch {
	struct watch_spec spec;
	const struct analysis *analysis;
	struct quantity_finder *finder;
	struct flight *flight; /* NULL: no windows are written */
	struct on_slow *on_slow;
	struct json_line line;
	uint32_t quantities; /* that the conditions name */
	bool is_late;        /* the conditions need the round of a message */

	/* Of the message or call that is being compared. */
	bool is_true;
	const struct message *message; /* one of them is NULL */
	const struct call *call;
	struct watched_call called[CALLS_KEPT]; /* by channel */

	enum watch_end end;
	struct occasion stopped_by;
};

/* What cannot be written was logged, and tracing goes on. */
static int watch_write_record(void *ctx, const struct record *record)
{
	const struct watch *watch = ctx;

	recording__write(watch->spec.recording, record);
	return 0;
}

static int write_facts(void *ctx)
{
	const struct watch *watch = ctx;

	return analysis__each_fact(watch->analysis, watch_write_record, ctx);
}

static void make_line(struct watch *watch)
{
	if (watch->message)
		message_line_put(&watch->line, watch->spec.info, watch->message);
	else
		call_line_put(&watch->line, watch->call);
}

static void tell_on_slow(struct watch *watch, const struct occasion *occasion)
{
	if (occasion->note) {
		on_slow__start(watch->on_slow, occasion->note, strlen(occasion->note));
		return;
	}
	make_line(watch);
	if (!watch->line.failed)
		on_slow__start(watch->on_slow, watch->line.text, watch->line.length);
}

static int watch_pull(struct watch *watch, const struct condition *condition,
		      const struct occasion *occasion)
{
	enum quantity decider = condition_decider(condition, &occasion->quantities);
	const struct record_trigger trigger = {
		.head = {.type = RECORD_TRIGGER,
			 .words = RECORD_WORDS(trigger),
			 .tid = occasion->tid,
			 .flags = occasion->is_call ? TRIGGER_IS_CALL : 0},
		.channel = occasion->channel,
		.quantity = decider,
		.position = occasion->position,
		.from_ns = occasion->from_ns,
		.at_ns = occasion->at_ns,
		.value_ns = occasion->quantities.ns[decider],
	};

	if (watch->on_slow)
		tell_on_slow(watch, occasion);
	return watch->flight ? flight__trigger(watch->flight, &trigger) : 0;
}

/* For quantity_finder__new(). */
static int on_occasion(void *ctx, const struct occasion *occasion)
{
	struct watch *watch = ctx;
	const struct watch_spec *spec = &watch->spec;
	bool was_true = occasion->is_of_round ? occasion->was_true : watch->is_true;
	bool stops, pulls;

	if (watch->end || was_true)
		return 0;
	stops = spec->stop && condition_is_true(spec->stop, &occasion->quantities);
	pulls = spec->trigger && condition_is_true(spec->trigger, &occasion->quantities);
	if (!occasion->is_of_round)
		watch->is_true = stops || pulls;
	if (stops) {
		watch->end = WATCH_STOPPED;
		watch->stopped_by = *occasion;
		watch->stopped_by.note = NULL;
	}
	if (!stops && !pulls)
		return 0;
	return watch_pull(watch, stops ? spec->stop : spec->trigger, occasion);
}

static uint32_t quantities_of(const struct condition *condition)
{
	uint32_t all = 0;

	for (uint32_t i = 0; condition && i < condition->step_cnt; i++) {
		if (condition->step[i].kind == STEP_COMPARE)
			all |= 1u << condition->step[i].quantity;
	}
	return all;
}

static bool open_parts(struct watch *watch)
{
	const struct watch_spec *spec = &watch->spec;
	const struct flight_spec flight = {
		.keep_ns = spec->keep_ns,
		.after_ns = AFTER_NS,
		.has_fixed_end = spec->count,
		.late_ns = watch->is_late ? LATE_ROUND_NS : 0,
		.bytes_max = BYTES_MAX,
		.write = watch_write_record,
		.write_facts = write_facts,
		.ctx = watch,
	};

	watch->finder = quantity_finder__new(spec->info, on_occasion, watch);
	if (spec->recording)
		watch->flight = flight__new(&flight);
	if (spec->on_slow)
		watch->on_slow = on_slow__new(spec->on_slow);
	return watch->finder && (!spec->recording || watch->flight) &&
	       (!spec->on_slow || watch->on_slow);
}

struct watch *watch__new(const struct watch_spec *spec)
{
	struct watch *watch = calloc(1, sizeof(*watch));

	if (!watch)
		return NULL;
	watch->spec = *spec;
	watch->quantities = quantities_of(spec->trigger) | quantities_of(spec->stop);
	watch->is_late = watch->quantities & WITH_ROUNDS;
	if (open_parts(watch))
		return watch;
	watch__free(watch);
	return NULL;
}

void watch__free(struct watch *watch)
{
	if (!watch)
		return;
	quantity_finder__free(watch->finder);
	flight__free(watch->flight);
	on_slow__free(watch->on_slow);
	json_line_free(&watch->line);
	free(watch);
}

uint32_t watch__keeper(const struct watch *watch)
{
	return watch->on_slow ? on_slow__pid(watch->on_slow) : 0;
}

void watch__begin(struct watch *watch, const struct analysis *analysis)
{
	watch->analysis = analysis;
}

bool watch__wants_calls(const struct watch *watch)
{
	return watch->quantities >> QUANTITY_ROUND_TRIP;
}

static int watch_compare(struct watch *watch, const struct message *message)
{
	watch->message = message;
	watch->call = NULL;
	watch->is_true = false;
	return quantity_finder__message(watch->finder, message);
}

int watch__built(struct watch *watch, const struct message *message)
{
	return watch->is_late ? 0 : watch_compare(watch, message);
}

/* A run needs the number of a message, which follows from the messages before it. */
static int watch_put_number(struct watch *watch, const struct message *message)
{
	const struct run_info *info = watch->spec.info;
	const struct record_number number = {
		.head = {.type = RECORD_NUMBER, .words = RECORD_WORDS(number)},
		.channel = message->channel,
		.position = message->position,
		.number = message->round + info->workload.warmup,
	};

	return watch->flight && info->mode == MODE_RUN ? flight__record(watch->flight, &number.head)
						       : 0;
}

/* What the command of --on-slow gets when the round is complete. The caller frees it. */
static char *watch_note_of(struct watch *watch)
{
	if (!watch->on_slow)
		return NULL;
	make_line(watch);
	return watch->line.failed ? NULL : strndup(watch->line.text, watch->line.length);
}

int watch__message(struct watch *watch, const struct message *message)
{
	int err = watch_put_number(watch, message);

	if (err || !watch->is_late)
		return err;
	err = watch_compare(watch, message);
	if (err || !(watch->quantities & OF_ROUNDS))
		return err;
	return quantity_finder__in_round(watch->finder, message, watch->is_true,
					 watch_note_of(watch));
}

int watch__call(struct watch *watch, const struct call *call)
{
	struct watched_call *known = &watch->called[call->channel % CALLS_KEPT];
	int err;

	watch->message = NULL;
	watch->call = call;
	watch->is_true = known->channel == call->channel && known->sent_ns == call->sent_ns;
	err = quantity_finder__call(watch->finder, call);
	if (watch->is_true)
		*known = (struct watched_call){call->channel, call->sent_ns};
	return err;
}

int watch__record(struct watch *watch, const struct record *record)
{
	quantity_finder__record(watch->finder, record);
	if (!watch->flight || record->type == RECORD_END)
		return 0;
	/* The names of stacks come when tracing is over, and are those of all windows. */
	if (record->type == RECORD_FRAMES || record->type == RECORD_SYMBOL ||
	    record->type == RECORD_STACKS)
		return watch_write_record(watch, record);
	return flight__record(watch->flight, record);
}

int watch__end_drain(struct watch *watch, uint64_t now_ns, uint64_t before_ns, uint64_t horizon_ns)
{
	struct flight_counts counts;
	int err;

	if (watch->on_slow)
		on_slow__reap(watch->on_slow);
	if (!watch->flight)
		return 0;
	err = flight__end_drain(watch->flight, now_ns, before_ns, horizon_ns);
	counts = flight__counts(watch->flight);
	if (watch->spec.count && counts.openings >= watch->spec.count && !counts.is_open &&
	    !watch->end)
		watch->end = WATCH_COUNTED;
	return err;
}

static void say_what_is_recorded(const struct watch *watch)
{
	struct flight_counts counts = flight__counts(watch->flight);

	if (counts.shortened)
		log_warning("windows of the recording are shortened: %llu of %llu: the records of "
			    "%s do not fit into %u MiB: the shortest begins %s before its trigger",
			    (unsigned long long)counts.shortened,
			    (unsigned long long)counts.windows, DURATION(watch->spec.keep_ns),
			    BYTES_MAX >> 20, DURATION(counts.shortest_ns));
	if (counts.forgotten)
		log_warning("names of threads and channels may be missing in the recording: %llu "
			    "were forgotten: there were too many of them",
			    (unsigned long long)counts.forgotten);
	log_info("the recording has %llu windows around %llu messages",
		 (unsigned long long)counts.windows, (unsigned long long)counts.triggers);
}

int watch__finish(struct watch *watch, uint64_t now_ns)
{
	int err = quantity_finder__finish(watch->finder);

	if (!watch->flight || err)
		return err;
	err = flight__finish(watch->flight, now_ns);
	say_what_is_recorded(watch);
	return err;
}

enum watch_end watch__end(const struct watch *watch)
{
	return watch->end;
}

const struct occasion *watch__stopped_by(const struct watch *watch)
{
	return &watch->stopped_by;
}
