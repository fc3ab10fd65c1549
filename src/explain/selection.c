/* SPDX-License-Identifier: BSD-2-Clause */
/* Decides which units pass the filters, and puts a selection into words. */
#include "explain/selection.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool is_given(const struct select_process *process)
{
	return process->pid || process->glob[0];
}

static bool is_within(const struct select_range *range, uint64_t value)
{
	return value >= range->first && value <= range->last;
}

/* The name of the process if it is known, else that of its thread. */
static bool selection_matches(const struct select_process *process, uint32_t pid,
			      const char *process_name, const struct party *thread)
{
	const char *name = process_name[0] ? process_name : thread->comm;

	if (process->pid)
		return process->pid == pid;
	return name[0] && !fnmatch(process->glob, name, 0);
}

static bool sender_matches(const struct select_process *process, const struct unit *unit)
{
	return selection_matches(process, unit->sender_pid, unit->sender_process, &unit->sender);
}

static bool passes_channel(const struct selection *selection, const struct unit *unit)
{
	for (uint32_t i = 0; i < selection->channel_cnt; i++) {
		if (selection->channel[i] == unit->channel)
			return true;
	}
	return !selection->channel_cnt;
}

static bool service_matches_glob(const char *glob, const char *comm, const char *address)
{
	char name[RECORD_COMM_LEN + SERVICE_NAME_LEN + sizeof(" on ")];

	snprintf(name, sizeof(name), "%s on %s", comm, address);
	return !strcmp(glob, name) || !strcmp(glob, address) || !fnmatch(glob, name, 0) ||
	       !fnmatch(glob, address, 0) || !fnmatch(glob, comm, 0);
}

/* The same rule as in insight/services.c: is_same_service(). */
static bool passes_service(const struct select_service *service, const struct unit *unit)
{
	const char *address = unit->service ? unit->service->address : "";

	if (!service->is_set)
		return true;
	if (unit->kind != UNIT_CALL || !unit->service)
		return false;
	if (service->glob[0])
		return service_matches_glob(service->glob, unit->receiver_process, address);
	if (!service->comm[0] && !service->address[0])
		return service->pid == unit->receiver_pid;
	return !strcmp(service->address, address) &&
	       (service->pid == unit->receiver_pid ||
		(address[0] && !compare_programs(service->comm, unit->receiver_process)));
}

/*
 *	begin             first         last
 *	  |                 |-------------|
 *	  |           from_ns - - to_ns
 */
static bool passes_between(const struct select_range *between, const struct unit *unit,
			   uint64_t begin_ns)
{
	if (!between->is_set)
		return true;
	return unit->to_ns >= begin_ns && unit->to_ns - begin_ns >= between->first &&
	       (unit->from_ns < begin_ns || unit->from_ns - begin_ns <= between->last);
}

bool selection_passes_other(const struct selection *selection, const struct unit *unit)
{
	if (selection->client.is_set &&
	    !(unit->has_round && is_within(&selection->client, unit->client)))
		return false;
	if (is_given(&selection->caller) && !sender_matches(&selection->caller, unit))
		return false;
	return !is_given(&selection->peer) || sender_matches(&selection->peer, unit) ||
	       selection_matches(&selection->peer, unit->receiver_pid, unit->receiver_process,
				 &unit->receiver);
}

bool selection_passes(const struct selection *selection, const struct unit *unit, uint64_t begin_ns)
{
	if (selection->round.is_set &&
	    !(unit->has_round && is_within(&selection->round, unit->round)))
		return false;
	return passes_channel(selection, unit) && passes_service(&selection->service, unit) &&
	       passes_between(&selection->between_ns, unit, begin_ns) &&
	       selection_passes_other(selection, unit);
}

bool selection_needs_identities(const struct selection *selection)
{
	return selection->channel_cnt || selection->client.is_set || selection->round.is_set ||
	       is_given(&selection->caller) || is_given(&selection->peer) ||
	       selection->service.is_set || selection->has_message;
}

bool selection_is_message(const struct selection *selection, const struct unit *unit)
{
	return selection->has_message && selection->message_channel == unit->channel &&
	       selection->message_position == unit->position;
}

bool selection_is_default(const struct selection *selection)
{
	return selection->slowest_percent <= 0 && !selection->slowest_cnt &&
	       !selection->slower_than_ns && !selection->has_message;
}

static double percent_of(const struct selection *selection)
{
	return selection_is_default(selection) ? SLOWEST_PERCENT_DEFAULT
					       : selection->slowest_percent;
}

uint64_t selection_slow_max(const struct selection *selection, uint64_t units)
{
	double percent = percent_of(selection);
	uint64_t max = selection->slowest_cnt ?: UINT64_MAX;

	if (percent > 0) {
		/* 1 % of 1000 are 10, not the 9.999999999999998 of binary fractions. */
		uint64_t share = floorl((long double)percent * units / 100 + 1e-6L);

		if (share < max)
			max = share;
	}
	return max ?: 1;
}

