/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Defines the variable with the step limit of each thread. All functions are inline in the header.
 */
#include "analysis/container/step_limit.h"

_Thread_local struct step_limit step_limit;
