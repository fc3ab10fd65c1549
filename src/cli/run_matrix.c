/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes every combination of option values a run. An experiment supplies default values. */
#include "cli/run_matrix.h"

#include "cli/experiment.h"
#include "tracer/programs.h"
#include "transport/transport.h"
#include "util/log.h"
#include "workload/pattern.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The block that is expanded next, with room for lists of one value. */
struct wanted {
	struct block block;
	uint32_t messages[2];
	const char *loads[2];
};

static size_t words_in(const char *const *words)
{
	size_t cnt = 0;

	while (words[cnt])
		cnt++;
	return cnt;
}

static size_t numbers_in(const uint32_t *numbers)
{
	size_t cnt = 0;

	while (numbers[cnt])
		cnt++;
	return cnt;
}

static size_t runs_in(const struct block *block)
{
	return words_in(block->transports) * words_in(block->loads) * numbers_in(block->sizes) *
	       numbers_in(block->clients) * numbers_in(block->messages);
}

/*
 * Options that were given override the block of an experiment. Without an experiment (`block` NULL)
 * all options count.
 */
static void want(const struct run_options *options, const struct block *block,
		 struct wanted *wanted)
{
	const struct workload_spec *spec = &options->spec;
	struct run_given given = options->given;
	struct block *all = &wanted->block;

	if (!block)
		memset(&given, true, sizeof(given));
	*wanted = (struct wanted){.messages = {spec->messages}, .loads = {spec->load}};
	*all = block ? *block : (struct block){.pattern = spec->pattern, .handler = spec->handler};
	if (given.transport)
		all->transports = options->transports;
	if (given.size)
		all->sizes = options->sizes;
	if (given.clients)
		all->clients = options->clients;
	if (given.messages)
		all->messages = wanted->messages;
	if (given.load)
		all->loads = wanted->loads;
	if (given.warmup)
		all->warmup = spec->warmup;
	if (given.period)
		all->period_ns = spec->period_ns;
	if (given.handler && all->handler)
		all->handler = spec->handler;
	if (given.threads)
		all->threads = spec->threads;
}

/* Removes the last digit of a number whose digits count through a list of `cnt`. */
static size_t digit(size_t *number, size_t cnt)
{
	size_t rest = *number % cnt;

	*number /= cnt;
	return rest;
}

/*
 * `number` counts through all combinations. Neighbours differ first in messages, then in clients.
 */
static void fill_run(const struct run_options *options, const struct block *block, size_t number,
		     struct workload_spec *spec)
{
	*spec = options->spec;
	if (options->experiment && !options->given.policy)
		spec->sched_policy = options->experiment->policy;
	spec->messages = block->messages[digit(&number, numbers_in(block->messages))];
	spec->clients = block->clients[digit(&number, numbers_in(block->clients))];
	spec->size = block->sizes[digit(&number, numbers_in(block->sizes))];
	snprintf(spec->load, sizeof(spec->load), "%s",
		 block->loads[digit(&number, words_in(block->loads))]);
	snprintf(spec->transport, sizeof(spec->transport), "%s", block->transports[number]);
	snprintf(spec->pattern, sizeof(spec->pattern), "%s", block->pattern);
	snprintf(spec->handler, sizeof(spec->handler), "%s", block->handler ?: "");
	spec->warmup = block->warmup;
	spec->period_ns = block->period_ns;
	spec->threads = block->threads;
}

/* Options can make two runs of an experiment equal. */
static bool run_matrix_is_there(const struct run_matrix *matrix, const struct workload_spec *spec)
{
	for (size_t i = 0; i < matrix->cnt; i++) {
		if (spec_same(&matrix->spec[i], spec))
			return true;
	}
	return false;
}

static int add_runs(const struct run_options *options, const struct block *block,
		    struct run_matrix *matrix)
{
	size_t cnt = runs_in(block);
	struct workload_spec *spec;

	if (cnt > RUN_MATRIX_MAX - matrix->cnt) {
		log_error("cannot run all combinations: --transport, --size and --clients: more "
			  "than %d runs: shorten the lists",
			  RUN_MATRIX_MAX);
		return -EINVAL;
	}
	spec = reallocarray(matrix->spec, matrix->cnt + cnt, sizeof(*spec));
	if (!spec)
		return -ENOMEM;
	matrix->spec = spec;
	for (size_t i = 0; i < cnt; i++) {
		struct workload_spec next;

		fill_run(options, block, i, &next);
		if (!options->experiment || !run_matrix_is_there(matrix, &next))
			spec[matrix->cnt++] = next;
	}
	return 0;
}

static int add_blocks(const struct run_options *options, struct run_matrix *matrix)
{
	const struct experiment *experiment = options->experiment;
	struct wanted wanted;
	int err = 0;

	if (!experiment) {
		want(options, NULL, &wanted);
		return add_runs(options, &wanted.block, matrix);
	}
	for (size_t i = 0; !err && i < experiment->block_cnt; i++) {
		want(options, &experiment->block[i], &wanted);
		err = add_runs(options, &wanted.block, matrix);
	}
	return err;
}

