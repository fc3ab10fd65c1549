/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the words for the workload and the machine. */
#include "report/words/head.h"

#include "model/transport_names.h"
#include "report/words/labels.h"
#include "report/words/summary_words.h"

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

/* ", over uds-stream, tcp" */
static void head_add_transports(struct paragraph *line, const struct summary *summary)
{
	const char *separator = ", over ";
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

/* Part of a line, if it has room there. */
static void add_fitting(struct paragraph *line, const struct paragraph *part, int columns)
{
	if (line->length + part->length + 2 <= (size_t)columns)
		paragraph_add(line, "%s%s", line->length ? "; " : "", part->text);
}

/* When and how much is worth more than the machine, which has a line further below. */
static void add_attach(struct paragraph *line, const struct summary *summary, int columns)
{
	const struct run_info *info = &summary->info;
	struct paragraph host = {0}, cpus = {0};
	size_t length;

	tracing_words(line, summary);
	if (info->level != LEVEL_FULL)
		paragraph_add(line, "%slevel %s", line->length ? "; " : "",
			      level_names[info->level]);
	add_host(&host, &info->host, true);
	length = line->length;
	add_fitting(line, &host, columns);
	paragraph_add(&cpus, "%u CPU%s", info->host.cpus, plural(info->host.cpus));
	if (line->length == length && info->host.cpus)
		add_fitting(line, &cpus, columns);
}

void head_lines_of(struct head_lines *lines, const struct summary *summary, int columns)
{
	const struct run_info *info = &summary->info;
	struct workload_words run;

	if (info->mode == MODE_RUN) {
		fill_run_words(&info->workload, &run);
		workload_lines(lines, info, &run);
		return;
	}
	paragraph_add(&lines->title, "attached to %s", info->target);
	head_add_transports(&lines->title, summary);
	add_attach(&lines->conditions, summary, columns);
}
