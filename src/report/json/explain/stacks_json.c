/* SPDX-License-Identifier: BSD-2-Clause */
/* Builds the JSON of the stacks of a row. */
#include "report/json/explain/explanation_json.h"

#include "report/json_value.h"

static json_t *functions_json(const struct stack_names *names, const uint32_t *symbol, uint16_t cnt)
{
	json_t *list = json_array();
	int error = 0;

	for (uint16_t i = 0; i < cnt; i++)
		error |= json_array_append_new(
			list, json_value_text(stack_names__function(names, symbol[i])));
	return json_value_whole(list, error);
}

static json_t *stack_json(const struct stack_names *names, const struct explain_stack *stack)
{
	struct stack_frames frames = {0};
	bool is_known = stack_names__find(names, stack->stack, &frames);

	return json_pack("{s:s, s:I, s:o, s:o, s:b, s:b}", "state", stack_kind_names[stack->kind],
			 "count", json_value_int(stack->count), "kernel",
			 functions_json(names, frames.kernel, frames.kernel_cnt), "user",
			 functions_json(names, frames.user, frames.user_cnt), "kernel_is_cut",
			 !is_known || frames.kernel_is_cut, "user_is_cut",
			 !is_known || frames.user_is_cut);
}

json_t *explain_stacks_json(const struct explanation *explanation, uint32_t row)
{
	json_t *list = json_array();
	int error = 0;

	for (uint32_t i = 0; i < explanation->stack_cnt; i++) {
		if (explanation->stack[i].row == row)
			error |= json_array_append_new(
				list, stack_json(explanation->stack_names, &explanation->stack[i]));
	}
	return json_value_whole(list, error);
}
