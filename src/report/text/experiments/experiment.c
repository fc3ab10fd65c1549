/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints the tables of the experiment that has a given name. A new experiment needs a line here
 * and a declaration in experiments.h.
 */
#include "report/text/experiments/experiments.h"

#include <string.h>

bool text_experiment(const struct text *text, const char *name, const struct rows *rows)
{
	static const struct {
		const char *name;
		void (*print)(const struct text *text, const struct rows *rows);
	} experiments[] = {{"grame", text_grame},
			   {"lipc", text_lipc},
			   {"colorado", text_colorado},
			   {"studio6", text_studio6},
			   {"ipc-bench", text_ipc_bench}};

	for (size_t i = 0; i < sizeof(experiments) / sizeof(experiments[0]); i++) {
		if (strcmp(experiments[i].name, name))
			continue;
		experiments[i].print(text, rows);
		return true;
	}
	return false;
}
