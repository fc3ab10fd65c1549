/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the processes to attach to, as attach does, for tests. */
#pragma once

#include "support/capture.h"

#include "command/live/target/targets.h"

/* The values of options such as --comm. They live as long as the function that names them. */
#define CHOICES(...)                                                                               \
	{                                                                                          \
		(struct target_choice[]){__VA_ARGS__},                                             \
			sizeof((struct target_choice[]){__VA_ARGS__}) /                            \
				sizeof(struct target_choice)                                       \
	}
#define PID_OF(value)                                                                              \
	{                                                                                          \
		.kind = TARGET_PID, .number = (value)                                              \
	}
#define PORT_OF(value)                                                                             \
	{                                                                                          \
		.kind = TARGET_PORT, .number = (value)                                             \
	}
#define NAME_OF(option, text)                                                                      \
	{                                                                                          \
		.kind = TARGET_##option, .name = (text)                                            \
	}

/* 0 or -errno, with the capture of stderr. The caller frees `targets`. */
int targets_search(struct targets *targets, const struct attach_options *options,
		   struct capture *err);

/* Expects success without output. */
struct targets targets_found(const struct attach_options *options);

/* A listener of this name, which is abstract if it begins with NUL. */
int unix_listener_at(const char *name, size_t length);
