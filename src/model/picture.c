/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements picture_clean(), and lists the bands. */
#include "model/picture.h"

#include <stdlib.h>

const double band_percent[NR_BANDS + 1] = {0, 50, 90, 99, 99.9, 100};

void picture_clean(struct picture *picture)
{
	stat_free(&picture->latency);
	free(picture->heat.bound_ns);
	free(picture->heat.cnt);
	for (int i = 0; i < HEAT_LEVELS; i++)
		free(picture->heat.finer[i]);
	for (uint32_t i = 0; i < picture->strip_cnt; i++)
		free(picture->strip[i].cell);
	for (uint32_t i = 0; i < picture->slowest_cnt; i++) {
		free((struct cause *)picture->slowest[i].cause);
		free(picture->slowest_moments[i].moment);
	}
	for (uint32_t i = 0; i < picture->series_cnt; i++)
		free(picture->series[i].point);
	*picture = (struct picture){0};
}
