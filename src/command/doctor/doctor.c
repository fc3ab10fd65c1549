/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements `ipctrace doctor`, which examines the machine and writes the diagnosis. */
#include "command/commands.h"
#include "command/doctor/examine.h"
#include "command/host.h"
#include "command/output.h"
#include "util/log.h"
#include "util/rights.h"

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
		log_info("examining this machine: %s", examinations[i].name);
		examinations[i].examine("", diagnosis);
	}
}

int doctor_run(const struct doctor_options *options)
{
	struct diagnosis *diagnosis = calloc(1, sizeof(*diagnosis));
	bool fine;

	if (!diagnosis) {
		log_error("cannot examine this machine: its findings: %s", strerror(ENOMEM));
		return EXIT_FAILURE;
	}
	examine_all(diagnosis);
	rights_drop();
	fine = !output_write(&options->output, "diagnosis", diagnosis_text, diagnosis_json,
			     diagnosis) &&
	       diagnosis_main_job(diagnosis);
	free(diagnosis);
	return fine ? EXIT_SUCCESS : EXIT_FAILURE;
}
