/* SPDX-License-Identifier: BSD-2-Clause */
/* Looks up what the kernel did for a thread, in its pieces of time. */
#include "analysis/causes/kernel_cut.h"

#include "analysis/history/short_calls.h"
#include "container/step_limit.h"
#include "model/blocked_calls.h"

#include <errno.h>
#include <string.h>

/*
 * Emits a piece with the page faults of the thread: those that were counted since the last piece of
 * its own. An interrupt or a switch of the CPU, where the count may begin, has none.
 */
static void emit_with_faults(const struct cut *cut, struct piece *piece)
{
	if (piece->from_ns >= piece->to_ns)
		return;
	piece->faults = deep_events__faults(cut->cutter->history->deep, cut->span->tid,
					    *cut->counted_ns, piece->to_ns);
	*cut->counted_ns = piece->to_ns;
	cut_emit(cut, piece);
}

static enum cause_reason short_calls_reason(uint32_t error)
{
	if (!error)
		return REASON_SHORT_CALLS;
	return error == EAGAIN ? REASON_CALLS_AGAIN : REASON_CALLS_FAIL;
}

/*
 * The thread ran its own code, or short system calls. Their times are known, not their instants:
 * they stand at the start of their stretch.
 *
 *	from       stretch begins              stretch ends        to
 *	 | own code | in write | in read | own code | own code     |
 *
 * So the page faults of a stretch count as those of its own code. Where the thread only tries again
 * what has failed, its code is part of that.
 */
static void emit_short_calls(const struct cut *cut, const struct piece *piece)
{
	struct event_log *shorts = deep_events__shorts(cut->cutter->history->deep);
	struct piece part = *piece;
	struct short_calls_part stretch;

	while (cut->cutter->left && step_limit_spend(STEPS_OF_SHARE) &&
	       short_calls_first(shorts, cut->span->tid, part.from_ns, piece->to_ns, &stretch)) {
		part.to_ns = stretch.from_ns;
		emit_with_faults(cut, &part);
		part = *piece;
		part.from_ns = stretch.from_ns;
		for (uint32_t i = 0; i < stretch.cnt; i++) {
			uint32_t number = stretch.call[i].number;

			part.to_ns = part.from_ns + stretch.call[i].ns;
			part.reason = stretch.call[i].is_again
					      ? short_calls_reason(stretch.call[i].error)
					      : piece->reason;
			part.call = number < CALL_OUTSIDE ? number : CALL_UNKNOWN;
			cut_emit(cut, &part);
			part.from_ns = part.to_ns;
		}
		part.to_ns = stretch.to_ns;
		if (!stretch.only_fails) {
			part.reason = piece->reason;
			part.call = CALL_UNKNOWN;
		}
		emit_with_faults(cut, &part);
		part = *piece;
		part.from_ns = stretch.to_ns;
	}
	part.to_ns = piece->to_ns;
	emit_with_faults(cut, &part);
}

static enum cause_reason reclaim_reason(const struct call_span *span)
{
	return span->number & RECLAIM_GROUP ? REASON_RECLAIM_GROUP : REASON_RECLAIM;
}

/* What is left of a piece when the time of reclaim is out: a long call, or one with short calls. */
static void emit_between(const struct cut *cut, struct piece *piece)
{
	if (piece->from_ns >= piece->to_ns)
		return;
	if (piece->call == CALL_UNKNOWN)
		emit_short_calls(cut, piece);
	else
		emit_with_faults(cut, piece);
}

/*
 * The parts in which the thread frees memory have a reason:
 *
 *	from               begins             ends      to
 *	 |  own code, or in a call |  reclaim  |   ...   |
 */
static void emit_with_reclaim(const struct cut *cut, const struct piece *piece)
{
	struct deep_events *deep = cut->cutter->history->deep;
	struct piece part = *piece;
	struct call_span span;

	while (cut->cutter->left && step_limit_spend(STEPS_OF_SHARE) &&
	       deep_events__reclaim(deep, cut->span->tid, part.from_ns, piece->to_ns, &span)) {
		part.to_ns = span.from_ns;
		emit_between(cut, &part);
		part = *piece;
		part.from_ns = span.from_ns;
		part.to_ns = span.to_ns;
		part.reason = reclaim_reason(&span);
		emit_with_faults(cut, &part);
		part = *piece;
		part.from_ns = span.to_ns;
	}
	part.to_ns = piece->to_ns;
	emit_between(cut, &part);
}

/*
 * The parts in long system calls have their numbers:
 *
 *	from      enter          exit       to
 *	 |  own code |   in clone  | own code |
 */
static void emit_in_calls(const struct cut *cut, const struct piece *piece)
{
	struct deep_events *deep = cut->cutter->history->deep;
	struct piece part = *piece;
	struct call_span call;

	while (cut->cutter->left && step_limit_spend(STEPS_OF_SHARE) &&
	       deep_events__call(deep, cut->span->tid, part.from_ns, piece->to_ns, &call)) {
		part.to_ns = call.from_ns;
		emit_with_reclaim(cut, &part);
		part.from_ns = call.from_ns;
		part.to_ns = call.to_ns;
		part.call = call.number < CALL_OUTSIDE ? call.number : CALL_UNKNOWN;
		part.polls = call.polls;
		emit_with_reclaim(cut, &part);
		part.from_ns = call.to_ns;
		part.call = CALL_UNKNOWN;
		part.polls = false;
	}
	part.to_ns = piece->to_ns;
	emit_with_reclaim(cut, &part);
}

