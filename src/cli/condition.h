/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the parser of conditions:
 *
 *	condition  = all { "or" all }
 *	all        = one { "and" one }
 *	one        = "(" condition ")" | comparison
 *	comparison = quantity ( ">" | ">=" | "<" | "<=" ) duration
 */
#pragma once

#include "model/condition.h"

#include <stddef.h>

#define CONDITION_WHY_LEN 320

/* Why a text is no condition. */
struct condition_error {
	size_t at; /* offset of the wrong place; the length: something is missing */
	char why[CONDITION_WHY_LEN]; /* 'word': why: what to do */
};

/* 0 or -EINVAL, with `error`. */
int condition_parse(const char *text, struct condition *condition, struct condition_error *error);

/* The value of --`option`. 0, or EINVAL (logged, with a mark under the wrong place). */
int parse_condition(const char *option, const char *arg, struct condition *condition);
