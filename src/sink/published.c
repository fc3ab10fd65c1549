/* SPDX-License-Identifier: BSD-2-Clause */
#include "sink/published.h"

const struct published published[NR_PUBLISHED] = {
	{"Linux 2.4.3, Pentium II 350 MHz", 12, 31, 0, 60, 80, "low"},
	{"  kernel module, no IPC", 8, 12, 0, 32, 40, "low"},
	{"Linux 2.2.15, Duron 700 MHz", 5, 11, 0, 25, 35, "low"},
	{"Linux PPC, G4 350 MHz", 3, 16, 10, 25, 35, "low"},
	{"Darwin, sockets", 29, 131, 36, 175, 245, "frequent"},
	{"Mach, messages", 11, 41, 23, 60, 90, "low"},
	{"Windows 2000", 14, 17, 0, 60, 80, "medium"},
	{"Windows 98", 15, 40, 0, 55, 90, "medium"},
};
