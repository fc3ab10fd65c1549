/* SPDX-License-Identifier: BSD-2-Clause */
#include "support/serving.h"

int serving_setup(struct serving *serving)
{
	*serving = (struct serving){
		.cpus = cpu_slices__new(), .names = names__new(), .roles = roles__new()};
	if (serving->cpus && serving->names && serving->roles)
		serving->blame = service_blame__new(serving->cpus, serving->names, serving->roles,
						    NULL, NULL, 0);
	return serving->blame ? 0 : -1;
}

void serving_teardown(struct serving *serving)
{
	service_blame__free(serving->blame);
	roles__free(serving->roles);
	names__free(serving->names);
	cpu_slices__free(serving->cpus);
}
