/* SPDX-License-Identifier: BSD-2-Clause */
/* Builds JSON values, for example from statistics. Writes JSON values as ASCII. */
#include "report/json_value.h"
#include "insight/metrics.h"
#include "report/words/labels.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define DEL '\177'

struct dump {
	json_dump_callback_t put;
	void *ctx;
};

/* JSON_ENSURE_ASCII leaves DEL as it is. DEL can only be within a string. */
static int put_without_del(const char *text, size_t size, void *ctx)
{
	const struct dump *dump = ctx;
	const char *del;

	while ((del = memchr(text, DEL, size))) {
		size_t before = (size_t)(del - text);

		if (dump->put(text, before, dump->ctx) || dump->put("\\u007F", 6, dump->ctx))
			return -1;
		text += before + 1;
		size -= before + 1;
	}
	return dump->put(text, size, dump->ctx);
}

int json_value_dump(const json_t *value, size_t flags, json_dump_callback_t put, void *ctx)
{
	struct dump dump = {.put = put, .ctx = ctx};

	return json_dump_callback(value, put_without_del, &dump, flags | JSON_ENSURE_ASCII);
}

static int put_to_stream(const char *text, size_t size, void *ctx)
{
	return !size || fwrite(text, size, 1, ctx) == 1 ? 0 : -1;
}

int json_value_write(const json_t *value, size_t flags, FILE *out)
{
	if (!json_value_dump(value, flags, put_to_stream, out))
		return 0;
	return ferror(out) && errno ? -errno : -EIO;
}

json_t *json_value_text(const char *text)
{
	char ascii[512];
	json_t *value;

	if (!text || !text[0])
		return json_null();
	value = json_string(text);
	if (value)
		return value;
	snprintf(ascii, sizeof(ascii), "%s", text);
	for (char *c = ascii; *c; c++) {
		if ((unsigned char)*c >= 0x80)
			*c = '?';
	}
	return json_string(ascii);
}

json_t *json_value_real(double number)
{
	return isfinite(number) ? json_real(number) : json_null();
}

json_int_t json_value_int(uint64_t number)
{
	return number < INT64_MAX ? (json_int_t)number : INT64_MAX;
}

json_t *json_value_integer(uint64_t number, bool known)
{
	return known ? json_integer(json_value_int(number)) : json_null();
}

json_t *json_value_whole(json_t *value, int error)
{
	if (!error)
		return value;
	json_decref(value);
	return NULL;
}

json_t *json_value_stat(const struct stat *stat)
{
	bool known = stat->count > 0;
	uint64_t p50 = stat_percentile(stat, 50);
	uint64_t p90 = stat_percentile(stat, 90);
	uint64_t p99 = stat_percentile(stat, 99);
	uint64_t p999 = stat_percentile(stat, 99.9);

	return json_pack("{s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "count",
			 json_value_int(stat->count), "min", json_value_integer(stat->min, known),
			 "mean", known ? json_value_real(stat_mean(stat)) : json_null(), "stddev",
			 known ? json_value_real(stat_stddev(stat)) : json_null(), "p50",
			 json_value_integer(p50, known), "p90", json_value_integer(p90, known),
			 "p99", json_value_integer(p99, known), "p999",
			 json_value_integer(p999, known), "max",
			 json_value_integer(stat->max, known));
}

json_t *json_value_means(const struct component_sum *sum, const struct run_info *info,
			 bool has_dispatch)
{
	json_t *means;
	int error = 0;

	if (!sum->count)
		return json_null();
	means = json_object();
	for (int i = 0; i < NR_COMPONENTS; i++) {
		bool known =
			component_applies(info, i) || (has_dispatch && i == COMPONENT_DISPATCH);
		json_t *mean = known ? json_value_real((double)sum->ns[i] / (double)sum->count)
				     : json_null();

		error |= json_object_set_new(means, components[i].name, mean);
	}
	return json_value_whole(means, error);
}

json_t *json_value_blame(const struct blame *blame)
{
	return json_pack("{s:s, s:o, s:I, s:I, s:b}", "class", blame_classes[blame->class].name,
			 "comm", json_value_text(blame->comm), "tid", json_value_int(blame->tid),
			 "ns", json_value_int(blame->ns), "outside",
			 blame->kind == SLICE_TASK && tid_is_outside(blame->tid));
}

