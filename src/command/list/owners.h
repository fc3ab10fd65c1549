/* SPDX-License-Identifier: BSD-2-Clause */
/* Who holds which socket, pipe, FIFO or message queue open. */
#ifndef IPCTRACE_COMMAND_LIST_OWNERS_H
#define IPCTRACE_COMMAND_LIST_OWNERS_H

#include <stdbool.h>
#include <stdint.h>

#define OWNER_COMM_LEN 16

/* What does not fit is counted by owners_refused(). */
#define OWNERS_MAX (1u << 20)

struct owner {
	uint32_t pid;
	char comm[OWNER_COMM_LEN];
};

/* All processes that hold one side of an object open. */
struct holding {
	struct owner first; /* one that the filter names, if there is one */
	uint32_t cnt;       /* processes; 0: nobody that was seen */
	uint32_t last_pid;
	bool wanted; /* the filter names one of them */
};

enum object_kind { OBJECT_SOCKET, OBJECT_PIPE, OBJECT_FIFO, OBJECT_MQUEUE };

/* Sockets and pipes have no device: it is 0. */
struct object {
	uint32_t kind;
	uint32_t dev;
	uint64_t inode;
};

/* A socket has one side only: SIDE_READ. */
enum side { SIDE_READ, SIDE_WRITE, NR_SIDES };

struct owned {
	struct object object;
	const char *name; /* of a FIFO or a queue; NULL */
	struct holding by[NR_SIDES];
};

/* Which processes are asked for: all of what is set. */
struct owner_filter {
	uint32_t pid;     /* 0: any */
	const char *comm; /* a glob, borrowed; NULL: any */
};

struct owners;

/* `filter` is borrowed, and may be NULL: nobody is wanted. NULL: out of memory. */
struct owners *owners__new(const struct owner_filter *filter);
void owners__free(struct owners *owners);

/*
 * What follows belongs to this process. One that begins twice counts twice: go from process to
 * process.
 */
void owners__begin(struct owners *owners, const struct owner *process);

/* `sides`: bits of enum side; `name` is copied, and may be NULL. 0 or -ENOMEM. */
int owners__add(struct owners *owners, const struct object *object, unsigned int sides,
		const char *name);

/* Of the socket with this inode. NULL: nobody that was seen. Lives as long as `owners`. */
const struct holding *owners_of(const struct owners *owners, uint64_t inode);

/* One object after the other, in no order; NULL begins and ends. */
const struct owned *owners_next(const struct owners *owners, const struct owned *owned);

/* How many were added beyond OWNERS_MAX. */
uint64_t owners_refused(const struct owners *owners);

/* Whether a process that the filter names has begun. */
bool owners_met_filter(const struct owners *owners);

#endif
