/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts messages by channel. In a full list, the half with the fewest messages is combined. */
#include "analysis/attach/channel_book.h"

#include "container/hash_table.h"
#include "container/id_cache.h"
#include "model/record_decode.h"
#include "model/channel_group.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where the socket of a target is: it was bound to a relative name, or its file was renamed. */
struct bound_path {
	uint8_t name[ADDRESS_TEXT_LEN];
	uint16_t length;
	char path[PATH_TEXT_LEN]; /* printable; empty: there are two such names */
};

/*
 * Another program may have bound the same name elsewhere: it has to be known that it is a target.
 */
struct path_guess {
	const struct bound_path *path; /* NULL: nothing to find out */
	uint32_t named;                /* ADDRESS_OF_: the ends that have the name */
};

/* Channels of one service that were combined, see channel_group_key(). */
struct group {
	char key[CHANNEL_KEY_LEN];
	struct channel_summary sum;
	UT_hash_handle hh;
};

struct entry {
	uint32_t id;
	bool was_folded;      /* its earlier messages are in a group or in "other" */
	uint32_t receiver_at; /* as in struct label */
	struct path_guess guess;
	struct channel_summary summary;
	UT_hash_handle hh;
};

/* The name of a channel without an entry: it had no message yet, or was folded. */
struct label {
	uint32_t id;
	uint32_t receiver_at; /* where the receiver's address begins in `name`; 0: it is all */
	struct path_guess guess;
	uint32_t named;                      /* as in struct channel_summary */
	struct channel_summary *folded_into; /* NULL: was not folded */
	char name[CHANNEL_NAME_LEN];
	UT_hash_handle hh;
};

struct channel_book {
	struct entry *entry; /* hash by id: channels that had messages */
	ID_CACHE(struct entry);
	struct label *label; /* hash by id, oldest first */
	struct group *group; /* hash by key */
	struct channel_summary other;
	struct bound_path path[CHANNEL_BOOK_PATHS_MAX];
	size_t path_cnt;
};

struct channel_book *channel_book__new(void)
{
	struct channel_book *book = calloc(1, sizeof(*book));

	if (book)
		snprintf(book->other.name, sizeof(book->other.name), "other");
	return book;
}

static void remove_entry(struct channel_book *book, struct entry *entry)
{
	ID_DELETE(book, book->entry, entry);
	stat_free(&entry->summary.latency);
	free(entry);
}

void channel_book__free(struct channel_book *book)
{
	struct group *group, *next;

	if (!book)
		return;
	HASH_DROP_ALL(book->label);
	while (book->entry)
		remove_entry(book, book->entry);
	HASH_ITER (hh, book->group, group, next) {
		stat_free(&group->sum.latency);
		HASH_DROP(book->group, group);
	}
	stat_free(&book->other.latency);
	free(book);
}

static struct label *find_label(const struct channel_book *book, uint32_t id)
{
	struct label *label;

	HASH_FIND(hh, book->label, &id, sizeof(id), label);
	return label;
}

static struct label *find_or_make_label(struct channel_book *book, uint32_t id)
{
	struct label *label = find_label(book, id);

	if (label)
		return label;
	if (HASH_COUNT(book->label) >= CHANNEL_BOOK_NAMES_MAX)
		HASH_DROP(book->label, book->label);
	HASH_ADD_NEW(book->label, id, id, label);
	return label;
}

/* The entry of all channels like this one; "other" if it has no service, or there is no room. */
static struct channel_summary *folded_of(struct channel_book *book,
					 const struct channel_summary *channel)
{
	char key[CHANNEL_KEY_LEN];
	struct group *group;

	if (!channel_group_key(channel, key))
		return &book->other;
	HASH_FIND_STR(book->group, key, group);
	if (group)
		return &group->sum;
	group = HASH_COUNT(book->group) < CHANNEL_BOOK_GROUPS_MAX ? calloc(1, sizeof(*group))
								  : NULL;
	if (!group)
		return &book->other;
	memcpy(group->key, key, sizeof(group->key));
	group->sum = (struct channel_summary){.transport = channel->transport,
					      .sender = channel->sender,
					      .receiver = channel->receiver,
					      .named = channel->named};
	memcpy(group->sum.sender_process, channel->sender_process, RECORD_COMM_LEN);
	memcpy(group->sum.receiver_process, channel->receiver_process, RECORD_COMM_LEN);
	memcpy(group->sum.name, channel->name, sizeof(group->sum.name));
	channel_group_begin(&group->sum);
	HASH_ADD_STR(book->group, key, group);
	return &group->sum;
}

