/* SPDX-License-Identifier: BSD-2-Clause */
#include "support/serving.h"

int serving_setup(struct serving *serving)
{
	int err;

	*serving = (struct serving){.names = names__new(), .roles = roles__new()};
	err = history_init(&serving->history);
	if (!err && serving->names && serving->roles)
		serving->blame = service_blame__new(&serving->history, serving->names,
						    serving->roles, 0, NULL, NULL);
	return serving->blame ? 0 : -1;
}

void serving_teardown(struct serving *serving)
{
	service_blame__free(serving->blame);
	roles__free(serving->roles);
	names__free(serving->names);
	history_clean(&serving->history);
}
