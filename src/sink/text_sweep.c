/* SPDX-License-Identifier: BSD-2-Clause */
#include "sink/text_sweep.h"
#include "sink/derived.h"
#include "sink/published.h"
#include "sink/text_sections.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LABEL_WIDTH     8
#define TRANSPORT_WIDTH 14
#define BYTES_WIDTH     9
#define COLUMNS_MAX     10

/* What a cell comes to. NAN: does not apply or was not measured. */
struct row {
	struct run_info info;
	struct integrity integrity;
	struct peaks_summary peaks;
	double first_ns;
	double first_sd_ns;
	double next_ns;
	double last_ns;
	double last_sd_ns;
	double service_ns;
	double efficiency;     /* share of a tick */
	double context_switch; /* share of the latency */
	struct paragraph left; /* who left, in words */
};

struct text_sweep {
	struct row *row;
	size_t cnt;
};

/* Which words of the workload differ between the cells, besides the clients. */
struct variety {
	bool transport;
	bool size;
};

struct text_sweep *text_sweep__new(void)
{
	return calloc(1, sizeof(struct text_sweep));
}

void text_sweep__free(struct text_sweep *sweep)
{
	if (!sweep)
		return;
	free(sweep->row);
	free(sweep);
}

static double mean_or_nan(const struct stat *stat)
{
	return stat->count ? stat_mean(stat) : NAN;
}

int text_sweep__add(struct text_sweep *sweep, const struct summary *summary)
{
	const struct rounds_summary *rounds = &summary->rounds;
	struct row *rows = reallocarray(sweep->row, sweep->cnt + 1, sizeof(*rows));
	struct row *row;

	if (!rows)
		return -ENOMEM;
	sweep->row = rows;
	row = &rows[sweep->cnt++];
	*row = (struct row){
		.info = summary->info,
		.integrity = summary->integrity,
		.peaks = summary->peaks,
		.first_ns = mean_or_nan(&rounds->first),
		.first_sd_ns = stat_stddev(&rounds->first),
		.next_ns = mean_or_nan(&rounds->next),
		.last_ns = mean_or_nan(&rounds->last),
		.last_sd_ns = rounds->complete ? stat_stddev(&rounds->last) : NAN,
		.service_ns = rounds->complete ? rounds->service_ns : NAN,
		.efficiency = rounds->complete ? rounds->efficiency_pct / 100 : NAN,
		.context_switch = NAN,
	};
	if (summary->info.traced && summary->latency.count)
		row->context_switch = share_of_latency(summary, context_switch_ns(summary));
	left_words(&row->left, summary);
	return 0;
}

static struct variety find_variety(const struct text_sweep *sweep)
{
	const struct workload_spec *first = &sweep->row[0].info.workload;
	struct variety variety = {0};

	for (size_t i = 1; i < sweep->cnt; i++) {
		const struct workload_spec *spec = &sweep->row[i].info.workload;

		variety.transport |= strcmp(spec->transport, first->transport) != 0;
		variety.size |= spec->size != first->size;
	}
	return variety;
}

static void print_head(const struct text_sweep *sweep, const struct text *text,
		       struct variety variety)
{
	const struct workload_spec *spec = &sweep->row[0].info.workload;
	uint32_t min = spec->clients;
	uint32_t max = spec->clients;
	char clients[48];
	char size[48];
	struct workload_words words = {spec->transport, clients, size};

	for (size_t i = 1; i < sweep->cnt; i++) {
		uint32_t cnt = sweep->row[i].info.workload.clients;

		min = cnt < min ? cnt : min;
		max = cnt > max ? cnt : max;
	}
	if (min == max)
		snprintf(clients, sizeof(clients), "%u client%s", min, plural(min));
	else
		snprintf(clients, sizeof(clients), "%u to %u clients", min, max);
	snprintf(size, sizeof(size), "%llu byte%s", (unsigned long long)spec->size,
		 plural(spec->size));
	if (variety.transport)
		words.transport = "several transports";
	if (variety.size)
		words.size = "several sizes";
	text_head_words(text, &sweep->row[0].info, &words);
}

/* The cell's coordinates: its clients, and what else varies. */
static void print_label(const struct text *text, const struct workload_spec *spec,
			struct variety variety)
{
	text_count(text, LABEL_WIDTH - 1, spec->clients);
	fputc(' ', text->out);
	if (variety.transport)
		text_cell(text, TRANSPORT_WIDTH, spec->transport);
	if (variety.size)
		text_count(text, BYTES_WIDTH, spec->size);
}

