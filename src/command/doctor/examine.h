/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The examinations: each looks at one thing, and adds what it finds to the diagnosis. `root` stands
 * before every path: "" on this machine, a folder with files made by hand in tests.
 */
#ifndef IPCTRACE_COMMAND_DOCTOR_EXAMINE_H
#define IPCTRACE_COMMAND_DOCTOR_EXAMINE_H

#include "command/doctor/diagnosis.h"

typedef void examine_fn(const char *root, struct diagnosis *diagnosis);

examine_fn examine_capabilities;
examine_fn examine_pid_namespace;
examine_fn examine_lockdown;
examine_fn examine_tracepoints;
examine_fn examine_configuration;
examine_fn examine_preemption;
examine_fn examine_realtime;
examine_fn examine_clock;
examine_fn examine_bpf_limits;
examine_fn examine_tracefs;
examine_fn examine_sockets;
examine_fn examine_queues;

/* What all of a kind need, in one place for the examinations. */
#define TRANSPORTS_QUEUES (TRANSPORT_BIT(TRANSPORT_MQUEUE) | TRANSPORT_BIT(TRANSPORT_SYSV))
#define TRANSPORTS_UNIX                                                                            \
	(TRANSPORT_BIT(TRANSPORT_UDS) | TRANSPORT_BIT(TRANSPORT_UDS_STREAM) |                      \
	 TRANSPORT_BIT(TRANSPORT_UDS_SEQPACKET))
#define TRANSPORTS_SOCKETS                                                                         \
	(TRANSPORTS_UNIX | TRANSPORT_BIT(TRANSPORT_TCP) | TRANSPORT_BIT(TRANSPORT_TCP6) |          \
	 TRANSPORT_BIT(TRANSPORT_UDP) | TRANSPORT_BIT(TRANSPORT_UDP6))

/* All that a machine shows when nothing can be traced. */
#define COMPONENTS_ALL (COMPONENT_BIT(NR_COMPONENTS) - 1)

#define LINE_LEN       512

/* The first line of a file, without its end. False: no such file, or it is empty. */
bool read_line(const char *root, const char *path, char line[LINE_LEN]);

/* The number that a file begins with. False: there is none. */
bool read_number(const char *root, const char *path, long long *number);

/* The rest of a file's line behind these first words, blanks skipped. False: there is no such line.
 */
bool read_field(const char *root, const char *path, const char *words, char rest[LINE_LEN]);

/* Whether there is such a file or folder. */
bool is_there(const char *root, const char *path);

#endif
