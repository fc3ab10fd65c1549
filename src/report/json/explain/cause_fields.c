/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The JSON of rows, units and causes of explanations. The schema and the objects have some members
 * in another order: such tables are composed of the same parts twice.
 */
#include "report/json/explain/explanation_json.h"

#include "insight/metrics.h"
#include "model/transport_names.h"
#include "report/json_value.h"
#include "report/words/explain/cause_words.h"

#include <string.h>

static const char *const stack_kind_names[NR_STACK_KINDS] = {
	[STACK_BLOCKED] = "slept",
	[STACK_RAN] = "ran",
	[STACK_LEFT] = "left",
};

static const char *culprit_word(uint32_t i)
{
	return i < NR_BLAME_CLASSES    ? blame_classes[i].name
	       : i == NR_BLAME_CLASSES ? "itself"
				       : "others";
}

/* Also of what has no culprit, or of culprits for which there was no room. */
#define CULPRIT_CLASSES .word_of = culprit_word, .cnt = NR_BLAME_CLASSES + 2

/* It refers to itself. */
#define PART_SAYS "the part of the call", "a message or a round", NAMES(cause_part_names)
#define CPU_SAYS  "the CPU", "several, or not known"

static bool has_own_time(const struct explain_row *row)
{
	return row->role == CAUSE_ITSELF || row->role == CAUSE_UNKNOWN;
}

struct told_culprit {
	const char *class, *comm;
	uint32_t tid;
	char scheduling[NAME_LEN];
	bool is_outside;
};

static const struct member culprit_rows[] = {
	{NAME, AT(told_culprit, class), "class",
	 "what it is; itself: the component's own time; others: culprits for which there was no "
	 "room",
	 NOT_NULL, CULPRIT_CLASSES},
	{NAME, AT(told_culprit, comm), "comm", "its name", "it has none, or it is not known"},
	{NUMBER, AT(told_culprit, tid), "tid", "the thread, or the number of the interrupt",
	 "no thread, or several threads of one name", IF_SET},
	{TEXT, AT(told_culprit, scheduling), "scheduling", "its policy and priority",
	 "no thread, or not known"},
	{FLAG, AT(told_culprit, is_outside), "outside", OUTSIDE_SAYS},
};
OBJECT(culprit, told_culprit, "What brought a time about.");

json_t *explain_culprit_json(const struct json_place *place, const struct explain_row *row)
{
	const struct blame *by = &row->by;
	struct told_culprit culprit = {.class = row->is_rest ? "others"
							     : cause_role_names[row->role]};

	if (row->is_component)
		return json_null();
	if (!row->is_rest && !has_own_time(row)) {
		culprit.class = blame_classes[by->class].name;
		culprit.comm = by->comm;
		culprit.tid = by->tid;
		culprit.is_outside = by->kind == SLICE_TASK && tid_is_outside(by->tid);
		blame_scheduling(by, culprit.scheduling);
	}
	return json_members(place, &culprit_object, &culprit);
}

static json_t *row_culprit_json(const struct json_place *place)
{
	return explain_culprit_json(place, json_value_at(place));
}

/* Sleeps have a system call, and time on a CPU in a long one. */
static json_t *row_call_json(const struct json_place *place)
{
	const struct explain_row *row = place->of;

	if (row->call == CALL_UNKNOWN || !components[row->cost].has_call)
		return json_null();
	return json_value_text(SYSCALL(place->info->host.arch, row->call));
}

static bool cause_fields_has_spare(const struct run_info *info, const void *of)
{
	const struct explain_row *row = of;

	return info && row->spare_cpu < BLAME_CPU_SEVERAL && reason_has_cpu(row->reason);
}

static json_t *failed_call_json(const struct json_place *place)
{
	const struct explain_row *row = place->of;

	return json_value_text(
		row->failed.error ? SYSCALL(place->info->host.arch, row->failed.number) : NULL);
}

static json_t *failed_error_json(const struct json_place *place)
{
	const struct explain_row *row = place->of;

	return json_value_text(row->failed.error ? strerrorname_np((int)row->failed.error) : NULL);
}

