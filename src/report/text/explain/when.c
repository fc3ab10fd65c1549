/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints the episodes of an explanation: times at which slow units overlapped or touched. */
#include "report/text/explain/parts.h"
#include "report/words/explain/cause_words.h"
#include "util/plain.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define ROWS_MAX       10

#define FROM_WIDTH     25
#define SPAN_WIDTH     9
#define UNITS_WIDTH    9
#define ROUNDS_WIDTH   7
#define CULPRIT_WIDTH  (80 - FROM_WIDTH - SPAN_WIDTH - UNITS_WIDTH - ROUNDS_WIDTH)
#define CULPRIT_INDENT 2

static bool has_begin(const struct run_info *info, uint64_t ns)
{
	return info->begin.ns && ns >= info->begin.ns;
}

/* "06:24:44.214"; empty: not known. */
static void wall_clock(const struct begin *begin, uint64_t ns, char text[INSTANT_LEN])
{
	uint64_t unix_ns = begin->unix_ns + (ns - begin->ns);
	time_t seconds = (time_t)(unix_ns / 1000000000) + begin->utc_offset_s;
	struct tm time;
	size_t length;

	text[0] = '\0';
	if (!begin->unix_ns || !gmtime_r(&seconds, &time))
		return;
	length = strftime(text, INSTANT_LEN, "%H:%M:%S", &time);
	snprintf(text + length, INSTANT_LEN - length, ".%03u",
		 (unsigned int)(unix_ns / 1000000 % 1000));
}

void instant_words(const struct run_info *info, uint64_t ns, char text[INSTANT_LEN])
{
	char wall[INSTANT_LEN];

	if (!has_begin(info, ns)) {
		snprintf(text, INSTANT_LEN, "%.6f s", (double)ns / 1e9);
		return;
	}
	wall_clock(&info->begin, ns, wall);
	snprintf(text, INSTANT_LEN, "%.16s%s%.3f s%s", wall, wall[0] ? " (" : "",
		 (double)(ns - info->begin.ns) / 1e9, wall[0] ? ")" : "");
}

/* The culprit, without its number if that is too long. */
static void name_of(const struct explain_row *row, int width, char name[CLAUSE_LEN])
{
	char whole[CULPRIT_LEN];
	bool fits = plain_columns(row_culprit(row, whole)) <= width;

	snprintf(name, CLAUSE_LEN, "%s", fits || !row->by.comm[0] ? whole : row->by.comm);
}

/* What stands between the component and its culprit. */
static const char *joint(const struct explain_row *row)
{
	if (row->cost == COST_STOPPED)
		return " until ";
	if (row->cost == COMPONENT_BLOCKED)
		return " by ";
	if (row->role != CAUSE_KEPT)
		return ": ";
	return row->cost == COMPONENT_DISPATCH ? " to " : " with ";
}

/* "behind hog (pid 4711, RR 50), CPU 1"; "blocked by worker (pid 62, nice 0)"; "receive" */
static void culprit_of(const struct explanation *explanation, const struct explain_episode *episode,
		       int width, char label[CLAUSE_LEN])
{
	struct explain_row row = {.cost = episode->cost,
				  .role = episode->role,
				  .call = CALL_UNKNOWN,
				  .by = episode->by};
	const char *title = components[episode->cost].title;
	char words[CLAUSE_LEN], cpu[NAME_LEN] = "";

	if (!row_has_culprit(&row)) {
		snprintf(label, CLAUSE_LEN, "%s", title);
		return;
	}
	if (row.role != CAUSE_RAN) {
		name_of(&row, width - (int)strlen(title) - (int)strlen(joint(&row)), words);
		snprintf(label, CLAUSE_LEN, "%s%s%.*s", title, joint(&row), CLAUSE_LEN - NAME_LEN,
			 words);
		return;
	}
	if (episode->cpu < BLAME_CPU_SEVERAL)
		snprintf(cpu, sizeof(cpu), ", CPU %u", episode->cpu);
	row_label(&explanation->info, &row, width - (int)strlen(cpu), words);
	snprintf(label, CLAUSE_LEN, "%.*s%s", CLAUSE_LEN - NAME_LEN, words, cpu);
}

/* "6 of 9 lie 1.000 s apart"; "6 of 9 distances between those of hog (pid 4711, RR 50) are 1.000 s" */
static void add_period(struct paragraph *line, const struct explanation *explanation)
{
	const struct explain_episode *one = explanation->episode + explanation->period_episode - 1;
	struct explain_row row;
	char name[CLAUSE_LEN];

	if (!explanation->period_ns)
		return;
	paragraph_add(line, "%llu of %llu ", (unsigned long long)explanation->period_hits,
		      (unsigned long long)explanation->period_of);
	if (!explanation->period_episode) {
		paragraph_add(line, "lie %s apart", SPAN((double)explanation->period_ns));
		return;
	}
	row = (struct explain_row){.cost = one->cost, .role = one->role, .by = one->by};
	name_of(&row, CULPRIT_LEN, name);
	paragraph_add(line, "distances between those of %s are %s",
		      row_has_culprit(&row) ? name : components[one->cost].title,
		      SPAN((double)explanation->period_ns));
}

