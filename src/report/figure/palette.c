/* SPDX-License-Identifier: BSD-2-Clause */
/* Names the classes of marks, which figure.css gives their colours. */
#include "report/figure/palette.h"

const char *cost_class(unsigned int cost)
{
	return components[cost < NR_COSTS ? cost : COST_UNKNOWN].class;
}

const char *culprit_class(unsigned int place)
{
	static const char *const classes[CULPRIT_CLASSES + 1] = {"k0", "k1", "k2", "k3",
								 "k4", "k5", "k6", "k7"};

	return classes[place <= CULPRIT_CLASSES ? place : 0];
}

const char *series_class(unsigned int i)
{
	static const char *const classes[SERIES_CLASSES] = {"s1", "s2", "s3", "s4",
							    "s5", "s6", "s7", "s8"};

	return classes[i % SERIES_CLASSES];
}

const char *heat_class(double share)
{
	static const char *const classes[HEAT_CLASSES] = {"h0", "h1", "h2", "h3", "h4",
							  "h5", "h6", "h7", "h8"};

	if (!(share >= 0))
		return "hn";
	return classes[share >= 1 ? HEAT_CLASSES - 1 : (int)(share * HEAT_CLASSES)];
}
