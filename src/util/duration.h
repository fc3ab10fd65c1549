/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the one way to write a duration for people. */
#pragma once

#include <stdint.h>

/* "10 ms", "1.5 s", "250 us", "64 ns" */
#define DURATION_LEN 32
const char *duration_text(uint64_t ns, char text[DURATION_LEN]);
#define DURATION(ns) duration_text((ns), (char[DURATION_LEN]){0})