/* Text of limited length: what does not fit is cut off. */
struct words {
	char *text;
	size_t cnt;
};

__attribute__((format(printf, 2, 3))) static void selection_say(struct words *words,
								const char *format, ...)
{
	va_list args;
	int cnt;

	va_start(args, format);
	cnt = vsnprintf(words->text + words->cnt, SELECT_TEXT_LEN - words->cnt, format, args);
	va_end(args);
	if (cnt > 0)
		words->cnt += (size_t)cnt;
	if (words->cnt >= SELECT_TEXT_LEN)
		words->cnt = SELECT_TEXT_LEN - 1;
}

/* As an option is typed: "1.5ms". Exact. */
static void say_duration(struct words *words, uint64_t ns)
{
	static const struct {
		uint64_t ns;
		int digits;
		const char *name;
	} units[] = {{1000000000, 9, "s"}, {1000000, 6, "ms"}, {1000, 3, "us"}, {1, 0, "ns"}};
	size_t i = 0;
	uint64_t rest;
	int digits;

	while (ns < units[i].ns && units[i].ns > 1)
		i++;
	rest = ns % units[i].ns;
	digits = rest ? units[i].digits : 0;
	for (; digits && rest % 10 == 0; digits--)
		rest /= 10;
	selection_say(words, "%" PRIu64, ns / units[i].ns);
	if (digits)
		selection_say(words, ".%0*" PRIu64, digits, rest);
	selection_say(words, "%s", ns ? units[i].name : "s");
}

static void say_range(struct words *words, const char *name, const struct select_range *range)
{
	if (!range->is_set)
		return;
	selection_say(words, ", %s %" PRIu64, name, range->first);
	if (range->last != range->first)
		selection_say(words, "-%" PRIu64, range->last);
}

static void say_process(struct words *words, const char *name, const struct select_process *process)
{
	if (process->pid)
		selection_say(words, ", %s %u", name, process->pid);
	else if (process->glob[0])
		selection_say(words, ", %s '%s'", name, process->glob);
}

static void say_service(struct words *words, const struct select_service *service)
{
	const char *on = service->comm[0] && service->address[0] ? " on " : "";

	if (service->glob[0])
		selection_say(words, ", service '%s'", service->glob);
	else if (service->comm[0] || service->address[0])
		selection_say(words, ", service %s%s%s", service->comm, on, service->address);
	else if (service->is_set)
		selection_say(words, ", service %u", service->pid);
}

static void say_filters_of_other(struct words *words, const struct selection *selection)
{
	say_range(words, "client", &selection->client);
	say_process(words, "client", &selection->caller);
	say_process(words, "peer", &selection->peer);
}

/* The end may be open. */
static void say_between(struct words *words, const struct select_range *between)
{
	if (!between->is_set)
		return;
	if (between->last == UINT64_MAX) {
		selection_say(words, ", from ");
		say_duration(words, between->first);
		return;
	}
	selection_say(words, ", between ");
	say_duration(words, between->first);
	selection_say(words, " and ");
	say_duration(words, between->last);
}

static void say_filters(struct words *words, const struct selection *selection)
{
	for (uint32_t i = 0; i < selection->channel_cnt; i++)
		selection_say(words, i ? ",%u" : ", channel %u", selection->channel[i]);
	say_between(words, &selection->between_ns);
	say_range(words, "round", &selection->round);
	say_service(words, &selection->service);
	say_filters_of_other(words, selection);
}

static void say_slow(struct words *words, const struct selection *selection)
{
	double percent = percent_of(selection);
	const char *comma = "";

	if (selection->has_message) {
		selection_say(words, "message %u/%" PRIu64, selection->message_channel,
			      selection->message_position);
		return;
	}
	if (percent > 0) {
		selection_say(words, "slowest %g%%", percent);
		comma = ", ";
	}
	if (selection->slowest_cnt) {
		selection_say(words, "%sslowest %" PRIu64, comma, selection->slowest_cnt);
		comma = ", ";
	}
	if (selection->slower_than_ns) {
		selection_say(words, "%sslower than ", comma);
		say_duration(words, selection->slower_than_ns);
	}
}

void selection_text(const struct selection *selection, char text[SELECT_TEXT_LEN])
{
	struct words words = {text, 0};

	text[0] = 0;
	say_slow(&words, selection);
	say_filters(&words, selection);
}

void selection_against_text(const struct selection *selection, const char *file,
			    char text[SELECT_TEXT_LEN])
{
	struct words words = {text, 0};

	text[0] = 0;
	if (selection->against == AGAINST_FILE) {
		selection_say(&words, "%s", file);
		say_filters_of_other(&words, selection);
		return;
	}
	selection_say(&words, selection->against == AGAINST_MIDDLE ? "middle half" : "others");
	say_filters(&words, selection);
}
