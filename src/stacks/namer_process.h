/* SPDX-License-Identifier: BSD-2-Clause */
/* The process of a namer, and the messages between it and the session. */
#pragma once

#include "bpf/record_stacks.h"
#include "stacks/unwinder.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct named_frames {
	uint32_t cnt;
	bool is_cut;                                 /* there are callers that are not known */
	char text[USER_FRAMES_MAX][SYMBOL_TEXT_LEN]; /* innermost first; "": not known */
};

/* The mappings follow, and then the sample. */
struct namer_request {
	uint32_t maps_bytes; /* 0: the process should have them */
	uint32_t sample_bytes;
};

/* The texts of the frames follow. */
struct namer_answer {
	bool needs_maps; /* the request must be sent again with the mappings */
	bool is_cut;
	uint32_t cnt;
};

/* False: the other end is closed. */
bool namer_send(int socket, const void *bytes, size_t size);
bool namer_receive(int socket, void *bytes, size_t size);

/* In the new process: answers until the other end of the socket is closed. */
_Noreturn void namer_process_run(int socket);
