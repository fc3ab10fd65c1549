/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Defines the diagnosis, which holds findings about a machine. Also declares functions that derive
 * what ipctrace can trace on the machine. The functions named examine_… add the findings; all
 * others read nothing from the machine.
 */
#pragma once

#include "bpf/record.h"
#include "model/component.h"
#include "model/spec.h"
#include "model/transport_names.h"
#include "report/format.h"
#include "report/words/paragraph.h"
#include "util/read_file.h"

#include <stdbool.h>
#include <stddef.h>

#define FINDINGS_MAX 64
#define FINDING_LEN  192

/* Sorted by severity. */
enum health {
	HEALTH_FINE,
	HEALTH_UNKNOWN, /* could not be determined */
	HEALTH_LIMITED, /* something cannot be shown or used */
	HEALTH_MISSING, /* a job cannot be done */
	NR_HEALTHS
};

/* What ipctrace does. The main job is `ipctrace --transport uds --clients 5`, a run. */
enum job { JOB_ATTACH, JOB_RUN, NR_JOBS };

/* The jobs that a finding is about. */
enum concern {
	CONCERN_BOTH,
	CONCERN_ATTACH,
	CONCERN_RUN,
	CONCERN_RUN_MORE, /* what a run cannot do without only limits an attach */
	CONCERN_NONE,     /* often taken for a reason, and is none: the text leaves it out */
};

#define COMPONENT_BIT(id) (1u << (id))

/* One finding. Texts have no full stop; "": nothing to say. */
struct finding {
	enum health health; /* of the job that it hurts most */
	enum concern concern;
	const char *area; /* what it belongs to: "rights". NULL: nothing */
	char subject[FINDING_LEN];
	char value[FINDING_LEN];
	char cost[FINDING_LEN];
	char remedy[FINDING_LEN];
	uint32_t components; /* 1 << enum component that cannot be shown */
	uint32_t transports; /* 1 << enum transport_id that cannot be used or traced */
};

/* Zeros: a machine without findings. */
struct diagnosis {
	struct host host;
	size_t finding_cnt;
	struct finding finding[FINDINGS_MAX];
	size_t left_out; /* findings beyond FINDINGS_MAX */
};

/*
 * Adds a finding; its value is like printf(). Never NULL: beyond FINDINGS_MAX it overwrites the
 * last one, which `left_out` counts. Text that does not fit is cut off.
 */
__attribute__((format(printf, 4, 5))) struct finding *diagnosis_add(struct diagnosis *diagnosis,
								    enum health health,
								    const char *subject,
								    const char *value, ...);

/* Something that a kernel may lack, and what is lost without it. */
struct feature {
	const char *name;
	enum health without;
	const char *cost;
	const char *remedy;
	uint32_t components; /* as in struct finding */
	uint32_t transports;
	enum concern concern;
};

/* Adds that the kernel lacks the feature. */
void diagnosis_add_lacking(struct diagnosis *diagnosis, const struct feature *feature,
			   const char *subject, const char *value);

/* Sets the remedy, and the cost like printf(). */
__attribute__((format(printf, 3, 4))) void finding_cost(struct finding *finding, const char *remedy,
							const char *cost, ...);

/* What the finding is for this job. */
enum health finding_health(const struct finding *finding, enum job job);

/* Whether the job can be done here: of the runs, the main job. */
bool diagnosis_works(const struct diagnosis *diagnosis, enum job job);

/*
 * Whether an earlier finding has the same cost and the same remedy, as the tracepoints of one
 * feature have: for a user, they are one.
 */
bool diagnosis_is_repeated(const struct diagnosis *diagnosis, size_t i);

/* How many limits the job has; NR_JOBS: limits of any job. What is missing is none. */
size_t diagnosis_limit_cnt(const struct diagnosis *diagnosis, enum job job);

/* The first finding that keeps the job from being done. NULL: it can be done. */
const struct finding *diagnosis_obstacle(const struct diagnosis *diagnosis, enum job job);

/* The answer in one sentence, for both formats: "ipctrace works here; 1 limit". */
void diagnosis_answer(const struct diagnosis *diagnosis, struct paragraph *answer);

bool diagnosis_shows(const struct diagnosis *diagnosis, enum component component);
bool diagnosis_carries(const struct diagnosis *diagnosis, enum transport_id transport);

const char *health_name(enum health health); /* "fine" */

/* Write a struct diagnosis. Both return 0 or -errno of the output. */
int diagnosis_text(const void *diagnosis, const struct report_style *style);
int diagnosis_json(const void *diagnosis, const struct report_style *style); /* also -ENOMEM */

/*
 * Examines one area, and adds findings to the diagnosis. `root` is a prefix for every path: ""
 * except in tests, which pass a folder of prepared files.
 */
typedef void examine_fn(const char *root, struct diagnosis *diagnosis);

examine_fn examine_capabilities;
examine_fn examine_pid_namespace;
examine_fn examine_lockdown;
examine_fn examine_configuration;
examine_fn examine_preemption;
examine_fn examine_realtime;
examine_fn examine_clock;
examine_fn examine_bpf_limits;
examine_fn examine_tracefs;
examine_fn examine_sockets;
examine_fn examine_queues;

/* There are two reasons for it, which are one for a user. */
#define NO_TIMERS_COST   "--transport kernel cannot be used: it needs BPF timers"
#define NO_TIMERS_REMEDY "use --transport eventfd"

/* The components that are missing if nothing can be traced. */
#define COMPONENTS_ALL (COMPONENT_BIT(NR_COMPONENTS) - 1)
