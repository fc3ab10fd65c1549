/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes the diagnosis as text, for `doctor -f text`. The answer comes first, then what to do about
 * each limit, then the facts behind it.
 *
 *	ipctrace works here; 1 limit
 *
 *	attach        works, with 1 limit; sudo ipctrace list shows what to attach to
 *	run           works, with 1 limit: sudo ipctrace --transport uds --clients 5
 *
 *	limit 1       attach and run: the end of a context switch is not shown: its time is in
 *	              receive (tracepoint sched_exit_tp: not in this kernel)
 *	  to do       use Linux 6.16 or newer
 *
 *	components    9 of 10 are shown; not shown: switch
 *	machine       Linux 6.12.1 x86_64, 2 CPUs; ipctrace 0.1
 *	rights        right to trace: CAP_SYS_ADMIN; ...
 */
#include "command/doctor/diagnosis.h"

#include "model/transport_names.h"
#include "report/text/layout.h"
#include "report/words/labels.h"
#include "util/version.h"

#include <string.h>

static void print_answer(const struct text *text, const struct diagnosis *diagnosis)
{
	bool works = diagnosis_works(diagnosis, JOB_ATTACH) && diagnosis_works(diagnosis, JOB_RUN);
	struct paragraph answer = {0};

	diagnosis_answer(diagnosis, &answer);
	text_put(text, works ? INK_BOLD : INK_WARNING, answer.text);
	fputs("\n\n", text->out);
}

/* "works, with 2 limits"; false: it does not work. */
static bool job_add(const struct diagnosis *diagnosis, enum job job, struct paragraph *line)
{
	const struct finding *obstacle = diagnosis_obstacle(diagnosis, job);
	size_t limit_cnt = diagnosis_limit_cnt(diagnosis, job);

	if (obstacle) {
		paragraph_add(line, "does not work: %s", obstacle->cost);
		return false;
	}
	paragraph_add(line, "works");
	if (limit_cnt)
		paragraph_add(line, ", with %zu limit%s", limit_cnt, plural(limit_cnt));
	return true;
}

static void print_jobs(const struct text *text, const struct diagnosis *diagnosis)
{
	struct paragraph attach = {0}, run = {0};

	if (job_add(diagnosis, JOB_ATTACH, &attach))
		paragraph_add(&attach, "; sudo ipctrace list shows what to attach to");
	if (job_add(diagnosis, JOB_RUN, &run))
		paragraph_add(&run, ": sudo ipctrace --transport uds --clients 5");
	else if (!diagnosis_works(diagnosis, JOB_ATTACH))
		paragraph_add(&run, "; ipctrace --no-trace --policy other shows latencies without "
				    "their causes");
	paragraph_print(text, INK_BOLD, "attach", &attach);
	paragraph_print(text, INK_BOLD, "run", &run);
	text_newline(text);
}

/* What is one for a user: "tracepoint a, tracepoint b: not in this kernel" */
static void trouble_add_causes(const struct diagnosis *diagnosis, const struct finding *first,
			       struct paragraph *line)
{
	const struct finding *end = diagnosis->finding + diagnosis->finding_cnt;

	paragraph_add(line, " (%s", first->subject);
	for (const struct finding *same = first + 1; same < end; same++) {
		if (same->health == first->health && same->concern == first->concern &&
		    !strcmp(same->cost, first->cost) && !strcmp(same->remedy, first->remedy))
			paragraph_add(line, ", %s", same->subject);
	}
	paragraph_add(line, ": %s)", first->value);
}

static void print_trouble(const struct text *text, const struct diagnosis *diagnosis,
			  const struct finding *finding, const char *label)
{
	static const char *const jobs[] = {[CONCERN_BOTH] = "attach and run",
					   [CONCERN_ATTACH] = "attach",
					   [CONCERN_RUN] = "run",
					   [CONCERN_RUN_MORE] = "run, and parts of attach",
					   [CONCERN_NONE] = "nothing"};
	struct paragraph line = {0}, remedy = {0};

	paragraph_add(&line, "%s: %s", jobs[finding->concern], finding->cost);
	trouble_add_causes(diagnosis, finding, &line);
	paragraph_print(text, INK_WARNING, label, &line);
	paragraph_add(&remedy, "%s", finding->remedy);
	paragraph_print(text, INK_BOLD, "  to do", &remedy);
}

/* What is missing, or the limits, with numbers if there are several. */
static size_t print_troubles(const struct text *text, const struct diagnosis *diagnosis,
			     enum health health, const char *word)
{
	size_t cnt = 0;
	char label[32];

