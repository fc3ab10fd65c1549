/* SPDX-License-Identifier: BSD-2-Clause */
/* Draws the components of a message as slices inside of it. */
#pragma once

#include "model/message.h"
#include "report/perfetto/scene.h"

/*
 * Inside of the slice of a message, which is the run of events that packets__begin() has begun. In
 * the run queue there is a slice for each thread or interrupt that ran meanwhile.
 */
void components_put(struct scene *scene, uint64_t track, const struct message *message);

/* Puts the stretches of the message of which something is not known on the track `lost`. */
void components_lost(struct scene *scene, const struct message *message);
