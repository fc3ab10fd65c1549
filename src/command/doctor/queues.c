/* SPDX-License-Identifier: BSD-2-Clause */
/* Examines the limits of POSIX and System V message queues. */
#include "command/doctor/examine.h"

/* The main job needs one queue to each of 5 clients and one back. */
#define QUEUES_USUAL 10

static void add_lacking(const char *subject, enum transport_id transport, const char *remedy,
			struct diagnosis *diagnosis)
{
	struct finding *finding =
		diagnosis_add(diagnosis, HEALTH_LIMITED, subject, "not in this kernel");

	finding_cost(finding, remedy, "--transport %s cannot be used",
		     transport_id_name(transport));
	finding->transports = TRANSPORT_BIT(transport);
}

static void examine_posix(const char *root, struct diagnosis *diagnosis)
{
	static const char subject[] = "POSIX message queues";
	long long queues, bytes = 0;
	struct finding *finding;

	if (!read_number(root, "/proc/sys/fs/mqueue/queues_max", &queues)) {
		add_lacking(subject, TRANSPORT_MQUEUE, "use a kernel with CONFIG_POSIX_MQUEUE",
			    diagnosis);
		return;
	}
	read_number(root, "/proc/sys/fs/mqueue/msgsize_max", &bytes);
	finding = diagnosis_add(
		diagnosis, queues < QUEUES_USUAL ? HEALTH_LIMITED : HEALTH_FINE, subject,
		"%lld of them (fs.mqueue.queues_max), messages of up to %lld bytes", queues, bytes);
	if (queues < QUEUES_USUAL)
		finding_cost(finding, "sysctl fs.mqueue.queues_max=256",
			     "--transport mqueue has no room for more than %lld clients",
			     queues / 2);
}

static void examine_sysv(const char *root, struct diagnosis *diagnosis)
{
	static const char subject[] = "System V message queues";
	long long queues, bytes = 0;

	if (!read_number(root, "/proc/sys/kernel/msgmni", &queues)) {
		add_lacking(subject, TRANSPORT_SYSV, "use a kernel with CONFIG_SYSVIPC", diagnosis);
		return;
	}
	read_number(root, "/proc/sys/kernel/msgmax", &bytes);
	diagnosis_add(diagnosis, HEALTH_FINE, subject,
		      "%lld of them (kernel.msgmni), messages of up to %lld bytes", queues, bytes);
}

void examine_queues(const char *root, struct diagnosis *diagnosis)
{
	examine_posix(root, diagnosis);
	examine_sysv(root, diagnosis);
}
