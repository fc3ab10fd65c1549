/* SPDX-License-Identifier: BSD-2-Clause */
/* Names the classes of blame for reports. Blame says what kept a receiver from running. */
#include "model/blame_class.h"

const char *const blame_class_names[NR_BLAME_CLASSES] = {
	[BLAME_SERVER] = "server",   [BLAME_CLIENT] = "client",
	[BLAME_TASK] = "task",       [BLAME_KTHREAD] = "kthread",
	[BLAME_IRQ] = "irq",         [BLAME_SOFTIRQ] = "softirq",
	[BLAME_IDLE] = "idle",       [BLAME_THROTTLED] = "throttled",
	[BLAME_UNKNOWN] = "unknown", [BLAME_IPCTRACE] = "ipctrace",
	[BLAME_STEAL] = "steal",
};

const char *const blame_relation_names[NR_BLAME_RELATIONS] = {
	[RELATION_TARGET] = "target",
	[RELATION_PEER] = "peer",
	[RELATION_OTHER] = "other",
};
