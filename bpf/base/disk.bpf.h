/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finds the disk that a traced thread waits for (--level deep): that of the file whose call it
 * sleeps in, or else that of the last request that it has made in this call. Only sleeps count that
 * signals do not interrupt.
 *
 *	thread     runs |==== asleep, in fsync ====| runs            DISK, with DISK_WAIT
 *	request 1      issued ------- complete                       DISK
 *	request 2              issued ----------------- complete     DISK
 *
 * Requests go out that were under way while any traced thread slept so, whatever made them.
 */
#pragma once

#include "base/emit.bpf.h"
#include "base/syscalls.bpf.h"
#include "deep.h"

/* How many traced threads wait for a disk now, and when the last wait ended. */
u32 disk_waiting;
u64 disk_waited_ns;

struct request___rq_disk {
	struct gendisk *rq_disk;
} __attribute__((preserve_access_index));

/* The field moved with Linux 5.17 ("block: remove the ->rq_disk field in struct request"). */
static __always_inline struct gendisk *disk_of_request(struct request *request)
{
	struct request___rq_disk *old = (struct request___rq_disk *)request;

	if (bpf_core_field_exists(old->rq_disk))
		return BPF_CORE_READ(old, rq_disk);
	return BPF_CORE_READ(request, q, disk);
}

/* Whether the first argument is a file that the call may read from a disk, or write to one. */
static __always_inline bool call_uses_file(long number)
{
	switch (number) {
	case __NR_read:
	case __NR_write:
	case __NR_readv:
	case __NR_writev:
	case __NR_pread64:
	case __NR_pwrite64:
	case __NR_preadv:
	case __NR_pwritev:
	case __NR_preadv2:
	case __NR_pwritev2:
	case __NR_fsync:
	case __NR_fdatasync:
	case __NR_syncfs:
	case __NR_sync_file_range:
	case __NR_ftruncate:
	case __NR_fallocate:
	case __NR_getdents64:
		return true;
	default:
		return false;
	}
}

/* NULL: the file is on none, or that is not known. */
static __always_inline struct gendisk *disk_of_file(struct file *file)
{
	return file ? BPF_CORE_READ(file, f_inode, i_sb, s_bdev, bd_disk) : NULL;
}

static __always_inline struct gendisk *disk_waited_for(struct task_state *t,
						       struct task_struct *task)
{
	const struct pt_regs *regs = task_regs(task);
	struct gendisk *disk = NULL;

	if (is_in_call(regs) && call_uses_file(call_number(regs)))
		disk = disk_of_file(file_of_task(task, call_argument(regs, 0)));
	if (!disk && t->disk.asked_ns >= t->call.since_ns)
		disk = (struct gendisk *)t->disk.asked;
	return disk;
}

static __always_inline void fill_disk(struct record_disk *record, struct gendisk *disk, u32 tid)
{
	record->head = record_head(RECORD_DISK, sizeof(*record), bpf_get_smp_processor_id(), tid);
	record->disk = BPF_CORE_READ(disk, major) << 20 | BPF_CORE_READ(disk, first_minor);
	bpf_probe_read_kernel_str(record->name, sizeof(record->name), disk->disk_name);
}

/* The thread falls asleep, and signals do not interrupt that. */
static __always_inline void note_disk_asleep(struct task_state *t, struct task_struct *task,
					     u64 now_ns)
{
	struct gendisk *disk = disk_waited_for(t, task);

	if (!disk)
		return;
	t->disk.waits_for = (u64)disk;
	t->disk.asleep_ns = now_ns;
	__sync_fetch_and_add(&disk_waiting, 1);
}

/* The thread gets a CPU. Not staged: the stage of this CPU may be in use. */
OUT_OF_LINE void note_disk_over(struct task_state *t, struct task_struct *task, u64 now_ns)
{
	struct record_disk record = {};

	if (!t->disk.waits_for)
		return;
	fill_disk(&record, (struct gendisk *)t->disk.waits_for, state_tid(t, task));
	record.head.flags = DISK_WAIT;
	record.from_ns = t->disk.asleep_ns;
	record.to_ns = now_ns;
	t->disk.waits_for = 0;
	disk_waited_ns = now_ns;
	__sync_fetch_and_add(&disk_waiting, -1);
	emit(&record, sizeof(record));
}