static void print_heading(const struct text *text, struct variety variety,
			  const struct column *column, int column_cnt)
{
	struct column all[COLUMNS_MAX];
	int cnt = 0;

	if (variety.transport)
		all[cnt++] = (struct column){TRANSPORT_WIDTH, "transport", NULL};
	if (variety.size)
		all[cnt++] = (struct column){BYTES_WIDTH, "bytes", NULL};
	for (int i = 0; i < column_cnt; i++)
		all[cnt++] = column[i];
	text_heading(text, "clients", LABEL_WIDTH, all, cnt);
}

static void print_latencies(const struct text_sweep *sweep, const struct text *text,
			    struct variety variety)
{
	static const struct column columns[] = {
		{10, "mean", "first"},     {10, "mean", "next"},    {10, "mean", "last"},
		{9, "+-sd", "last"},       {10, "time", "service"}, {11, "efficiency", NULL},
		{10, "switch", "context"},
	};

	text_newline(text);
	text_heading(text, "latency (us)", 0, NULL, 0);
	print_heading(text, variety, columns, sizeof(columns) / sizeof(columns[0]));
	for (size_t i = 0; i < sweep->cnt; i++) {
		const struct row *row = &sweep->row[i];

		print_label(text, &row->info.workload, variety);
		text_us(text, 10, row->first_ns);
		text_us(text, 10, row->next_ns);
		text_us(text, 10, row->last_ns);
		text_us(text, 9, row->last_sd_ns);
		text_us(text, 10, row->service_ns);
		text_share(text, 11, row->efficiency);
		text_share(text, 10, row->context_switch);
		text_newline(text);
	}
}

static void print_integrity(const struct text_sweep *sweep, const struct text *text,
			    struct variety variety)
{
	static const struct column columns[] = {{10, "sent", NULL},
						{10, "matched", NULL},
						{12, "incomplete", NULL},
						{9, "lost", NULL}};

	text_newline(text);
	text_heading(text, "integrity", 0, NULL, 0);
	print_heading(text, variety, columns, sizeof(columns) / sizeof(columns[0]));
	for (size_t i = 0; i < sweep->cnt; i++) {
		const struct row *row = &sweep->row[i];

		print_label(text, &row->info.workload, variety);
		text_count(text, 10, row->integrity.sent);
		text_count(text, 10, row->integrity.matched);
		text_count(text, 12, integrity_incomplete(&row->integrity));
		text_count(text, 9, integrity_lost(&row->integrity));
		text_newline(text);
	}
}

/* The paper's figures are of one client: so are ours beside them. */
static void print_published(const struct text_sweep *sweep, const struct text *text)
{
	text_published(text, NR_PUBLISHED);
	for (size_t i = 0; i < sweep->cnt; i++) {
		const struct row *row = &sweep->row[i];
		char title[SPEC_TEXT_LEN + 32];
		struct own_figures own = {
			.title = title,
			.width_ns = 2 * row->first_sd_ns,
			.medium_ns = row->first_ns,
			.next_ns = NAN,
			.peaks = &row->peaks,
		};

		if (row->info.workload.clients != 1 || isnan(row->first_ns))
			continue;
		snprintf(title, sizeof(title), "  this run, %s, %llu bytes",
			 row->info.workload.transport, (unsigned long long)row->info.workload.size);
		text_own_figures(text, &own);
	}
}

static void print_warnings(const struct text_sweep *sweep, const struct text *text)
{
	for (size_t i = 0; i < sweep->cnt; i++) {
		const struct row *row = &sweep->row[i];
		const struct workload_spec *spec = &row->info.workload;
		struct paragraph line = {0};

		if (integrity_clean(&row->integrity) && !row->left.length)
			continue;
		paragraph_add(&line, "%u client%s over %s: ", spec->clients, plural(spec->clients),
			      spec->transport);
		integrity_words(&line, &row->integrity, row->info.traced);
		if (row->left.length)
			paragraph_add(&line, "; %s", row->left.text);
		paragraph_print(text, INK_WARNING, "warning", &line);
	}
}

void text_sweep__print(const struct text_sweep *sweep, const struct text *text)
{
	struct variety variety;

	if (!sweep->cnt)
		return;
	variety = find_variety(sweep);
	print_head(sweep, text, variety);
	print_latencies(sweep, text, variety);
	print_published(sweep, text);
	print_integrity(sweep, text, variety);
	print_warnings(sweep, text);
}
