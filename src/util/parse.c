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

__attribute__((format(printf, 2, 3))) static int parse_refuse(char *why, const char *format, ...)
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
		return parse_refuse(why, "'%.40s': not a whole number: give digits only", text);
	if (number < min || number > max || errno == ERANGE)
		return parse_refuse(why, "'%.40s': out of range: give a number from %llu to %llu",
				    text, (unsigned long long)min, (unsigned long long)max);
	*value = number;
	return 0;
}

static const struct unit_name {
	const char *name;
	uint64_t ns;
} unit_names[] = {{"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}, {"m", 60000000000}};

static const uint64_t day_ns = 24 * 60 * 60000000000ULL;

/* The nanoseconds of the unit at the end of `text`. 0 or -EINVAL. */
static int parse_time_unit(const char *text, const char *unit, uint64_t *ns, char *why)
{
	if (!*unit)
		return parse_refuse(why,
				    "'%.40s': no unit: write %.40ss or %.40sms, or use ns, us or m",
				    text, text, text);
	for (size_t i = 0; i < sizeof(unit_names) / sizeof(unit_names[0]); i++) {
		if (strcmp(unit, unit_names[i].name))
			continue;
		*ns = unit_names[i].ns;
		return 0;
	}
	return parse_refuse(why, "'%.40s': unknown unit: use ns, us, ms, s or m", text);
}

/* ".25" is 25 of 100. `scale` 0: too many digits for a nanosecond of any unit. */
struct decimals {
	uint64_t part, scale;
};

/* False: no digit follows the point. */
static bool read_decimals(const char **text, struct decimals *decimals)
{
	static const uint64_t finest = 1000000000000;
	const char *digit;
	size_t digits;

	*decimals = (struct decimals){.scale = 1};
	if (**text != '.')
		return true;
	digit = *text + 1;
	digits = strspn(digit, "0123456789");
	*text = digit + digits;
	if (!digits)
		return false;
	while (digits && digit[digits - 1] == '0')
		digits--;
	for (size_t i = 0; decimals->scale && i < digits; i++) {
		decimals->part = decimals->part * 10 + (uint64_t)(digit[i] - '0');
		decimals->scale = decimals->scale < finest ? decimals->scale * 10 : 0;
	}
	return true;
}

/* "0.25s" in nanoseconds: exact or refused; UINT64_MAX is beyond a day. */
static int parse_time(const char *text, const char *what, const char *example, uint64_t *ns,
		      char *why)
{
	const char *unit = text;
	struct decimals decimals;
	uint64_t number, unit_ns = 0;
	unsigned __int128 part;

	if (!read_digits(&unit, &number) || !read_decimals(&unit, &decimals))
		return parse_refuse(why, "'%.40s': not a %s: write a number and a unit, as in %s",
				    text, what, example);
	if (parse_time_unit(text, unit, &unit_ns, why))
		return -EINVAL;
	part = (unsigned __int128)decimals.part * unit_ns;
	if (!decimals.scale || part % decimals.scale)
		return parse_refuse(why, "'%.40s': finer than a nanosecond: give fewer decimals",
				    text);
	part /= decimals.scale;
	if (number > day_ns / unit_ns || number * unit_ns + (uint64_t)part > day_ns)
		*ns = UINT64_MAX;
	else
		*ns = number * unit_ns + (uint64_t)part;
	return 0;
}

int parse_duration(const char *text, uint64_t *ns, char *why)
{
	uint64_t value;

	if (parse_time(text, "duration", "10ms", &value, why))
		return -EINVAL;
	if (!value || value > day_ns)
		return parse_refuse(why, "'%.40s': out of range: give 1ns to one day (1440m)",
				    text);
	*ns = value;
	return 0;
}

int parse_instant(const char *text, uint64_t *ns, char *why)
{
	uint64_t value;

	if (parse_time(text, "time", "3.5s", &value, why))
		return -EINVAL;
	if (value > day_ns)
		return parse_refuse(why, "'%.40s': out of range: give 0s to one day (1440m)", text);
	*ns = value;
	return 0;
}

int parse_size(const char *text, uint64_t *bytes, char *why)
{
	static const char *const units[] = {"kB", "MB", "GB"};
	static const uint64_t max = 1000000000000;
	const char *unit = text;
	uint64_t number, unit_bytes = 1000;
	size_t i = 0;

	if (!read_digits(&unit, &number))
		return parse_refuse(
			why, "'%.40s': not a size: write a number and a unit, as in 200MB", text);
	for (; i < sizeof(units) / sizeof(units[0]) && strcmp(unit, units[i]); i++)
		unit_bytes *= 1000;
	if (i == sizeof(units) / sizeof(units[0]))
		return parse_refuse(why, "'%.40s': %s: use kB, MB or GB", text,
				    *unit ? "unknown unit" : "no unit");
	if (!number || number > max / unit_bytes)
		return parse_refuse(why, "'%.40s': out of range: give 1kB to 1000GB", text);
	*bytes = number * unit_bytes;
	return 0;
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
			return parse_refuse(
				why, "'%.40s': not a number or a list: write it as in 1-5,7,10",
				text);
		if (first < 1 || first > max || last > max)
			return parse_refuse(why, "'%.40s': out of range: give numbers from 1 to %u",
					    text, max);
		if (last < first)
			return parse_refuse(
				why,
				"'%.40s': a range runs backwards: write its smaller number first",
				text);
		if (*cnt + (last - first) >= LIST_MAX)
			return parse_refuse(why, "'%.40s': more than %d numbers: shorten the list",
					    text, LIST_MAX);
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

/* Reads one number and moves *text behind it. */
static int cpu_parse(const char **text, unsigned long *cpu)
{
	char *end;

	if (!isdigit((unsigned char)**text))
		return -EINVAL;
	*cpu = strtoul(*text, &end, 10);
	*text = end;
	return *cpu < CPU_SETSIZE ? 0 : -ERANGE;
}

int cpu_list_parse(const char *text, cpu_set_t *set)
{
	CPU_ZERO(set);
	for (;; text++) {
		unsigned long first, last;
		int err = cpu_parse(&text, &first);

		last = first;
		if (!err && *text == '-') {
			text++;
			err = cpu_parse(&text, &last);
		}
		if (err || last < first)
			return err ? err : -EINVAL;
		for (unsigned long cpu = first; cpu <= last; cpu++)
			CPU_SET(cpu, set);
		if (*text != ',')
			return *text ? -EINVAL : 0;
	}
}
