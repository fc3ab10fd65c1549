/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A server and clients over one transport, for tests of transports. Each is a process, or the
 * clients are threads of one process. All messages of a run have one size. Every byte follows from
 * client, direction, number and position, so that each byte is checked.
 *
 *	static void server(struct ends_side *side)
 *	{
 *		ends_send(side, 1, true);
 *	}
 *
 *	static void client(struct ends_side *side)
 *	{
 *		ends_receive(side, NULL);
 *	}
 *
 *	struct ends_spec spec = {.ops = &tcp_transport, .clients = 1, .size = 64};
 *	const struct ends_outcome *outcome = ends_run(&spec, server, client);
 *
 *	assert_int_equal(outcome->sides[1].received[LINK_SERVER], 1);
 *
 * The bodies run in other processes, where cmocka's assertions do not work: they count, and the
 * test checks the counts. ends_expect() records a failure.
 */
#pragma once

#include "support/test.h"
#include "transport/transport.h"

#include <stdatomic.h>

#define ENDS_CLIENTS_MAX 16
#define ENDS_RUNS_MAX    8
#define LINKS_STEPS      8

struct ends_spec {
	const struct transport_ops *ops;
	uint32_t clients;
	size_t size; /* size of all messages */
	enum reader reader;
	bool oneway;
	bool threads;
};

/*
 * The counts of one side, by peer: LINK_SERVER or a client's number. They outlive the side's
 * process.
 */
struct ends_counts {
	_Atomic uint64_t sent[ENDS_CLIENTS_MAX + 1];
	_Atomic uint64_t received[ENDS_CLIENTS_MAX + 1]; /* whole messages */
	_Atomic uint64_t bytes[ENDS_CLIENTS_MAX + 1];    /* received */
	_Atomic uint64_t corrupt[ENDS_CLIENTS_MAX + 1];  /* received and wrong */
	_Atomic uint64_t
		ended[ENDS_CLIENTS_MAX + 1]; /* how often receive() reported the end of this peer */
	_Atomic int error;                   /* the last error of receive() or send() */
	_Atomic uint64_t value;              /* for any value that a body passes to the test */
	int status; /* wait status of its process; threads: the status of client 1 */
};

struct ends_outcome {
	struct ends_counts sides[ENDS_CLIENTS_MAX + 1]; /* the server, then the clients */
	_Atomic uint32_t steps[LINKS_STEPS];
	_Atomic uint32_t turn;   /* the client that may join */
	_Atomic uint32_t joined; /* clients that have joined */
	_Atomic uint32_t failed; /* not 0: `failure` is being written */
	char failure[512];       /* the first failure of any process */
	char left[256];          /* a file that destroy() has left behind; empty: none */
};

struct ends_side {
	const struct ends_spec *spec;
	struct ends_outcome *outcome;
	struct ends_counts *counts; /* its own */
	uint32_t client;            /* LINK_SERVER, or its number */
	struct medium *medium;
	struct end *end;     /* NULL: the body has closed it */
	unsigned char *data; /* `size` bytes */
};

typedef void (*ends_body)(struct ends_side *side);

/* Creates a medium. Waits for room for POSIX queues, see queue_room.h. NULL, with errno. */
struct medium *ends_medium(const struct medium_spec *spec);

/*
 * Runs both bodies on links that are joined and admitted, closes the ends that are still open, and
 * destroys the medium. Fails the test on an error, after 20 s, if a file is left, or if an
 * ends_expect() failed. The outcome is valid until the next run.
 */
const struct ends_outcome *ends_run(const struct ends_spec *spec, ends_body server,
				    ends_body client);

/*
 * Runs several specs at the same time, for bodies that mostly wait. The outcomes have the same
 * order.
 */
const struct ends_outcome *ends_run_together(const struct ends_spec *specs, size_t count,
					     ends_body server, ends_body client);

/*
 * Sends the next message of this direction. 0, or the error of send(); a failed send is not
 * counted.
 */
int ends_send(struct ends_side *side, uint32_t to, bool wait);

/*
 * Waits for at least one whole message. Returns how many came, which may be several of one link on
 * byte streams; 0: the end of that link; or -errno. `from` may be NULL.
 */
int ends_receive(struct ends_side *side, uint32_t *from);

/* Replaces an assertion in a body. */
#define ends_expect(side, condition) ends_note(side, condition, #condition, __FILE__, __LINE__)
void ends_note(struct ends_side *side, bool good, const char *text, const char *file, int line);

/*
 * Sides wait for each other by steps 0..7: ends_tell() counts a step up, ends_await() waits for its
 * count.
 */
void ends_tell(struct ends_side *side, unsigned int step);
void ends_await(struct ends_side *side, unsigned int step, uint32_t count);

/* Messages that were received and wrong. */
uint64_t corrupt(const struct ends_outcome *outcome);

/* Every client and the server have sent each other that many messages, and all have come. */
void assert_all(const struct ends_spec *spec, const struct ends_outcome *outcome,
		uint64_t to_clients, uint64_t to_server);

/* Runs a client whose receive() has to end by a signal. */
void ends_run_interrupted(const struct ends_spec *spec);
