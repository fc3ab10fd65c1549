/* SPDX-License-Identifier: BSD-2-Clause */
/* Sends, receives, checks, counts and records the messages of the server or of a client. */
#include "util/clock.h"
#include "workload/member/links.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_server(const struct links *links)
{
	return links->worker->number == LINK_SERVER;
}

static uint32_t direction_in(const struct links *links)
{
	return is_server(links) ? TO_SERVER : TO_CLIENT;
}

/* Each counter has one writer, so no locked instruction is needed. */
static void counter_set(_Atomic uint64_t *counter, uint64_t value)
{
	atomic_store_explicit(counter, value, memory_order_relaxed);
}

static uint64_t counter_get(const _Atomic uint64_t *counter)
{
	return atomic_load_explicit(counter, memory_order_relaxed);
}

/* ---- open and close ---- */

static int link_init(struct links *links, struct link *link, uint32_t client)
{
	const struct plan *plan = links->worker->plan;
	struct slot *slot = &links->worker->shared->slots[client];
	size_t fixed = plan->spec.size < sizeof(struct message_header) ? plan->spec.size : 0;

	*link = (struct link){
		.client = client,
		.in = &slot->direction[direction_in(links)],
		.out = &slot->direction[!direction_in(links)],
		.journal = is_server(links) ? &slot->serving : &slot->journal,
	};
	if (!links->transport->is_stream)
		return 0;
	return inbox_make(&link->inbox, fixed, plan->message_max,
			  links->read_size ? links->read_size : plan->message_max);
}

static int links_alloc(struct links *links)
{
	const struct worker *worker = links->worker;
	uint32_t first = is_server(links) ? 1 : worker->number;
	int err = 0;

	links->links_cnt = is_server(links) ? worker->plan->spec.clients : 1;
	links->link = calloc(links->links_cnt, sizeof(*links->link));
	/* memset() touches all pages, so that no page fault disturbs the measurement. */
	links->in = calloc(1, worker->plan->message_max);
	links->out = calloc(1, worker->plan->message_max);
	if (!links->link || !links->in || !links->out)
		return -ENOMEM;
	memset(links->in, 0, worker->plan->message_max);
	memset(links->out, 0, worker->plan->message_max);
	for (uint32_t i = 0; i < links->links_cnt && !err; i++)
		err = link_init(links, &links->link[i], first + i);
	links->reading = links->link;
	return err;
}

int links_open(struct links *links, const struct worker *worker)
{
	const struct transport_ops *transport = worker->plan->transport;

	*links = (struct links){
		.worker = worker,
		.transport = transport,
		.read_size = worker->plan->spec.read_size,
		.tid = (uint32_t)gettid(),
	};
	if (links_alloc(links))
		return worker_fail(worker, "cannot get memory", "messages", -ENOMEM,
				   "use a smaller --size or fewer --clients");
	if (worker->plan->pattern->without_links)
		return EXIT_SUCCESS;
	links->end = transport->open(worker->medium, worker->number);
	if (!links->end)
		return worker_fail(worker, "cannot open the transport", transport->name, -errno,
				   "try another --transport or fewer --clients");
	return EXIT_SUCCESS;
}

void links_close(struct links *links)
{
	uint64_t sent = 0, delivered = 0;

	/* The counts are those of the whole end; they are reported with the first link. */
	if (links->end && links->transport->wakes) {
		links->transport->wakes(links->end, &sent, &delivered);
		counter_set(&links->link->out->wakes_sent, sent);
		counter_set(&links->link->in->wakes_delivered, delivered);
	}
	if (links->end)
		links->transport->close(links->end);
	for (uint32_t i = 0; links->link && i < links->links_cnt; i++)
		inbox_free(&links->link[i].inbox);
	free(links->link);
	free(links->in);
	free(links->out);
}

struct link *links_find(const struct links *links, uint32_t client)
{
	uint32_t first = links->link->client;

	return client >= first && client - first < links->links_cnt ? &links->link[client - first]
								    : NULL;
}

/* ---- make and send ---- */