static const struct member manner_rows[] = {
	{WORD, AT(explain_row, role), "role",
	 "what the culprit did; inside: it ran within this time; kept: it kept the thread at work, "
	 "or was served first; reader: it made no room",
	 NAMES(cause_role_names)},
	{TEXT, .name = "call",
	 "the system call that was slept in, or in which the thread ran for long",
	 "no such call, or not known", .derive = row_call_json},
	{FLAG, AT(explain_row, from_interrupt), "from_interrupt", "an interrupt ended the sleep"},
	{WORD, AT(explain_row, reason), "reason", "what else is known of the time", "nothing",
	 NAMES_OF(cause_reasons, NR_CAUSE_REASONS)},
	{NUMBER, AT(explain_row, spare_cpu), "idle_cpu", "the CPU that was idle",
	 "several, or the reason is another one", .known = cause_fields_has_spare},
	{TEXT, AT(explain_row, disk), "disk", "the disk that was waited for",
	 "several, not known, or the reason is another one"},
	{TEXT, AT(explain_row, function), "kernel_function", "what waited for a lock", "not known"},
	{NS, AT(explain_row, asked_most_ns), "asked_ns", "the time that the thread had asked for",
	 "none, or not known", IF_SET},
	{TEXT, .name = "failed_call", "the system call that failed before the thread slept",
	 "several, or the reason is another one", .derive = failed_call_json},
	{TEXT, .name = "failed_error", "the name of its errno", "the same",
	 .derive = failed_error_json},
};
static OBJECT(manner, explain_row);

static bool cause_fields_has_cpu(const struct run_info *info, const void *of)
{
	const struct explain_row *row = of;

	(void)info;
	return row->by.cpu < BLAME_CPU_SEVERAL && !has_own_time(row);
}

static const struct member manner_on_cpu_rows[] = {
	{PART_OF(manner_object)},
	{NUMBER, AT(explain_row, by.cpu), "cpu", CPU_SAYS, .known = cause_fields_has_cpu},
};
static OBJECT(manner_on_cpu, explain_row);

struct told_stack {
	const struct stack_names *names;
	struct explain_stack stack;
	struct stack_frames frames;
};

static json_t *functions_json(const struct stack_names *names, const uint32_t *symbol, uint16_t cnt)
{
	json_t *list = json_array();
	int error = 0;

	for (uint16_t i = 0; i < cnt; i++)
		error |= json_array_append_new(
			list, json_value_text(stack_names__function(names, symbol[i])));
	return json_value_whole(list, error);
}

static json_t *kernel_functions_json(const struct json_place *place)
{
	const struct told_stack *told = place->of;

	return functions_json(told->names, told->frames.kernel, told->frames.kernel_cnt);
}

static json_t *user_functions_json(const struct json_place *place)
{
	const struct told_stack *told = place->of;

	return functions_json(told->names, told->frames.user, told->frames.user_cnt);
}

static const struct member stack_rows[] = {
	{WORD, AT(told_stack, stack.kind), "state",
	 "what the thread did: it slept there, ran there at a tick of the scheduler, or left its "
	 "CPU there",
	 NAMES(stack_kind_names)},
	{NUMBER, AT(told_stack, stack.count), "count", "how often"},
	{TEXTS, .name = "kernel", "the functions in the kernel, innermost first",
	 .derive = kernel_functions_json},
	{TEXTS, .name = "user", "the functions of the program, innermost first",
	 .derive = user_functions_json},
	{FLAG, AT(told_stack, frames.kernel_is_cut), "kernel_is_cut",
	 "further callers in the kernel are not known"},
	{FLAG, AT(told_stack, frames.user_is_cut), "user_is_cut",
	 "further callers in the program are not known"},
};
static OBJECT(stack, told_stack);

struct told_row {
	struct explain_row row;
	double more_ns, share;
	const struct explanation *explanation;
	uint32_t index;
	uint32_t *next; /* the row behind this one and what follows it */
};

static json_t *row_stacks_json(const struct json_place *place)
{
	const struct told_row *row = place->of;
	const struct explanation *explanation = row->explanation;
	json_t *list = json_array();
	int error = 0;

	for (uint32_t i = 0; i < explanation->stack_cnt; i++) {
		struct told_stack told = {explanation->stack_names,
					  explanation->stack[i],
					  {.kernel_is_cut = true, .user_is_cut = true}};

		if (told.stack.row != row->index)
			continue;
		stack_names__find(told.names, told.stack.stack, &told.frames);
		error |= json_array_append_new(list, json_members(place, &stack_object, &told));
	}
	return json_value_whole(list, error);
}

