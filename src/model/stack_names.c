/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps frames and symbols in arrays that grow with the numbers in use. */
#include "model/stack_names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A recorder uses fewer. */
#define STACKS_MAX  65536
#define SYMBOLS_MAX 131072

/* All functions of all stacks: 16 MB. */
#define FRAMES_MAX (1u << 22)

struct frames {
	uint16_t kernel_cnt;
	uint16_t user_cnt;
	uint8_t flags;
	uint32_t symbol[];
};

struct stack_names {
	struct frames **frames; /* [STACKS_MAX + 1], by number */
	char **symbol;          /* [SYMBOLS_MAX + 1], by number */
	size_t frame_cnt;
	struct record_stacks counts;
};

struct stack_names *stack_names__new(void)
{
	struct stack_names *names = calloc(1, sizeof(*names));

	if (!names)
		return NULL;
	names->frames = calloc(STACKS_MAX + 1, sizeof(*names->frames));
	names->symbol = calloc(SYMBOLS_MAX + 1, sizeof(*names->symbol));
	if (names->frames && names->symbol)
		return names;
	stack_names__free(names);
	return NULL;
}

void stack_names__free(struct stack_names *names)
{
	if (!names)
		return;
	for (size_t i = 0; names->frames && i <= STACKS_MAX; i++)
		free(names->frames[i]);
	for (size_t i = 0; names->symbol && i <= SYMBOLS_MAX; i++)
		free(names->symbol[i]);
	free(names->frames);
	free(names->symbol);
	free(names);
}

int stack_names__frames(struct stack_names *names, const struct record_frames *record)
{
	size_t cnt = (size_t)record->kernel_cnt + record->user_cnt;
	size_t room = (record->head.words - RECORD_WORDS(*record)) * 2;
	struct frames *frames;

	if (record->stack > STACKS_MAX || cnt > room || names->frame_cnt + cnt > FRAMES_MAX ||
	    names->frames[record->stack])
		return 0;
	frames = malloc(sizeof(*frames) + cnt * sizeof(frames->symbol[0]));
	if (!frames)
		return -ENOMEM;
	frames->kernel_cnt = record->kernel_cnt;
	frames->user_cnt = record->user_cnt;
	frames->flags = record->head.flags;
	memcpy(frames->symbol, record + 1, cnt * sizeof(frames->symbol[0]));
	names->frames[record->stack] = frames;
	names->frame_cnt += cnt;
	return 0;
}

int stack_names__symbol(struct stack_names *names, const struct record_symbol *record)
{
	size_t room = (record->head.words - RECORD_WORDS(*record)) * 8;

	if (!record->symbol || record->symbol > SYMBOLS_MAX || record->length > room ||
	    record->length >= SYMBOL_TEXT_LEN || names->symbol[record->symbol])
		return 0;
	names->symbol[record->symbol] = strndup((const char *)(record + 1), record->length);
	return names->symbol[record->symbol] ? 0 : -ENOMEM;
}

void stack_names__stacks(struct stack_names *names, const struct record_stacks *record)
{
	names->counts = *record;
}

bool stack_names__find(const struct stack_names *names, uint32_t stack, struct stack_frames *frames)
{
	const struct frames *known = stack <= STACKS_MAX ? names->frames[stack] : NULL;

	if (!known)
		return false;
	*frames = (struct stack_frames){
		.kernel = known->symbol,
		.user = known->symbol + known->kernel_cnt,
		.kernel_cnt = known->kernel_cnt,
		.user_cnt = known->user_cnt,
		.kernel_is_cut = known->flags & FRAMES_KERNEL_CUT,
		.user_is_cut = known->flags & FRAMES_USER_CUT,
	};
	return true;
}

const char *stack_names__function(const struct stack_names *names, uint32_t symbol)
{
	return symbol <= SYMBOLS_MAX ? names->symbol[symbol] : NULL;
}

const struct record_stacks *stack_names__counts(const struct stack_names *names)
{
	return &names->counts;
}

/* "handle_request (server.c:120)" without what is in brackets. */
static size_t stack_names_name_length(const char *function)
{
	const char *line = strstr(function, " (");

	return line ? (size_t)(line - function) : strlen(function);
}

static int stack_names_compare_numbers(size_t left, size_t right)
{
	return (left > right) - (left < right);
}

/* A function whose name is not known is the same as itself only. */
static int compare_functions(const struct stack_names *names, uint32_t left, uint32_t right)
{
	const char *a = stack_names__function(names, left);
	const char *b = stack_names__function(names, right);
	int order;

	if (left == right)
		return 0;
	if (!a || !b)
		return a ? 1 : b ? -1 : stack_names_compare_numbers(left, right);
	order = stack_names_compare_numbers(stack_names_name_length(a), stack_names_name_length(b));
	return order ? order : memcmp(a, b, stack_names_name_length(a));
}

static int compare_frames(const struct stack_names *names, const struct stack_frames *a,
			  const struct stack_frames *b)
{
	int order = stack_names_compare_numbers(a->kernel_cnt, b->kernel_cnt);

	if (!order)
		order = stack_names_compare_numbers(a->user_cnt, b->user_cnt);
	/* The functions of the program follow those of the kernel. */
	for (size_t i = 0; !order && i < (size_t)a->kernel_cnt + a->user_cnt; i++)
		order = compare_functions(names, a->kernel[i], b->kernel[i]);
	return order;
}

int stack_names__compare(const struct stack_names *names, uint32_t left, uint32_t right)
{
	struct stack_frames a, b;
	bool has_a, has_b;

	if (left == right)
		return 0;
	has_a = stack_names__find(names, left, &a);
	has_b = stack_names__find(names, right, &b);
	if (has_a && has_b)
		return compare_frames(names, &a, &b);
	return has_a ? 1 : has_b ? -1 : stack_names_compare_numbers(left, right);
}
