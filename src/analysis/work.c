/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/work.h"

_Thread_local struct work work_of_thread;
