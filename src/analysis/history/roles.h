/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Holds the role of each thread of a workload. ROLE records say whether a thread is the server or
 * a client.
 */
#pragma once

#include "bpf/record.h"

#include <stdbool.h>

struct roles;

struct roles *roles__new(void); /* NULL: out of memory */
void roles__free(struct roles *roles);

/* 0 or -ENOMEM. */
int roles__add(struct roles *roles, const struct record_role *role);

/* The client's number, 1..N; 0 if the thread is not a client. */
uint32_t roles__client(const struct roles *roles, uint32_t tid);
bool roles__is_server(const struct roles *roles, uint32_t tid);

/* RECORD_COMM_LEN bytes; NULL if the thread has no role. */
const char *roles__comm(const struct roles *roles, uint32_t tid);