static void add_counts(struct paragraph *line, const struct explanation *explanation,
		       const struct explain_episode *episode)
{
	paragraph_add(line, "%llu %s", (unsigned long long)episode->units,
		      unit_words(explanation->unit, episode->units != 1));
	if (episode->rounds && explanation->unit == UNIT_MESSAGE)
		paragraph_add(line, " in %llu round%s", (unsigned long long)episode->rounds,
			      plural(episode->rounds));
}

static void add_largest(struct paragraph *line, const struct explanation *explanation)
{
	const struct explain_episode *episode = &explanation->episode[0];
	char at[INSTANT_LEN], label[CLAUSE_LEN];

	instant_words(&explanation->info, episode->from_ns, at);
	culprit_of(explanation, episode, CULPRIT_LEN, label);
	paragraph_add(line, "%s at %s, ",
		      explanation->episodes == 1 ? "one episode," : "; the largest", at);
	add_counts(line, explanation, episode);
	paragraph_add(line, " in %s, mostly %s", SPAN((double)(episode->to_ns - episode->from_ns)),
		      label);
}

void explain_when_words(struct paragraph *line, const struct explanation *explanation)
{
	if (!explanation->episode_cnt || explanation->slow.count < 2)
		return;
	if (explanation->episodes > 1)
		paragraph_add(line, "%llu episodes", (unsigned long long)explanation->episodes);
	if (explanation->period_ns)
		paragraph_add(line, ", ");
	add_period(line, explanation);
	add_largest(line, explanation);
}

/* Several messages may be of one round. */
static bool shows_rounds(const struct explanation *explanation)
{
	return explanation->unit == UNIT_MESSAGE && explanation->episode[0].rounds;
}

static void episode_row(const struct text *text, const struct explanation *explanation,
			const struct explain_episode *episode)
{
	char at[INSTANT_LEN], label[CLAUSE_LEN];

	instant_words(&explanation->info, episode->from_ns, at);
	fprintf(text->out, "  ");
	text_label(text, INK_PLAIN, FROM_WIDTH - 2, at);
	text_us(text, SPAN_WIDTH, (double)(episode->to_ns - episode->from_ns));
	text_count(text, UNITS_WIDTH, episode->units);
	if (shows_rounds(explanation))
		text_count(text, ROUNDS_WIDTH, episode->rounds);
	culprit_of(explanation, episode, CULPRIT_WIDTH - CULPRIT_INDENT, label);
	text_begin_tail(text);
	fprintf(text->out, "%*s", CULPRIT_INDENT, "");
	text_put(text, INK_PLAIN, label);
	text_newline(text);
}

static uint64_t units_of(const struct explanation *explanation, uint32_t cnt)
{
	uint64_t units = 0;

	for (uint32_t i = 0; i < cnt; i++)
		units += explanation->episode[i].units;
	return units;
}

static void rest_line(const struct text *text, const struct explanation *explanation,
		      uint32_t shown)
{
	struct paragraph line = {0};
	uint64_t more = explanation->episodes - shown;
	uint64_t units = explanation->slow.count - units_of(explanation, shown);

	if (explanation->period_ns) {
		add_period(&line, explanation);
		paragraph_add(&line, ".");
	}
	if (more)
		paragraph_add(&line, "%s%llu more episode%s with %llu %s.", line.length ? " " : "",
			      (unsigned long long)more, plural(more), (unsigned long long)units,
			      unit_words(explanation->unit, units != 1));
	paragraph_print(text, INK_PLAIN, "", &line);
}

static void heading(const struct text *text, const struct explanation *explanation)
{
	struct column columns[4] = {{SPAN_WIDTH, "for (us)", NULL},
				    {UNITS_WIDTH, unit_words(explanation->unit, true), NULL}};
	int cnt = 2;

	if (shows_rounds(explanation))
		columns[cnt++] = (struct column){ROUNDS_WIDTH, "rounds", NULL};
	columns[cnt++] = (struct column){CULPRIT_INDENT + (int)strlen("mostly"), "mostly", NULL};
	text_heading(text, "largest episodes first", FROM_WIDTH, columns, cnt);
}

void explain_when(const struct text *text, const struct explanation *explanation)
{
	uint32_t shown = explanation->episode_cnt < ROWS_MAX ? explanation->episode_cnt : ROWS_MAX;

	if (!shown)
		return;
	text_rule(text, "when");
	heading(text, explanation);
	for (uint32_t i = 0; i < shown; i++)
		episode_row(text, explanation, &explanation->episode[i]);
	rest_line(text, explanation, shown);
}
