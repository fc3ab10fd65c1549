/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses numbers, durations and lists. A text that is only partly valid is refused. */
#include "util/parse.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIST_MAX 1000

__attribute__((format(printf, 2, 3))) static int refuse(char *why, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(why, PARSE_WHY_LEN, format, args);
	va_end(args);
	return -EINVAL;
}

/*
 * Digits only: strtoull() alone would accept "-1", " 1" and "+1". A number beyond 64 bits reads as
 * the largest one, with errno ERANGE.
 */
static bool read_digits(const char **text, uint64_t *value)
{
	char *end;

	if (!isdigit((unsigned char)**text))
		return false;
	errno = 0;
	*value = strtoull(*text, &end, 10);
	*text = end;
	return true;
}

int parse_number(const char *text, uint64_t min, uint64_t max, uint64_t *value, char *why)
{
	const char *end = text;
	uint64_t number;

	if (!read_digits(&end, &number) || *end)
		return refuse(why, "'%.40s': not a whole number: give digits only", text);
	if (number < min || number > max || errno == ERANGE)
		return refuse(why, "'%.40s': out of range: give a number from %llu to %llu", text,
			      (unsigned long long)min, (unsigned long long)max);
	*value = number;
	return 0;
}

int parse_duration(const char *text, uint64_t *ns, char *why)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {
		{"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}, {"m", 60000000000}};
	const uint64_t day_ns = 24 * 60 * 60000000000ULL;
	const char *unit = text;
	uint64_t number;

	if (!read_digits(&unit, &number))
		return refuse(why, "'%.40s': not a duration: write a number and a unit, as in 10ms",
			      text);
	if (!*unit)
		return refuse(why, "'%.40s': no unit: write %.40ss or %.40sms, or use ns, us or m",
			      text, text, text);
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(unit, units[i].name))
			continue;
		if (!number || number > day_ns / units[i].ns)
			return refuse(why, "'%.40s': out of range: give 1ns to one day (1440m)",
				      text);
		*ns = number * units[i].ns;
		return 0;
	}
	return refuse(why, "'%.40s': unknown unit: use ns, us, ms, s or m", text);
}

/* One "7" or "1-5", up to a comma or the end. */
static bool read_range(const char **text, uint64_t *first, uint64_t *last)
{
	if (!read_digits(text, first))
		return false;
	*last = *first;
	if (**text == '-') {
		(*text)++;
		if (!read_digits(text, last))
			return false;
	}
	return !**text || **text == ',';
}

/* `numbers` has room for LIST_MAX. */
static int fill_list(const char *text, uint32_t max, uint32_t *numbers, size_t *cnt, char *why)
{
	const char *at = text;

	*cnt = 0;
	do {
		uint64_t first, last;

		if (!read_range(&at, &first, &last))
			return refuse(why,
				      "'%.40s': not a number or a list: write it as in 1-5,7,10",
				      text);
		if (first < 1 || first > max || last > max)
			return refuse(why, "'%.40s': out of range: give numbers from 1 to %u", text,
				      max);
		if (last < first)
			return refuse(
				why,
				"'%.40s': a range runs backwards: write its smaller number first",
				text);
		if (*cnt + (last - first) >= LIST_MAX)
			return refuse(why, "'%.40s': more than %d numbers: shorten the list", text,
				      LIST_MAX);
		for (uint64_t number = first; number <= last; number++)
			numbers[(*cnt)++] = number;
	} while (*at++ == ',');
	return 0;
}

int parse_number_list(const char *text, uint32_t max, uint32_t **list, char *why)
{
	uint32_t *numbers = malloc((LIST_MAX + 1) * sizeof(*numbers));
	size_t cnt;
	int err;

	if (!numbers)
		return -ENOMEM;
	err = fill_list(text, max, numbers, &cnt, why);
	if (err) {
		free(numbers);
		return err;
	}
	numbers[cnt] = 0;
	*list = numbers;
	return 0;
}

/* A word that is too long is cut off. It matches no known word then, and is refused. */
bool parse_word(const char **text, char *word, size_t size)
{
	size_t length;

	if (!*text)
		return false;
	length = strcspn(*text, ",");
	snprintf(word, size, "%.*s", (int)length, *text);
	*text = (*text)[length] ? *text + length + 1 : NULL;
	return true;
}
