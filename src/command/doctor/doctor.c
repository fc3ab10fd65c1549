/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs all examinations and writes the diagnosis. */
#include "command/doctor/doctor.h"

#include "cli/options.h"
#include "cli/terminal.h"
#include "command/doctor/examine.h"
#include "command/host.h"
#include "command/output.h"
#include "report/format.h"
#include "util/log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* In the order of the output. */
static const struct examination {
	const char *name;
	examine_fn *examine;
} examinations[] = {
	{"capabilities", examine_capabilities}, {"PID namespace", examine_pid_namespace},
	{"lockdown", examine_lockdown},         {"kernel configuration", examine_configuration},
	{"tracepoints", examine_tracepoints},   {"BPF limits", examine_bpf_limits},
	{"tracefs", examine_tracefs},           {"preemption", examine_preemption},
	{"real-time limits", examine_realtime}, {"clock", examine_clock},
	{"sockets", examine_sockets},           {"queues", examine_queues},
};

static void examine_all(struct diagnosis *diagnosis)
{
	host_describe(&diagnosis->host);
	for (size_t i = 0; i < sizeof(examinations) / sizeof(examinations[0]); i++) {
		log_info("doctor: examining %s", examinations[i].name);
		examinations[i].examine("", diagnosis);
	}
}

struct showing {
	const struct diagnosis *diagnosis;
	const struct output_options *output;
};

static int write_diagnosis(const void *ctx, FILE *out)
{
	const struct showing *showing = ctx;
	const struct output_options *output = showing->output;
	struct diagnosis_view view = {
		.diagnosis = showing->diagnosis,
		.out = out,
		.columns = terminal_columns(out),
		.color = terminal_color(output->color, out),
	};

	return strcmp(output->format->name, "json") ? diagnosis_text(&view) : diagnosis_json(&view);
}

static int show(const struct diagnosis *diagnosis, const struct output_options *output)
{
	const struct showing showing = {.diagnosis = diagnosis, .output = output};

	return output_write(output->path, "diagnosis", write_diagnosis, &showing);
}

int doctor_run(const struct doctor_options *options)
{
	struct diagnosis *diagnosis = calloc(1, sizeof(*diagnosis));
	bool fine;

	if (!diagnosis) {
		log_error("doctor: cannot examine this machine: %s", strerror(ENOMEM));
		return EXIT_FAILURE;
	}
	examine_all(diagnosis);
	fine = !show(diagnosis, &options->output) && diagnosis_main_job(diagnosis);
	free(diagnosis);
	return fine ? EXIT_SUCCESS : EXIT_FAILURE;
}