json_t *json_value_blocked_calls(const struct blocked_calls *blocked, const char *arch,
				 const char *what)
{
	double all_ns = (double)blocked_calls_ns(blocked);
	json_t *list = json_array();
	int error = 0;

	for (uint32_t i = 0; i < blocked->cnt; i++) {
		const struct blocked_call *wait = &blocked->entry[i];
		char name[NAME_LEN];

		syscall_name(arch, wait->call, name);
		error |= json_array_append_new(
			list,
			json_pack("{s:s, s:I, s:I, s:o}", "call", name, "ns",
				  json_value_int(wait->ns), what, json_value_int(wait->cnt),
				  "share",
				  json_value_real(all_ns > 0 ? (double)wait->ns / all_ns : 0)));
	}
	return json_value_whole(list, error);
}

json_t *json_value_end(const struct end_summary *end)
{
	return json_pack("{s:o, s:o, s:o, s:b}", "pid", json_value_integer(end->pid, end->pid > 0),
			 "tid", json_value_integer(end->tid, end->tid > 0), "comm",
			 json_value_text(end->comm), "outside", tid_is_outside(end->tid));
}

json_t *json_value_process(const struct summary *summary, const struct end_summary *end)
{
	json_t *process = json_value_end(end);
	json_t *script = json_value_text(summary_script(summary, end->pid));

	return json_value_whole(process, json_object_set_new(process, "script", script));
}

json_t *json_value_due(const struct stat *due)
{
	return due->count ? json_value_stat(due) : json_null();
}

json_t *json_value_blocked_on(const struct blocked_calls *blocked, const struct run_info *info,
			      const char *what)
{
	return info->mode == MODE_ATTACH ? json_value_blocked_calls(blocked, info->host.arch, what)
					 : json_null();
}

/* What has to do with the target or is one has a script, if its interpreter is known. */
static const char *script_of(const struct summary *summary, const struct blame_summary *blame)
{
	return blame_relations[blame->relation].is_traced
		       ? summary_script(summary, blame->pid ?: blame->total.tid)
		       : NULL;
}

/* The longest wait, and what the thread has to do with the target. */
static int set_new_fields(json_t *object, const struct summary *summary,
			  const struct blame_summary *blame)
{
	bool has_cpu = blame->worst_ns && blame->worst_cpu < BLAME_CPU_SEVERAL;
	int error = 0;

	error |= json_object_set_new(object, "relation",
				     json_value_text(blame_relations[blame->relation].name));
	error |= json_object_set_new(object, "script", json_value_text(script_of(summary, blame)));
	error |= json_object_set_new(object, "worst_ns",
				     json_value_integer(blame->worst_ns, blame->worst_ns > 0));
	error |= json_object_set_new(object, "worst_cpu",
				     json_value_integer(blame->worst_cpu, has_cpu));
	return error;
}

/* The shares are those of `runqueue_ns`. */
static json_t *blame_entry_json(const struct summary *summary, const struct blame_summary *blame,
				double runqueue_ns)
{
	double share = runqueue_ns > 0 ? (double)blame->total.ns / runqueue_ns : 0;
	char scheduling[NAME_LEN];
	json_t *object = json_value_blame(&blame->total);
	int error = 0;

	blame_scheduling(&blame->total, scheduling);
	error |= json_object_set_new(object, "messages",
				     json_value_integer(blame->messages, !blame->folded));
	error |= json_object_set_new(object, "folded",
				     json_value_integer(blame->folded, blame->folded > 0));
	error |= json_object_set_new(object, "share", json_value_real(share));
	error |= json_object_set_new(object, "scheduling", json_value_text(scheduling));
	error |= json_object_set_new(object, "pid", json_value_integer(blame->pid, blame->pid > 0));
	error |= json_object_set_new(object, "process",
				     blame->pid ? json_value_text(blame->process) : json_null());
	error |= set_new_fields(object, summary, blame);
	return json_value_whole(object, error);
}

json_t *json_value_blames(const struct summary *summary, const struct blame_summary *blame,
			  uint32_t cnt, double runqueue_ns)
{
	json_t *entries = json_array();
	int error = 0;

	for (uint32_t i = 0; i < cnt; i++)
		error |= json_array_append_new(entries,
					       blame_entry_json(summary, &blame[i], runqueue_ns));
	return json_value_whole(entries, error);
}
