/* SPDX-License-Identifier: BSD-2-Clause */
/* -f json: one object with all services and connections. */
#include "list/end_words.h"
#include "list/list_view.h"
#include "sink/value.h"
#include "version.h"

#include <errno.h>

#define SCHEMA "ipctrace.list/1"

/* null for "". What is no UTF-8 is escaped. */
static json_t *name_json(const char *name)
{
	char escaped[4 * END_NAME_LEN];

	if (is_utf8(name, strlen(name)))
		return value_text(name);
	escape_text(name, strlen(name), escaped, sizeof(escaped));
	return json_string(escaped);
}

static json_t *owner_json(const struct holding *holding)
{
	if (!holding->cnt)
		return json_null();
	return json_pack("{s:I, s:o}", "pid", (json_int_t)holding->first.pid, "comm",
			 value_text(holding->first.comm));
}

static json_t *attach_json(const struct attach_words *words)
{
	if (!words->option)
		return json_null();
	return json_pack("[s, s]", words->option, words->value);
}

static json_t *end_json(const struct end *end)
{
	char name[END_NAME_LEN];

	if (!end)
		return json_null();
	end_name(end, name);
	return json_pack("{s:o, s:o, s:o, s:I, s:o}", "inode",
			 value_integer(end->inode, end->inode > 0), "name", name_json(name),
			 "owner", owner_json(&end->holding), "owners", (json_int_t)end->holding.cnt,
			 "network", value_integer(end->network, end->network > 0));
}

static json_t *service_json(const struct end *end, uint64_t own_network)
{
	json_t *object = end_json(end);
	struct attach_words words;
	int error;

	service_attach(end, own_network, &words);
	error = json_object_set_new(object, "transport",
				    json_string(list_transport_name(end->transport)));
	error |= json_object_set_new(object, "waiting",
				     value_integer(end->waiting, end->state == END_LISTENING));
	error |= json_object_set_new(object, "attach", attach_json(&words));
	if (!error)
		return object;
	json_decref(object);
	return NULL;
}

static json_t *connection_json(const struct connection *connection, uint64_t own_network)
{
	char name[END_NAME_LEN];
	struct attach_words words;

	connection_name(connection, name);
	connection_attach(connection, own_network, &words);
	return json_pack("{s:s, s:o, s:s, s:o, s:o, s:I, s:o}", "transport",
			 list_transport_name(connection->transport), "name", name_json(name),
			 "state", connection_state_name(connection->state), "from",
			 end_json(connection->from), "to", end_json(connection->to), "to_others",
			 (json_int_t)connection->others, "attach", attach_json(&words));
}

static json_t *list_object(const struct list_view *view)
{
	const struct channel_list *list = view->list;
	json_t *services = json_array(), *connections = json_array();
	int error = 0;

	for (size_t i = 0; i < list->service_cnt; i++)
		error |= json_array_append_new(services,
					       service_json(list->service[i], list->own_network));
	for (size_t i = 0; i < list->connection_cnt; i++)
		error |= json_array_append_new(
			connections, connection_json(&list->connection[i], list->own_network));
	if (error) {
		json_decref(services);
		json_decref(connections);
		return NULL;
	}
	return json_pack("{s:s, s:s, s:I, s:o, s:o, s:I, s:I, s:{s:I, s:b, s:I, s:I}}", "schema",
			 SCHEMA, "version", IPCTRACE_VERSION, "network",
			 (json_int_t)list->own_network, "services", services, "connections",
			 connections, "elsewhere", (json_int_t)list->elsewhere, "idle",
			 (json_int_t)list->idle, "missing", "processes", (json_int_t)view->hidden,
			 "outside", view->within_namespace, "networks", (json_int_t)view->unreached,
			 "ends", (json_int_t)view->refused);
}

int list_json(const struct list_view *view)
{
	json_t *object = list_object(view);
	int err;

	if (!object)
		return -ENOMEM;
	err = json_dumpf(object, view->out, JSON_INDENT(2)) ? -EIO : 0;
	json_decref(object);
	fputc('\n', view->out);
	return fflush(view->out) ? -errno : err;
}
