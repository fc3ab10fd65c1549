/* SPDX-License-Identifier: BSD-2-Clause */
/* Looks at the channels of targets before and after tracing. */
#include "command/live/target/surroundings.h"

#include "command/channels/end_words.h"
#include "command/channels/gathering.h"

#include <stdio.h>
#include <string.h>

static void surroundings_add_name(struct surroundings *surroundings, const struct end *end)
{
	struct reached_at *at = &surroundings->at[surroundings->cnt];
	char name[END_NAME_LEN];

	end_name(end, name);
	if (!name[0] || strlen(name) >= sizeof(at->shown))
		return;
	at->transport = end->transport;
	memcpy(at->shown, name, strlen(name) + 1);
	at->length = end->path && end->name_len <= sizeof(at->name) ? end->name_len : 0;
	if (at->length)
		memcpy(at->name, end->name, at->length);
	surroundings->cnt++;
}

void surroundings_note(struct surroundings *surroundings, const struct targets *targets)
{
	struct gathering gathering = {
		.owners.filter = {.pids = targets->pid, .pid_cnt = targets->cnt}};
	const struct channel_list *list;

	if (targets->cnt && !gathering_services_of(&gathering, targets->pid, targets->cnt)) {
		channel_list__filter(gathering.list, 0, true);
		list = gathering.list;
		for (size_t i = 0; i < list->service_cnt && surroundings->cnt < SURROUNDINGS_MAX;
		     i++)
			surroundings_add_name(surroundings, list->service[i]);
	}
	gathering_free(&gathering);
}

int surroundings_put_paths(const struct surroundings *surroundings,
			   int (*put)(void *ctx, const struct record *record), void *ctx)
{
	int err = 0;

	for (size_t i = 0; !err && i < surroundings->cnt; i++) {
		const struct reached_at *at = &surroundings->at[i];
		struct {
			struct record_path path;
			char text[PATH_TEXT_LEN];
		} record = {
			.path = {.head = {.type = RECORD_PATH, .words = RECORD_WORDS(record)},
				 .length = at->length},
		};

		if (!at->length)
			continue;
		memcpy(record.path.name, at->name, at->length);
		memcpy(record.text, at->shown, sizeof(record.text));
		err = put(ctx, &record.path.head);
	}
	return err;
}

/* A process may wake its own threads over a pipe. */
static bool is_inner(const struct connection *connection)
{
	const struct end *from = connection->from, *to = connection->to;

	return from && to && from->holding.cnt == 1 && to->holding.cnt == 1 &&
	       from->holding.first.pid == to->holding.first.pid;
}

/* Both directions of a connection, or the datagrams of a sender, are one. */
static void count_channels(const struct channel_list *list, struct record_found *found)
{
	for (size_t i = 0; i < list->connection_cnt; i++) {
		const struct connection *connection = &list->connection[i];
		const struct end *from = connection->from, *to = connection->to;

		if (!is_inner(connection))
			found->connections +=
				(from && from->holding.wanted) || (to && to->holding.wanted);
	}
	for (size_t i = 0; i < list->service_cnt; i++)
		found->services += list->service[i]->holding.wanted;
	for (size_t i = 0; i < list->end_cnt; i++)
		found->elsewhere += list->end[i]->elsewhere && list->end[i]->holding.wanted;
}

static bool surroundings_has_name(const struct end *end, const struct reached_at *at)
{
	char name[END_NAME_LEN];

	if (end->transport != at->transport)
		return false;
	end_name(end, name);
	return !strcmp(name, at->shown);
}

/* Another process that others reach under a name of a target. */
static const struct end *find_heir(const struct channel_list *list, const struct reached_at *at)
{
	for (size_t i = 0; i < list->service_cnt; i++) {
		const struct end *end = list->service[i];

		if (end->holding.cnt && !end->holding.wanted && surroundings_has_name(end, at))
			return end;
	}
	return NULL;
}

static void note_name(const struct reached_at *at, struct found_with_name *found)
{
	found->found.transport = at->transport;
	memcpy(found->name, at->shown, sizeof(found->name));
}

/* A socket with this name is open, but no process is visible that has it. */
static bool has_hidden_heir(const struct channel_list *list, const struct reached_at *at)
{
	for (size_t i = 0; i < list->service_cnt; i++) {
		if (!list->service[i]->holding.cnt && surroundings_has_name(list->service[i], at))
			return true;
	}
	return false;
}

static void find_name(struct surroundings *surroundings, const struct channel_list *list,
		      struct found_with_name *found)
{
	surroundings->hides_heir = surroundings->cnt && !found->found.targets &&
				   has_hidden_heir(list, &surroundings->at[0]);
	if (surroundings->cnt && !surroundings->hides_heir)
		note_name(&surroundings->at[0], found);
	for (size_t i = 0; !found->found.pid && i < surroundings->cnt; i++) {
		const struct end *heir = find_heir(list, &surroundings->at[i]);

		if (!heir)
			continue;
		note_name(&surroundings->at[i], found);
		found->found.pid = heir->holding.first.pid;
		memcpy(found->found.comm, heir->holding.first.comm, sizeof(found->found.comm));
	}
}

bool surroundings_find(struct surroundings *surroundings, const struct targets *targets,
		       struct found_with_name *found)
{
	struct gathering gathering = {
		.owners.filter = {.pids = targets->pid, .pid_cnt = targets->cnt}};
	bool is_known = targets->cnt && !gathering_read(&gathering);

	*found = (struct found_with_name){
		.found = {.head = {.type = RECORD_FOUND, .words = RECORD_WORDS(*found)},
			  .targets = targets_running(targets)},
	};
	surroundings->hides_channels = surroundings->hides_heir = false;
	if (is_known && found->found.targets && gathering.gaps.hid_pid) {
		surroundings->hides_channels = true;
		is_known = false;
	}
	if (is_known) {
		count_channels(gathering.list, &found->found);
		find_name(surroundings, gathering.list, found);
	}
	gathering_free(&gathering);
	return is_known;
}
