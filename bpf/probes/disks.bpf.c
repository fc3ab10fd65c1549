/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Records the requests to disks that were under way while a traced thread waited for one (--level
 * deep), see disk.bpf.h. A request is made by the thread in whose context it is queued first, or
 * issued. That may be a thread of the kernel, if it writes back what a program has written.
 */
#include "base/disk.bpf.h"

/* Whether all of a request is done: the event comes before the bytes are taken off. */
static __always_inline bool is_done(struct request *request, u32 bytes)
{
	return bytes >= BPF_CORE_READ(request, __data_len);
}

/*
 * Not every request has an event at its end: some are merged into others. The memory of such a one
 * is used again, with another time.
 */
static __always_inline void note_request(struct request *request)
{
	struct task_struct *task = current_task();
	struct task_state *t = task_state(task);
	u64 key = (u64)request, now;
	struct disk_request made = {.tid = task_tid(task)}, *before;

	made.start_ns = BPF_CORE_READ(request, start_time_ns);
	before = bpf_map_lookup_elem(&disk_requests, &key);
	if (before && before->start_ns && before->start_ns == made.start_ns)
		return;
	now = made.from_ns = bpf_ktime_get_ns();
	bpf_map_update_elem(&disk_requests, &key, &made, BPF_ANY);
	if (t) {
		t->disk.asked = (u64)disk_of_request(request);
		t->disk.asked_ns = now;
	}
	if (t && !t->is_peer)
		announce_traced(t, task, now);
	else if (task_key(task))
		announce_task(task, made.tid, now);
}

SEC("tp_btf/block_rq_insert")
int BPF_PROG(on_disk_insert, struct request *request)
{
	note_request(request);
	return 0;
}

SEC("tp_btf/block_rq_issue")
int BPF_PROG(on_disk_issue, struct request *request)
{
	note_request(request);
	return 0;
}

SEC("tp_btf/block_rq_complete")
int BPF_PROG(on_disk_complete, struct request *request, int error, unsigned int bytes)
{
	u64 key = (u64)request;
	struct disk_request *made = bpf_map_lookup_elem(&disk_requests, &key), was;
	struct record_disk record = {};
	struct gendisk *disk;
	u32 operation;

	if (!made || !is_done(request, bytes) ||
	    made->start_ns != BPF_CORE_READ(request, start_time_ns))
		return 0;
	was = *made;
	bpf_map_delete_elem(&disk_requests, &key);
	disk = disk_of_request(request);
	if (!disk || !(disk_waiting || disk_waited_ns > was.from_ns))
		return 0;
	operation = BPF_CORE_READ(request, cmd_flags) & REQUEST_OPERATION;
	fill_disk(&record, disk, was.tid);
	record.head.flags = operation & REQUEST_WRITES     ? DISK_WRITE
			    : operation == REQUEST_FLUSHES ? DISK_FLUSH
							   : 0;
	record.bytes = BPF_CORE_READ(request, __data_len);
	record.from_ns = was.from_ns;
	record.to_ns = bpf_ktime_get_ns();
	emit(&record, sizeof(record));
	return 0;
}
