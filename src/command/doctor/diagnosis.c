/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Collects findings about the machine, and derives what ipctrace can trace on the machine. Writes
 * the diagnosis as text, for `doctor -f text`. Each finding is a paragraph. The most severe
 * findings come last, because a terminal shows the end of the output.
 *
 *	fine          clock source: tsc
 *	limited       tracepoint sched_exit_tp: not there: the switch is part of receive: Linux 6.16
 *	...
 *
 *	components    dispatch, send path, wakeup; not shown: switch
 *	transports    uds, tcp; not possible: kernel
 */
#include "command/doctor/diagnosis.h"

#include "model/transport_names.h"
#include "report/text/layout.h"
#include "report/words/labels.h"
#include "util/version.h"

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

void diagnosis_add_lacking(struct diagnosis *diagnosis, const struct feature *feature,
			   const char *subject, const char *value)
{
	struct finding *finding = diagnosis_add(diagnosis, feature->without, subject, "%s", value);

	finding_cost(finding, feature->remedy, "%s", feature->cost);
	finding->components = feature->components;
	finding->transports = feature->transports;
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

static void print_head(const struct text *text, const struct host *host)
{
	struct paragraph line = {0};

	paragraph_add(&line, "Linux %s %s, %u CPU%s", host->kernel, host->arch, host->cpus,
		      plural(host->cpus));
	if (host->preemption[0])
		paragraph_add(&line, ", preemption %s", host->preemption);
	if (host->clocksource[0])
		paragraph_add(&line, ", clock %s", host->clocksource);
	paragraph_print(text, INK_BOLD, "ipctrace " IPCTRACE_VERSION, &line);
	text_newline(text);
}

static void diagnosis_text_add_part(struct paragraph *line, const char *part)
{
	if (part[0])
		paragraph_add(line, ": %s", part);
}

static void print_finding(const struct text *text, const struct finding *finding)
{
	enum ink ink = finding->health >= HEALTH_LIMITED ? INK_WARNING : INK_PLAIN;
	struct paragraph line = {0};

	paragraph_add(&line, "%s", finding->subject);
	diagnosis_text_add_part(&line, finding->value);
	diagnosis_text_add_part(&line, finding->cost);
	diagnosis_text_add_part(&line, finding->remedy);
	paragraph_print(text, ink, health_name(finding->health), &line);
}

static void print_findings(const struct text *text, const struct diagnosis *diagnosis)
{
	for (int health = 0; health < NR_HEALTHS; health++) {
		for (size_t i = 0; i < diagnosis->finding_cnt; i++) {
			if (diagnosis->finding[i].health == (enum health)health)
				print_finding(text, &diagnosis->finding[i]);
		}
	}
	text_newline(text);
}

/* "a, b; not shown: c" */
struct words {
	struct paragraph there, lacking;
};

static void words_add(struct words *words, bool there, const char *word)
{
	struct paragraph *line = there ? &words->there : &words->lacking;

	paragraph_add(line, "%s%s", line->length ? ", " : "", word);
}

static void words_print(const struct text *text, const char *label, struct words *words,
			const char *lacking)
{
	if (!words->there.length)
		paragraph_add(&words->there, "none");
	if (words->lacking.length)
		paragraph_add(&words->there, "; %s: %s", lacking, words->lacking.text);
	paragraph_print(text, INK_BOLD, label, &words->there);
}

static void print_components(const struct text *text, const struct diagnosis *diagnosis)
{
	struct words words = {0};

	for (int i = 0; i < NR_COMPONENTS; i++)
		words_add(&words, diagnosis_shows(diagnosis, i), components[i].title);
	words_print(text, "components", &words, "not shown");
}

static void print_transports(const struct text *text, const struct diagnosis *diagnosis)
{
	struct words words = {0};

	for (int i = 1; i < NR_TRANSPORT_IDS; i++)
		words_add(&words, diagnosis_carries(diagnosis, i), transport_id_name(i));
	words_print(text, "transports", &words, "not possible");
}

static void print_verdict(const struct text *text, const struct diagnosis *diagnosis)
{
	struct paragraph line = {0};

	paragraph_add(&line, "sudo ipctrace --transport uds --clients 5 %s here",
		      diagnosis_main_job(diagnosis) ? "can run" : "cannot run");
	if (diagnosis->left_out)
		paragraph_add(&line, "; %zu findings more, for which there was no room",
			      diagnosis->left_out);
	paragraph_print(text, INK_BOLD, "main job", &line);
}

int diagnosis_text(const void *ctx, const struct report_style *style)
{
	const struct diagnosis *diagnosis = ctx;
	struct text text;
	int err = text_open(&text, style);

	if (err)
		return err;
	print_head(&text, &diagnosis->host);
	print_findings(&text, diagnosis);
	print_components(&text, diagnosis);
	print_transports(&text, diagnosis);
	print_verdict(&text, diagnosis);
	return text_close(&text);
}