static struct post post_of(struct links *links, uint32_t client, uint64_t number, size_t size)
{
	return (struct post){
		.message = links->out,
		.header = {.client = client, .size = (uint32_t)size, .number = number},
	};
}

struct post links_make(struct links *links, uint32_t client, uint64_t number, size_t size)
{
	struct post post = post_of(links, client, number, size);

	message_make(post.message, size, &post.header);
	if (size >= sizeof(post.header))
		memcpy(&post.header, post.message, sizeof(post.header));
	return post;
}

char *links_text(struct links *links, size_t *room)
{
	const struct plan *plan = links->worker->plan;
	const size_t header = sizeof(struct message_header);

	*room = plan->spec.size < header ? 0 : plan->message_max - header;
	return links->out + header;
}

struct post links_seal(struct links *links, uint32_t client, uint64_t number, size_t text_size)
{
	struct post post = post_of(links, client, number, sizeof(post.header) + text_size);

	message_seal(post.message, &post.header);
	memcpy(&post.header, post.message, sizeof(post.header));
	return post;
}

/* `tid` and `cpu` are the sender's. */
static void send_note(const struct links *links, struct link *link, uint32_t to_server,
		      uint32_t bytes, uint32_t tid, uint16_t cpu)
{
	const struct handover *handover = links->transport->last_handover(links->end);
	struct record_send send = {
		.head = record_head(RECORD_SEND, sizeof(struct record_send), cpu, tid),
		.channel = CHANNEL_OF_LINK(link->client, to_server),
		.bytes = bytes,
		.position = handover->position,
		.send_ns = handover->send_ns,
		.queued_ns = handover->queued_ns,
	};

	journal_write(link->journal, &(union journal_entry){.send = send});
}

int links_send(struct links *links, struct post *post, bool wait)
{
	struct link *link = links_find(links, post->header.client);
	uint32_t to = is_server(links) ? link->client : LINK_SERVER;
	int err;

	if (post->header.size >= sizeof(post->header))
		memcpy(post->message, &post->header, sizeof(post->header));
	else
		sidecar_put(&link->out->sidecar, &post->header);
	err = links->transport->send(links->end, to, post->message, post->header.size, wait);
	if (err)
		return err;
	counter_set(&link->out->sent, ++link->sent);
	if (links->transport->notes_handover)
		send_note(links, link, !direction_in(links), post->header.size, links->tid,
			  (uint16_t)sched_getcpu());
	return 0;
}

int links_deliver(struct links *links, struct post *post)
{
	int err;

	while ((err = links_send(links, post, true)) == -EAGAIN || err == -EINTR)
		if (worker_is_over(links->worker))
			return -EINTR;
	return err;
}

bool links_is_lost(int err)
{
	return err == -EPIPE || err == -ECONNRESET || err == -ECONNREFUSED;
}

int links_fail(const struct links *links, const char *what, int err)
{
	return worker_fail(links->worker, what, links->transport->name, err,
			   "try another --transport");
}

/* ---- receive ---- */

/* A oneway pattern has too many messages to record each of them. */
static bool notes_stamps(const struct links *links)
{
	return !links->worker->plan->pattern->oneway;
}

/*
 * A stream loses nothing: without a record for each message, the times of the first and the last
 * one are enough.
 */
static bool times_every_message(const struct links *links)
{
	return notes_stamps(links) || !links->transport->is_stream;
}

static void received_time(const struct links *links, struct link *link,
			  const struct incoming *incoming)
{
	struct direction *in = link->in;
	bool every = times_every_message(links), first = !counter_get(&in->first_ns);
	uint64_t now_ns;

	if (!every && !first && incoming->header.number + 1 < links->worker->plan->rounds)
		return;
	now_ns = every ? incoming->user_ns : clock_now_ns();
	if (first)
		counter_set(&in->first_ns,
			    incoming->header.stamp_ns ? incoming->header.stamp_ns : now_ns);
	counter_set(&in->last_ns, now_ns);
}

