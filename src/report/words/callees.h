/* SPDX-License-Identifier: BSD-2-Clause */
/* Says which services a service calls in its own calls. */
#pragma once

#include "model/summary.h"
#include "report/words/paragraph.h"

/*
 * "to backend.sock 96 %, cache.sock 1.2 %", with shares of the service; one that has nearly all of
 * the calls' time stands alone.
 */
void callees_words(struct paragraph *line, const struct service_summary *service);