static int channel_book_fold(struct channel_book *book, struct entry *entry)
{
	const struct channel_summary *from = &entry->summary;
	struct channel_summary *to = folded_of(book, from);
	struct label *label = find_or_make_label(book, entry->id);

	if (!label)
		return -ENOMEM;
	label->folded_into = to;
	label->receiver_at = entry->receiver_at;
	label->guess = entry->guess;
	label->named = from->named;
	memcpy(label->name, from->name, sizeof(label->name));
	to->folded += !entry->was_folded;
	channel_group_add(to, from);
	remove_entry(book, entry);
	return 0;
}

static int channel_book_by_messages(const void *a, const void *b)
{
	const struct entry *x = *(struct entry *const *)a, *y = *(struct entry *const *)b;

	if (x->summary.messages != y->summary.messages)
		return x->summary.messages > y->summary.messages ? 1 : -1;
	return (x->id > y->id) - (x->id < y->id);
}

/* Folds the less active half; among equals the older ones. */
static int channel_book_fold_half(struct channel_book *book)
{
	size_t cnt = HASH_COUNT(book->entry), i = 0;
	struct entry **all = malloc(cnt * sizeof(*all)), *entry;
	int err = 0;

	if (!all)
		return -ENOMEM;
	for (entry = book->entry; entry; entry = entry->hh.next)
		all[i++] = entry;
	qsort(all, cnt, sizeof(*all), channel_book_by_messages);
	for (i = 0; i < cnt / 2 && !err; i++)
		err = channel_book_fold(book, all[i]);
	free(all);
	return err;
}

static struct entry *channel_book_find(const struct channel_book *book, uint32_t id)
{
	struct entry *entry;

	ID_FIND(book, book->entry, id, entry);
	return entry;
}

static struct entry *channel_book_find_or_make(struct channel_book *book, uint32_t id)
{
	struct entry *entry = channel_book_find(book, id);
	struct label *label;

	if (entry)
		return entry;
	if (HASH_COUNT(book->entry) >= CHANNEL_BOOK_MAX && channel_book_fold_half(book))
		return NULL;
	entry = calloc(1, sizeof(*entry));
	if (!entry)
		return NULL;
	entry->id = entry->summary.id = id;
	label = find_label(book, id);
	if (label) {
		entry->was_folded = label->folded_into;
		entry->receiver_at = label->receiver_at;
		entry->guess = label->guess;
		entry->summary.named = label->named;
		memcpy(entry->summary.name, label->name, sizeof(label->name));
		HASH_DROP(book->label, label);
	}
	HASH_ADD(hh, book->entry, id, sizeof(entry->id), entry);
	return entry;
}

/* Replaces the bytes of a name that are not printable. */
static void printable(char *to, size_t size, const uint8_t *text, size_t length)
{
	size_t i;

	for (i = 0; i < length && i + 1 < size; i++)
		to[i] = isprint(text[i]) ? text[i] : '?';
	to[i] = '\0';
}

static struct bound_path *channel_book_find_path(struct channel_book *book, const uint8_t *name,
						 size_t length)
{
	for (size_t i = 0; i < book->path_cnt; i++) {
		if (book->path[i].length == length && !memcmp(book->path[i].name, name, length))
			return &book->path[i];
	}
	return NULL;
}

/* Two servers may have bound one name, each in its own folder: then the name says more. */
int channel_book__path(struct channel_book *book, const struct record_path *record)
{
	size_t length = record->length < ADDRESS_TEXT_LEN ? record->length : ADDRESS_TEXT_LEN;
	struct bound_path *path = channel_book_find_path(book, record->name, length);
	char text[PATH_TEXT_LEN];

	if (path) {
		path->path[0] = '\0';
	} else if (book->path_cnt < CHANNEL_BOOK_PATHS_MAX) {
		path = &book->path[book->path_cnt++];
		path->length = length;
		memcpy(path->name, record->name, length);
		record_text(&record->head, sizeof(*record), text);
		printable(path->path, sizeof(path->path), (const uint8_t *)text, strlen(text));
	}
	return 0;
}

/* The path that a name may stand for: it is relative, or was renamed. NULL: none is known. */
static const struct bound_path *channel_book_path_of(struct channel_book *book,
						     const struct record_address *address)
{
	size_t length = strnlen((const char *)address->text, address->length);
	const struct bound_path *path;

	if (address->family != FAMILY_UNIX || !length)
		return NULL;
	path = channel_book_find_path(book, address->text, length);
	return path && path->path[0] ? path : NULL;
}

