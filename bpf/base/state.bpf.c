/* SPDX-License-Identifier: GPL-2.0 */
/* The first of the sources: the maps and variables that all programs share, and their license. */
#include "base/lookup.bpf.h"

char LICENSE[] SEC("license") = "GPL";
