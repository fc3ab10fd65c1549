/* SPDX-License-Identifier: BSD-2-Clause */
/* One operation after the other by io_uring, without its library. */
#ifndef URING_H
#define URING_H

#include "log.h"

#include <linux/io_uring.h>
#include <sys/mman.h>
#include <sys/syscall.h>

struct uring {
	int fd;
	unsigned *sq_tail, *sq_mask, *sq_array;
	unsigned *cq_head, *cq_tail, *cq_mask;
	struct io_uring_sqe *sqes;
	struct io_uring_cqe *cqes;
};

static inline void *uring_map(int fd, size_t size, off_t offset)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset);

	if (memory == MAP_FAILED)
		die("cannot map an io_uring");
	return memory;
}

static inline struct uring uring_open(void)
{
	struct io_uring_params params = {0};
	struct uring uring = {.fd = syscall(SYS_io_uring_setup, 4, &params)};
	char *sq, *cq;

	if (uring.fd < 0)
		die("cannot make an io_uring");
	sq = uring_map(uring.fd, params.sq_off.array + params.sq_entries * sizeof(unsigned),
		       IORING_OFF_SQ_RING);
	cq = uring_map(uring.fd, params.cq_off.cqes + params.cq_entries * sizeof(*uring.cqes),
		       IORING_OFF_CQ_RING);
	uring.sqes = uring_map(uring.fd, params.sq_entries * sizeof(*uring.sqes), IORING_OFF_SQES);
	uring.sq_tail = (unsigned *)(sq + params.sq_off.tail);
	uring.sq_mask = (unsigned *)(sq + params.sq_off.ring_mask);
	uring.sq_array = (unsigned *)(sq + params.sq_off.array);
	uring.cq_head = (unsigned *)(cq + params.cq_off.head);
	uring.cq_tail = (unsigned *)(cq + params.cq_off.tail);
	uring.cq_mask = (unsigned *)(cq + params.cq_off.ring_mask);
	uring.cqes = (struct io_uring_cqe *)(cq + params.cq_off.cqes);
	return uring;
}

/* IORING_OP_RECV or IORING_OP_SEND, and waits for it. As recv() and send(). */
static inline ssize_t uring_call(int op, int fd, void *data, size_t size)
{
	static __thread struct uring uring;
	unsigned tail, head;
	int result;

	if (!uring.sqes)
		uring = uring_open();
	tail = *uring.sq_tail;
	uring.sqes[tail & *uring.sq_mask] =
		(struct io_uring_sqe){.opcode = op, .fd = fd, .addr = (uintptr_t)data, .len = size};
	uring.sq_array[tail & *uring.sq_mask] = tail & *uring.sq_mask;
	__atomic_store_n(uring.sq_tail, tail + 1, __ATOMIC_RELEASE);
	head = *uring.cq_head;
	if (syscall(SYS_io_uring_enter, uring.fd, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) < 0 ||
	    __atomic_load_n(uring.cq_tail, __ATOMIC_ACQUIRE) == head)
		return -1;
	result = uring.cqes[head & *uring.cq_mask].res;
	__atomic_store_n(uring.cq_head, head + 1, __ATOMIC_RELEASE);
	if (result >= 0)
		return result;
	errno = -result;
	return -1;
}

#endif
