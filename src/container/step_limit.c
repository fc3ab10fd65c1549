/* SPDX-License-Identifier: BSD-2-Clause */
/* Defines the thread-local variable step_limit. All functions are inline in step_limit.h. */
#include "container/step_limit.h"

_Thread_local struct step_limit step_limit;
