/* SPDX-License-Identifier: BSD-2-Clause */
/* -f json: one object with all services and connections. */
#include "command/list/end_words.h"
#include "command/list/list_view.h"
#include "report/json/json_value.h"
#include "util/version.h"

#include <errno.h>

#define SCHEMA "ipctrace.list/1"

/* "" becomes null. Text that is not UTF-8 is escaped. */
static json_t *name_json(const char *name)
{
	char escaped[4 * END_NAME_LEN];

	if (is_utf8(name, strlen(name)))
		return json_value_text(name);
	escape_text(name, strlen(name), escaped, sizeof(escaped));
	return json_string(escaped);
}

static json_t *owner_json(const struct holding *holding)
{
	if (!holding->cnt)
		return json_null();
	return json_pack("{s:I, s:o}", "pid", (json_int_t)holding->first.pid, "comm",
			 json_value_text(holding->first.comm));
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
			 json_value_integer(end->inode, end->inode > 0), "name", name_json(name),
			 "owner", owner_json(&end->holding), "owners", (json_int_t)end->holding.cnt,
			 "network", json_value_integer(end->network, end->network > 0));
}

static json_t *service_json(const struct end *end, uint64_t own_network)
{
	json_t *object = end_json(end);
	struct attach_words words;
	int error;

	service_attach(end, own_network, &words);
	error = json_object_set_new(object, "transport",
				    json_string(transport_id_name(end->transport)));
	error |= json_object_set_new(object, "waiting",
				     json_value_integer(end->waiting, end->state == END_LISTENING));
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
			 transport_id_name(connection->transport), "name", name_json(name), "state",
			 connection_state_name(connection->state), "from",
			 end_json(connection->from), "to", end_json(connection->to), "to_others",
			 (json_int_t)connection->others, "attach", attach_json(&words));
}

/* Writes each item on a line and frees it before the next one, because there can be many. */
static int write_item(FILE *out, size_t i, json_t *item)
{
	int error;

	if (!item)
		return -ENOMEM;
	fputs(i ? ",\n    " : "\n    ", out);
	error = json_value_write(item, 0, out);
	json_decref(item);
	return error;
}

static int write_services(const struct list_view *view)
{
	const struct channel_list *list = view->list;
	int err = 0;

	fputs("  \"services\": [", view->out);
	for (size_t i = 0; !err && i < list->service_cnt; i++)
		err = write_item(view->out, i, service_json(list->service[i], list->own_network));
	fputs(list->service_cnt ? "\n  ],\n" : "],\n", view->out);
	return err;
}

static int write_connections(const struct list_view *view)
{
	const struct channel_list *list = view->list;
	int err = 0;

	fputs("  \"connections\": [", view->out);
	for (size_t i = 0; !err && i < list->connection_cnt; i++)
		err = write_item(view->out, i,
				 connection_json(&list->connection[i], list->own_network));
	fputs(list->connection_cnt ? "\n  ],\n" : "],\n", view->out);
	return err;
}

/* The members of the head, without braces: only numbers and words that need no escapes. */
static void write_head(const struct list_view *view)
{
	fprintf(view->out,
		"  \"schema\": \"" SCHEMA "\",\n  \"version\": \"" IPCTRACE_VERSION "\",\n"
		"  \"network\": %llu,\n",
		(unsigned long long)view->list->own_network);
}

static void write_rest(const struct list_view *view)
{
	fprintf(view->out, "  \"elsewhere\": %llu,\n  \"idle\": %llu,\n",
		(unsigned long long)view->list->elsewhere, (unsigned long long)view->list->idle);
	fprintf(view->out, "  \"missing\": {\"processes\": %llu, \"outside\": ",
		(unsigned long long)view->hidden);
	fputs(view->within_namespace ? "true" : "false", view->out);
	fprintf(view->out, ", \"networks\": %llu, \"ends\": %llu}\n",
		(unsigned long long)view->unreached, (unsigned long long)view->refused);
}

int list_json(const struct list_view *view)
{
	int err;

	fputs("{\n", view->out);
	write_head(view);
	err = write_services(view) ?: write_connections(view);
	write_rest(view);
	fputs("}\n", view->out);
	if (fflush(view->out))
		return -errno;
	return err ?: ferror(view->out) ? -EIO : 0;
}
