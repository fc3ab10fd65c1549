/* SPDX-License-Identifier: BSD-2-Clause */
/* Defines owners: processes that hold a socket, pipe, FIFO or message queue open. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <uthash.h>

#define OWNER_COMM_LEN 16

/* Further objects are counted in `refused`. */
#define OWNERS_MAX (1u << 20)

struct owner {
	uint32_t pid;
	char comm[OWNER_COMM_LEN];
};

/* The processes that hold one side of an object open. */
struct holding {
	struct owner first; /* a process that matches the filter, if there is one */
	uint32_t cnt;       /* processes; 0: none is visible */
	uint32_t last_pid;
	bool wanted; /* one of them matches the filter */
};

enum object_kind { OBJECT_SOCKET, OBJECT_PIPE, OBJECT_FIFO, OBJECT_MQUEUE };

/* A file by device and inode. Sockets and pipes have device 0. */
struct object {
	uint32_t kind;
	uint32_t dev;
	uint64_t inode;
};

/* A socket has one side: SIDE_READ. */
enum side { SIDE_READ, SIDE_WRITE, NR_SIDES };

struct owned {
	struct object object;
	char *name; /* of a FIFO or a queue; else NULL */
	struct holding by[NR_SIDES];
	UT_hash_handle hh;
};

/* The processes that the user asked for: by number, by name, or by both. Borrowed. */
struct owner_filter {
	const pid_t *pids;        /* [pid_cnt]: one of these */
	size_t pid_cnt;           /* 0: any */
	const char *const *comms; /* [comm_cnt]: globs, one of which matches */
	size_t comm_cnt;          /* 0: any */

	/* Set to true when such a process begins. Of each of the above; NULL: nowhere. */
	bool *pid_met;
	bool *comm_met;
};

/* Zeros, with the filter: no objects. owners_free() frees the content. */
struct owners {
	struct owner_filter filter; /* zeros: no process is wanted */
	struct owned *owned;        /* hash, by object */
	struct owner process;       /* the current process */
	bool process_wanted;
	bool met_filter;  /* a process that matches the filter has begun */
	uint64_t refused; /* objects beyond OWNERS_MAX */
};

void owners_free(struct owners *owners);

/* Whether `pids` of the filter has this process. */
bool owners_ask_for(const struct owners *owners, uint32_t pid);

/* The objects added next belong to this process. Begin each process once, or it counts twice. */
void owners_begin(struct owners *owners, const struct owner *process);

/* `sides`: bits of enum side; `name` is copied, and may be NULL. 0 or -ENOMEM. */
int owners_add(struct owners *owners, const struct object *object, unsigned int sides,
	       const char *name);

/* The holders of the socket with this inode. NULL: none is visible. Valid as long as `owners`. */
const struct holding *owners_of(const struct owners *owners, uint64_t inode);
