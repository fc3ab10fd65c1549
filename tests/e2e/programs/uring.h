/* SPDX-License-Identifier: BSD-2-Clause */
/* io_uring without its library. A ring belongs to one thread. */
#pragma once

#include "log.h"

#include <linux/io_uring.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#define URING_ENTRIES 16

struct uring {
	int fd;
	unsigned *sq_tail, *sq_mask, *sq_array;
	unsigned *cq_head, *cq_tail, *cq_mask;
	struct io_uring_sqe *sqes;
	struct io_uring_cqe *cqes;
	unsigned submitted; /* entries that were passed to the kernel */
};

static inline void *uring_map(int fd, size_t size, off_t offset)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset);

	if (memory == MAP_FAILED)
		die("cannot map an io_uring");
	return memory;
}

/* `flags`: 0, or IORING_SETUP_SQPOLL. */
static inline struct uring uring_open(unsigned flags)
{
	struct io_uring_params params = {.flags = flags, .sq_thread_idle = 1};
	struct uring uring = {.fd = syscall(SYS_io_uring_setup, URING_ENTRIES, &params)};
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

/* The ring of this thread, opened once. */
static inline struct uring *uring_of_thread(unsigned flags)
{
	static __thread struct uring uring;

	if (!uring.sqes)
		uring = uring_open(flags);
	return &uring;
}

/* The next operation: the kernel sees it at once if a thread of its own looks for it. */
static inline void uring_put(struct uring *uring, struct io_uring_sqe sqe)
{
	unsigned tail = *uring->sq_tail;

	uring->sqes[tail & *uring->sq_mask] = sqe;
	uring->sq_array[tail & *uring->sq_mask] = tail & *uring->sq_mask;
	__atomic_store_n(uring->sq_tail, tail + 1, __ATOMIC_RELEASE);
}

/* How many results wait. */
static inline unsigned uring_results(const struct uring *uring)
{
	return __atomic_load_n(uring->cq_tail, __ATOMIC_ACQUIRE) - *uring->cq_head;
}

/* Submits what was put, and waits for so many results. Whether they have come. */
static inline bool uring_wait(struct uring *uring, unsigned results)
{
	unsigned put = *uring->sq_tail - uring->submitted;
	long submitted = syscall(SYS_io_uring_enter, uring->fd, put, results,
				 IORING_ENTER_GETEVENTS | IORING_ENTER_SQ_WAKEUP, NULL, 0);

	if (submitted > 0)
		uring->submitted += submitted;
	return uring_results(uring) >= results;
}

/* The next result: what recv() would have returned, or -errno. */
static inline int uring_take(struct uring *uring, unsigned *flags)
{
	const struct io_uring_cqe *cqe = &uring->cqes[*uring->cq_head & *uring->cq_mask];
	int result = cqe->res;

	*flags = cqe->flags;
	__atomic_store_n(uring->cq_head, *uring->cq_head + 1, __ATOMIC_RELEASE);
	return result;
}

/* As recv() and send(). */
static inline ssize_t uring_result(struct uring *uring)
{
	unsigned flags;
	int result = uring_take(uring, &flags);

	if (result >= 0)
		return result;
	errno = -result;
	return -1;
}

/* One operation, and waits for it. `flags`: 0, or IOSQE_ASYNC. */
static inline ssize_t uring_call(struct uring *uring, int op, unsigned flags, int fd, void *data,
				 size_t size)
{
	uring_put(uring, (struct io_uring_sqe){.opcode = op,
					       .flags = flags,
					       .fd = fd,
					       .addr = (uintptr_t)data,
					       .len = size});
	return uring_wait(uring, 1) ? uring_result(uring) : -1;
}
