/* SPDX-License-Identifier: BSD-2-Clause */
/* Examines the limits of message queues. */
#include "command/doctor/examine.h"

/* The main job needs one queue to each of 5 clients and one back. */
#define QUEUES_USUAL 10

static void examine_posix(const char *root, struct diagnosis *diagnosis)
{
	long long queues, bytes = 0;
	struct finding *finding;

	if (!read_number(root, "/proc/sys/fs/mqueue/queues_max", &queues)) {
		finding = diagnosis_add(diagnosis, HEALTH_LIMITED, "POSIX message queues");
		finding_value(finding, "not in this kernel");
		finding_cost(finding, "--transport mqueue cannot be used");
		finding_remedy(finding, "use a kernel with CONFIG_POSIX_MQUEUE");
		finding->transports = TRANSPORT_BIT(TRANSPORT_MQUEUE);
		return;
	}
	read_number(root, "/proc/sys/fs/mqueue/msgsize_max", &bytes);
	finding = diagnosis_add(diagnosis, queues < QUEUES_USUAL ? HEALTH_LIMITED : HEALTH_FINE,
				"POSIX message queues");
	finding_value(finding, "%lld of them (fs.mqueue.queues_max), messages of up to %lld bytes",
		      queues, bytes);
	if (queues >= QUEUES_USUAL)
		return;
	finding_cost(finding, "--transport mqueue has no room for more than %lld clients",
		     queues / 2);
	finding_remedy(finding, "sysctl fs.mqueue.queues_max=256");
}

static void examine_sysv(const char *root, struct diagnosis *diagnosis)
{
	long long queues, bytes = 0;
	struct finding *finding;

	if (!read_number(root, "/proc/sys/kernel/msgmni", &queues)) {
		finding = diagnosis_add(diagnosis, HEALTH_LIMITED, "System V message queues");
		finding_value(finding, "not in this kernel");
		finding_cost(finding, "--transport sysv cannot be used");
		finding_remedy(finding, "use a kernel with CONFIG_SYSVIPC");
		finding->transports = TRANSPORT_BIT(TRANSPORT_SYSV);
		return;
	}
	read_number(root, "/proc/sys/kernel/msgmax", &bytes);
	finding_value(diagnosis_add(diagnosis, HEALTH_FINE, "System V message queues"),
		      "%lld of them (kernel.msgmni), messages of up to %lld bytes", queues, bytes);
}

void examine_queues(const char *root, struct diagnosis *diagnosis)
{
	examine_posix(root, diagnosis);
	examine_sysv(root, diagnosis);
}
