/* SPDX-License-Identifier: BSD-2-Clause */
/* Says which capabilities are missing to see the descriptors of other users' processes. */
#include "command/sight.h"

#include "util/rights.h"

#include <linux/capability.h>
#include <stdbool.h>
#include <stddef.h>

#define BIT(capability) (1ULL << (capability))

static bool may_trace(uint64_t capabilities)
{
	return capabilities & BIT(CAP_SYS_PTRACE);
}

static bool may_open(uint64_t capabilities)
{
	return capabilities & (BIT(CAP_DAC_READ_SEARCH) | BIT(CAP_DAC_OVERRIDE));
}

const char *sight_lacks(uint64_t capabilities)
{
	if (may_trace(capabilities))
		return may_open(capabilities) ? NULL : "CAP_DAC_READ_SEARCH";
	return may_open(capabilities) ? "CAP_SYS_PTRACE" : "CAP_SYS_PTRACE and CAP_DAC_READ_SEARCH";
}

const char *sight_missing(void)
{
	return sight_lacks(rights_effective());
}

const char *sight_remedy(void)
{
	uint64_t capabilities = rights_effective();

	if (may_trace(capabilities) && may_open(capabilities))
		return "this machine forbids it, even to root";
	if (may_trace(capabilities))
		return "run it with sudo, or with CAP_DAC_READ_SEARCH";
	return may_open(capabilities) ? "run it with sudo, or with CAP_SYS_PTRACE"
				      : "run it with sudo, or with CAP_SYS_PTRACE and "
					"CAP_DAC_READ_SEARCH";
}
