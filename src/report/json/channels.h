/* SPDX-License-Identifier: BSD-2-Clause */
/* The JSON array "channels" of an attach. */
#ifndef IPCTRACE_REPORT_JSON_CHANNELS_H
#define IPCTRACE_REPORT_JSON_CHANNELS_H

#include "model/summary.h"

#include <jansson.h>

/* The array "channels", which is empty for a run: a new reference, or NULL without memory. */
json_t *channels_json(const struct summary *summary);

#endif
