/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints the first lines of the text report, which describe the workload and the machine. */
#include "report/labels.h"
#include "report/text/sections.h"

#include <string.h>

static void add_policy(struct paragraph *paragraph, const struct workload_spec *spec)
{
	paragraph_add(paragraph, ", %s", sched_policy_titles[spec->sched_policy]);
	if (spec->sched_policy == POLICY_RR || spec->sched_policy == POLICY_FIFO)
		paragraph_add(paragraph, " %d/%d", spec->server_priority, spec->client_priority);
}

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

static void workload_line(const struct text *text, const struct run_info *info,
			  const struct workload_words *words)
{
	const struct workload_spec *spec = &info->workload;
	char label[SPEC_TEXT_LEN + sizeof("ipctrace ")];
	char cpus[2 * SPEC_TEXT_LEN + sizeof("server=,clients=")];
	struct paragraph line = {0};

	snprintf(label, sizeof(label), "ipctrace %s", info->version);
	cpu_affinity_text(spec, cpus, sizeof(cpus));
	if (info->experiment[0])
		paragraph_add(&line, "experiment %s: ", info->experiment);
	paragraph_add(&line, "%s over %s, %s%s x %s of %s", words->pattern, words->transport,
		      words->clients, spec->threads ? " (threads)" : "", words->messages,
		      words->size);
	if (spec->period_ns)
		paragraph_add(&line, " every %s", DURATION(spec->period_ns));
	add_options(&line, spec, words);
	add_policy(&line, spec);
	paragraph_add(&line, ", CPUs %s", cpus);
	if (words->load[0])
		paragraph_add(&line, ", load %s", words->load);
	if (!info->traced)
		paragraph_add(&line, ", untraced");
	if (words->most_runs > 1)
		paragraph_add(&line, ", %s%u runs each%s",
			      words->least_runs < words->most_runs ? "up to " : "",
			      words->most_runs,
			      words->most_runs > 2 ? ", the lowest and the highest dropped" : "");
	paragraph_print(text, INK_BOLD, label, &line);
}

static void attach_line(const struct text *text, const struct run_info *info)
{
	char label[SPEC_TEXT_LEN + sizeof("ipctrace ")];
	struct paragraph line = {0};

	snprintf(label, sizeof(label), "ipctrace %s", info->version);
	paragraph_add(&line, "attached to %s", info->target);
	paragraph_print(text, INK_BOLD, label, &line);
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

static void host_line(const struct text *text, const struct host *host)
{
	struct paragraph line = {0};

	paragraph_add(&line, "Linux %s", host->kernel[0] ? host->kernel : "(version unknown)");
	if (host->arch[0])
		paragraph_add(&line, " %s", host->arch);
	if (host->cpus)
		paragraph_add(&line, ", %u CPU%s", host->cpus, plural(host->cpus));
	if (host->preemption[0])
		paragraph_add(&line, ", preemption %s", host->preemption);
	if (host->clocksource[0])
		paragraph_add(&line, ", clock %s", host->clocksource);
	add_machine(&line, host->virtual_machine);
	paragraph_print(text, INK_BOLD, "host", &line);
}

void text_head_words(const struct text *text, const struct run_info *info,
		     const struct workload_words *words)
{
	workload_line(text, info, words);
	host_line(text, &info->host);
}

void text_head(const struct text *text, const struct run_info *info)
{
	const struct workload_spec *spec = &info->workload;
	char clients[32];
	char messages[48];
	char size[32];
	struct workload_words words = {.pattern = spec->pattern,
				       .transport = spec->transport,
				       .clients = clients,
				       .messages = messages,
				       .size = size,
				       .handler = spec->handler,
				       .load = spec->load};

	if (info->mode == MODE_ATTACH) {
		attach_line(text, info);
		host_line(text, &info->host);
		return;
	}
	snprintf(clients, sizeof(clients), "%u client%s", spec->clients, plural(spec->clients));
	snprintf(messages, sizeof(messages), "%llu message%s", (unsigned long long)spec->messages,
		 plural(spec->messages));
	snprintf(size, sizeof(size), "%llu byte%s", (unsigned long long)spec->size,
		 plural(spec->size));
	text_head_words(text, info, &words);
}
