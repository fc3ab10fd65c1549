/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the words for the workload and the machine. */
#include "report/words/head.h"

#include "insight/metrics.h"
#include "model/transport_names.h"
#include "report/words/ends.h"
#include "report/words/labels.h"
#include "report/words/summary_words.h"

#include <math.h>
#include <string.h>

/* What differs from the paper's experiment. */
static void add_options(struct paragraph *line, const struct workload_spec *spec,
			const struct workload_words *words)
{
	if (words->handler[0])
		paragraph_add(line, ", handler %s", words->handler);
	if (spec->reader != READER_BLOCK)
		paragraph_add(line, ", reader %s", reader_names[spec->reader]);
	if (spec->read_size)
		paragraph_add(line, ", reads of %llu byte%s", (unsigned long long)spec->read_size,
			      plural(spec->read_size));
}

static void add_workload(struct paragraph *line, const struct run_info *info,
			 const struct workload_words *words)
{
	const struct workload_spec *spec = &info->workload;

	if (info->experiment[0])
		paragraph_add(line, "experiment %s: ", info->experiment);
	paragraph_add(line, "%s over %s, %s%s x %s of %s", words->pattern, words->transport,
		      words->clients, spec->threads ? " (threads)" : "", words->messages,
		      words->size);
	if (spec->period_ns)
		paragraph_add(line, " every %s", DURATION(spec->period_ns));
}

/*
 * How the workload ran: what the first line of the first screen has no room for. `is_short` leaves
 * out the default CPUs.
 */
static void add_conditions(struct paragraph *line, const struct run_info *info,
			   const struct workload_words *words, bool is_short)
{
	const struct workload_spec *spec = &info->workload;
	char cpus[2 * SPEC_TEXT_LEN + sizeof("server=,clients=")];

	add_options(line, spec, words);
	if (words->load[0])
		paragraph_add(line, ", load %s", words->load);
	if (!info->traced)
		paragraph_add(line, ", untraced");
	else if (info->level != LEVEL_FULL)
		paragraph_add(line, ", level %s", level_names[info->level]);
	paragraph_add(line, ", %s", sched_policy_titles[spec->sched_policy]);
	if (spec->sched_policy == POLICY_RR || spec->sched_policy == POLICY_FIFO)
		paragraph_add(line, " server %d, clients %d", spec->server_priority,
			      spec->client_priority);
	cpu_affinity_text(spec, cpus, sizeof(cpus));
	if (!is_short || spec->cpu_affinity != CPUS_FREE)
		paragraph_add(line, ", CPUs %s", cpus);
	if (words->most_runs > 1)
		paragraph_add(line, ", %s%u runs each%s",
			      words->least_runs < words->most_runs ? "up to " : "",
			      words->most_runs,
			      words->most_runs > 2 ? ", the lowest and the highest dropped" : "");
}

void workload_title(struct paragraph *line, const struct run_info *info,
		    const struct workload_words *words)
{
	add_workload(line, info, words);
	add_conditions(line, info, words, false);
}

void target_words(struct paragraph *line, const struct run_info *info)
{
	paragraph_add(line, "%s", info->target);
	if (info->peer[0])
		paragraph_add(line, "; only messages with the peer %s", info->peer);
}

static void add_machine(struct paragraph *paragraph, const char *machine)
{
	if (!strcmp(machine, "no"))
		paragraph_add(paragraph, ", real hardware");
	else if (!strcmp(machine, "yes"))
		paragraph_add(paragraph, ", virtual machine");
	else if (machine[0])
		paragraph_add(paragraph, ", virtual machine (%s)", machine);
}

/* In short, the kernel's preemption is worth its room only if there is some. */
static void add_host(struct paragraph *line, const struct host *host, bool is_short)
{
	bool has_preemption = host->preemption[0] && strcmp(host->preemption, "none") != 0;

	paragraph_add(line, "Linux %s", host->kernel[0] ? host->kernel : "(version unknown)");
	if (host->arch[0] && !is_short)
		paragraph_add(line, " %s", host->arch);
	if (host->cpus)
		paragraph_add(line, ", %u CPU%s", host->cpus, plural(host->cpus));
	if (is_short ? has_preemption : host->preemption[0])
		paragraph_add(line, ", preemption %s", host->preemption);
	if (host->clocksource[0] && !is_short)
		paragraph_add(line, ", clock %s", host->clocksource);
	add_machine(line, host->virtual_machine);
}

void host_words(struct paragraph *line, const struct host *host)
{
	add_host(line, host, false);
}

