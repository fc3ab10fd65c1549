/* SPDX-License-Identifier: BSD-2-Clause */
/* Builds the JSON for the culprit of a cause, and for what this culprit did. */
#include "report/json/explain/explanation_json.h"
#include "report/json_value.h"
#include "report/words/labels.h"

/* Components of which nothing is to blame but their own work, or something that is not known. */
static json_t *nameless(enum cause_role role)
{
	return json_pack("{s:s, s:n, s:n, s:n, s:b}", "class", cause_role_names[role], "comm",
			 "tid", "scheduling", "outside", false);
}

json_t *explain_culprit_json(enum cause_role role, const struct blame *by)
{
	bool is_task = by->kind == SLICE_TASK;
	char scheduling[NAME_LEN];

	if (role == CAUSE_ITSELF || role == CAUSE_UNKNOWN)
		return nameless(role);
	blame_scheduling(by, scheduling);
	return json_pack("{s:s, s:o, s:o, s:o, s:b}", "class", blame_classes[by->class].name,
			 "comm", json_value_text(by->comm), "tid",
			 json_value_integer(by->tid, by->tid > 0), "scheduling",
			 json_value_text(scheduling), "outside",
			 is_task && tid_is_outside(by->tid));
}

/* Only sleeps have a system call. */
static json_t *call_json(const struct run_info *info, const struct explain_manner *manner)
{
	char name[NAME_LEN];

	if (manner->call == CALL_UNKNOWN || !components[manner->cost].has_call)
		return json_null();
	syscall_name(info->host.arch, manner->call, name);
	return json_value_text(name);
}

int explain_set_manner(json_t *object, const struct run_info *info,
		       const struct explain_manner *manner)
{
	bool has_cpu = manner->cpu < BLAME_CPU_SEVERAL && manner->role != CAUSE_ITSELF &&
		       manner->role != CAUSE_UNKNOWN;
	int error = 0;

	error |= json_object_set_new(object, "role", json_string(cause_role_names[manner->role]));
	error |= json_object_set_new(object, "call", call_json(info, manner));
	error |=
		json_object_set_new(object, "from_interrupt", json_boolean(manner->from_interrupt));
	error |= json_object_set_new(object, "cpu", json_value_integer(manner->cpu, has_cpu));
	return error;
}