static void name_unix(char *name, size_t size, const struct record_address *address)
{
	size_t length = address->length;

	if (!length) {
		snprintf(name, size, "(unnamed)");
	} else if (address->text[0]) {
		printable(name, size, address->text, strnlen((const char *)address->text, length));
	} else {
		name[0] = '@';
		printable(name + 1, size - 1, address->text + 1, length - 1);
	}
}

/* Returns where the receiver's address begins. */
static uint32_t name_inet(char *name, size_t size, const struct record_address *address)
{
	const char *format = address->family == FAMILY_INET ? "%s:%u" : "[%s]:%u";
	char sender[INET6_ADDRSTRLEN] = "?", receiver[INET6_ADDRSTRLEN] = "?";
	int family = address->family == FAMILY_INET ? AF_INET : AF_INET6, at;

	inet_ntop(family, address->text, sender, sizeof(sender));
	inet_ntop(family, address->text + ADDRESS_RECEIVER_AT, receiver, sizeof(receiver));
	at = snprintf(name, size, format, sender, address->sender_port);
	at += snprintf(name + at, size - at, " > ");
	snprintf(name + at, size - at, format, receiver, address->receiver_port);
	return at;
}

static void name_file(char *name, size_t size, const struct record_address *address)
{
	char text[ADDRESS_TEXT_LEN];

	printable(text, sizeof(text), address->text, address->length);
	if (text[0])
		snprintf(name, size, "%s", text);
	else if (address->named & ADDRESS_IS_QUEUE)
		snprintf(name, size, "queue %llu", (unsigned long long)address->inode);
	else
		snprintf(name, size, "pipe:[%llu]", (unsigned long long)address->inode);
}

int channel_book__address(struct channel_book *book, const struct record_address *address)
{
	struct record_address checked = *address;
	struct entry *entry = channel_book_find(book, address->channel);
	struct label *label = entry ? NULL : find_or_make_label(book, address->channel);
	uint32_t *receiver_at, *named;
	char *name;

	if (!entry && !label)
		return -ENOMEM;
	name = entry ? entry->summary.name : label->name;
	receiver_at = entry ? &entry->receiver_at : &label->receiver_at;
	named = entry ? &entry->summary.named : &label->named;
	*named = address->named & ADDRESS_OF_BOTH;
	*receiver_at = 0;
	if (checked.length > ADDRESS_TEXT_LEN)
		checked.length = ADDRESS_TEXT_LEN;
	*(entry ? &entry->guess : &label->guess) = (struct path_guess){
		channel_book_path_of(book, &checked), address->named & ADDRESS_OF_BOTH};
	if (address->family == FAMILY_UNIX)
		name_unix(name, CHANNEL_NAME_LEN, &checked);
	else if (address->family == FAMILY_FILE)
		name_file(name, CHANNEL_NAME_LEN, &checked);
	else
		*receiver_at = name_inet(name, CHANNEL_NAME_LEN, &checked);
	return 0;
}

/* Notes the thread at an end. Only the process of another thread is looked up. */
static void channel_book_note_end(struct end_summary *end, char process[RECORD_COMM_LEN],
				  const struct end_summary *now, const struct naming *naming,
				  uint64_t at_ns)
{
	bool is_same = end->tid == now->tid && end->pid == now->pid;
	const char *name;

	*end = *now;
	if (is_same)
		return;
	name = now->tid == now->pid ? NULL : process_of_thread(naming, now->tid, at_ns);
	if (name)
		memcpy(process, name, RECORD_COMM_LEN);
	else
		process[0] = '\0';
}

int channel_book__message(struct channel_book *book, const struct message *message,
			  const struct end_summary *sender, const struct end_summary *receiver,
			  const struct naming *naming)
{
	struct entry *entry = channel_book_find_or_make(book, message->channel);
	struct channel_summary *summary;

	if (!entry)
		return -ENOMEM;
	ID_NOTE(book, entry);
	summary = &entry->summary;
	summary->transport = message->transport;
	channel_book_note_end(&summary->sender, summary->sender_process, sender, naming,
			      message->send_ns);
	channel_book_note_end(&summary->receiver, summary->receiver_process, receiver, naming,
			      message->recv_ns);
	summary->messages++;
	summary->bytes += message->bytes;
	summary->awake += message->path == PATH_RUNNING || message->path == PATH_RUNNABLE;
	stat_add(&summary->latency, message->latency_ns);
	summary->components.count++;
	for (int i = 0; i < NR_COMPONENTS; i++)
		summary->components.ns[i] += message->component_ns[i];
	blame_top_add(&summary->blame, message->blame, message->blame_cnt);
	return 0;
}

struct loop_time *channel_book__loop(struct channel_book *book, uint32_t channel)
{
	struct entry *entry = channel_book_find(book, channel);

