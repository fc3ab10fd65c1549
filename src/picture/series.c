/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps the latency of each message of a short run. */
#include "picture/parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct series {
	uint32_t clients;                       /* with a series */
	uint32_t more;                          /* others */
	uint64_t messages;                      /* of each client */
	bool has_doubles;                       /* a number is that of several messages */
	uint64_t latency_ns[SERIES_POINTS_MAX]; /* [clients][messages]; UINT64_MAX: not matched */
};

static bool fits(uint64_t clients, uint64_t messages)
{
	return clients && messages <= SERIES_POINTS_MAX / clients;
}

struct series *series__new(const struct run_info *info)
{
	struct series *series = calloc(1, sizeof(*series));
	uint32_t all = info->mode == MODE_RUN ? info->workload.clients : 0;
	uint32_t clients = all < PICTURE_CLIENTS_MAX ? all : PICTURE_CLIENTS_MAX;

	if (!series)
		return NULL;
	memset(series->latency_ns, 0xff, sizeof(series->latency_ns));
	if (!fits(clients, info->workload.messages))
		return series;
	series->clients = clients;
	series->more = all - clients;
	series->messages = info->workload.messages;
	return series;
}

void series__add(struct series *series, uint32_t client, uint64_t number, uint64_t latency_ns)
{
	uint64_t *at;

	if (!client || client > series->clients || number >= series->messages)
		return;
	at = &series->latency_ns[(client - 1) * series->messages + number];
	series->has_doubles |= *at != UINT64_MAX;
	*at = latency_ns;
}

static int finish_client(const struct series *series, uint32_t client, struct client_series *out)
{
	const uint64_t *latency_ns = &series->latency_ns[client * series->messages];

	*out = (struct client_series){
		.client = client + 1,
		.point = calloc(SERIES_POINTS_MAX, sizeof(*out->point)),
	};
	if (!out->point)
		return -ENOMEM;
	for (uint64_t i = 0; i < series->messages; i++) {
		if (latency_ns[i] != UINT64_MAX)
			out->point[out->point_cnt++] = (struct series_point){i, latency_ns[i]};
	}
	return 0;
}

int series__finish(const struct series *series, struct picture *picture)
{
	int err = 0;

	if (series->has_doubles)
		return 0;
	picture->clients_more = series->more;
	for (uint32_t i = 0; !err && i < series->clients; i++) {
		err = finish_client(series, i, &picture->series[i]);
		picture->series_cnt += !err;
	}
	return err;
}
