/* SPDX-License-Identifier: BSD-2-Clause */
/* Which processes hold a socket, pipe, FIFO or message queue open. */
#ifndef IPCTRACE_COMMAND_LIST_OWNERS_H
#define IPCTRACE_COMMAND_LIST_OWNERS_H

#include <stdbool.h>
#include <stdint.h>

#define OWNER_COMM_LEN 16

/* Further objects are counted by owners_refused(). */
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
	const char *name; /* of a FIFO or a queue; else NULL */
	struct holding by[NR_SIDES];
};

/* The processes that the user asked for: all conditions must hold. */
struct owner_filter {
	uint32_t pid;     /* 0: any */
	const char *comm; /* a glob, borrowed; NULL: any */
};

struct owners;

/* `filter` is borrowed. NULL: no process is wanted. Returns NULL if out of memory. */
struct owners *owners__new(const struct owner_filter *filter);
void owners__free(struct owners *owners);

/* The objects added next belong to this process. Begin each process once, or it counts twice. */
void owners__begin(struct owners *owners, const struct owner *process);

/* `sides`: bits of enum side; `name` is copied, and may be NULL. 0 or -ENOMEM. */
int owners__add(struct owners *owners, const struct object *object, unsigned int sides,
		const char *name);

/* The holders of the socket with this inode. NULL: none is visible. Valid as long as `owners`. */
const struct holding *owners_of(const struct owners *owners, uint64_t inode);

/* Iterates over all objects in no order. NULL begins and ends. */
const struct owned *owners_next(const struct owners *owners, const struct owned *owned);

/* The number of objects beyond OWNERS_MAX. */
uint64_t owners_refused(const struct owners *owners);

/* Whether a process that matches the filter has begun. */
bool owners_met_filter(const struct owners *owners);

#endif