	for (size_t i = 0; i < diagnosis->finding_cnt; i++) {
		if (diagnosis->finding[i].health != health || diagnosis_is_repeated(diagnosis, i))
			continue;
		snprintf(label, sizeof(label), "%s %zu", word, ++cnt);
		print_trouble(text, diagnosis, &diagnosis->finding[i], label);
	}
	return cnt;
}

static void print_machine(const struct text *text, const struct host *host)
{
	struct paragraph line = {0};

	paragraph_add(&line, "Linux %s %s, %u CPU%s; ipctrace " IPCTRACE_VERSION, host->kernel,
		      host->arch, host->cpus, plural(host->cpus));
	paragraph_print(text, INK_BOLD, "machine", &line);
}

static bool is_fact(const struct finding *finding, const char *area)
{
	return finding->health < HEALTH_LIMITED && finding->area == area &&
	       finding->concern != CONCERN_NONE;
}

static void facts_add(const struct finding *finding, struct paragraph *line)
{
	paragraph_add(line, "%s%s: %s%s", line->length ? "; " : "", finding->subject,
		      finding->health == HEALTH_UNKNOWN ? "not known: " : "", finding->value);
}

/* Facts of an area that are not under each other stay together all the same. */
static void print_facts(const struct text *text, const struct diagnosis *diagnosis)
{
	for (size_t i = 0; i < diagnosis->finding_cnt; i++) {
		const char *area = diagnosis->finding[i].area;
		struct paragraph line = {0};
		size_t first = 0;

		while (diagnosis->finding[first].area != area)
			first++;
		for (size_t j = i; j < diagnosis->finding_cnt && first == i; j++) {
			if (is_fact(&diagnosis->finding[j], area))
				facts_add(&diagnosis->finding[j], &line);
		}
		paragraph_print(text, INK_BOLD, area ?: "other", &line);
	}
}

/* "all 10 parts are shown"; "9 of 10 parts are shown; not shown: switch" */
struct offer {
	const char *of; /* " parts" */
	int cnt, there;
	struct paragraph lacking;
};

static void offer_add(struct offer *offer, bool there, const char *word)
{
	offer->cnt++;
	offer->there += there;
	if (!there)
		paragraph_add(&offer->lacking, "%s%s", offer->lacking.length ? ", " : "", word);
}

/* Where nothing can be traced, the jobs have said so. */
static void offer_print(const struct text *text, const char *label, const struct offer *offer,
			const char *word)
{
	struct paragraph line = {0};

	if (offer->there == offer->cnt)
		paragraph_add(&line, "all %d%s are %s", offer->cnt, offer->of, word);
	else if (offer->there)
		paragraph_add(&line, "%d of %d%s are %s; not %s: %s", offer->there, offer->cnt,
			      offer->of, word, word, offer->lacking.text);
	paragraph_print(text, INK_BOLD, label, &line);
}

static void print_components(const struct text *text, const struct diagnosis *diagnosis)
{
	struct offer offer = {.of = " parts of a latency"};

	for (int i = 0; i < NR_COMPONENTS; i++)
		offer_add(&offer, diagnosis_shows(diagnosis, i), components[i].title);
	offer_print(text, "components", &offer, "shown");
}

static void print_transports(const struct text *text, const struct diagnosis *diagnosis)
{
	struct offer offer = {.of = ""};

	for (int i = 1; i < NR_TRANSPORT_IDS; i++)
		offer_add(&offer, diagnosis_carries(diagnosis, i), transport_id_name(i));
	offer_print(text, "transports", &offer, "possible");
}

static void print_left_out(const struct text *text, const struct diagnosis *diagnosis)
{
	struct paragraph line = {0};

	if (diagnosis->left_out)
		paragraph_add(&line, "%zu more findings had no room", diagnosis->left_out);
	paragraph_print(text, INK_WARNING, "left out", &line);
}

int diagnosis_text(const void *ctx, const struct report_style *style)
{
	const struct diagnosis *diagnosis = ctx;
	struct text text;
	int err = text_open(&text, style);

	if (err)
		return err;
	print_answer(&text, diagnosis);
	print_jobs(&text, diagnosis);
	if (print_troubles(&text, diagnosis, HEALTH_MISSING, "missing") +
	    print_troubles(&text, diagnosis, HEALTH_LIMITED, "limit"))
		text_newline(&text);
	print_components(&text, diagnosis);
	if (diagnosis_works(diagnosis, JOB_ATTACH) || diagnosis_works(diagnosis, JOB_RUN))
		print_transports(&text, diagnosis);
	print_machine(&text, &diagnosis->host);
	print_facts(&text, diagnosis);
	print_left_out(&text, diagnosis);
	return text_close(&text);
}
