/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the slowest units in full: what is known of each, and its causes as nested lists. */
#include "report/html/page.h"

#include "model/picture.h"
#include "report/words/explain/explain_words.h"
#include "report/words/explain/cause_words.h"

/*
 * The longest causes of a unit, one by one; the others are added up. There are a hundred units in a
 * page, with up to CAUSES_MAX causes each.
 */
#define CAUSES_SHOWN 12

struct unit_page {
	struct markup *markup;
	const struct run_info *info;
	const struct unit *unit;
	uint64_t least_ns; /* shorter causes are added up */
};

/* To the nanosecond. */
static void time_put(const struct unit_page *page, uint64_t ns)
{
	markup_open(page->markup, "b");
	markup_textf(page->markup, "%.3f µs", (double)ns / 1e3);
	markup_close(page->markup);
}

static void place_put(const struct unit_page *page, const struct cause *cause)
{
	struct paragraph words = {0};

	if (cause->by.cpu < BLAME_CPU_SEVERAL && cause->role != CAUSE_ITSELF)
		paragraph_add(&words, " on CPU %u", cause->by.cpu);
	paragraph_add(&words, ", from %+.3f us",
		      ((double)cause->from_ns - (double)page->unit->from_ns) / 1e3);
	words_element(page->markup, "small", NULL, &words);
}

/* The shortest one of the CAUSES_SHOWN longest causes. */
static uint64_t least_shown_ns(const struct unit *unit)
{
	uint64_t longest[CAUSES_SHOWN] = {0};

	for (uint32_t i = 0; i < unit->cause_cnt; i++) {
		uint64_t ns = unit->cause[i].by.ns;
		int at = CAUSES_SHOWN - 1;

		if (ns <= longest[at])
			continue;
		for (; at > 0 && longest[at - 1] < ns; at--)
			longest[at] = longest[at - 1];
		longest[at] = ns;
	}
	return longest[CAUSES_SHOWN - 1];
}

static void causes_list(const struct unit_page *page, uint32_t of, int depth);

/* A culprit, and below it what it did in that time. */
static void cause_item(const struct unit_page *page, uint32_t i, int depth)
{
	const struct cause *cause = &page->unit->cause[i];
	struct explain_row row = row_of_cause(cause);
	char label[CLAUSE_LEN], component[NAME_LEN];

	markup_open(page->markup, "li");
	row_label(page->info, &row, CLAUSE_LEN - 1, label);
	if (cause->parent) {
		row_component(&row, component);
		markup_textf(page->markup, "%s: ", component);
	}
	words_put(page->markup, label);
	markup_text(page->markup, ": ");
	time_put(page, cause->by.ns);
	place_put(page, cause);
	causes_list(page, i, depth + 1);
	markup_close(page->markup);
}

static bool is_of_component(const struct cause *cause, const struct cause *first)
{
	return !cause->parent && cause->part == first->part && cause->cost == first->cost;
}

/*
 * The culprits of a component, whose first one is `of`; below these, depth 1 and more, the causes
 * that follow `of`, which stand behind it.
 */
static bool is_listed(const struct unit *unit, uint32_t i, uint32_t of, int depth)
{
	return depth ? unit->cause[i].parent == of + 1
		     : is_of_component(&unit->cause[i], &unit->cause[of]);
}

static void causes_list(const struct unit_page *page, uint32_t of, int depth)
{
	const struct unit *unit = page->unit;
	uint32_t cnt = 0, rest = 0;
	uint64_t rest_ns = 0;

	for (uint32_t i = of + (depth > 0); i < unit->cause_cnt && depth <= CAUSE_DEPTH_MAX; i++) {
		if (!is_listed(unit, i, of, depth))
			continue;
		if (!cnt++)
			markup_open(page->markup, "ul");
		if (unit->cause[i].by.ns < page->least_ns) {
			rest++;
			rest_ns += unit->cause[i].by.ns;
			continue;
		}
		cause_item(page, i, depth);
	}
	if (rest) {
		markup_open(page->markup, "li");
		markup_textf(page->markup, "%u more, together ", rest);
		time_put(page, rest_ns);
		markup_close(page->markup);
	}
	if (cnt)
		markup_close(page->markup);
}

static bool unit_details_is_first(const struct unit *unit, uint32_t cause)
{
	for (uint32_t i = 0; i < cause; i++) {
		if (is_of_component(&unit->cause[i], &unit->cause[cause]))
			return false;
	}
	return true;
}