static const struct member row_head_rows[] = {
	{WORD, AT(explain_row, part), "part", PART_SAYS},
	{WORD, AT(explain_row, cost), "component", "the component, or what the server did",
	 NAMES_OF(components, NR_COSTS)},
};
static OBJECT(row_head, explain_row);

static bool is_folded(const struct run_info *info, const void *of)
{
	const struct told_row *told = of;

	(void)info;
	return told->row.folded > 1;
}

static const struct member row_figures_rows[] = {
	{REAL_NS, AT(told_row, more_ns), "ns", "the mean of the slow ones less that of the others"},
	{REAL, AT(told_row, share), "share", "of difference_ns"},
	{REAL_NS, AT(told_row, row.slow_ns), "slow_ns", "the mean over all slow units"},
	{REAL_NS, AT(told_row, row.base_ns), "base_ns", "the mean over all other units"},
	{NUMBER, AT(told_row, row.slow_units), "slow_messages",
	 "in how many slow units it is found"},
	{NUMBER, AT(told_row, row.base_units), "base_messages",
	 "in how many other units it is found"},
	{NUMBER, AT(told_row, row.slow_episodes), "slow_episodes",
	 "in how many episodes it is found"},
	{NS, AT(told_row, row.largest_ns), "largest_ns", "the most in one slow unit"},
	{NUMBER, AT(told_row, row.folded), "folded", "so many threads of one name", "one",
	 .least = 2, .known = is_folded},
};
static OBJECT(row_figures, told_row);

static const struct member component_row_rows[] = {
	{NOTHING, .name = "culprit", "a whole component"},
	{PART_OF(row_head_object)},
	{PART_OF(row_figures_object)},
};
SHAPE(component_row, "A whole component.");

static json_t *rows_of(const struct json_place *place, const struct explanation *explanation,
		       uint32_t *at, int depth);

static json_t *followed_rows_json(const struct json_place *place)
{
	const struct told_row *told = place->of;

	return rows_of(place, told->explanation, told->next, told->row.depth + 1);
}

static const struct member culprit_rest_rows[] = {
	{PART_OF(manner_on_cpu_object)},
	{REAL, AT(told_row, row.slow_faults), "slow_faults", "page faults, in a slow one"},
	{REAL, AT(told_row, row.base_faults), "base_faults", "the same in another unit"},
	{REAL, AT(told_row, row.slow_majors), "slow_majors", "others, not in memory (major)"},
	{REAL, AT(told_row, row.base_majors), "base_majors", "the same in another unit"},
	{LIST, .name = "stacks", "The most frequent stacks of the slow units.", .of = &stack_object,
	 .derive = row_stacks_json},
	{LIST, .name = "followed", "What the culprit did in this time.", .of = &culprit_row_object,
	 .derive = followed_rows_json},
};
static OBJECT(culprit_rest, told_row);

static const struct member culprit_row_rows[] = {
	{STRUCT, .name = "culprit", .of = &culprit_object},
	{PART_OF(row_head_object)},
	{PART_OF(row_figures_object)},
	{PART_OF(culprit_rest_object)},
};
SHAPE(culprit_row, "One culprit of a component.");

/* In the order of objects. */
static const struct member component_line_rows[] = {
	{PART_OF(row_head_object)},
	{STRUCT, AT(told_row, row), "culprit", .derive = row_culprit_json},
	{PART_OF(row_figures_object)},
};
static OBJECT(component_line, told_row);

static const struct member culprit_line_rows[] = {
	{PART_OF(component_line_object)},
	{PART_OF(culprit_rest_object)},
};
static OBJECT(culprit_line, told_row);

