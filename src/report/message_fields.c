/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Passes the fields of a message to a format, in the order of the schema ipctrace.messages/1.
 * What is not known, or does not apply, is null.
 */
#include "report/message_fields.h"

#include "model/transport_names.h"

#include <string.h>

struct fields {
	const struct field_writer *writer;
	void *out;
	const struct message *message;
	const struct message_view *view;
};

struct message_view message_view_of(const struct run_info *info)
{
	struct message_view view = {
		.traced = info->traced,
		.is_attach = info->mode == MODE_ATTACH,
	};

	if (view.is_attach)
		memcpy(view.arch, info->host.arch, sizeof(view.arch));
	return view;
}

static void put_name(const struct fields *fields, const char *name)
{
	fields->writer->name(fields->out, name, "");
}

static void message_fields_put_integer(const struct fields *fields, const char *name,
				       uint64_t number, bool known)
{
	put_name(fields, name);
	if (known)
		fields->writer->integer(fields->out, number);
	else
		fields->writer->null(fields->out);
}

static void message_fields_put_text(const struct fields *fields, const char *name, const char *text)
{
	put_name(fields, name);
	if (text && text[0])
		fields->writer->text(fields->out, text);
	else
		fields->writer->null(fields->out);
}

static void put_identity(const struct fields *fields)
{
	const struct message *message = fields->message;
	bool round = message->has_round;

	message_fields_put_integer(fields, "channel", message->channel, true);
	message_fields_put_text(fields, "transport", transport_id_name(message->transport));
	message_fields_put_integer(fields, "seq", message->position, true);
	message_fields_put_integer(fields, "round", message->round, round);
	message_fields_put_integer(fields, "client", message->client, round);
	message_fields_put_integer(fields, "bytes", message->bytes, true);
	message_fields_put_integer(fields, "receives", message->receives, true);
}

static void put_parties(const struct fields *fields)
{
	const struct party *sender = &fields->message->sender;
	const struct party *receiver = &fields->message->receiver;
	bool traced = fields->view->traced;

	message_fields_put_integer(fields, "sender_tid", sender->tid, traced);
	message_fields_put_text(fields, "sender_comm", sender->comm);
	message_fields_put_integer(fields, "sender_cpu", sender->cpu, traced);
	message_fields_put_integer(fields, "receiver_tid", receiver->tid, true);
	message_fields_put_text(fields, "receiver_comm", receiver->comm);
	message_fields_put_integer(fields, "receiver_cpu", receiver->cpu, traced);
}

static void put_component(const struct fields *fields, enum component component)
{
	const struct message_view *view = fields->view;

	fields->writer->name(fields->out, components[component].name, "_ns");
	if (view->traced && message_knows(fields->message, component, view->is_attach))
		fields->writer->integer(fields->out, fields->message->component_ns[component]);
	else
		fields->writer->null(fields->out);
}

/* Those that were added later stand behind all other fields. */
static void put_later_components(const struct fields *fields)
{
	for (int i = 0; i < NR_COMPONENTS; i++) {
		if (components[i].batch)
			put_component(fields, i);
	}
}

static void message_fields_put_times(const struct fields *fields)
{
	const struct message *message = fields->message;
	bool calls = fields->view->traced && !message->hides_calls;

	message_fields_put_integer(fields, "send_ns", message->send_ns, calls);
	message_fields_put_integer(fields, "latency_ns", message->latency_ns, true);
	for (int i = 0; i < NR_COMPONENTS; i++) {
		if (i != COMPONENT_ROOM && !components[i].batch)
			put_component(fields, i);
	}
}

static void put_judgement(const struct fields *fields)
{
	const struct message *message = fields->message;
	bool traced = fields->view->traced;

	message_fields_put_text(fields, "path", traced ? paths[message->path].name : NULL);
	message_fields_put_text(fields, "match", traced ? match_names[message->match] : NULL);
	put_name(fields, "blame");
	fields->writer->blames(fields->out, message->blame, message->blame_cnt);
}

static void put_instants(const struct fields *fields)
{
	const struct message *message = fields->message;
	bool traced = fields->view->traced, stamp = message->has_stamp;

	message_fields_put_integer(fields, "stamp_ns", message->stamp_ns, stamp);
	message_fields_put_integer(fields, "queued_ns", message->queued_ns, traced);
	message_fields_put_integer(fields, "recv_ns", message->recv_ns,
				   traced && !message->hides_calls);
	message_fields_put_integer(fields, "user_ns", message->user_ns, stamp);
}

/* For patterns with answers, and for exchanges at a fixed rate. */
static void put_exchange(const struct fields *fields)
{
	const struct message *message = fields->message;

	put_name(fields, "to_server");
	if (message->has_round && !fields->view->is_attach)
		fields->writer->flag(fields->out, message->to_server);
	else
		fields->writer->null(fields->out);
	message_fields_put_integer(fields, "due_ns", message->due_ns, message->due_ns > 0);
}

/* Known in an attach only. */
static void put_blocked_on(const struct fields *fields)
{
	struct blocked_calls blocked;

	put_name(fields, "blocked_on");
	if (!fields->view->arch[0]) {
		fields->writer->null(fields->out);
		return;
	}
	blocked_calls_of_message(fields->message, &blocked);
	blocked_calls_sort(&blocked);
	fields->writer->blocked(fields->out, &blocked, fields->view->arch);
}

/* The components that lack a part, which another component has. */
static void put_unseen(const struct fields *fields)
{
	const struct message *message = fields->message;
	const char *word[2];
	uint32_t cnt = 0;

	put_name(fields, "unseen");
	if (!fields->view->traced) {
		fields->writer->null(fields->out);
		return;
	}
	if (message->unseen_wakeup)
		word[cnt++] = components[COMPONENT_RUNQUEUE].name;
	if (message->unseen_switch)
		word[cnt++] = components[COMPONENT_SWITCH].name;
	fields->writer->words(fields->out, word, cnt);
}

/* The order of the fields is part of the schema. New fields go to the end. */
void message_fields_write(const struct message *message, const struct message_view *view,
			  const struct field_writer *writer, void *out)
{
	const struct fields fields = {
		.writer = writer, .out = out, .message = message, .view = view};

	put_identity(&fields);
	put_parties(&fields);
	message_fields_put_times(&fields);
	put_judgement(&fields);
	put_instants(&fields);
	put_exchange(&fields);
	put_blocked_on(&fields);
	/*
	 * Level light does not trace the return of the call: the data leaves the queue at recv_ns.
	 */
	message_fields_put_integer(&fields, "taken_ns", message->recv_ns,
				   view->traced && message->hides_calls);
	put_unseen(&fields);
	put_component(&fields, COMPONENT_ROOM);
	message_fields_put_text(&fields, "kind", "message");
	put_later_components(&fields);
}

static void skip_null(void *out)
{
	(void)out;
}

static void skip_integer(void *out, uint64_t number)
{
	(void)out;
	(void)number;
}

static void skip_text(void *out, const char *text)
{
	(void)out;
	(void)text;
}

static void skip_blames(void *out, const struct blame *blame, uint32_t cnt)
{
	(void)out;
	(void)blame;
	(void)cnt;
}

/* Those of a message of which the least is known, so most values are null. */
void message_fields_names(void (*name)(void *out, const char *name, const char *more), void *out)
{
	const struct field_writer names = {
		.name = name,
		.null = skip_null,
		.integer = skip_integer,
		.text = skip_text,
		.blames = skip_blames,
	};
	const struct message none = {0};
	const struct message_view view = {0};

	message_fields_write(&none, &view, &names, out);
}
