/* SPDX-License-Identifier: BSD-2-Clause */
/* Defines the step limit of the calling thread. All functions are inline in step_limit.h. */
#include "analysis/container/step_limit.h"

_Thread_local struct step_limit step_limit;
