/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares how loaded BPF programs are attached to their tracepoints, and detached from them. The
 * skeleton cannot do this: the object for older kernels has programs that the skeleton does not
 * know.
 */
#pragma once

#include <stddef.h>

struct bpf_link;
struct bpf_object;

/* Attached programs. All zeros: none. */
struct links {
	struct bpf_link **link;
	size_t cnt;
};

/*
 * Attaches each loaded program that belongs to a tracepoint, in the order of the sources. Programs
 * at one tracepoint run in this order. 0 or -errno; the links that were made stay.
 */
int links_attach(struct links *links, struct bpf_object *object);

/* Detaches all programs, in the same order: a program goes before its twins. */
void links_detach(struct links *links);
