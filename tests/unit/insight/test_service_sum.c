/* SPDX-License-Identifier: BSD-2-Clause */
/* Which service a report speaks of first. */
#include "support/build.h"

#include "insight/services.h"

#include <string.h>

static struct service_summary row[4];
static struct calls_summary calls;

/* `each_ns`: of its calls. */
static void serve(uint32_t pid, const char *name, uint64_t cnt, uint64_t each_ns)
{
	struct service_summary *one = &row[calls.service_cnt++];

	*one = (struct service_summary){.server = {.pid = pid}, .client = {.pid = 1}};
	strcpy(one->name, name);
	one->count = cnt;
	for (uint64_t i = 0; i < cnt; i++)
		stat_add(&one->round_trip, each_ns);
	calls.service_of = row;
	calls.count += cnt;
}

static int teardown(void **state)
{
	for (uint32_t i = 0; i < calls.service_cnt; i++)
		stat_free(&row[i].round_trip);
	calls = (struct calls_summary){0};
	return 0;
}

EACH_TEST(NULL, teardown)

static void assert_busiest(const char *name)
{
	assert_string_equal(busiest_service(&calls)->name, name);
}

TEST(the_service_with_most_time_is_the_busiest)
{
	assert_null(busiest_service(&calls));
	serve(10, "often", 9, 10);
	serve(11, "long", 3, 100);
	assert_busiest("long");
	row[1].nested = 3; /* a backend of the other one */
	assert_busiest("often");
}

/* A worker waits at a broker until there is work: the broker is said to take as long to answer. */
TEST(what_a_target_serves_counts_more_than_what_it_asks_for)
{
	serve(10, "broker", 9, 1000);
	serve(11, "worker", 1, 10);
	assert_busiest("broker"); /* recordings before version 14 */
	row[1].is_target = true;
	assert_busiest("worker");
}

/* A batch job whose state something asks for now and then. */
TEST(a_target_that_hardly_serves_is_a_client)
{
	serve(10, "database", 10, 1000);
	serve(11, "status", 1, 10);
	row[1].is_target = true;
	assert_busiest("database");
	serve(12, "backend", 100, 10); /* calls in its service do not count */
	row[2].nested = 100;
	assert_busiest("database");
}
