/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Defines the license of the BPF programs. This source is compiled before all other sources, so
 * that the variables of settings.bpf.h come first in their ELF sections.
 */
#include "base/settings.bpf.h"

#include <bpf/bpf_helpers.h>

char LICENSE[] SEC("license") = "GPL";
