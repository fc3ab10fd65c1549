/* SPDX-License-Identifier: BSD-2-Clause */
/* Empties the times of calls of a sample, so that a test can fill in its own. */
#include "support/sample.h"

#include "model/stat.h"

static void forget(struct stat *stat)
{
	stat_free(stat);
	*stat = (struct stat){0};
}

void sample_forget_calls(struct summary *summary)
{
	forget(&summary->calls.round_trip);
	forget(&summary->calls.request);
	forget(&summary->calls.service);
	forget(&summary->calls.response);
	forget(&summary->calls.response_first);
}
