/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares a stream into memory, for parts of a page that follow what is known only later. */
#pragma once

#include <stdio.h>

struct memory {
	FILE *stream;
	char *text; /* owned; valid after memory_finish() */
	size_t size;
};

/* 0 or -errno. */
int memory_begin(struct memory *memory);

/* Nothing more is written. 0 or -errno, also of an earlier write. */
int memory_finish(struct memory *memory);

void memory_clean(struct memory *memory);
