/* SPDX-License-Identifier: BSD-2-Clause */
/* The time limit of handler "exec". */
#ifndef IPCTRACE_WORKLOAD_HANDLERS_EXEC_H
#define IPCTRACE_WORKLOAD_HANDLERS_EXEC_H

#include "workload/handler.h"

/* A command without an answer by then is killed. Only tests change it. */
extern unsigned int exec_time_limit_s;

#endif
