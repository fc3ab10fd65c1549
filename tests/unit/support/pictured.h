/* SPDX-License-Identifier: BSD-2-Clause */
/* Pictures by hand, and figures of them as text. */
#pragma once

#include "model/explanation.h"
#include "model/picture.h"
#include "report/figure.h"

/* A run of 5 clients with a bit of everything in its picture. It lasts until the test ends. */
struct pictured {
	struct summary *summary;
	struct explanation explanation;
	struct picture picture;
	struct illustration illustration;
};

struct pictured *pictured_new(void);

/* For EACH_TEST(): it makes `pictured`. */
int pictured_set_up(void **state);
extern struct pictured *pictured;

/* As many cells and points as a picture can have, none of which is like the next one. */
void pictured_fill(struct picture *picture);

/* A cause of the unit, which owns it. */
void pictured_add_cause(struct unit *unit, struct cause cause);

/* The figure as it stands in a wide or in a narrow page: well-formed, and nothing leaves it. */
char *pictured_figure(const struct figure *figure, const struct illustration *illustration,
		      double width);

/* A name that has everything that markup must not let through. */
#define HOSTILE_NAME "<b>\"&'\n\xff\x1b"
