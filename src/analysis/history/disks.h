/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Holds for which disks traced threads slept, and the requests that were under way meanwhile
 * (--level deep). Records may be added in any order.
 *
 *	the thread   |========= asleep =========|
 *	request 1       |------------|                   by the thread itself
 *	request 2            |-----------------------|   by another one, which keeps the disk busy
 */
#pragma once

#include "bpf/deep.h"
#include "container/event_log.h"

/* More disks have no name. */
#define DISKS_MAX 64

struct disk_log {
	struct event_log waits;    /* by thread */
	struct event_log requests; /* by disk, in the order of their ends */
	struct {
		uint32_t disk;
		char name[DISK_NAME_LEN];
	} known[DISKS_MAX];
	uint32_t known_cnt;
};

struct disk_wait {
	uint64_t from_ns;
	uint32_t disk;
};

/* What another thread has asked of the disk. */
struct disk_use {
	uint64_t from_ns;
	uint64_t to_ns;
	uint32_t tid; /* of that thread */
};

void disk_log_init(struct disk_log *log);
void disk_log_clean(struct disk_log *log);

/* 0 or -ENOMEM. */
int disk_log_add(struct disk_log *log, const struct record_disk *record);

/* The sleep of the thread that began at `began_ns`. False: it was for no disk that is known. */
bool disk_log_wait(struct disk_log *log, uint32_t tid, uint64_t began_ns, uint32_t *disk);

/*
 * The part in [from_ns, to_ns] of the first request by a thread other than `tid` that was under way
 * there. Of several at the same time it is the one that was made first: others stand behind it. A
 * request to empty the disk's cache has no certain origin, and does not count. False: none was.
 */
bool disk_log_use(struct disk_log *log, uint32_t disk, uint32_t tid, uint64_t from_ns,
		  uint64_t to_ns, struct disk_use *use);

/* "vda"; "" if it is not known. Borrowed until the log is cleaned. */
const char *disk_log_name(const struct disk_log *log, uint32_t disk);

size_t disk_log_cnt(const struct disk_log *log);

/* Forgets what ended before `horizon_ns`. */
void disk_log_trim(struct disk_log *log, uint64_t horizon_ns);
