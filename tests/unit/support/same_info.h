/* SPDX-License-Identifier: BSD-2-Clause */
/* Compares two descriptions of a run, field by field. */
#pragma once

#include "model/spec.h"

void assert_same_workload(const struct workload_spec *got, const struct workload_spec *spec);
void assert_same_info(const struct run_info *got, const struct run_info *info);
