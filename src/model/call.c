/* SPDX-License-Identifier: BSD-2-Clause */
/* Holds the words of JSON for how sure it is that an answer belongs to a request. */
#include "model/call.h"

const char *const call_match_names[NR_CALL_MATCHES] = {
	[CALL_ALONE] = "exact",
	[CALL_IN_TURN] = "fifo",
	[CALL_SEVERAL] = "open_several",
};
