/* SPDX-License-Identifier: BSD-2-Clause */
/* --level: which levels there are, and which transports the level `light` cannot trace. */
#include "cli/level.h"

#include "tracer/programs.h"
#include "transport/transports.h"
#include "util/log.h"

#include <errno.h>
#include <string.h>

int level_parse(const char *arg, enum level *level)
{
	for (int i = 0; i < NR_LEVELS; i++) {
		if (strcmp(arg, level_name(i)))
			continue;
		*level = i;
		return 0;
	}
	log_error("--level: unknown level '%s': use full or light", arg);
	return EINVAL;
}

/*
 * The reason why messages of this transport cannot be traced without syscall probes. NULL: they
 * can.
 */
static const char *why_not_light(const struct transport_ops *transport)
{
	uint32_t bit = 1u << transport->id;

	if (bit & TRANSPORTS_LIGHT)
		return NULL;
	if (bit & TRANSPORTS_UDP)
		return "only the start of the syscall shows which datagram belongs to which call";
	if (transport->notes_handover)
		return "the workload itself records its messages, and no socket event does";
	return "only syscalls show its messages";
}

int level_check(enum level level, const struct run_matrix *matrix)
{
	for (size_t i = 0; level == LEVEL_LIGHT && i < matrix->cnt; i++) {
		const struct transport_ops *transport = transport_find(matrix->spec[i].transport);
		const char *why = transport ? why_not_light(transport) : NULL;

		if (!why)
			continue;
		log_error("--level light: %s: %s: use --level full, or uds, uds-stream, "
			  "uds-seqpacket or tcp",
			  transport->name, why);
		return EINVAL;
	}
	return 0;
}
