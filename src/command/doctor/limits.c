/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Examines limits of what a run uses: the CPU share of real-time threads and autogroups, the queues
 * of unix sockets, whether there is IPv6, and message queues.
 */
#include "command/doctor/diagnosis.h"

#define SHARE     "real-time share"

#define RUNTIME   "/proc/sys/kernel/sched_rt_runtime_us"
#define PERIOD    "/proc/sys/kernel/sched_rt_period_us"
#define AUTOGROUP "/proc/sys/kernel/sched_autogroup_enabled"

/* The kernel's default is 95 %. */
#define SHARE_USUAL 0.95

static void examine_share(long long runtime_us, long long period_us, struct diagnosis *diagnosis)
{
	double share = (double)runtime_us / (double)period_us;
	enum health health = runtime_us <= 0       ? HEALTH_MISSING
			     : share < SHARE_USUAL ? HEALTH_LIMITED
						   : HEALTH_FINE;
	struct finding *finding =
		diagnosis_add(diagnosis, health, SHARE, "%.0f %% of a CPU", 100 * share);

	finding->concern = CONCERN_RUN;
	if (health != HEALTH_FINE)
		finding_cost(finding, "sysctl kernel.sched_rt_runtime_us=950000",
			     health == HEALTH_MISSING
				     ? "threads of SCHED_RR and SCHED_FIFO do not run at all"
				     : "real-time threads are throttled when they use more");
}

static void examine_autogroup(const char *root, struct diagnosis *diagnosis)
{
	long long enabled;

	if (read_number(root, AUTOGROUP, &enabled))
		diagnosis_add(diagnosis, HEALTH_FINE, "autogroups",
			      enabled ? "on, for --policy other" : "off");
}

void examine_realtime(const char *root, struct diagnosis *diagnosis)
{
	long long runtime_us, period_us;

	if (!read_number(root, RUNTIME, &runtime_us) || !read_number(root, PERIOD, &period_us) ||
	    period_us <= 0)
		diagnosis_add(diagnosis, HEALTH_UNKNOWN, SHARE, "%s cannot be read", RUNTIME);
	else if (runtime_us < 0)
		diagnosis_add(diagnosis, HEALTH_FINE, SHARE,
			      "no limit (kernel.sched_rt_runtime_us -1): a real-time thread that "
			      "never sleeps takes its CPU for good");
	else
		examine_share(runtime_us, period_us, diagnosis);
	examine_autogroup(root, diagnosis);
}

#define UNIX_QUEUE "/proc/sys/net/unix/max_dgram_qlen"

/* The value that systemd sets at boot. */
#define UNIX_QUEUE_USUAL 512

static void examine_unix(const char *root, struct diagnosis *diagnosis)
{
	long long length;
	struct finding *finding;

	if (!read_number(root, UNIX_QUEUE, &length)) {
		diagnosis_add(diagnosis, HEALTH_UNKNOWN, "unix sockets", "%s cannot be read",
			      UNIX_QUEUE);
		return;
	}
	finding = diagnosis_add(diagnosis, length < UNIX_QUEUE_USUAL ? HEALTH_LIMITED : HEALTH_FINE,
				"queue of a unix socket", "%lld messages", length);
	finding->concern = CONCERN_RUN;
	if (length < UNIX_QUEUE_USUAL)
		finding_cost(finding, "sysctl net.unix.max_dgram_qlen=512",
			     "a client that is held up for %lld ticks is left out of the run",
			     length);
}

static void examine_ipv6(const char *root, struct diagnosis *diagnosis)
{
	struct finding *finding;
	long long disabled = 0;

	if (is_there(root, "/proc/net/if_inet6") &&
	    !(read_number(root, "/proc/sys/net/ipv6/conf/lo/disable_ipv6", &disabled) && disabled))
		return;
	finding = diagnosis_add(diagnosis, HEALTH_LIMITED, "IPv6",
				disabled ? "off for the loopback device" : "not in this kernel");
	finding->concern = CONCERN_RUN;
	finding_cost(finding, "use tcp and udp", "--transport tcp6 and udp6 cannot be used");
	finding->transports = TRANSPORT_BIT(TRANSPORT_TCP6) | TRANSPORT_BIT(TRANSPORT_UDP6);
}

void examine_sockets(const char *root, struct diagnosis *diagnosis)
{
	examine_unix(root, diagnosis);
	examine_ipv6(root, diagnosis);
}

/* The main job needs one queue to each of 5 clients and one back. */
#define QUEUES_USUAL 10

static void limits_add_lacking(const char *subject, enum transport_id transport, const char *remedy,
			       struct diagnosis *diagnosis)
{
	struct finding *finding =
		diagnosis_add(diagnosis, HEALTH_LIMITED, subject, "not in this kernel");

	finding->concern = CONCERN_RUN;
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
		limits_add_lacking(subject, TRANSPORT_MQUEUE,
				   "use a kernel with CONFIG_POSIX_MQUEUE", diagnosis);
		return;
	}
	read_number(root, "/proc/sys/fs/mqueue/msgsize_max", &bytes);
	finding = diagnosis_add(diagnosis, queues < QUEUES_USUAL ? HEALTH_LIMITED : HEALTH_FINE,
				subject, "%lld of them, %lld bytes a message", queues, bytes);
	finding->concern = CONCERN_RUN;
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
		limits_add_lacking(subject, TRANSPORT_SYSV, "use a kernel with CONFIG_SYSVIPC",
				   diagnosis);
		return;
	}
	read_number(root, "/proc/sys/kernel/msgmax", &bytes);
	diagnosis_add(diagnosis, HEALTH_FINE, subject, "%lld of them, %lld bytes a message", queues,
		      bytes);
}

void examine_queues(const char *root, struct diagnosis *diagnosis)
{
	examine_posix(root, diagnosis);
	examine_sysv(root, diagnosis);
}
