/* SPDX-License-Identifier: BSD-2-Clause */
/* Groups consecutive messages of a client, so that SERIES_POINTS_MAX groups have all of them. */
#include "picture/parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct series {
	uint32_t clients;  /* with a series */
	uint32_t more;     /* others */
	uint64_t messages; /* of each client */
	struct series_point point[PICTURE_CLIENTS_MAX][SERIES_POINTS_MAX];
};

struct series *series__new(const struct run_info *info)
{
	struct series *series = calloc(1, sizeof(*series));
	uint32_t clients = info->mode == MODE_RUN ? info->workload.clients : 0;

	if (!series)
		return NULL;
	series->clients = clients < PICTURE_CLIENTS_MAX ? clients : PICTURE_CLIENTS_MAX;
	series->more = clients - series->clients;
	series->messages = info->workload.messages;
	return series;
}

void series__free(struct series *series)
{
	free(series);
}

/* Groups of equal size; the last one may be smaller. */
static uint64_t group_size(const struct series *series)
{
	return (series->messages + SERIES_POINTS_MAX - 1) / SERIES_POINTS_MAX;
}

void series__add(struct series *series, uint32_t client, uint64_t number, uint64_t latency_ns)
{
	struct series_point *point;

	if (!client || client > series->clients || number >= series->messages)
		return;
	point = &series->point[client - 1][number / group_size(series)];
	if (!point->cnt || latency_ns < point->least_ns)
		point->least_ns = latency_ns;
	if (latency_ns > point->most_ns)
		point->most_ns = latency_ns;
	point->sum_ns += latency_ns;
	point->cnt++;
}

static int finish_client(const struct series *series, uint32_t client, struct client_series *out)
{
	uint64_t size = group_size(series);

	*out = (struct client_series){
		.client = client + 1,
		.point = calloc(SERIES_POINTS_MAX, sizeof(*out->point)),
	};
	if (!out->point)
		return -ENOMEM;
	for (uint64_t i = 0; i < SERIES_POINTS_MAX; i++) {
		struct series_point point = series->point[client][i];

		if (!point.cnt)
			continue;
		point.first = i * size;
		point.last = point.first + size - 1;
		if (point.last >= series->messages)
			point.last = series->messages - 1;
		out->point[out->point_cnt++] = point;
	}
	return 0;
}

int series__finish(const struct series *series, struct picture *picture)
{
	int err = 0;

	picture->clients_more = series->more;
	for (uint32_t i = 0; !err && i < series->clients; i++) {
		err = finish_client(series, i, &picture->series[i]);
		picture->series_cnt += !err;
	}
	return err;
}
