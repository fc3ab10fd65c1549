/* SPDX-License-Identifier: BSD-2-Clause */
/* Holds results of published IPC experiments, which ipctrace can repeat. */
#include "report/published.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

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

const struct published_busy published_busy[NR_PUBLISHED] = {
	{"Linux 2.4.3, Pentium II 350 MHz", 40, 80, 111, false},
	{"  kernel module, no IPC", 25, 40, 71, false},
	{"Linux 2.2.15, Duron 700 MHz", 25, 30, 96, false},
	{"Linux PPC, G4 350 MHz", 40, 65, 90, false},
	{"Darwin, sockets", 240, 300, 639, false},
	{"Mach, messages", 50, 100, 261, false},
	{"Windows 2000", 0, 0, 8000, true},
	{"Windows 98", 80, 120, 4000, true},
};

const struct published_lipc published_lipc[NR_PUBLISHED_LIPC] = {
	{"C and C++", 115000, 25000},
	{"Python", 65000, 15000},
};

const struct published_request published_requests[NR_PUBLISHED_REQUESTS] = {
	{"C client, C server", 2},
	{"Python client, C server", 53},
	{"server runs a query in-process", 27},
	{"server forks a shell command", 900},
};

double published_colorado_ms(const char *transport, uint32_t clients, uint64_t messages)
{
	static const struct {
		const char *transport;
		uint32_t clients;
		double ms[3]; /* of 8, 64 and 128 messages */
	} table[] = {
		{"shm", 16, {0.141, 0.0953, 0.095}},   {"shm", 128, {0.597, 0.324, 0.582}},
		{"shm", 256, {1.468, 1.149, 1.653}},   {"tcp", 16, {8.57, 10.95, 17.09}},
		{"tcp", 128, {100.35, 89.66, 111.77}}, {"tcp", 256, {5.441, 4.28, 3.515}},
	};
	static const uint64_t columns[] = {8, 64, 128};

	for (size_t i = 0; i < COUNT_OF(table); i++) {
		if (clients != table[i].clients || strcmp(transport, table[i].transport))
			continue;
		for (size_t k = 0; k < COUNT_OF(columns); k++) {
			if (columns[k] == messages)
				return table[i].ms[k];
		}
	}
	return NAN;
}

double published_studio6_ms(const char *transport, uint64_t exchanges)
{
	static const struct {
		const char *transport;
		double ms;
	} table[] = {
		{"signal-std", 69.4}, {"pipe", 20.0}, {"fifo", 21.3},
		{"uds-stream", 40.2}, {"tcp", 47.1},
	};

	for (size_t i = 0; i < COUNT_OF(table) && exchanges == PUBLISHED_STUDIO6_EXCHANGES; i++) {
		if (!strcmp(transport, table[i].transport))
			return table[i].ms;
	}
	return NAN;
}

double published_ipc_bench_ns(const char *transport, uint64_t size)
{
	static const struct {
		const char *transport;
		uint64_t size;
		double ns;
	} table[] = {
		{"uds-stream", 1, 1907},   {"pipe", 1, 1634},    {"tcp", 1, 3345},
		{"uds-stream", 100, 2115}, {"udp", 100, 3326},   {"uds-stream", 1500, 2272},
		{"tcp", 1500, 3586},       {"pipe", 1500, 2062},
	};

	for (size_t i = 0; i < COUNT_OF(table); i++) {
		if (size == table[i].size && !strcmp(transport, table[i].transport))
			return table[i].ns;
	}
	return NAN;
}
