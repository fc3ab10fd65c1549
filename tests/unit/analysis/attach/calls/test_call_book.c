/* SPDX-License-Identifier: BSD-2-Clause */
/* Which calls are added up together, and what is shown of them. */
#include "support/build.h"

#include "analysis/attach/calls/call_book.h"

#include <string.h>

static struct call_book *book;

EACH_TEST_HAS(book, call_book__new(), call_book__free)

/* A call of 100 + 300 + 50 ns. */
static struct call a_call(void)
{
	return (struct call){
		.sent_ns = 1000,
		.received_ns = 1100,
		.answered_ns = 1400,
		.first_back_ns = 1410,
		.back_ns = 1450,
		.has_states = true,
		.state_ns = {[SERVICE_ON_CPU] = 200, [SERVICE_BLOCKED] = 100},
	};
}

static void add(const struct call *call, const char *name, uint32_t client, uint32_t server)
{
	const struct call_ends ends = {
		.name = name,
		.client = {.pid = client, .tid = client, .comm = "client"},
		.server = {.pid = server, .tid = server, .comm = "server"},
	};

	assert_int_equal(call_book__add(book, call, &ends), 0);
}

static void free_calls(struct calls_summary *calls)
{
	struct summary summary = {.calls = *calls};

	summary_clean(&summary);
}

TEST(calls_of_one_client_and_one_service_are_added_up)
{
	struct calls_summary calls = {0};
	struct call call = a_call();
	const struct service_summary *service;

	add(&call, "10.0.0.2:80", 5, 7);
	call.has_states = false;
	call.back_ns = 1550;
	memset(call.state_ns, 0, sizeof(call.state_ns));
	add(&call, "10.0.0.2:80", 5, 7); /* another connection */
	assert_int_equal(call_book__finish(book, &calls), 0);
	assert_int_equal(calls.service_cnt, 1);
	service = &calls.service_of[0];
	assert_string_equal(service->name, "10.0.0.2:80");
	assert_int_equal(service->server.pid, 7);
	assert_int_equal(service->client.pid, 5);
	assert_int_equal(service->count, 2);
	assert_int_equal(service->round_trip.sum, 450 + 550);
	assert_int_equal(service->service.sum, 300 + 300);
	assert_int_equal(service->state_cnt, 1);
	assert_int_equal(service->state_ns[SERVICE_ON_CPU], 200);
	free_calls(&calls);
}

/* The culprits of two services differ, and so does the time between the parts of answers. */
TEST(a_service_knows_what_had_its_cpu)
{
	struct blame hog = {.class = BLAME_TASK, .tid = 66, .ns = 30, .comm = "hog"};
	struct server_time between = {.state_ns[SERVICE_BLOCKED] = 25};
	struct call call = a_call(), other = a_call();
	struct calls_summary calls = {0};

	call.last_sent_ns = 1440;
	call.between = &between;
	other.last_sent_ns = other.answered_ns;
	blame_top_add(&call.blame, &hog, 1);
	add(&call, "a", 5, 7);
	add(&call, "a", 5, 7);
	add(&other, "b", 5, 8);
	assert_int_equal(call_book__finish(book, &calls), 0);
	assert_int_equal(calls.service_cnt, 2);
	assert_int_equal(calls.service_of[0].blame.cnt, 1);
	assert_int_equal(calls.service_of[0].blame.entry[0].tid, 66);
	assert_int_equal(calls.service_of[0].blame.entry[0].ns, 60);
	assert_int_equal(calls.service_of[0].parts.calls, 2);
	assert_int_equal(calls.service_of[0].parts.ns, 80);
	assert_int_equal(calls.service_of[0].parts.did.state_ns[SERVICE_BLOCKED], 50);
	assert_int_equal(calls.service_of[1].blame.cnt, 0);
	assert_int_equal(calls.service_of[1].parts.calls, 0);
	free_calls(&calls);
}

static void assert_slowest(uint64_t round_trip_ns, uint32_t server)
{
	struct end_summary end;

	assert_int_equal(call_book__slowest(book, &end), round_trip_ns);
	assert_int_equal(end.pid, server);
}