static void fill_run_words(const struct workload_spec *spec, struct workload_words *run)
{
	*run = (struct workload_words){.pattern = spec->pattern,
				       .transport = spec->transport,
				       .handler = spec->handler,
				       .load = spec->load};
	snprintf(run->clients, sizeof(run->clients), "%u client%s", spec->clients,
		 plural(spec->clients));
	snprintf(run->messages, sizeof(run->messages), "%llu message%s",
		 (unsigned long long)spec->messages, plural(spec->messages));
	snprintf(run->size, sizeof(run->size), "%llu byte%s", (unsigned long long)spec->size,
		 plural(spec->size));
}

void head_title(struct paragraph *line, const struct run_info *info)
{
	struct workload_words run;

	if (info->mode == MODE_ATTACH) {
		paragraph_add(line, "attached to ");
		target_words(line, info);
		return;
	}
	fill_run_words(&info->workload, &run);
	workload_title(line, info, &run);
}

void workload_lines(struct head_lines *lines, const struct run_info *info,
		    const struct workload_words *words)
{
	struct paragraph conditions = {0};

	add_workload(&lines->title, info, words);
	add_host(&lines->conditions, &info->host, true);
	add_conditions(&conditions, info, words, true);
	/* They begin with ", ". */
	paragraph_add(&lines->conditions, ";%s", conditions.text + 1);
}

/* ", uds-stream, tcp" */
static void head_add_transports(struct paragraph *line, const struct summary *summary)
{
	const char *separator = ", ";
	uint32_t added = 0; /* 1u << enum transport_id */

	for (uint32_t i = 0; i < summary->channel_cnt; i++) {
		const struct channel_summary *channel = &summary->channel[i];

		if (channel->folded || channel->transport >= 32 ||
		    added & 1u << channel->transport || !transport_id_name(channel->transport))
			continue;
		added |= 1u << channel->transport;
		paragraph_add(line, "%s%s", separator, transport_id_name(channel->transport));
		separator = ", ";
	}
}

/* If it is known. */
static void add_traced_time(struct paragraph *line, const char *before,
			    const struct summary *summary)
{
	double ns = (double)traced_ns(summary);

	if (ns >= 1e9)
		paragraph_add(line, "%s%.1f s", before, ns / 1e9);
	else if (ns > 0)
		paragraph_add(line, "%s%.0f ms", before, ns / 1e6);
}

/* "384 calls/s for 10.0 s"; "20 messages in 1.0 s" if it is not known for how long it traced */
static void add_pace(struct paragraph *line, const struct summary *summary)
{
	uint64_t calls = calls_seen(&summary->calls);
	double rate = calls ? calls_per_second(summary) : sends_per_second(summary);
	const char *units = calls ? "calls" : "messages";

	if (!summary->integrity.sent)
		paragraph_add(line, ": no message");
	else if (isfinite(rate))
		paragraph_add(line, ": %.*f %s/s", rate < 10 ? 1 : 0, rate, units);
	else
		paragraph_add(line, ": %llu %s in %.1f s",
			      (unsigned long long)(calls ?: summary->integrity.sent), units,
			      summary->duration_s);
	add_traced_time(line, summary->integrity.sent ? " for " : " in ", summary);
}

/* Whose calls are shown, of how many. */
static void add_focus(struct paragraph *line, const struct focus *focus, const struct summary *all)
{
	const struct service_summary *service = &focus->service;
	uint64_t calls = service->count + service->open_several;
	char server[END_WORDS_LEN];

	service_words(&focus->summary, server);
	paragraph_add(line, "%s", server);
	if (service->name[0] && strcmp(service->name, "(unnamed)") != 0)
		paragraph_add(line, " on %s", service->name);
	paragraph_add(line, ": %llu of %llu calls", (unsigned long long)calls,
		      (unsigned long long)calls_seen(&all->calls));
	add_traced_time(line, " in ", all);
}

static void add_attach(struct paragraph *line, const struct focus *focus, const struct summary *all)
{
	if (focus->is_one_of_several) {
		add_focus(line, focus, all);
		return;
	}
	paragraph_add(line, "%s", all->info.target);
	head_add_transports(line, all);
	add_pace(line, all);
}

static void attach_conditions(struct paragraph *line, const struct run_info *info)
{
	if (info->host.cpus)
		paragraph_add(line, "%u CPU%s", info->host.cpus, plural(info->host.cpus));
	if (info->level != LEVEL_FULL)
		paragraph_add(line, "%stracing level %s", line->length ? ", " : "",
			      level_names[info->level]);
}

void head_lines_of(struct head_lines *lines, const struct focus *focus, const struct summary *all)
{
	struct workload_words run;

	if (all->info.mode == MODE_RUN) {
		fill_run_words(&all->info.workload, &run);
		workload_lines(lines, &all->info, &run);
		return;
	}
	add_attach(&lines->title, focus, all);
	attach_conditions(&lines->conditions, &all->info);
}