static void received_count(const struct links *links, struct link *link,
			   const struct incoming *incoming)
{
	struct direction *in = link->in;

	counter_set(&in->received, ++link->received);
	if (!incoming->is_good) {
		counter_set(&in->corrupt, counter_get(&in->corrupt) + 1);
		return;
	}
	if (incoming->header.number < links->worker->plan->spec.warmup)
		return;
	counter_set(&in->bytes, counter_get(&in->bytes) + incoming->header.size);
	received_time(links, link, incoming);
}

static void stamp_note(const struct links *links, struct link *link,
		       const struct incoming *incoming)
{
	size_t size = incoming->begun_ns ? sizeof(struct record_stamp_exchange)
					 : sizeof(struct record_stamp);
	struct record_stamp stamp = {
		.head = record_head(RECORD_STAMP, size, 0, links->tid),
		.client = link->client,
		.to_server = direction_in(links),
		.index = link->received,
		.round = incoming->header.number,
		.stamp_ns = incoming->header.stamp_ns,
		.user_ns = incoming->user_ns,
		.due_ns = incoming->header.due_ns,
	};
	struct record_stamp_exchange exchange = {
		.stamp = stamp,
		.begun_ns = incoming->begun_ns,
		.connected_ns = incoming->connected_ns,
		.closed_ns = incoming->closed_ns,
	};

	journal_write(link->journal, &(union journal_entry){.exchange = exchange});
}

static void receive_note(const struct links *links, struct link *link, uint32_t bytes)
{
	const struct handover *handover = links->transport->last_handover(links->end);
	struct record_receive receive = {
		.head = record_head(RECORD_RECEIVE, sizeof(struct record_receive),
				    (uint16_t)sched_getcpu(), links->tid),
		.channel = CHANNEL_OF_LINK(link->client, direction_in(links)),
		.bytes = bytes,
		.position = handover->position,
		.enter_ns = handover->enter_ns,
		.exit_ns = handover->exit_ns,
		.first = RECEIVE_FROM_WORKLOAD,
	};

	journal_write(link->journal, &(union journal_entry){.receive = receive});
}

/*
 * Reads the header of a message that is too small to carry one. If the sidecar has lost it, the
 * known fields are filled in.
 */
static bool sidecar_read(struct link *link, struct incoming *incoming, uint64_t number, size_t size)
{
	incoming->has_stamp = sidecar_get(&link->in->sidecar, number, &incoming->header);
	if (incoming->has_stamp)
		return incoming->header.client == link->client && incoming->header.size == size;
	incoming->header = (struct message_header){
		.client = link->client, .size = (uint32_t)size, .number = number};
	return true;
}

/* Messages may be lost, so a number may be missing. No message comes twice. */
static bool message_read(struct link *link, struct incoming *incoming, size_t size)
{
	uint64_t number = message_number(incoming->message, size, link->next_in);

	if (number < link->next_in ||
	    !message_check(incoming->message, size, link->client, number, &incoming->header))
		return false;
	incoming->has_stamp = true;
	if (size < sizeof(incoming->header) && !sidecar_read(link, incoming, number, size))
		return false;
	link->next_in = number + 1;
	return true;
}

static void good_note(const struct links *links, struct link *link, const struct incoming *incoming)
{
	if (!incoming->is_good || !notes_stamps(links))
		return;
	if (incoming->has_stamp)
		stamp_note(links, link, incoming);
	else
		counter_set(&link->in->headerless, counter_get(&link->in->headerless) + 1);
}

void links_note(struct links *links, struct link *link, const struct incoming *incoming)
{
	good_note(links, link, incoming);
	received_count(links, link, incoming);
}

static int message_receive(struct links *links, struct link *link, void *message, size_t size,
			   struct incoming *incoming)
{
	incoming->client = link->client;
	incoming->message = message;
	incoming->user_ns = links->user_ns;
	incoming->is_good = message_read(link, incoming, size);
	if (!incoming->is_good)
		incoming->header = (struct message_header){
			.client = link->client, .size = (uint32_t)size, .number = link->next_in++};
	good_note(links, link, incoming);
	if (links->transport->notes_handover)
		receive_note(links, link, (uint32_t)size);
	received_count(links, link, incoming);
	return 1;
}

