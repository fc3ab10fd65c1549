/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints what threads slept in, and what those did that kept a CPU: the stacks of --stacks. */
#include "report/text/explain/parts.h"
#include "report/words/explain/cause_words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define ROWS_MAX       10
#define SHOWN_SHARE    0.01 /* of the difference */
#define KERNEL_MAX     4    /* functions */
#define USER_MAX       8
#define FUNCTION_WIDTH 64

static const char *const verbs[NR_STACK_KINDS] = {
	[STACK_BLOCKED] = "slept in",
	[STACK_RAN] = "ran in",
	[STACK_LEFT] = "left the CPU in",
};

/* Every sleep ends with these, ... */
static const char *const scheduler[] = {"__schedule", "schedule", "schedule_timeout",
					"preempt_schedule", NULL};

/* ... every stack of the kernel begins with these, ... */
static const char *const entries[] = {
	"entry_SYSCALL", "do_syscall_64", "x64_sys_call",   "__x64_sys_",    "asm_",
	"el0",           "do_el0",        "invoke_syscall", "ret_from_fork", NULL};

/* ... and every one of a program with these. */
static const char *const starts[] = {"start_thread",  "__clone", "clone3",
				     "__libc_start_", "_start",  NULL};

static bool stack_table_begins_with_any(const char *name, const char *const *begin)
{
	for (; name && *begin; begin++) {
		if (!strncmp(name, *begin, strlen(*begin)))
			return true;
	}
	return false;
}

/* Some functions of a stack, innermost first. */
struct functions {
	const struct stack_names *names;
	const uint32_t *symbol;
	uint32_t cnt;
	bool is_cut;
};

static const char *function(const struct functions *functions, uint32_t i)
{
	return stack_names__function(functions->names, functions->symbol[i]);
}

/* Leaves out the outermost ones from the first that begins so. */
static void cut_outer(struct functions *functions, const char *const *begin)
{
	for (uint32_t i = 0; i < functions->cnt; i++) {
		if (!stack_table_begins_with_any(function(functions, i), begin))
			continue;
		functions->cnt = i;
		functions->is_cut = false;
	}
}

static void add_functions(struct paragraph *line, const struct functions *functions, uint32_t max)
{
	uint32_t cnt = functions->cnt < max ? functions->cnt : max;

	for (uint32_t i = 0; i < cnt; i++) {
		const char *name = function(functions, i);
		char cut[CLAUSE_LEN];

		label_cut(name ? name : "?", FUNCTION_WIDTH, cut);
		paragraph_add(line, "%s%s", i ? " < " : "", cut);
	}
	if (functions->cnt > max || functions->is_cut)
		paragraph_add(line, "%s...", cnt ? " < " : "");
}

static struct functions kernel_part(const struct stack_names *names,
				    const struct stack_frames *frames)
{
	struct functions kernel = {.names = names,
				   .symbol = frames->kernel,
				   .cnt = frames->kernel_cnt,
				   .is_cut = frames->kernel_is_cut};

	while (kernel.cnt && stack_table_begins_with_any(function(&kernel, 0), scheduler)) {
		kernel.symbol++;
		kernel.cnt--;
	}
	cut_outer(&kernel, entries);
	return kernel;
}

static struct functions user_part(const struct stack_names *names,
				  const struct stack_frames *frames)
{
	struct functions user = {.names = names,
				 .symbol = frames->user,
				 .cnt = frames->user_cnt,
				 .is_cut = frames->user_is_cut};

	cut_outer(&user, starts);
	return user;
}

/*
 * "slept in take_lock (server.c:48) < handle_request (server.c:56); kernel: futex_wait < do_futex"
 */
static void add_stack(struct paragraph *line, const struct stack_names *names,
		      const struct explain_stack *stack)
{
	struct stack_frames frames;
	struct functions kernel, user;

	paragraph_add(line, "%s ", verbs[stack->kind]);
	if (!stack_names__find(names, stack->stack, &frames)) {
		paragraph_add(line, "functions that are not recorded");
		return;
	}
	kernel = kernel_part(names, &frames);
	user = user_part(names, &frames);
	if (user.cnt || !kernel.cnt)
		add_functions(line, &user, USER_MAX);
	if (user.cnt && kernel.cnt)
		paragraph_add(line, "; kernel: ");
	add_functions(line, &kernel, kernel.cnt ? KERNEL_MAX : 0);
}

/* "service: blocked: in futex until redis (12)" */
static void print_title(const struct text *text, const struct explanation *explanation,
			const struct explain_row *row)
{
	const char *component = ROW_COMPONENT(row);
	char label[CLAUSE_LEN];
	struct paragraph line = {0};

	row_label(&explanation->info, row, text->columns - (int)strlen(component) - 2, label);
	paragraph_add(&line, "%s: %s", component, label);
	paragraph_print(text, INK_PLAIN, "", &line);
}

static void print_stack(const struct text *text, const struct explanation *explanation,
			const struct explain_stack *stack)
{
	struct paragraph line = {0};
	char label[NAME_LEN];

	snprintf(label, sizeof(label), "  %llu of %llu", (unsigned long long)stack->count,
		 (unsigned long long)explanation->stacks_of_row[stack->row]);
	add_stack(&line, explanation->stack_names, stack);
	paragraph_print(text, INK_PLAIN, label, &line);
}

static void print_losses(const struct text *text, const struct explanation *explanation)
{
	const struct record_stacks *counts = stack_names__counts(explanation->stack_names);
	unsigned long long missing = counts->lost + counts->no_room + counts->overfull;
	struct paragraph line = {0};

	if (!missing)
		return;
	paragraph_add(&line, "%llu stacks are missing: there was no room for them.", missing);
	paragraph_print(text, INK_PLAIN, "", &line);
}

void explain_stacks(const struct text *text, const struct explanation *explanation)
{
	uint32_t row = UINT32_MAX, rows = 0;

	for (uint32_t i = 0; i < explanation->stack_cnt && rows <= ROWS_MAX; i++) {
		const struct explain_stack *stack = &explanation->stack[i];
		const struct explain_row *of = &explanation->row[stack->row];

		if (!(fabs(row_more_ns(of)) >= SHOWN_SHARE * explanation->difference_ns))
			continue;
		if (!rows)
			text_rule(text, "stacks");
		if (stack->row != row && ++rows <= ROWS_MAX)
			print_title(text, explanation, of);
		row = stack->row;
		if (rows <= ROWS_MAX)
			print_stack(text, explanation, stack);
	}
	if (rows)
		print_losses(text, explanation);
}
