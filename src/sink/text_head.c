/* SPDX-License-Identifier: BSD-2-Clause */
/* The first lines of a report: what ran, and where. */
#include "sink/text_sections.h"
#include "sink/words.h"

#include <string.h>

static void add_policy(struct paragraph *paragraph, const struct workload_spec *spec)
{
	paragraph_add(paragraph, ", %s", policy_title(spec->policy));
	if (spec->policy == POLICY_RR || spec->policy == POLICY_FIFO)
		paragraph_add(paragraph, " %d/%d", spec->server_priority, spec->client_priority);
}

static void workload_line(const struct text *text, const struct run_info *info,
			  const struct workload_words *words)
{
	const struct workload_spec *spec = &info->workload;
	char label[SPEC_TEXT_LEN + sizeof("ipctrace ")];
	char cpus[2 * SPEC_TEXT_LEN + sizeof("server=,clients=")];
	struct paragraph line = {0};

	snprintf(label, sizeof(label), "ipctrace %s", info->version);
	placement_text(spec, cpus, sizeof(cpus));
	paragraph_add(&line, "%s over %s, %s x %llu message%s of %s every %s", spec->pattern,
		      words->transport, words->clients, (unsigned long long)spec->messages,
		      plural(spec->messages), words->size, DURATION(spec->period_ns));
	add_policy(&line, spec);
	paragraph_add(&line, ", CPUs %s", cpus);
	if (!info->traced)
		paragraph_add(&line, ", untraced");
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
	char size[32];
	struct workload_words words = {spec->transport, clients, size};

	snprintf(clients, sizeof(clients), "%u client%s", spec->clients, plural(spec->clients));
	snprintf(size, sizeof(size), "%llu byte%s", (unsigned long long)spec->size,
		 plural(spec->size));
	text_head_words(text, info, &words);
}
