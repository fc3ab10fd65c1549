/* SPDX-License-Identifier: BSD-2-Clause */
/* Transports that are made of descriptors: what the other side learns of an end, and what ends
 * inherit. */
#include "support/fd_transports.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* The server has unread messages when it dies: TCP and unix sockets report this as an error. */
static void dying_server(struct ends_side *side)
{
	ends_await(side, 0, side->spec->clients);
	receive_all(side, side->spec->clients);
	raise(SIGKILL);
}

/* UDP reports nothing to a process that only receives: the client has to send. */
static void bereaved_client(struct ends_side *side)
{
	ends_expect(side, !ends_send(side, LINK_SERVER, true));
	ends_expect(side, !ends_send(side, LINK_SERVER, true));
	ends_tell(side, 0);
	while (is_udp(side->spec->ops) && !ends_send(side, LINK_SERVER, true))
		usleep(1000);
	if (is_udp(side->spec->ops)) {
		ends_expect(side, side->counts->error == -ECONNREFUSED);
		/* The error of an earlier send may be reported now. */
		while (ends_send(side, LINK_SERVER, true))
			ends_expect(side, side->counts->error == -ECONNREFUSED);
	}
	ends_expect(side, ends_receive(side, NULL) == 0);
	side->counts->value = 1;
}

static void server_dies(void **state)
{
	struct ends_spec spec = {.ops = *state, .size = 64};

	for (spec.clients = 1; spec.clients <= 3; spec.clients += 2) {
		for (int threads = 0; threads <= 1; threads++) {
			const struct ends_outcome *outcome;

			spec.threads = threads;
			outcome = ends_run(&spec, dying_server, bereaved_client);
			assert_true(WIFSIGNALED(outcome->sides[LINK_SERVER].status));
			for (uint32_t client = 1; client <= spec.clients; client++)
				assert_int_equal(outcome->sides[client].value, 1);
		}
	}
}

enum { MORTAL = 2 };

/* One exchange with every client. Then client 2 dies, and the others have many more exchanges. */
static void surviving_server(struct ends_side *side)
{
	uint64_t left = (uint64_t)ROUNDS * (side->spec->clients - 1) + 1;
	uint32_t from;

	while (left) {
		int came = ends_receive(side, &from);

		ends_expect(side, came >= 0);
		if (came < 0)
			return;
		for (int i = 0; i < came; i++)
			ends_expect(side, !ends_send(side, from, true));
		left -= (uint64_t)came;
	}
	while (!ends_send(side, MORTAL, false))
		usleep(1000);
	side->counts->value = (uint64_t)-side->counts->error;
	while (!is_udp(side->spec->ops) && !side->counts->ended[MORTAL])
		if (ends_receive(side, &from) < 0)
			return;
}

static void mortal_client(struct ends_side *side)
{
	if (side->client != MORTAL) {
		ends_await(side, 0, 1);
		echo_client(side);
		return;
	}
	ends_send(side, LINK_SERVER, true);
	ends_receive(side, NULL);
	ends_tell(side, 0);
	raise(SIGKILL);
}

static void client_dies(void **state)
{
	struct ends_spec spec = {.ops = *state, .clients = 3, .size = 64};
	const struct ends_counts *server;

	for (spec.reader = 0; spec.reader < NR_READERS; spec.reader++) {
		const struct ends_outcome *outcome =
			ends_run(&spec, surviving_server, mortal_client);

		server = &outcome->sides[LINK_SERVER];
		assert_true(WIFSIGNALED(outcome->sides[MORTAL].status));
		assert_int_equal(outcome->sides[1].received[LINK_SERVER], ROUNDS);
		assert_int_equal(outcome->sides[3].received[LINK_SERVER], ROUNDS);
		assert_true(server->value == EPIPE || server->value == ECONNRESET ||
			    server->value == ECONNREFUSED);
		if (!is_udp(spec.ops))
			assert_int_equal(server->ended[MORTAL], 1);
		assert_int_equal(corrupt(outcome), 0);
	}
}

static void leaving_client(struct ends_side *side)
{
	ends_send(side, LINK_SERVER, true);
}

/* The end of each client is reported once, and then that no client is left. */
static void deserted_server(struct ends_side *side)
{
	uint32_t ended = 0, messages = 0;
	int came;

	while ((came = ends_receive(side, NULL)) >= 0) {
		messages += (uint32_t)came;
		ended += !came;
	}
	ends_expect(side, came == -ECONNRESET);
	ends_expect(side, ended == side->spec->clients);
	ends_expect(side, messages == side->spec->clients);
	ends_expect(side, ends_receive(side, NULL) == -ECONNRESET);
}

static void all_leave(void **state)
{
	struct ends_spec spec = {.ops = *state, .size = 64};

	for (spec.reader = 0; spec.reader < NR_READERS; spec.reader++)
		for (spec.clients = 1; spec.clients <= 3; spec.clients += 2)
			ends_run(&spec, deserted_server, leaving_client);
}

static int inherited_before;

static void private_server(struct ends_side *side)
{
	ends_expect(side, descriptors(true) == inherited_before);
	ends_tell(side, 0);
	ends_await(side, 1, side->spec->clients);
}

static void private_client(struct ends_side *side)
{
	ends_await(side, 0, 1);
	ends_expect(side, descriptors(true) == inherited_before);
	ends_tell(side, 1);
}

static void nothing_inherited(void **state)
{
	struct ends_spec spec = {.ops = *state, .clients = 2, .size = 64, .reader = READER_EPOLL};

	inherited_before = descriptors(true);
	ends_run(&spec, private_server, private_client);
}

/* All clients are in one process, whose limit of descriptors is low at first. */
static void few_descriptors(void **state)
{
	struct ends_spec spec = {
		.ops = *state, .clients = ENDS_CLIENTS_MAX, .size = 64, .threads = true};
	struct rlimit before, limit;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	limit = before;
	limit.rlim_cur = 20;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	echo(&spec);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
}

TEST_LIST(ALL(server_dies), ALL(client_dies), RELIABLE(all_leave), ALL(nothing_inherited),
	  ALL(few_descriptors))
