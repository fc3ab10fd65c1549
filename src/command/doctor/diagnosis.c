/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Collects findings about the machine, and derives what they mean: which jobs can be done here, how
 * limited they are, and what ipctrace can trace. diagnosis_text.c and diagnosis_json.c show it.
 */
#include "command/doctor/diagnosis.h"

#include <stdarg.h>
#include <string.h>

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

void diagnosis_add_lacking(struct diagnosis *diagnosis, const struct feature *feature,
			   const char *subject, const char *value)
{
	struct finding *finding = diagnosis_add(diagnosis, feature->without, subject, "%s", value);

	finding_cost(finding, feature->remedy, "%s", feature->cost);
	finding->components = feature->components;
	finding->transports = feature->transports;
	finding->concern = feature->concern;
}

enum health finding_health(const struct finding *finding, enum job job)
{
	static const enum concern other[NR_JOBS] = {
		[JOB_ATTACH] = CONCERN_RUN, [JOB_RUN] = CONCERN_ATTACH};

	if (finding->concern == other[job] || finding->concern == CONCERN_NONE)
		return HEALTH_FINE;
	if (finding->concern == CONCERN_RUN_MORE && job == JOB_ATTACH &&
	    finding->health == HEALTH_MISSING)
		return HEALTH_LIMITED;
	return finding->health;
}

const struct finding *diagnosis_obstacle(const struct diagnosis *diagnosis, enum job job)
{
	for (size_t i = 0; i < diagnosis->finding_cnt; i++) {
		if (finding_health(&diagnosis->finding[i], job) == HEALTH_MISSING)
			return &diagnosis->finding[i];
	}
	return NULL;
}

bool diagnosis_works(const struct diagnosis *diagnosis, enum job job)
{
	return !diagnosis_obstacle(diagnosis, job);
}

bool diagnosis_is_repeated(const struct diagnosis *diagnosis, size_t i)
{
	const struct finding *finding = &diagnosis->finding[i], *earlier;

	for (size_t j = 0; j < i; j++) {
		earlier = &diagnosis->finding[j];
		if (earlier->health == finding->health && earlier->concern == finding->concern &&
		    !strcmp(earlier->cost, finding->cost) &&
		    !strcmp(earlier->remedy, finding->remedy))
			return true;
	}
	return false;
}

size_t diagnosis_limit_cnt(const struct diagnosis *diagnosis, enum job job)
{
	size_t cnt = 0;

	for (size_t i = 0; i < diagnosis->finding_cnt; i++) {
		const struct finding *finding = &diagnosis->finding[i];
		enum health health =
			job == NR_JOBS ? finding->health : finding_health(finding, job);

		cnt += health == HEALTH_LIMITED && !diagnosis_is_repeated(diagnosis, i);
	}
	return cnt;
}

static void answer_no(const struct diagnosis *diagnosis, enum job job, struct paragraph *answer)
{
	static const char *const jobs[NR_JOBS] = {
		[JOB_ATTACH] = "ipctrace attach", [JOB_RUN] = "ipctrace run"};
	const struct finding *obstacle = diagnosis_obstacle(diagnosis, job);
	enum job other = job == JOB_RUN ? JOB_ATTACH : JOB_RUN;

	if (diagnosis_works(diagnosis, other))
		paragraph_add(answer, "%s works here, %s does not", jobs[other], jobs[job]);
	else
		paragraph_add(answer, "ipctrace does not work here");
	paragraph_add(answer, ": %s: %s", obstacle->subject, obstacle->value);
	if (obstacle->remedy[0])
		paragraph_add(answer, ": %s", obstacle->remedy);
}

void diagnosis_answer(const struct diagnosis *diagnosis, struct paragraph *answer)
{
	size_t limit_cnt = diagnosis_limit_cnt(diagnosis, NR_JOBS);

	for (int job = 0; job < NR_JOBS; job++) {
		if (!diagnosis_works(diagnosis, job)) {
			answer_no(diagnosis, job, answer);
			return;
		}
	}
	paragraph_add(answer, "ipctrace works here");
	if (limit_cnt)
		paragraph_add(answer, "; %zu limit%s", limit_cnt, plural(limit_cnt));
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
	static const char *const health_names[NR_HEALTHS] = {
		[HEALTH_FINE] = "fine",
		[HEALTH_UNKNOWN] = "unknown",
		[HEALTH_LIMITED] = "limited",
		[HEALTH_MISSING] = "missing",
	};

	return (unsigned int)health < NR_HEALTHS ? health_names[health] : "?";
}