static void component_item(const struct unit_page *page, uint32_t first)
{
	const struct unit *unit = page->unit;
	const struct cause *cause = &unit->cause[first];
	struct explain_row row = row_of_cause(cause);
	char title[NAME_LEN];
	uint64_t ns = 0;
	uint32_t cnt = 0;

	for (uint32_t i = first; i < unit->cause_cnt; i++) {
		if (!is_of_component(&unit->cause[i], cause))
			continue;
		ns += unit->cause[i].by.ns;
		cnt++;
	}
	markup_open(page->markup, "li");
	row_component(&row, title);
	markup_textf(page->markup, "%s: ", title);
	time_put(page, ns);
	if (unit_latency_ns(unit))
		markup_textf(page->markup, " (%s)",
			     PERCENT((double)ns / (double)unit_latency_ns(unit)));
	if (cnt > 1 || cause->role != CAUSE_ITSELF || cause->call != CALL_UNKNOWN || cause->reason)
		causes_list(page, first, 0);
	markup_close(page->markup);
}

static void facts(const struct unit_page *page)
{
	const struct unit *unit = page->unit;
	struct paragraph which = {0}, parties = {0}, when = {0};
	char at[INSTANT_LEN];

	unit_identity(&which, unit);
	unit_parties(&parties, unit);
	instant_words(page->info, unit->from_ns, at);
	paragraph_add(&when, "begins at %s", at);
	if (unit->kind == UNIT_MESSAGE)
		paragraph_add(&when, "; the receiver %s", paths[unit->path].was);
	if (unit->has_migrated)
		paragraph_add(&when, "; the receiver moved to another CPU meanwhile");
	markup_open(page->markup, "dl");
	words_term(page->markup, "which", NULL, &which);
	words_term(page->markup, "from, to", NULL, &parties);
	words_term(page->markup, "when", NULL, &when);
	markup_close(page->markup);
}

static void links(const struct unit_page *page, const struct picture *picture, uint32_t rank,
		  const char *prefix, const char *back)
{
	markup_open(page->markup, "p");
	markup_attr(page->markup, "class", "links");
	if (rank > 1) {
		link_put(page->markup, "slower one", "%sunit-%u", prefix, rank - 1);
		markup_text(page->markup, " ");
	}
	if (rank < picture->slowest_cnt) {
		link_put(page->markup, "next slowest", "%sunit-%u", prefix, rank + 1);
		markup_text(page->markup, " ");
	}
	link_put(page->markup, "back to the bars", "%s", back);
	markup_close(page->markup);
}

static void unit_title(const struct unit_page *page, uint32_t rank, const char *heading)
{
	const struct unit *unit = page->unit;

	markup_open(page->markup, heading);
	markup_textf(page->markup, "%s no. %u of the slowest: %s",
		     unit->kind == UNIT_CALL         ? "Call"
		     : unit->kind == UNIT_ROUND      ? "Round"
		     : unit->kind == UNIT_CONNECTION ? "Connection"
						     : "Message",
		     rank, NS_TEXT((double)unit_latency_ns(unit)));
	markup_close(page->markup);
}

static void unit_write(const struct unit_page *page, const struct picture *picture, uint32_t rank,
		       const char *prefix, const char *heading, const char *back)
{
	struct markup *markup = page->markup;
	const struct unit *unit = page->unit;

	markup_open(markup, "section");
	markup_attr(markup, "class", "unit");
	markup_attrf(markup, "id", "%sunit-%u", prefix, rank);
	markup_attrf(markup, "data-ns", "%llu", (unsigned long long)unit_latency_ns(unit));
	markup_attr(markup, "tabindex", "-1");
	unit_title(page, rank, heading);
	facts(page);
	markup_open(markup, "ul");
	markup_attr(markup, "class", "causes");
	for (uint32_t i = 0; i < unit->cause_cnt; i++) {
		if (!unit->cause[i].parent && unit_details_is_first(unit, i))
			component_item(page, i);
	}
	markup_close(markup);
	links(page, picture, rank, prefix, back);
	markup_close(markup);
}

void units_write(struct markup *markup, const struct illustration *illustration, const char *prefix,
		 const char *heading, const char *back)
{
	const struct picture *picture = illustration->picture;

	if (!picture->slowest_cnt)
		return;
	markup_open(markup, "div");
	markup_attr(markup, "class", "units");
	markup_element(markup, "p", "hint",
		       "Choose a bar: what is known of it is shown here in full.");
	for (uint32_t i = 0; i < picture->slowest_cnt; i++) {
		const struct unit_page page = {markup, &picture->info, &picture->slowest[i],
					       least_shown_ns(&picture->slowest[i])};

		unit_write(&page, picture, i + 1, prefix, heading, back);
	}
	markup_close(markup);
}
