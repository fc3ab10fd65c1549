/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses conditions. A wrong one is shown with a mark under the place that is wrong. */
#include "cli/condition.h"

#include "cli/values.h"
#include "util/log.h"
#include "util/parse.h"
#include "util/word_list.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Recursion is bounded. */
#define DEPTH_MAX 16

struct parser {
	const char *text;
	const char *at; /* the next character */
	struct condition *condition;
	struct condition_error *error;
	unsigned int depth; /* of parentheses */
};

__attribute__((format(printf, 3, 4))) static int refuse_at(struct parser *parser, const char *where,
							   const char *format, ...)
{
	va_list args;

	parser->error->at = where - parser->text;
	va_start(args, format);
	vsnprintf(parser->error->why, sizeof(parser->error->why), format, args);
	va_end(args);
	return -EINVAL;
}

static bool is_of_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '.';
}

static void skip_blanks(struct parser *parser)
{
	parser->at += strspn(parser->at, " \t\n");
}

/* The bytes of the word, operator or character that is next; at most 40. */
static int next_length(const struct parser *parser)
{
	size_t length = 0;

	while (is_of_word(parser->at[length]))
		length++;
	if (!length)
		length = strspn(parser->at, "<>=!&|");
	if (!length)
		length = parser->at[0] != '\0';
	return length < 40 ? (int)length : 40;
}

static bool is_next(const struct parser *parser, const char *word)
{
	size_t length = strlen(word);

	return (size_t)next_length(parser) == length && !strncmp(parser->at, word, length);
}

static bool condition_take(struct parser *parser, const char *word)
{
	skip_blanks(parser);
	if (!is_next(parser, word))
		return false;
	parser->at += strlen(word);
	return true;
}

static int refuse_quantity(struct parser *parser)
{
	char names[200];
	struct word_list list = {.text = names, .size = sizeof(names)};

	for (int i = 0; i < NR_QUANTITIES; i++)
		word_list_add(&list, "%s", quantity_name(i));
	if (!*parser->at)
		return refuse_at(parser, parser->at,
				 "'%.40s': a comparison is missing: add one, as in latency>2ms",
				 parser->text);
	return refuse_at(parser, parser->at, "'%.*s': not a quantity: use one of %s",
			 next_length(parser), parser->at, names);
}

static int parse_quantity(struct parser *parser, enum quantity *quantity)
{
	skip_blanks(parser);
	for (int i = 0; i < NR_QUANTITIES; i++) {
		if (!condition_take(parser, quantity_name(i)))
			continue;
		*quantity = i;
		return 0;
	}
	return refuse_quantity(parser);
}

static int parse_comparison(struct parser *parser, enum comparison *comparison)
{
	skip_blanks(parser);
	for (int i = 0; i < NR_COMPARISONS; i++) {
		if (!condition_take(parser, comparison_names[i]))
			continue;
		*comparison = i;
		return 0;
	}
	if (!*parser->at)
		return refuse_at(parser, parser->at,
				 "'%.40s': its limit is missing: write it as in latency>2ms",
				 parser->text);
	return refuse_at(parser, parser->at,
			 "'%.*s': not a comparison: use >, >=, < or <=", next_length(parser),
			 parser->at);
}

static int parse_limit(struct parser *parser, uint64_t *ns)
{
	char word[48], why[PARSE_WHY_LEN];
	int length;

	skip_blanks(parser);
	length = next_length(parser);
	snprintf(word, sizeof(word), "%.*s", length, parser->at);
	if (!length)
		return refuse_at(
			parser, parser->at,
			"'%.40s': its limit is missing: add a number and a unit, as in 2ms",
			parser->text);
	if (parse_duration(word, ns, why))
		return refuse_at(parser, parser->at, "%s", why);
	parser->at += length;
	return 0;
}

/* The shortest one is `room>1s` with ` or ` behind it: a text that is not too long has room. */
_Static_assert(2 * (CONDITION_TEXT_LEN / 11 + 1) <= CONDITION_STEPS_MAX, "steps of a condition");

static void add_step(struct parser *parser, const struct condition_step *step)
{
	struct condition *condition = parser->condition;

	condition->step[condition->step_cnt++] = *step;
}

static int parse_compare(struct parser *parser, uint32_t *owners)
{
	struct condition_step step = {.kind = STEP_COMPARE};
	int err = parse_quantity(parser, &step.quantity);

	if (!err)
		err = parse_comparison(parser, &step.comparison);
	if (!err)
		err = parse_limit(parser, &step.limit_ns);
	if (err)
		return err;
	*owners = quantity_owner_of(step.quantity);
	add_step(parser, &step);
	return 0;
}

static int parse_any(struct parser *parser, uint32_t *owners);

static int parse_one(struct parser *parser, uint32_t *owners)
{
	const char *where;
	int err;

	skip_blanks(parser);
	where = parser->at;
	if (!condition_take(parser, "("))
		return parse_compare(parser, owners);
	if (++parser->depth > DEPTH_MAX)
		return refuse_at(parser, where,
				 "'(': more than %d inside each other: leave some out", DEPTH_MAX);
	err = parse_any(parser, owners);
	if (!err && !condition_take(parser, ")"))
		err = *parser->at ? refuse_at(parser, parser->at,
					      "'%.*s': not expected here: write and, or, or )",
					      next_length(parser), parser->at)
				  : refuse_at(parser, where, "'(': its end is missing: add )");
	parser->depth--;
	return err;
}

/* A message has no `service`, and a call no `runqueue`. */
static int refuse_together(struct parser *parser, const char *where)
{
	return refuse_at(
		parser, where,
		"'and': never true: one side is about a message, the other about a call: use "
		"or, or compare quantities of one of them");
}

static int parse_all(struct parser *parser, uint32_t *owners)
{
	static const struct condition_step step = {.kind = STEP_AND};
	int err = parse_one(parser, owners);

	while (!err && condition_take(parser, "and")) {
		const char *where = parser->at - strlen("and");
		uint32_t more;

		err = parse_one(parser, &more);
		if (err)
			return err;
		add_step(parser, &step);
		*owners &= more;
		if (!*owners)
			return refuse_together(parser, where);
	}
	return err;
}

static int parse_any(struct parser *parser, uint32_t *owners)
{
	static const struct condition_step step = {.kind = STEP_OR};
	int err = parse_all(parser, owners);

	while (!err && condition_take(parser, "or")) {
		uint32_t more;

		err = parse_all(parser, &more);
		if (err)
			return err;
		add_step(parser, &step);
		*owners |= more;
	}
	return err;
}

int condition_parse(const char *text, struct condition *condition, struct condition_error *error)
{
	struct parser parser = {.text = text, .at = text, .condition = condition, .error = error};
	int err;

	*condition = (struct condition){0};
	if (strlen(text) >= sizeof(condition->text))
		return refuse_at(&parser, text + sizeof(condition->text) - 1,
				 "'%.40s...': longer than %zu bytes: shorten it", text,
				 sizeof(condition->text) - 1);
	snprintf(condition->text, sizeof(condition->text), "%s", text);
	err = parse_any(&parser, &condition->owners);
	skip_blanks(&parser);
	if (!err && *parser.at)
		err = refuse_at(&parser, parser.at,
				"'%.*s': not expected here: join comparisons by and, or",
				next_length(&parser), parser.at);
	return err;
}

int parse_condition(const char *option, const char *arg, struct condition *condition)
{
	struct condition_error error;

	if (!condition_parse(arg, condition, &error))
		return 0;
	refuse_value(option, error.why);
	log_mark(arg, error.at);
	return EINVAL;
}