void kernel_cut_note_lock(struct piece *piece, const struct lock_span *lock)
{
	static const enum cause_reason reasons[NR_KERNEL_LOCKS] = {
		[KERNEL_LOCK_SPIN] = REASON_KERNEL_SPIN,
		[KERNEL_LOCK_MUTEX] = REASON_KERNEL_MUTEX,
		[KERNEL_LOCK_RWSEM] = REASON_KERNEL_RWSEM,
		[KERNEL_LOCK_SEMAPHORE] = REASON_KERNEL_SEMAPHORE,
	};

	piece->reason = reasons[lock->kind];
	memcpy(piece->function, lock->function, sizeof(piece->function));
}

/*
 * The thread ran: in waits for locks of the kernel, and in between.
 *
 *	  own code | waits on its CPU | own code
 */
void kernel_cut_running(const struct cut *cut, const struct piece *piece)
{
	struct deep_events *deep = cut->cutter->history->deep;
	struct piece part = *piece;
	struct lock_span lock;

	while (cut->cutter->left && step_limit_spend(STEPS_OF_SHARE) &&
	       deep_events__lock(deep, cut->span->tid, part.from_ns, piece->to_ns, &lock)) {
		part.to_ns = lock.from_ns;
		if (part.from_ns < part.to_ns)
			emit_in_calls(cut, &part);
		part.from_ns = lock.from_ns;
		part.to_ns = lock.to_ns;
		kernel_cut_note_lock(&part, &lock);
		part.call = lock.number < CALL_OUTSIDE ? lock.number : CALL_UNKNOWN;
		cut_emit(cut, &part);
		part = *piece;
		part.from_ns = lock.to_ns;
	}
	part.to_ns = piece->to_ns;
	if (part.from_ns < part.to_ns)
		emit_in_calls(cut, &part);
}

/* The journal of a file system writes what the thread waits for, and what others wait for. */
static bool is_journal(const struct blame *by)
{
	return by->class == BLAME_KTHREAD && !strncmp(by->comm, "jbd2/", strlen("jbd2/"));
}

/*
 * Emits a wait for a disk. The parts in which the disk has requests of others are theirs:
 *
 *	from           request of another         to
 *	 |   for the disk  |   busy with it   |    |
 */
static void emit_disk(const struct cut *cut, const struct piece *sleep, uint32_t disk)
{
	struct cutter *cutter = cut->cutter;
	struct disk_log *log = deep_events__disks(cutter->history->deep);
	struct piece own = *sleep, other;
	struct disk_use use;

	own.role = CAUSE_ITSELF;
	own.from_interrupt = false;
	own.by = no_culprit();
	own.reason = sleep->call == CALL_OUTSIDE ? REASON_DISK_PAGE : REASON_DISK;
	memcpy(own.disk, disk_log_name(log, disk), strlen(disk_log_name(log, disk)) + 1);
	while (cutter->left && step_limit_spend(STEPS_OF_SHARE) &&
	       disk_log_use(log, disk, cut->span->tid, own.from_ns, sleep->to_ns, &use)) {
		other = own;
		own.to_ns = other.from_ns = use.from_ns;
		other.to_ns = use.to_ns;
		cut_emit(cut, &own);
		other.by = thread_culprit(cutter, use.tid, use.from_ns);
		if (is_journal(&other.by)) {
			other.by = no_culprit();
		} else {
			other.role = CAUSE_KEPT;
			other.reason = other.by.class == BLAME_KTHREAD ? REASON_DISK_KERNEL
								       : REASON_DISK_BUSY;
		}
		cut_emit(cut, &other);
		own.from_ns = use.to_ns;
	}
	own.to_ns = sleep->to_ns;
	cut_emit(cut, &own);
}

/* Whether all of the sleep is in a time in which the thread frees memory. */
static bool is_in_reclaim(const struct cut *cut, const struct piece *sleep, struct call_span *span)
{
	return deep_events__reclaim(cut->cutter->history->deep, cut->span->tid, sleep->from_ns,
				    sleep->to_ns, span) &&
	       span->from_ns == sleep->from_ns && span->to_ns == sleep->to_ns;
}

/* What a thread of a program ends may be a lock, whatever the call: that thread is the answer. */
static bool is_ended_by_program(const struct piece *sleep)
{
	return sleep->role == CAUSE_WOKE && !sleep->from_interrupt &&
	       sleep->by.class != BLAME_KTHREAD;
}

void kernel_cut_sleep(const struct cut *cut, const struct piece *sleep, uint64_t began_ns)
{
	struct disk_log *log = deep_events__disks(cut->cutter->history->deep);
	struct piece piece = *sleep;
	struct call_span reclaim;
	uint32_t disk;

	/* A kernel lock or a full buffer is known for certain, whatever disk the call is for. */
	if (sleep->reason || is_ended_by_program(sleep) || sleep->cost != COMPONENT_BLOCKED) {
		cut_emit(cut, sleep);
	} else if (is_in_reclaim(cut, sleep, &reclaim)) {
		piece.role = CAUSE_ITSELF;
		piece.from_interrupt = false;
		piece.by = no_culprit();
		piece.reason = reclaim_reason(&reclaim);
		cut_emit(cut, &piece);
	} else if (began_ns && disk_log_wait(log, cut->span->tid, began_ns, &disk)) {
		emit_disk(cut, sleep, disk);
	} else {
		cut_emit(cut, sleep);
	}
}
