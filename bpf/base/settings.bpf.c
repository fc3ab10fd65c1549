/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Defines the license, and includes the global variables before any other source does. The
 * variables then come first in their ELF sections.
 */
#include "base/settings.bpf.h"

#include <bpf/bpf_helpers.h>

char LICENSE[] SEC("license") = "GPL";
