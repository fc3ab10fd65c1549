/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps waits by the thread and the instant at which they began, and requests by their end. */
#include "analysis/history/disks.h"

#include "container/step_limit.h"

#include <stdio.h>
#include <string.h>

/* So many requests of all disks, and so many that are looked at for one piece of a wait. */
#define REQUESTS_MAX       (1u << 17)
#define REQUESTS_LOOKED_AT 1024

struct disk_request {
	uint64_t to_ns;
	uint64_t from_ns;
	uint32_t tid;
};

void disk_log_init(struct disk_log *log)
{
	event_log_init(&log->waits, sizeof(struct disk_wait));
	event_log_init(&log->requests, sizeof(struct disk_request));
	log->requests.all_max = REQUESTS_MAX;
	log->known_cnt = 0;
}

void disk_log_clean(struct disk_log *log)
{
	event_log_clean(&log->waits);
	event_log_clean(&log->requests);
}

static void disk_log_learn(struct disk_log *log, const struct record_disk *record)
{
	for (uint32_t i = 0; i < log->known_cnt; i++) {
		if (log->known[i].disk == record->disk)
			return;
	}
	if (log->known_cnt == DISKS_MAX)
		return;
	log->known[log->known_cnt].disk = record->disk;
	snprintf(log->known[log->known_cnt++].name, DISK_NAME_LEN, "%.*s", DISK_NAME_LEN - 1,
		 record->name);
}

int disk_log_add(struct disk_log *log, const struct record_disk *record)
{
	disk_log_learn(log, record);
	if (record->head.flags & DISK_WAIT)
		return event_log_add(&log->waits, record->head.tid,
				     &(struct disk_wait){record->from_ns, record->disk});
	if (record->head.flags & DISK_FLUSH || record->from_ns >= record->to_ns)
		return 0;
	return event_log_add(
		&log->requests, record->disk,
		&(struct disk_request){record->to_ns, record->from_ns, record->head.tid});
}

bool disk_log_wait(struct disk_log *log, uint32_t tid, uint64_t began_ns, uint32_t *disk)
{
	struct events events = event_log_until(&log->waits, tid, began_ns);
	const struct disk_wait *last;

	if (!events.cnt)
		return false;
	last = (const struct disk_wait *)events.event + events.cnt - 1;
	*disk = last->disk;
	return last->from_ns == began_ns;
}

bool disk_log_use(struct disk_log *log, uint32_t disk, uint32_t tid, uint64_t from_ns,
		  uint64_t to_ns, struct disk_use *use)
{
	struct events events = event_log_within(&log->requests, disk, from_ns, UINT64_MAX);
	const struct disk_request *request = events.event, *best = NULL;
	size_t left = REQUESTS_LOOKED_AT;

	for (size_t i = 0; i < events.cnt && left-- && step_limit_spend(1); i++) {
		if (request[i].tid != tid && request[i].from_ns < to_ns &&
		    (!best || request[i].from_ns < best->from_ns))
			best = &request[i];
	}
	if (!best || from_ns >= to_ns)
		return false;
	*use = (struct disk_use){
		.from_ns = best->from_ns > from_ns ? best->from_ns : from_ns,
		.to_ns = best->to_ns < to_ns ? best->to_ns : to_ns,
		.tid = best->tid,
	};
	return true;
}

const char *disk_log_name(const struct disk_log *log, uint32_t disk)
{
	for (uint32_t i = 0; i < log->known_cnt; i++) {
		if (log->known[i].disk == disk)
			return log->known[i].name;
	}
	return "";
}

size_t disk_log_cnt(const struct disk_log *log)
{
	return log->waits.cnt + log->requests.cnt;
}

void disk_log_trim(struct disk_log *log, uint64_t horizon_ns)
{
	event_log_trim(&log->waits, horizon_ns);
	event_log_trim(&log->requests, horizon_ns);
}