/* The kernel's timer has sent this message: only its instants are known. */
static int links_kernel_receive(struct links *links, struct link *link, struct incoming *incoming)
{
	const struct handover *handover = links->transport->last_handover(links->end);
	uint32_t size = (uint32_t)links->worker->plan->spec.size;

	*incoming = (struct incoming){
		.client = link->client,
		.is_good = true,
		.message = links->in,
		.header = {.client = link->client,
			   .size = size,
			   .number = handover->position,
			   .stamp_ns = handover->send_ns,
			   .due_ns = handover->due_ns},
		.user_ns = links->user_ns,
	};
	counter_set(&link->in->sent, handover->position + 1);
	send_note(links, link, TO_CLIENT, size, 0, 0);
	receive_note(links, link, size);
	stamp_note(links, link, incoming);
	received_count(links, link, incoming);
	return 1;
}

/* Bytes, 0 for a closed link, or -errno. */
static ssize_t transport_read(struct links *links, char *bytes, size_t size, struct link **link)
{
	uint32_t from = LINK_SERVER;
	ssize_t received;

	do {
		received = links->transport->receive(links->end, bytes, size, &from);
		if (times_every_message(links))
			links->user_ns = clock_now_ns();
		*link = links_find(links, is_server(links) ? from : links->link->client);
		/* Ignores messages of unknown senders. */
	} while (received >= 0 && !*link);
	if (*link && links_is_lost((int)received))
		return 0;
	return received;
}

/* The link may end before the message that would be timed. */
static int link_closed(const struct links *links, struct link *link, struct incoming *incoming)
{
	if (!times_every_message(links) && counter_get(&link->in->first_ns) &&
	    link->received < links->worker->plan->rounds)
		counter_set(&link->in->last_ns, clock_now_ns());
	*incoming = (struct incoming){.client = link->client};
	return 0;
}

static int datagram_receive(struct links *links, struct incoming *incoming)
{
	struct link *link;
	ssize_t size = transport_read(links, links->in, links->worker->plan->message_max, &link);

	if (size < 0)
		return (int)size;
	if (links->transport->kernel_sends && size)
		return links_kernel_receive(links, link, incoming);
	return size ? message_receive(links, link, links->in, (size_t)size, incoming)
		    : link_closed(links, link, incoming);
}

/*
 * The link of the next bytes is known only after they are received. They are received into the
 * inbox of the link whose message has begun, and copied if they belong to another link.
 */
static ssize_t stream_read(struct links *links, struct link **link)
{
	struct inbox *expected = &links->reading->inbox;
	/* The read size of the spec, or the bytes that the message is missing. */
	size_t wanted = links->read_size ? links->read_size : inbox_missing(expected);
	size_t size = wanted ? wanted : links->worker->plan->spec.size;
	char *bytes = inbox_space(expected, size);
	ssize_t received = transport_read(links, bytes, size, link);

	if (received <= 0)
		return received;
	if (*link != links->reading) {
		memcpy(inbox_space(&(*link)->inbox, (size_t)received), bytes, (size_t)received);
		links->reading = *link;
	}
	inbox_added(&(*link)->inbox, (size_t)received);
	return received;
}

static int stream_receive(struct links *links, struct incoming *incoming)
{
	for (;;) {
		struct link *link = links->reading;
		char *message;
		ssize_t size = inbox_pop(&link->inbox, &message);

		if (size > 0)
			return message_receive(links, link, message, (size_t)size, incoming);
		if (size < 0)
			return (int)size;
		size = stream_read(links, &link);
		if (size < 0)
			return (int)size;
		if (size == 0)
			return link_closed(links, link, incoming);
	}
}

int links_receive(struct links *links, struct incoming *incoming)
{
	return links->transport->is_stream ? stream_receive(links, incoming)
					   : datagram_receive(links, incoming);
}
