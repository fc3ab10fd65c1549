/* SPDX-License-Identifier: BSD-2-Clause */
/* Holds back the calls of a phase until it shows whether requests and answers balance. */
#include "analysis/attach/calls/several.h"

#include "analysis/attach/calls/call_output.h"
#include "container/array.h"

#include <errno.h>
#include <stdlib.h>

static int several_emit(const struct call_pair *pair, enum call_match match,
			const struct call_output *output)
{
	struct call call = {.match = match};

	call_add_request(&call, &pair->request);
	call_add_answer(&call, &pair->answer);
	return call_output_add(output, &call);
}

static int emit_all(struct several *several, enum call_match match,
		    const struct call_output *output)
{
	int err = 0;

	for (size_t i = 0; i < several->cnt; i++)
		err = several_emit(&several->pair[i], match, output) ?: err;
	several->cnt = 0;
	return err;
}

void several_clear(struct several *several)
{
	free(several->pair);
	*several = (struct several){0};
}

int several_give_up(struct several *several, const struct call_output *output)
{
	several->has_no_balance = true;
	return emit_all(several, CALL_UNBALANCED, output);
}

int several_add(struct several *several, const struct call_message *request,
		const struct call_message *answer, const struct call_output *output)
{
	const struct call_pair pair = {.request = *request, .answer = *answer};
	int err = 0;

	if (several->cnt == SEVERAL_PAIRS_MAX)
		err = several_give_up(several, output);
	if (several->has_no_balance)
		return several_emit(&pair, CALL_UNBALANCED, output) ?: err;
	if (array_grow(&several->pair, several->cnt, &several->room, sizeof(*several->pair)))
		return -ENOMEM;
	several->pair[several->cnt++] = pair;
	return err;
}

static bool has_sequence(const struct several *several)
{
	uint64_t back_ns = several->back_ns;

	for (size_t i = 0; i < several->cnt; i++) {
		if (several->pair[i].request.sent_ns < back_ns)
			return false;
		back_ns = several->pair[i].answer.recv_ns;
	}
	return true;
}

int several_end(struct several *several, bool is_at_rest, const struct call_output *output)
{
	bool is_balanced = is_at_rest && !several->unasked && !several->has_no_balance;
	enum call_match match = CALL_UNBALANCED;
	uint64_t back_ns = several->back_ns;
	int err;

	if (is_balanced)
		match = has_sequence(several) ? CALL_ALONE : CALL_SEVERAL;
	if (several->cnt)
		back_ns = several->pair[several->cnt - 1].answer.recv_ns;
	err = emit_all(several, match, output);
	several_clear(several);
	several->back_ns = back_ns;
	return err;
}