/* Rows from `*at` on that stand at this depth, up to the end of what is followed. */
static json_t *rows_of(const struct json_place *place, const struct explanation *explanation,
		       uint32_t *at, int depth)
{
	json_t *list = json_array();
	int error = 0;

	while (!error && *at < explanation->row_cnt && explanation->row[*at].depth >= depth) {
		struct told_row told = {.row = explanation->row[*at],
					.explanation = explanation,
					.index = (*at)++,
					.next = at};

		told.more_ns = told.row.slow_ns - told.row.base_ns;
		if (explanation->difference_ns > 0)
			told.share = told.more_ns / explanation->difference_ns;
		error |= json_array_append_new(list, json_members(place,
								  told.row.is_component
									  ? &component_line_object
									  : &culprit_line_object,
								  &told));
	}
	return json_value_whole(list, error);
}

json_t *all_rows_json(const struct json_place *place)
{
	uint32_t row = 0;

	return rows_of(place, place->of, &row, 0);
}

struct told_cause {
	struct explain_row row;
	struct cause cause;
	const struct unit *unit;
	uint32_t number; /* 1 + its index */
	int depth;
};

static json_t *causes_of_unit(const struct json_place *place, const struct unit *unit,
			      uint32_t parent, int depth);

static json_t *followed_causes_json(const struct json_place *place)
{
	const struct told_cause *told = place->of;

	return causes_of_unit(place, told->unit, told->number, told->depth + 1);
}

static const struct member cause_rows[] = {
	{WORD, AT(told_cause, cause.part), "part", PART_SAYS},
	{WORD, AT(told_cause, cause.cost), "component", NAMES_OF(components, NR_COSTS)},
	{STRUCT, AT(told_cause, row), "culprit", .of = &culprit_object, .derive = row_culprit_json},
	{NS, AT(told_cause, cause.by.ns), "ns", "how long"},
	{NS, AT(told_cause, cause.from_ns), "from_ns", "the instant at which it began first"},
	{NUMBER, AT(told_cause, cause.tid), "of_tid", "the thread whose time it is", "not known",
	 IF(told_cause, cause.tid)},
	{LIST, .name = "followed", "what the culprit did in this time", .of = &cause_object,
	 .derive = followed_causes_json},
	{PART_OF(manner_on_cpu_object)},
};
OBJECT(cause, told_cause);

/* Those that follow cause `parent` - 1; 0: those that are parts of the latency. */
static json_t *causes_of_unit(const struct json_place *place, const struct unit *unit,
			      uint32_t parent, int depth)
{
	json_t *list = json_array();
	int error = 0;

	for (uint32_t i = parent; depth <= CAUSE_DEPTH_MAX && i < unit->cause_cnt; i++) {
		const struct told_cause told = {row_of_cause(&unit->cause[i]), unit->cause[i], unit,
						i + 1, depth};

		if (told.cause.parent == parent)
			error |= json_array_append_new(list,
						       json_members(place, &cause_object, &told));
	}
	return json_value_whole(list, error);
}

struct told_moment {
	struct explain_row row;
	struct moment moment;
};

static bool cause_fields_is_on_cpu(const struct run_info *info, const void *of)
{
	const struct told_moment *told = of;

	(void)info;
	return told->moment.cpu < BLAME_CPU_SEVERAL;
}

static const struct member moment_rows[] = {
	{NS, AT(told_moment, moment.from_ns), "from_ns", "the instant at which it begins"},
	{NS, AT(told_moment, moment.to_ns), "to_ns", "the instant at which it ends"},
	{NUMBER, AT(told_moment, moment.tid), "tid", "the thread"},
	{WORD, AT(told_moment, moment.cost), "state", "what the thread did",
	 NAMES_OF(components, NR_COSTS)},
	{STRUCT, AT(told_moment, row), "culprit", .of = &culprit_object,
	 .derive = row_culprit_json},
	{PART_OF(manner_object)},
	{NUMBER, AT(told_moment, moment.cpu), "cpu", CPU_SAYS, .known = cause_fields_is_on_cpu},
};
OBJECT(moment, told_moment);

json_t *causes_json(const struct json_place *place, const struct unit *unit)
{
	return causes_of_unit(place, unit, 0, 0);
}

json_t *moments_json(const struct json_place *place, const struct moment *moment, uint32_t cnt)
{
	json_t *list = json_array();
	int error = 0;

	for (uint32_t i = 0; i < cnt; i++) {
		const struct told_moment told = {row_of_moment(&moment[i]), moment[i]};

		error |= json_array_append_new(list, json_members(place, &moment_object, &told));
	}
	return json_value_whole(list, error);
}
