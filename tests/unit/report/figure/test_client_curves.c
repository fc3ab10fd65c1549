/* SPDX-License-Identifier: BSD-2-Clause */
/* The latency of each client against the number of the message. */
#include "support/build.h"
#include "support/pictured.h"
#include "support/svg.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Message n of client c takes 1000 c + n ns. */
static struct pictured *with_series(uint32_t clients, uint32_t points)
{
	struct pictured *pictured = pictured_new();
	struct picture *picture = &pictured->picture;

	assert_int_equal(picture->series_cnt, 0);
	for (uint32_t c = 1; c <= clients; c++) {
		struct client_series *series = &picture->series[picture->series_cnt++];

		series->client = c;
		series->point_cnt = points;
		series->point = calloc(points, sizeof(*series->point));
		assert_non_null(series->point);
		for (uint32_t i = 0; i < points; i++)
			series->point[i] = (struct series_point){i, 1000 * c + i};
	}
	return pictured;
}

static char *drawn(struct pictured *pictured, double width)
{
	return pictured_figure(&figure_series, &pictured->illustration, width);
}

/* Counts, and the sums of all messages, in the data of a client. */
static void read_points(const char *svg, uint32_t client, uint64_t *cnt, double *sum_ns,
			uint64_t *last)
{
	char wanted[64];
	const char *at;

	snprintf(wanted, sizeof(wanted), " data-client=\"%u\" data-points=\"", client);
	at = strstr(svg, wanted);
	assert_non_null(at);
	at += strlen(wanted);
	*cnt = *sum_ns = 0;
	for (;;) {
		unsigned long long first, of, least, most;
		double mean;

		assert_int_equal(sscanf(at, "%llu %llu %llu %llu %lf %llu", &first,
					(unsigned long long *)last, &of, &least, &mean, &most),
				 6);
		assert_true(least <= mean && mean <= most);
		*cnt += of;
		*sum_ns += mean * (double)of;
		at += strcspn(at, ";\"");
		if (*at++ != ';')
			return;
	}
}

TEST(all_messages_are_in_the_curves)
{
	struct pictured *pictured = with_series(5, 200);
	char *svg = drawn(pictured, FIGURE_WIDE);
	uint64_t cnt, last;
	double sum_ns;

	for (uint32_t c = 1; c <= 5; c++) {
		read_points(svg, c, &cnt, &sum_ns, &last);
		assert_int_equal(cnt, 200);
		assert_int_equal(last, 199);
		assert_true(sum_ns == 200 * 1000.0 * c + 199 * 200 / 2);
	}
}

/* The figure is of a bounded size. */
TEST(a_full_figure_is_small)
{
	struct pictured *pictured =
		with_series(PICTURE_CLIENTS_MAX, SERIES_POINTS_MAX / PICTURE_CLIENTS_MAX);
	char *svg;

	pictured->picture.clients_more = 3;
	svg = drawn(pictured, FIGURE_WIDE);
	assert_true(strlen(svg) < 100000);
	assert_non_null(strstr(svg, "3 more clients are not drawn."));
	svg = drawn(pictured, FIGURE_NARROW);
	assert_true(strlen(svg) < 60000);
}

/* The labels of curves that end at one place stand apart. */
TEST(labels_do_not_overlap)
{
	struct pictured *pictured = with_series(PICTURE_CLIENTS_MAX, 10);
	double last = -1;
	char *svg, *at;

	for (uint32_t i = 0; i < PICTURE_CLIENTS_MAX; i++)
		memcpy(pictured->picture.series[i].point, pictured->picture.series[0].point,
		       10 * sizeof(struct series_point));
	svg = drawn(pictured, FIGURE_NARROW);
	for (at = svg; (at = strstr(at, "<text class=\"small\"")); at++) {
		double y = strtod(strstr(at, " y=\"") + strlen(" y=\""), NULL);

		assert_true(y >= last + 12);
		last = y;
	}
	assert_true(last > 0);
}

/*
 * A client that was killed in its warm-up. What is freed is filled here, so that memory without
 * contents shows.
 */
TEST(a_client_without_points_has_none_in_the_data)
{
	struct pictured *pictured = with_series(2, 5);
	char *svg;

	pictured->picture.series[0].point_cnt = 0;
	mallopt(M_PERTURB, 'x');
	svg = drawn(pictured, FIGURE_WIDE);
	mallopt(M_PERTURB, 0);
	assert_non_null(strstr(svg, " data-client=\"1\" data-points=\"\""));
}

TEST(without_points_there_is_no_figure)
{
	struct pictured *pictured = with_series(1, 1);

	assert_false(figure_series.applies(&pictured->illustration));
	pictured = pictured_new();
	assert_false(figure_series.applies(&pictured->illustration));
}

/* If the units are calls, these are round trips. */
TEST(calls_have_round_trips)
{
	struct pictured *pictured = with_series(2, 20);
	char *svg;

	pictured->picture.unit = UNIT_CALL;
	svg = drawn(pictured, FIGURE_WIDE);
	assert_non_null(strstr(svg, "number of the call"));
	assert_non_null(strstr(svg, ">round trip<"));
}

/* A latency of 0 has a place, too. */
TEST(a_latency_of_0_is_drawn)
{
	struct pictured *pictured = with_series(1, 5);
	char *svg;

	pictured->picture.series[0].point[2].latency_ns = 0;
	svg = drawn(pictured, FIGURE_WIDE);
	assert_null(strstr(svg, "nan"));
	assert_null(strstr(svg, "inf"));
}