static int repeat(uint32_t runs, struct run_matrix *matrix)
{
	size_t cnt = matrix->cnt;
	struct workload_spec *spec;

	if (runs < 2)
		return 0;
	if (cnt * runs > RUN_MATRIX_MAX) {
		log_error("--runs: '%u': %zu combinations, %u times each, are more than %d runs: "
			  "shorten the lists",
			  runs, cnt, runs, RUN_MATRIX_MAX);
		return -EINVAL;
	}
	spec = reallocarray(matrix->spec, cnt * runs, sizeof(*spec));
	if (!spec)
		return -ENOMEM;
	matrix->spec = spec;
	for (size_t i = 0; i < cnt * runs; i++) {
		spec[i] = spec[i % cnt];
		spec[i].run = i / cnt + 1;
	}
	matrix->cnt *= runs;
	return 0;
}

static int check_handler(const struct run_options *options, const struct run_matrix *matrix)
{
	if (!options->given.handler)
		return 0;
	for (size_t i = 0; i < matrix->cnt; i++) {
		const struct pattern *pattern = pattern_find(matrix->spec[i].pattern);

		if (pattern && pattern->handles)
			return 0;
	}
	log_error("--handler: '%s': %s %s answers no requests: leave it out, or use --pattern "
		  "request",
		  options->spec.handler, options->experiment ? "experiment" : "pattern",
		  options->experiment ? options->experiment->name : options->spec.pattern);
	return -EINVAL;
}

static int check_read_size(const struct run_matrix *matrix)
{
	for (size_t i = 0; i < matrix->cnt; i++) {
		const struct workload_spec *spec = &matrix->spec[i];
		const struct transport_ops *transport = transport_find(spec->transport);

		if (!spec->read_size || (transport && transport->is_stream))
			continue;
		log_error("--read-size: '%llu': a receive on %s always returns a whole message: "
			  "leave it out, or use a byte stream such as uds-stream, tcp or pipe",
			  (unsigned long long)spec->read_size, spec->transport);
		return -EINVAL;
	}
	return 0;
}

/* The receivers of a flood take no timestamps: without a tracer there is no latency. */
static int check_overhead(const struct run_options *options, const struct run_matrix *matrix)
{
	if (!options->overhead)
		return 0;
	if (options->no_trace) {
		log_error("--overhead: --no-trace: each contradicts the other: leave out one");
		return -EINVAL;
	}
	for (size_t i = 0; i < matrix->cnt; i++) {
		if (spec_has_stamps(&matrix->spec[i]))
			continue;
		log_error("--overhead: pattern %s: it has no latency without a tracer: leave out "
			  "--overhead, or use another --pattern",
			  matrix->spec[i].pattern);
		return -EINVAL;
	}
	return 0;
}

/* Why messages of this transport cannot be traced without syscall probes. NULL: they can. */
static const char *why_not_light(const struct transport_ops *transport)
{
	uint32_t bit = 1u << transport->id;

	if (bit & TRANSPORTS_LIGHT)
		return NULL;
	if (bit & TRANSPORTS_UDP)
		return "only the start of the syscall shows which datagram belongs to which call";
	if (transport->notes_handover)
		return "the workload itself records its messages, and no socket event does";
	return "only syscalls show its messages";
}

static int run_matrix_check_level(const struct run_options *options,
				  const struct run_matrix *matrix)
{
	for (size_t i = 0; options->trace.level == LEVEL_LIGHT && i < matrix->cnt; i++) {
		const struct transport_ops *transport = transport_find(matrix->spec[i].transport);
		const char *why = why_not_light(transport);

		if (!why)
			continue;
		log_error(
			"--level: 'light': transport %s: %s: use --level full, or uds, uds-stream, "
			"uds-seqpacket or tcp",
			transport->name, why);
		return -EINVAL;
	}
	return 0;
}

int run_matrix_make(const struct run_options *options, struct run_matrix *matrix)
{
	const struct experiment *experiment = options->experiment;
	uint32_t runs = experiment && !options->given.runs ? experiment->runs : options->runs;
	int err;

	*matrix = (struct run_matrix){0};
	err = add_blocks(options, matrix);
	if (!err)
		err = check_handler(options, matrix);
	if (!err)
		err = check_read_size(matrix);
	if (!err)
		err = repeat(runs, matrix);
	if (!err)
		err = check_overhead(options, matrix);
	if (!err)
		err = run_matrix_check_level(options, matrix);
	if (err)
		run_matrix_free(matrix);
	return err;
}

void run_matrix_free(struct run_matrix *matrix)
{
	free(matrix->spec);
	*matrix = (struct run_matrix){0};
}

double run_work(const struct workload_spec *spec)
{
	double rounds = (double)(spec->messages + spec->warmup);

	return rounds * (spec->period_ns ? (double)spec->period_ns : spec->clients);
}
