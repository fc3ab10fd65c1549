/* SPDX-License-Identifier: BSD-2-Clause */
/* Describes the JSON of what commands say about the machine for its schema: list and doctor. */
#include "report/json/summary_fields.h"

static const char *traceable_word(uint32_t i)
{
	return i < NR_COMPONENTS ? components[i].name : transport_id_names[i - NR_COMPONENTS];
}

#define TRACEABLE .word_of = traceable_word, .cnt = NR_COMPONENTS + NR_TRANSPORT_IDS

#define ATTACH_LIMITS                                                                              \
	"{\"prefixItems\": [{\"type\": \"string\", \"enum\": [\"--unix\", \"--port\", \"-p\"]}, "  \
	"{\"type\": \"string\"}], \"items\": false, \"minItems\": 2}"

static const struct member owner_rows[] = {
	{NUMBER, .name = "pid", "a process that has it open", .least = 1},
	{TEXT, .name = "comm", "its name", "not known"},
};
static SHAPE(owner);

static const struct member channel_end_rows[] = {
	{NUMBER, .name = "inode", "its inode", "not known", .least = 1},
	{TEXT, .name = "name", "its address or path; bytes that are not UTF-8 are \\ooo",
	 "it has none"},
	{STRUCT, .name = "owner", NULL, "not known", .of = &owner_object},
	{NUMBER, .name = "owners", "how many processes have it open"},
	{NUMBER, .name = "network", "its network namespace", "none", .least = 1},
};
static SHAPE(channel_end, "One end of a connection.");

static const struct member service_end_rows[] = {
	{STRUCT, .name = "", .of = &channel_end_object},
	{WORD, .name = "transport", NAMES(transport_id_names)},
	{NUMBER, .name = "waiting", "connections that wait to be accepted", "it accepts none"},
	{TEXTS, .name = "attach", "the arguments of ipctrace attach that trace it",
	 "it cannot be traced", .limits = ATTACH_LIMITS},
	{NUMBER, .name = "open", "open connections to its name or port"},
};
static SHAPE(service_end, "An end that accepts connections or datagrams.");

static const struct member listed_connection_rows[] = {
	{WORD, .name = "transport", NAMES(transport_id_names)},
	{TEXT, .name = "name", "the name of the server's end", "neither end has one"},
	{WORD, .name = "state", WORDS("open", "half_closed", "not_accepted", "peer_gone")},
	{STRUCT, .name = "from", NULL, "not known", .of = &channel_end_object},
	{STRUCT, .name = "to", NULL, "not known", .of = &channel_end_object},
	{NUMBER, .name = "to_others", "further ends that receive from it"},
	{TEXTS, .name = "attach", "the arguments of ipctrace attach that trace it",
	 "it cannot be traced", .limits = ATTACH_LIMITS},
};
static SHAPE(listed_connection, "An open local channel.");

static const struct member missing_rows[] = {
	{NUMBER, .name = "processes", "processes whose descriptors are not visible"},
	{FLAG, .name = "outside", "processes outside of this PID namespace are not visible"},
	{NUMBER, .name = "networks", "network namespaces whose sockets are missing"},
	{NUMBER, .name = "ends", "ends beyond the limits"},
};
static SHAPE(missing);

static const struct member list_rows[] = {
	{WORD, .name = "schema", WORDS("ipctrace.list/1")},
	{TEXT, .name = "version", "of this ipctrace", NOT_NULL},
	{NUMBER, .name = "network", "the network namespace of ipctrace"},
	{TEXTS, .name = "try", "the arguments of ipctrace attach for the most connected one",
	 "there is nothing to attach to", .limits = ATTACH_LIMITS},
	{LIST, .name = "services", .of = &service_end_object},
	{LIST, .name = "connections", .of = &listed_connection_object},
	{NUMBER, .name = "elsewhere", "connections to other machines"},
	{NUMBER, .name = "idle", "ends without another end"},
	{STRUCT, .name = "missing", .of = &missing_object},
};
SHAPE(list);

#define HEALTHS WORDS("fine", "unknown", "limited", "missing")

static const struct member finding_rows[] = {
	{TEXT, .name = "subject", "what was looked at"},
	{WORD, .name = "health", HEALTHS},
	{TEXT, .name = "value", "what was found"},
	{TEXT, .name = "cost", "what that costs", "nothing"},
	{TEXT, .name = "remedy", "what to do", "nothing"},
	{TEXTS, .name = "lost", "components and transports that cannot be traced", TRACEABLE},
	{WORD, .name = "attach", HEALTHS},
	{WORD, .name = "run", HEALTHS},
};
static SHAPE(finding, "One finding, and what it is for an attach and for a run.");

static const struct member job_rows[] = {
	{FLAG, .name = "works", "it can be done here"},
	{NUMBER, .name = "limits", "how many limits it has"},
};
static SHAPE(job, "What can be done here.");

static const struct member doctor_rows[] = {
	{WORD, .name = "schema", WORDS("ipctrace.doctor/1")},
	{TEXT, .name = "version", "of this ipctrace", NOT_NULL},
	{TEXT, .name = "answer", "whether ipctrace works here, and what to do if not", NOT_NULL},
	{STRUCT, .name = "attach", .of = &job_object},
	{STRUCT, .name = "run", .of = &job_object},
	{STRUCT, .name = "host", .of = &host_members},
	{FLAG, .name = "main_job", "ipctrace --transport uds --clients 5 can run here"},
	{FLAG, .name = "components", "Whether the kernel shows a component.", COMPONENTS},
	{FLAG, .name = "transports", "Whether a transport can be traced.",
	 EACH(transport_id_names)},
	{LIST, .name = "findings", .of = &finding_object},
	{NUMBER, .name = "left_out", "findings for which there was no room"},
};
SHAPE(doctor);
