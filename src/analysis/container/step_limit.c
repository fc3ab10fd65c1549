/* SPDX-License-Identifier: BSD-2-Clause */
/* The step limit of each thread; everything else is inline in the header. */
#include "analysis/container/step_limit.h"

_Thread_local struct step_limit step_limit;
