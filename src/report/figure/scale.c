/* SPDX-License-Identifier: BSD-2-Clause */
/* Maps numbers to places, chooses round numbers for axes, and writes numbers with their units. */
#include "report/figure/scale.h"

#include <math.h>
#include <stdio.h>

/* Fewer say little: then a logarithmic scale has round numbers at equal distances. */
#define TICKS_LEAST 3

double scale_place(const struct scale *scale, double value)
{
	double share;

	if (!(scale->to > scale->from))
		return scale->start;
	if (scale->is_log)
		share = value > 0 ? log(value / scale->from) / log(scale->to / scale->from) : 0;
	else
		share = (value - scale->from) / (scale->to - scale->from);
	share = share < 0 ? 0 : share > 1 ? 1 : share;
	return scale->start + share * (scale->end - scale->start);
}

void scale_include(struct scale *scale, double value)
{
	if (!(value > 0))
		return;
	scale->from = fmin(scale->from, value);
	scale->to = fmax(scale->to, value);
}

/* The least of 1, 2, 5, 10, … times a power of ten that is not below `number`. */
static double round_up(double number)
{
	double power = pow(10, floor(log10(number)));
	static const double digits[] = {1, 2, 5};

	for (size_t i = 0; i < sizeof(digits) / sizeof(digits[0]); i++) {
		if (digits[i] * power >= number * (1 - 1e-9))
			return digits[i] * power;
	}
	return 10 * power;
}

static double linear_step(const struct scale *scale, int most)
{
	double span = scale->to - scale->from;

	return span > 0 ? round_up(span / (most > 1 ? most - 1 : 1)) : 0;
}

void scale_round(struct scale *scale)
{
	double step;

	if (!(scale->to > scale->from))
		return;
	if (scale->is_log) {
		scale->from = 1 / round_up(1 / scale->from);
		scale->to = round_up(scale->to);
		return;
	}
	step = linear_step(scale, 6);
	scale->from = floor(scale->from / step + 1e-9) * step;
	scale->to = ceil(scale->to / step - 1e-9) * step;
}

static int linear_ticks(const struct scale *scale, int most, double *tick, double *step)
{
	int cnt = 0;

	*step = linear_step(scale, most);
	if (*step <= 0)
		return 0;
	for (double i = ceil(scale->from / *step - 1e-9);
	     i * *step <= scale->to + *step * 1e-9 && cnt < TICKS_MAX; i++)
		tick[cnt++] = i * *step;
	return cnt;
}

/* The digits of each power of ten in `digits`. */
static int log_ticks(const struct scale *scale, const char *digits, int power_step, double *tick)
{
	int cnt = 0;
	int first = (int)floor(log10(scale->from) + 1e-9);
	int last = (int)floor(log10(scale->to) + 1e-9);

	for (int power = first; power <= last; power++) {
		if (power % power_step)
			continue;
		for (const char *digit = digits; *digit && cnt < TICKS_MAX; digit++) {
			double value = (*digit - '0') * pow(10, power);

			if (value >= scale->from * (1 - 1e-9) && value <= scale->to * (1 + 1e-9))
				tick[cnt++] = value;
		}
	}
	return cnt;
}

int scale_ticks(const struct scale *scale, int most, double tick[TICKS_MAX], double *step)
{
	static const char *const digits[] = {"125", "13", "1"};
	int cnt;

	*step = 0;
	if (!(scale->to > scale->from))
		return 0;
	if (!scale->is_log)
		return linear_ticks(scale, most, tick, step);
	for (size_t i = 0; i < sizeof(digits) / sizeof(digits[0]); i++) {
		cnt = log_ticks(scale, digits[i], 1, tick);
		if (cnt < TICKS_LEAST)
			return linear_ticks(scale, most, tick, step);
		if (cnt <= most)
			return cnt;
	}
	for (int power_step = 2; cnt > most && power_step < 10; power_step++)
		cnt = log_ticks(scale, "1", power_step, tick);
	return cnt;
}

struct unit_scale {
	enum measure measure;
	double below; /* for numbers less than this */
	double factor;
	const char *name; /* with the blank before it */
};

static const struct unit_scale *scale_unit_of(enum measure measure, double largest)
{
	static const struct unit_scale units[] = {
		{MEASURE_NS, 999.5, 1, " ns"},         {MEASURE_NS, 999.5e3, 1e3, " µs"},
		{MEASURE_NS, 999.5e6, 1e6, " ms"},     {MEASURE_NS, INFINITY, 1e9, " s"},
		{MEASURE_COUNT, 9999.5, 1, ""},        {MEASURE_COUNT, 999.5e3, 1e3, " k"},
		{MEASURE_COUNT, 999.5e6, 1e6, " M"},   {MEASURE_COUNT, INFINITY, 1e9, " G"},
		{MEASURE_SHARE, INFINITY, 0.01, " %"}, {MEASURE_NUMBER, INFINITY, 1, ""},
	};
	const struct unit_scale *unit = units;

	while (unit->measure != measure || !(largest < unit->below || isinf(unit->below)))
		unit++;
	return unit;
}

static int scale_decimals_of(double step)
{
	int decimals = 0;

	while (decimals < 6 && fabs(step - round(step)) > 1e-6 * fabs(step)) {
		step *= 10;
		decimals++;
	}
	return decimals;
}

/* Three digits, fewer for whole numbers below 1000. */
static int decimals_alone(enum measure measure, double number, bool is_smallest_unit)
{
	if (number == 0)
		return 0;
	if ((measure == MEASURE_NS || measure == MEASURE_COUNT) && is_smallest_unit)
		return number < 10 && number != round(number) ? 1 : 0;
	if (number >= 99.95)
		return 0;
	return number >= 9.995 ? 1 : measure == MEASURE_SHARE ? 1 : 2;
}

const char *measure_text(enum measure measure, double value, double largest, double step,
			 char text[MEASURE_LEN])
{
	const struct unit_scale *unit = scale_unit_of(measure, fabs(largest));
	double number = value / unit->factor;
	int decimals = step > 0 ? scale_decimals_of(step / unit->factor)
				: decimals_alone(measure, fabs(number), unit->factor == 1);

	if (!isfinite(value)) {
		snprintf(text, MEASURE_LEN, "-");
		return text;
	}
	/* No "-0". */
	if (fabs(number) < 0.5 * pow(10, -decimals))
		number = 0;
	/* A round number on an axis has no decimals of its own. */
	if (step <= 0 && fabs(number - round(number)) < 1e-9 * fabs(number))
		decimals = 0;
	snprintf(text, MEASURE_LEN, "%.*f%s", decimals, number, unit->name);
	return text;
}