	return entry ? &entry->summary.loop : &book->other.loop;
}

bool channel_book__guesses(const struct channel_book *book, uint32_t channel)
{
	const struct entry *entry = book->path_cnt ? channel_book_find(book, channel) : NULL;

	return entry && entry->guess.path;
}

void channel_book__targets(struct channel_book *book, uint32_t channel, uint32_t ends)
{
	struct entry *entry = channel_book_find(book, channel);

	if (entry->guess.named & ends)
		snprintf(entry->summary.name, CHANNEL_NAME_LEN, "%s", entry->guess.path->path);
	entry->guess.path = NULL;
}

const char *channel_book__receiver(const struct channel_book *book, uint32_t channel)
{
	const struct entry *entry = channel_book_find(book, channel);
	const struct label *label = entry ? NULL : find_label(book, channel);

	if (entry)
		return entry->summary.name + entry->receiver_at;
	return label ? label->name + label->receiver_at : "";
}

void channel_book__service(const struct channel_book *book, uint32_t channel,
			   char name[SERVICE_NAME_LEN])
{
	const struct entry *entry = channel_book_find(book, channel);
	const char *comm = entry ? entry->summary.receiver.comm : "";
	const char *address = channel_book__receiver(book, channel);

	snprintf(name, SERVICE_NAME_LEN, "%s%s%s", comm, comm[0] && address[0] ? " on " : "",
		 address);
}

uint64_t channel_book__service_id(const struct channel_book *book, uint32_t channel)
{
	char name[SERVICE_NAME_LEN];
	unsigned int hash;

	channel_book__service(book, channel, name);
	HASH_VALUE(name, strlen(name), hash);
	return hash;
}

void channel_book__dropped(struct channel_book *book, uint32_t channel)
{
	struct entry *entry = channel_book_find(book, channel);

	if (entry)
		entry->summary.dropped++;
	else
		book->other.dropped++;
}

void channel_book__call(struct channel_book *book, uint32_t channel)
{
	struct entry *entry = channel_book_find(book, channel);
	const struct label *label = entry ? NULL : find_label(book, channel);
	struct channel_summary *folded = label ? label->folded_into : NULL;

	if (entry)
		entry->summary.calls++;
	else
		(folded ?: &book->other)->calls++;
}

static const struct channel_summary *slower(const struct channel_summary *a,
					    const struct channel_summary *b)
{
	return b->latency.max > a->latency.max ? b : a;
}

/* Asked for once a second, so that adding a message costs nothing more. */
uint64_t channel_book__slowest(const struct channel_book *book, struct end_summary *receiver)
{
	const struct channel_summary *slowest = &book->other;

	for (const struct entry *entry = book->entry; entry; entry = entry->hh.next)
		slowest = slower(slowest, &entry->summary);
	for (const struct group *group = book->group; group; group = group->hh.next)
		slowest = slower(slowest, &group->sum);
	*receiver = slowest->receiver;
	return slowest->latency.max;
}

static int channel_book_most_messages_first(const void *a, const void *b)
{
	const struct channel_summary *x = a, *y = b;

	if (!x->folded != !y->folded)
		return x->folded ? 1 : -1;
	/* "other" comes last. */
	if (x->folded && !x->transport != !y->transport)
		return x->transport ? -1 : 1;
	if (x->messages != y->messages)
		return x->messages < y->messages ? 1 : -1;
	return (x->id > y->id) - (x->id < y->id);
}

int channel_book__finish(struct channel_book *book, struct summary *summary)
{
	uint32_t cnt = HASH_COUNT(book->entry) + HASH_COUNT(book->group) + 1;
	struct entry *entry, *next;
	struct group *group, *next_group;

	summary->channel = calloc(cnt, sizeof(*summary->channel));
	if (!summary->channel)
		return -ENOMEM;
	cnt = 0;
	HASH_ITER (hh, book->entry, entry, next) {
		summary->channel[cnt++] = entry->summary;
		ID_DELETE(book, book->entry, entry);
		free(entry);
	}
	HASH_ITER (hh, book->group, group, next_group) {
		summary->channel[cnt++] = group->sum;
		HASH_DROP(book->group, group);
	}
	if (book->other.folded) {
		summary->channel[cnt++] = book->other;
		book->other = (struct channel_summary){0};
	}
	summary->channel_cnt = cnt;
	for (uint32_t i = 0; i < cnt; i++)
		blame_top_sort(&summary->channel[i].blame);
	qsort(summary->channel, cnt, sizeof(*summary->channel), channel_book_most_messages_first);
	return 0;
}
