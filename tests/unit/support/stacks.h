/* SPDX-License-Identifier: BSD-2-Clause */
/* Records of stacks, made by hand. */
#pragma once

#include "bpf/record_stacks.h"
#include "model/stack_names.h"

#include <string.h>

static inline struct record_stack make_stack(enum stack_kind kind, uint32_t tid, uint32_t stack,
					     uint64_t from_ns, uint64_t to_ns)
{
	struct record_stack record = {
		.head = {.type = RECORD_STACK, .words = RECORD_WORDS(record), .tid = tid},
		.from_ns = from_ns,
		.to_ns = to_ns,
		.kind = kind,
		.stack = stack,
	};

	return record;
}

struct made_frames {
	struct record_frames frames;
	uint32_t symbol[8];
};

/* `kernel_cnt` and `user_cnt` numbers of symbols, in this order. */
static inline struct made_frames make_frames(uint32_t stack, uint16_t kernel_cnt, uint16_t user_cnt,
					     const uint32_t *symbol)
{
	struct made_frames made = {
		.frames = {.head = {.type = RECORD_FRAMES,
				    .words = RECORD_WORDS(made.frames) +
					     (kernel_cnt + user_cnt + 1) / 2},
			   .stack = stack,
			   .kernel_cnt = kernel_cnt,
			   .user_cnt = user_cnt},
	};

	memcpy(made.symbol, symbol, (kernel_cnt + user_cnt) * sizeof(symbol[0]));
	return made;
}

struct made_symbol {
	struct record_symbol symbol;
	char text[SYMBOL_TEXT_LEN];
};

static inline struct made_symbol make_symbol(uint32_t number, const char *text)
{
	struct made_symbol made = {.symbol = {.symbol = number, .length = strlen(text)}};

	made.symbol.head.type = RECORD_SYMBOL;
	made.symbol.head.words = RECORD_WORDS(made.symbol) + (made.symbol.length + 7) / 8;
	memcpy(made.text, text, made.symbol.length);
	return made;
}

/* Adds a stack, and the symbols of these texts, with numbers from 16 x `stack` on. */
static inline void add_named_stack(struct stack_names *names, uint32_t stack, uint16_t kernel_cnt,
				   uint16_t user_cnt, const char *const *text)
{
	uint32_t number[8];
	struct made_frames frames;

	for (uint16_t i = 0; i < kernel_cnt + user_cnt; i++) {
		struct made_symbol symbol = make_symbol(16 * stack + i, text[i]);

		number[i] = 16 * stack + i;
		stack_names__symbol(names, &symbol.symbol);
	}
	frames = make_frames(stack, kernel_cnt, user_cnt, number);
	stack_names__frames(names, &frames.frames);
}
