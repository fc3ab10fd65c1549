/* SPDX-License-Identifier: BSD-2-Clause */
/* The disks that threads sleep for, and what keeps these busy. */
#include "support/build.h"

#include "analysis/history/disks.h"

#include <string.h>

enum { TID = 7, OTHER = 8, THIRD = 9, VDA = 254 << 20, VDB = 253 << 20 };

static struct disk_log *disk_log_make(void)
{
	struct disk_log *log = malloc(sizeof(*log));

	disk_log_init(log);
	return log;
}

static void disk_log_drop(struct disk_log *log)
{
	disk_log_clean(log);
	free(log);
}

EACH_TEST_HAS(*state, disk_log_make(), disk_log_drop)

static void add_disk(struct disk_log *log, uint32_t tid, uint32_t disk, uint32_t flags,
		     uint64_t from_ns, uint64_t to_ns)
{
	struct record_disk record = {
		.head = record_head(RECORD_DISK, sizeof(record), 0, tid),
		.disk = disk,
		.from_ns = from_ns,
		.to_ns = to_ns,
	};

	record.head.flags = flags;
	strcpy(record.name, disk == VDA ? "vda" : "vdb");
	assert_int_equal(disk_log_add(log, &record), 0);
}

static void assert_use(struct disk_log *log, uint64_t from_ns, uint64_t to_ns, uint32_t tid,
		       uint64_t begins_ns, uint64_t ends_ns)
{
	struct disk_use use;

	assert_true(disk_log_use(log, VDA, TID, from_ns, to_ns, &use));
	assert_int_equal(use.tid, tid);
	assert_int_equal(use.from_ns, begins_ns);
	assert_int_equal(use.to_ns, ends_ns);
}

static void assert_no_use(struct disk_log *log, uint64_t from_ns, uint64_t to_ns)
{
	struct disk_use use;

	assert_false(disk_log_use(log, VDA, TID, from_ns, to_ns, &use));
}

TEST(a_wait_is_found_by_its_begin_and_has_the_name_of_the_disk)
{
	uint32_t disk = 0;

	add_disk(*state, TID, VDA, DISK_WAIT, 1000, 2000);
	add_disk(*state, OTHER, VDB, DISK_WAIT, 1500, 2000);
	assert_true(disk_log_wait(*state, TID, 1000, &disk));
	assert_string_equal(disk_log_name(*state, disk), "vda");
	assert_false(disk_log_wait(*state, TID, 1001, &disk));
	assert_false(disk_log_wait(*state, TID, 1500, &disk));
	assert_string_equal(disk_log_name(*state, 1), "");
}

TEST(a_use_is_cut_at_the_ends_of_the_time)
{
	add_disk(*state, OTHER, VDA, DISK_WRITE, 1000, 2000);
	assert_use(*state, 500, 3000, OTHER, 1000, 2000);
	assert_use(*state, 1200, 1300, OTHER, 1200, 1300);
	assert_no_use(*state, 2000, 3000);
	assert_no_use(*state, 500, 1000);
	assert_no_use(*state, 1500, 1500);
}

TEST(own_requests_other_disks_and_flushes_keep_nothing_busy)
{
	add_disk(*state, TID, VDA, DISK_WRITE, 1000, 2000);
	add_disk(*state, OTHER, VDB, DISK_WRITE, 1000, 2000);
	add_disk(*state, OTHER, VDA, DISK_FLUSH, 1000, 2000);
	assert_no_use(*state, 500, 3000);
}

TEST(the_request_that_was_made_first_comes_first)
{
	add_disk(*state, OTHER, VDA, 0, 1500, 1800);
	add_disk(*state, THIRD, VDA, 0, 1000, 2500); /* it ends last */
	add_disk(*state, OTHER, VDA, 0, 2600, 2700);
	assert_use(*state, 500, 3000, THIRD, 1000, 2500);
	assert_use(*state, 2500, 3000, OTHER, 2600, 2700);
}

TEST(a_request_without_time_is_none)
{
	add_disk(*state, OTHER, VDA, 0, 1500, 1500);
	add_disk(*state, OTHER, VDA, 0, 1900, 1800);
	assert_no_use(*state, 500, 3000);
}

TEST(what_ended_before_the_horizon_is_forgotten)
{
	add_disk(*state, OTHER, VDA, 0, 1000, 1500);
	add_disk(*state, OTHER, VDA, 0, 1000, 2500);
	disk_log_trim(*state, 2000);
	assert_int_equal(disk_log_cnt(*state), 1);
}
