/* SPDX-License-Identifier: BSD-2-Clause */
/* Exchanges over the transports whose messages lie in memory or in a queue. */
#include "support/queues.h"

/*
 * The server stays until every client has its last answer: it may receive a message before the
 * client has signalled it, and a signal to a process that is gone is an error.
 */
#define STEP_ANSWERED (LINKS_STEPS - 1)
#define STEP_SENT     (LINKS_STEPS - 2)

const struct transport_ops *const queues[QUEUES_CNT] = {
	&shm_transport,        &eventfd_transport, &signal_transport,
	&signal_std_transport, &mqueue_transport,  &sysv_transport,
};

int queues_exchanges(const struct ends_spec *spec)
{
	return spec->size < LARGE ? EXCHANGES : 20;
}

uint32_t queues_message_await(struct ends_side *side)
{
	uint32_t from = LINK_SERVER;
	int count;

	while (!(count = ends_receive(side, &from)))
		;
	ends_expect(side, count == 1);
	return from;
}

void queues_echo_server(struct ends_side *side)
{
	for (uint32_t i = 0; i < queues_exchanges(side->spec) * side->spec->clients; i++)
		ends_expect(side, ends_send(side, queues_message_await(side), true) == 0);
	ends_tell(side, STEP_SENT);
	ends_await(side, STEP_ANSWERED, side->spec->clients);
}

void queues_echo_client(struct ends_side *side)
{
	for (int i = 0; i < queues_exchanges(side->spec); i++) {
		ends_expect(side, ends_send(side, LINK_SERVER, true) == 0);
		ends_expect(side, ends_receive(side, NULL) == 1);
	}
	ends_tell(side, STEP_ANSWERED);
	/* A client may have the last answer before its signal: it must not be gone by then. */
	ends_await(side, STEP_SENT, 1);
}

void queues_assert_direction(const struct ends_outcome *outcome, uint32_t from, uint32_t to,
			     uint64_t messages)
{
	assert_int_equal(outcome->sides[from].sent[to], messages);
	assert_int_equal(outcome->sides[to].received[from], messages);
	assert_int_equal(outcome->sides[to].corrupt[from], 0);
}

void queues_check_all(const struct transport_ops *ops, enum reader reader, bool oneway,
		      void (*check)(const struct ends_spec *spec))
{
	static const size_t sizes[] = {1, 64, 1500, LARGE};
	struct ends_spec spec = {.ops = ops, .reader = reader, .oneway = oneway};

	for (size_t i = 0; i < NR(sizes) && sizes[i] <= ops->size_max(); i++) {
		spec.size = sizes[i];
		for (spec.clients = 1; spec.clients <= 3; spec.clients += 2)
			for (int threads = 0; threads <= 1; threads++) {
				spec.threads = threads;
				check(&spec);
			}
	}
}

struct medium *queues_medium_make(const struct transport_ops *ops)
{
	const struct medium_spec spec = {.ops = ops, .directory = "/tmp", .clients = 2, .size = 64};
	struct medium *medium = ends_medium(&spec);

	assert_non_null(medium);
	return medium;
}
