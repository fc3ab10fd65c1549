/* SPDX-License-Identifier: BSD-2-Clause */
/* Examines the queue limit of unix sockets, and whether IPv6 is available. */
#include "command/doctor/examine.h"

#define QUEUE "/proc/sys/net/unix/max_dgram_qlen"

/* The value that systemd sets at boot. */
#define QUEUE_USUAL 512

static void examine_unix(const char *root, struct diagnosis *diagnosis)
{
	long long length;
	struct finding *finding;

	if (!read_number(root, QUEUE, &length)) {
		diagnosis_add(diagnosis, HEALTH_UNKNOWN, "unix sockets", "%s cannot be read",
			      QUEUE);
		return;
	}
	finding = diagnosis_add(diagnosis, length < QUEUE_USUAL ? HEALTH_LIMITED : HEALTH_FINE,
				"queue of a unix socket", "%lld messages (net.unix.max_dgram_qlen)",
				length);
	if (length < QUEUE_USUAL)
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
	finding_cost(finding, "use tcp and udp", "--transport tcp6 and udp6 cannot be used");
	finding->transports = TRANSPORT_BIT(TRANSPORT_TCP6) | TRANSPORT_BIT(TRANSPORT_UDP6);
}

void examine_sockets(const char *root, struct diagnosis *diagnosis)
{
	examine_unix(root, diagnosis);
	examine_ipv6(root, diagnosis);
}
