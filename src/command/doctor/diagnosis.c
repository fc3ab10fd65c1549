/* SPDX-License-Identifier: BSD-2-Clause */
/* Collects findings about the machine, and derives what ipctrace can trace on the machine. */
#include "command/doctor/diagnosis.h"

#include <stdarg.h>

struct finding *diagnosis_add(struct diagnosis *diagnosis, enum health health, const char *subject,
			      const char *value, ...)
{
	struct finding *finding = &diagnosis->finding[FINDINGS_MAX - 1];
	va_list args;

	if (diagnosis->finding_cnt < FINDINGS_MAX)
		finding = &diagnosis->finding[diagnosis->finding_cnt++];
	else
		diagnosis->left_out++;
	*finding = (struct finding){.health = health};
	snprintf(finding->subject, sizeof(finding->subject), "%s", subject);
	va_start(args, value);
	vsnprintf(finding->value, sizeof(finding->value), value, args);
	va_end(args);
	return finding;
}

void finding_cost(struct finding *finding, const char *remedy, const char *cost, ...)
{
	va_list args;

	snprintf(finding->remedy, sizeof(finding->remedy), "%s", remedy);
	va_start(args, cost);
	vsnprintf(finding->cost, sizeof(finding->cost), cost, args);
	va_end(args);
}

bool diagnosis_main_job(const struct diagnosis *diagnosis)
{
	for (size_t i = 0; i < diagnosis->finding_cnt; i++) {
		if (diagnosis->finding[i].health == HEALTH_MISSING)
			return false;
	}
	return true;
}

bool diagnosis_shows(const struct diagnosis *diagnosis, enum component component)
{
	for (size_t i = 0; i < diagnosis->finding_cnt; i++) {
		if (diagnosis->finding[i].components & COMPONENT_BIT(component))
			return false;
	}
	return true;
}

bool diagnosis_carries(const struct diagnosis *diagnosis, enum transport_id transport)
{
	for (size_t i = 0; i < diagnosis->finding_cnt; i++) {
		if (diagnosis->finding[i].transports & TRANSPORT_BIT(transport))
			return false;
	}
	return true;
}

const char *health_name(enum health health)
{
	static const char *const names[NR_HEALTHS] = {
		[HEALTH_FINE] = "fine",
		[HEALTH_UNKNOWN] = "unknown",
		[HEALTH_LIMITED] = "limited",
		[HEALTH_MISSING] = "missing",
	};

	return (unsigned int)health < NR_HEALTHS ? names[health] : "?";
}
