/* SPDX-License-Identifier: BSD-2-Clause */
/* Says which capabilities are missing to see the descriptors of other users' processes. */
#include "command/sight.h"

#include "util/rights.h"

#include <linux/capability.h>
#include <stdbool.h>
#include <stdio.h>

#define BIT(capability) (1ULL << (capability))

const char *sight_lacks(uint64_t capabilities)
{
	bool may_open = capabilities & (BIT(CAP_DAC_READ_SEARCH) | BIT(CAP_DAC_OVERRIDE));

	if (capabilities & BIT(CAP_SYS_PTRACE))
		return may_open ? NULL : "CAP_DAC_READ_SEARCH";
	return may_open ? "CAP_SYS_PTRACE" : "CAP_SYS_PTRACE and CAP_DAC_READ_SEARCH";
}

const char *sight_missing(void)
{
	return sight_lacks(rights_effective());
}

const char *sight_remedy(void)
{
	static char remedy[80];
	const char *lacks = sight_missing();

	if (!lacks)
		return "this machine forbids it, even to root";
	snprintf(remedy, sizeof(remedy), "run it with sudo, or with %s", lacks);
	return remedy;
}
