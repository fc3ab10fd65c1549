/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the list of channels as one JSON object, for `list -f json`. */
#include "command/channels/end_words.h"
#include "command/list/list_view.h"
#include "report/json_value.h"
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

static json_t *service_json(const struct list_view *view, size_t i)
{
	const struct channel_list *list = view->list;
	const struct end *end = list->service[i];
	json_t *object = end_json(end);
	struct attach_words words;
	int error;

	service_attach(end, list->own_network, &words);
	error = json_object_set_new(object, "transport",
				    json_string(transport_id_name(end->transport)));
	error |= json_object_set_new(object, "waiting",
				     json_value_integer(end->waiting, end->state == END_LISTENING));
	error |= json_object_set_new(object, "attach", attach_json(&words));
	error |= json_object_set_new(object, "open",
				     json_integer((json_int_t)view->order->open_cnt[i]));
	if (!error)
		return object;
	json_decref(object);
	return NULL;
}

static json_t *connection_json(const struct list_view *view, size_t i)
{
	const struct channel_list *list = view->list;
	const struct connection *connection = &list->connection[i];
	char name[END_NAME_LEN];
	struct attach_words words;

	connection_name(connection, name);
	connection_attach(connection, list->own_network, &words);
	return json_pack("{s:s, s:o, s:s, s:o, s:o, s:I, s:o}", "transport",
			 transport_id_name(connection->transport), "name", name_json(name), "state",
			 connection_state_name(connection->state), "from",
			 end_json(connection->from), "to", end_json(connection->to), "to_others",
			 (json_int_t)connection->others, "attach", attach_json(&words));
}

typedef json_t *item_fn(const struct list_view *view, size_t i);

/* Writes each item on a line and frees it before the next one, because there can be many. */
static int write_items(const struct list_view *view, const char *begin, size_t cnt, item_fn *item,
		       FILE *out)
{
	int err = 0;

	fputs(begin, out);
	for (size_t i = 0; !err && i < cnt; i++) {
		json_t *json = item(view, i);

		fputs(i ? ",\n    " : "\n    ", out);
		err = json ? json_value_write(json, 0, out) : -ENOMEM;
		json_decref(json);
	}
	fputs(cnt ? "\n  ],\n" : "],\n", out);
	return err;
}

static int write_try(const struct list_view *view, FILE *out)
{
	json_t *json = attach_json(&view->order->advice.words);
	int err;

	fputs("  \"try\": ", out);
	err = json ? json_value_write(json, JSON_ENCODE_ANY, out) : -ENOMEM;
	fputs(",\n", out);
	json_decref(json);
	return err;
}

/* Head and rest are only numbers and words that need no escapes. */
int list_json(const void *ctx, const struct report_style *style)
{
	const struct list_view *view = ctx;
	const struct channel_list *list = view->list;
	FILE *out = style->out;
	int err;

	fprintf(out,
		"{\n  \"schema\": \"" SCHEMA "\",\n  \"version\": \"" IPCTRACE_VERSION "\",\n"
		"  \"network\": %llu,\n",
		(unsigned long long)list->own_network);
	err = write_try(view, out);
	if (!err)
		err = write_items(view, "  \"services\": [", list->service_cnt, service_json, out);
	if (!err)
		err = write_items(view, "  \"connections\": [", list->connection_cnt,
				  connection_json, out);
	fprintf(out,
		"  \"elsewhere\": %llu,\n  \"idle\": %llu,\n"
		"  \"missing\": {\"processes\": %llu, \"outside\": ",
		(unsigned long long)list->elsewhere, (unsigned long long)list->idle,
		(unsigned long long)view->hidden);
	fputs(view->within_namespace ? "true" : "false", out);
	fprintf(out, ", \"networks\": %llu, \"ends\": %llu}\n}\n",
		(unsigned long long)view->unreached, (unsigned long long)view->refused);
	if (fflush(out))
		return -errno;
	return err ?: ferror(out) ? -EIO : 0;
}
