/* SPDX-License-Identifier: BSD-2-Clause */
/* Defines what a thread does between two instants, for example while it serves a call. */
#pragma once

enum service_state { SERVICE_ON_CPU, SERVICE_RUNQUEUE, SERVICE_BLOCKED, NR_SERVICE_STATES };
