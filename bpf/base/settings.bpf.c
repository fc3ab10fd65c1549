/* SPDX-License-Identifier: GPL-2.0 */
/* The first of the sources, so that the variables come first in their sections; and the license. */
#include "base/settings.bpf.h"

#include <bpf/bpf_helpers.h>

char LICENSE[] SEC("license") = "GPL";