TEST(the_slowest_call_so_far_is_known_at_any_time)
{
	struct call call = a_call();

	assert_slowest(0, 0);
	add(&call, "a", 5, 7);
	assert_slowest(450, 7);
	call.back_ns = 2000;
	add(&call, "b", 5, 8);
	add(&call, "a", 6, 7);
	assert_slowest(1000, 8);
	call.match = CALL_SEVERAL;
	call.back_ns = 9000;
	add(&call, "c", 5, 9);
	assert_slowest(1000, 8);
}

TEST(calls_with_several_open_are_only_counted)
{
	struct calls_summary calls = {0};
	struct call call = a_call();

	call.match = CALL_SEVERAL;
	call.is_ambiguous = call.is_guessed = true;
	add(&call, "/run/x.sock", 5, 7);
	assert_int_equal(call_book__finish(book, &calls), 0);
	assert_int_equal(calls.service_of[0].count, 0);
	assert_int_equal(calls.service_of[0].open_several, 1);
	assert_int_equal(calls.service_of[0].ambiguous, 1);
	assert_int_equal(calls.service_of[0].guessed, 1);
	assert_int_equal(calls.service_of[0].round_trip.count, 0);
	free_calls(&calls);
}

TEST(clients_servers_and_names_are_kept_apart_and_the_busiest_comes_first)
{
	struct calls_summary calls = {0};
	struct call call = a_call();

	add(&call, "/run/x.sock", 5, 7);
	add(&call, "/run/x.sock", 6, 7);
	add(&call, "/run/y.sock", 5, 7);
	add(&call, "/run/x.sock", 5, 8);
	add(&call, "/run/y.sock", 5, 7);
	assert_int_equal(call_book__finish(book, &calls), 0);
	assert_int_equal(calls.service_cnt, 4);
	assert_string_equal(calls.service_of[0].name, "/run/y.sock");
	assert_int_equal(calls.service_of[0].count, 2);
	free_calls(&calls);
}

TEST(further_clients_of_a_service_are_added_up_in_one)
{
	struct calls_summary calls = {0};
	struct call call = a_call();
	uint64_t cnt = 0;

	for (uint32_t client = 1; client <= 3 * CALL_BOOK_PAIRS_MAX; client++)
		add(&call, "/run/x.sock", client, 7);
	assert_int_equal(call_book__finish(book, &calls), 0);
	assert_int_equal(calls.service_cnt, CALL_BOOK_PAIRS_MAX + 1);
	assert_int_equal(calls.service_of[0].client.pid, 0);
	assert_int_equal(calls.service_of[0].server.pid, 7);
	assert_int_equal(calls.service_of[0].count, 2 * CALL_BOOK_PAIRS_MAX);
	for (uint32_t i = 0; i < calls.service_cnt; i++)
		cnt += calls.service_of[i].count;
	assert_int_equal(cnt, 3 * CALL_BOOK_PAIRS_MAX);
	free_calls(&calls);
}

TEST(services_beyond_the_room_are_added_up_in_one)
{
	struct calls_summary calls = {0};
	struct call call = a_call();
	uint64_t cnt = 0;

	for (uint32_t server = 1; server <= 3 * CALL_BOOK_PAIRS_MAX; server++)
		add(&call, "/run/x.sock", 5, server);
	assert_int_equal(call_book__finish(book, &calls), 0);
	assert_int_equal(calls.service_cnt, 2 * CALL_BOOK_PAIRS_MAX + 1);
	assert_string_equal(calls.service_of[0].name, "other");
	assert_int_equal(calls.service_of[0].server.pid, 0);
	for (uint32_t i = 0; i < calls.service_cnt; i++)
		cnt += calls.service_of[i].count;
	assert_int_equal(cnt, 3 * CALL_BOOK_PAIRS_MAX);
	free_calls(&calls);
}

TEST(a_long_name_is_cut)
{
	struct calls_summary calls = {0};
	struct call call = a_call();
	char name[CHANNEL_NAME_LEN];

	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	add(&call, name, 5, 7);
	add(&call, name, 5, 7);
	assert_int_equal(call_book__finish(book, &calls), 0);
	assert_int_equal(calls.service_cnt, 1);
	assert_int_equal(strlen(calls.service_of[0].name), SERVICE_NAME_LEN - 1);
	free_calls(&calls);
}
