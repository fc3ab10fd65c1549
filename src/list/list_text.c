/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * -f text: a table of services, and one of connections, a line each.
 *
 *	services       held by               attach with
 *	uds-stream     redis-server 812      --unix /run/redis.sock
 *	tcp            redis-server 812 +2   --port 6379 (127.0.0.1:6379, 3 waiting)
 *
 *	connections    from                  to                    by
 *	tcp            redis-cli 977         redis-server 812      127.0.0.1:6379 from port 40412
 */
#include "list/end_words.h"
#include "list/list_view.h"
#include "sink/text_layout.h"

#include <errno.h>
#include <string.h>

/* A page is never narrower than its tables. */
#define COLUMNS_MIN 80
#define COLUMNS_MAX 120
#define KIND_WIDTH  15 /* the longest transport, and two blanks */
#define NAME_MIN    20 /* is left to the last column */
#define GAP         2
#define OWNER_LEN   48
#define PID_LEN     32

struct page {
	struct text text;
	const struct list_view *view;
	int room; /* columns of the terminal; 0: as many as it takes */
	bool cut; /* a name was */
};

/* "nginx 812 +3": `comm` gives way if that has more than `width` columns; 0: it has room. */
static void holding_text(const struct holding *holding, uint32_t others, int width,
			 char text[OWNER_LEN])
{
	char tail[PID_LEN];
	int at = snprintf(tail, sizeof(tail), " %u", holding->first.pid), room;

	if (holding->cnt + others > 1)
		at += snprintf(tail + at, sizeof(tail) - at, " +%u", holding->cnt + others - 1);
	room = width - at;
	if (!width || room >= (int)strlen(holding->first.comm))
		snprintf(text, OWNER_LEN, "%s%s", holding->first.comm, tail);
	else
		snprintf(text, OWNER_LEN, "%.*s..%s", room > 2 ? room - 2 : 0, holding->first.comm,
			 tail);
}

/* "-": gone; "?": held by nobody that can be seen. */
static void owner_text(const struct end *end, uint32_t others, int width, char text[OWNER_LEN])
{
	if (!end || !end->holding.cnt)
		snprintf(text, OWNER_LEN, "%s", end ? "?" : "-");
	else
		holding_text(&end->holding, others, width, text);
}

static void widen(int *width, const struct end *end, uint32_t others)
{
	char text[OWNER_LEN];

	owner_text(end, others, 0, text);
	if ((int)strlen(text) > *width)
		*width = (int)strlen(text);
}

/* Of a column of owners, of which there are `cnt`, with its gap. */
static int owner_width(const struct page *page, int wanted, int cnt)
{
	int most = (page->room - KIND_WIDTH - NAME_MIN) / cnt - GAP;

	return (page->room && wanted > most ? most : wanted) + GAP;
}

static void print_owner(const struct page *page, const struct end *end, uint32_t others, int width)
{
	char text[OWNER_LEN];

	owner_text(end, others, width - GAP, text);
	text_label(&page->text, INK_PLAIN, width, text);
}

/* The last column, from column `from` on: the name is cut in the middle so that the note fits. */
static void print_name(struct page *page, int from, const char *name, const char *note)
{
	int room = page->room - from - (int)strlen(note), length = (int)strlen(name);
	FILE *out = page->text.out;

	if (!page->room || length <= room) {
		fprintf(out, "%s%s\n", name, note);
		return;
	}
	room = room > 10 ? room - 2 : 8;
	fprintf(out, "%.*s..%s%s\n", room / 3, name, name + length - (room - room / 3), note);
	page->cut = true;
}

static void heading(const struct page *page, const char *first, const char *second, int width,
		    const char *third, int third_width, const char *last)
{
	text_label(&page->text, INK_BOLD, KIND_WIDTH, first);
	text_label(&page->text, INK_BOLD, width, second);
	if (third)
		text_label(&page->text, INK_BOLD, third_width, third);
	text_label(&page->text, INK_BOLD, 0, last);
	text_newline(&page->text);
}

/* " (a, b)", or nothing. */
static void add_note(char *note, size_t size, const char *text)
{
	size_t at = strlen(note);

	if (at)
		snprintf(note + at - 1, size - at + 1, ", %s)", text);
	else
		snprintf(note, size, " (%s)", text);
}

static void add_network_note(const struct end *end, uint64_t own_network, char *note, size_t size)
{
	char text[64];

	if (!end || !end->network || end->network == own_network)
		return;
	snprintf(text, sizeof(text), "in net:[%llu]", (unsigned long long)end->network);
	add_note(note, size, text);
}

/* What the argument does not tell. */
static void service_note(const struct end *end, const struct attach_words *words,
			 uint64_t own_network, char *note, size_t size)
{
	char name[END_NAME_LEN], text[END_NAME_LEN];

	note[0] = '\0';
	end_name(end, name);
	if (!words->option || strcmp(words->option, "--unix")) {
		escape_text(name, strlen(name), text, sizeof(text));
		add_note(note, size, text);
	}
	if (end->waiting) {
		snprintf(text, sizeof(text), "%u waiting", end->waiting);
		add_note(note, size, text);
	}
	add_network_note(end, own_network, note, size);
}

static void print_service(struct page *page, const struct end *end, int width)
{
	uint64_t own_network = page->view->list->own_network;
	char quoted[4 * END_NAME_LEN], argument[4 * END_NAME_LEN + 16], note[END_NAME_LEN];
	struct attach_words words;

	service_attach(end, own_network, &words);
	service_note(end, &words, own_network, note, sizeof(note));
	quote_word(words.value, quoted, sizeof(quoted));
	if (words.option)
		snprintf(argument, sizeof(argument), "%s %s", words.option, quoted);
	else
		snprintf(argument, sizeof(argument), "?");
	text_label(&page->text, INK_PLAIN, KIND_WIDTH, list_transport_name(end->transport));
	print_owner(page, end, 0, width);
	print_name(page, KIND_WIDTH + width, argument, note);
}

static void print_services(struct page *page)
{
	const struct channel_list *list = page->view->list;
	int width = (int)strlen("held by");

	for (size_t i = 0; i < list->service_cnt; i++)
		widen(&width, list->service[i], 0);
	width = owner_width(page, width, 1);
	heading(page, "services", "held by", width, NULL, 0, "attach with");
	for (size_t i = 0; i < list->service_cnt; i++)
		print_service(page, list->service[i], width);
}

/* An inet connection's clients differ by their ports; what has no name has an inode. */
static void connection_text(const struct connection *connection, char *text, size_t size)
{
	const struct end *from = connection->from, *to = connection->to;
	char name[END_NAME_LEN];

	connection_name(connection, name);
	escape_text(name, strlen(name), text, size);
	if (is_inet(connection->transport))
		snprintf(text + strlen(text), size - strlen(text), " from port %u",
			 from ? from->inet.local.port : to->inet.remote.port);
	else if (!name[0] && connection->transport == LIST_PIPE)
		snprintf(text, size, "pipe:[%llu]", (unsigned long long)(from ?: to)->inode);
	else if (!name[0] && from && to)
		snprintf(text, size, "socket:[%llu] socket:[%llu]", (unsigned long long)from->inode,
			 (unsigned long long)to->inode);
	else if (!name[0])
		snprintf(text, size, "socket:[%llu]", (unsigned long long)(from ?: to)->inode);
}

static void connection_note(const struct connection *connection, uint64_t own_network, char *note,
			    size_t size)
{
	static const char *const words[NR_CONNECTION_STATES] = {
		[CONNECTION_HALF_CLOSED] = "half closed",
		[CONNECTION_NOT_ACCEPTED] = "not accepted yet",
		[CONNECTION_PEER_GONE] = "peer gone",
	};

	note[0] = '\0';
	if (words[connection->state])
		add_note(note, size, words[connection->state]);
	add_network_note(connection->to ?: connection->from, own_network, note, size);
}

static void print_connection(struct page *page, const struct connection *connection, int from_width,
			     int to_width)
{
	char name[4 * END_NAME_LEN], note[128];

	connection_text(connection, name, sizeof(name));
	connection_note(connection, page->view->list->own_network, note, sizeof(note));
	text_label(&page->text, INK_PLAIN, KIND_WIDTH, list_transport_name(connection->transport));
	print_owner(page, connection->from, 0, from_width);
	print_owner(page, connection->to, connection->others, to_width);
	print_name(page, KIND_WIDTH + from_width + to_width, name, note);
}

static void print_connections(struct page *page)
{
	const struct channel_list *list = page->view->list;
	int from = (int)strlen("from"), to = (int)strlen("to");

	for (size_t i = 0; i < list->connection_cnt; i++) {
		widen(&from, list->connection[i].from, 0);
		widen(&to, list->connection[i].to, list->connection[i].others);
	}
	from = owner_width(page, from, 2);
	to = owner_width(page, to, 2);
	heading(page, "connections", "from", from, "to", to, "by");
	for (size_t i = 0; i < list->connection_cnt; i++)
		print_connection(page, &list->connection[i], from, to);
}

static void print_summary(const struct page *page)
{
	const struct channel_list *list = page->view->list;
	struct paragraph sentence = {0};

	paragraph_add(&sentence, "%zu service%s, %zu connection%s", list->service_cnt,
		      plural(list->service_cnt), list->connection_cnt,
		      plural(list->connection_cnt));
	if (list->elsewhere)
		paragraph_add(&sentence, "; not shown: %llu socket%s connected to other machines",
			      (unsigned long long)list->elsewhere, plural(list->elsewhere));
	if (list->idle)
		paragraph_add(&sentence, "; not shown: %llu socket%s without a name or a peer",
			      (unsigned long long)list->idle, plural(list->idle));
	paragraph_add(&sentence, ". What is no service is traced by ipctrace attach -p PID.");
	if (page->view->within_namespace)
		paragraph_add(&sentence, " Processes outside of this PID namespace are not seen.");
	if (page->cut)
		paragraph_add(&sentence, " Long names are cut: ipctrace list | cat shows them.");
	paragraph_print(&page->text, INK_PLAIN, "", &sentence);
}

static int page_columns(int terminal)
{
	if (terminal < COLUMNS_MIN)
		return COLUMNS_MIN;
	return terminal > COLUMNS_MAX ? COLUMNS_MAX : terminal;
}

int list_text(const struct list_view *view)
{
	struct page page = {
		.text = {.out = view->out,
			 .columns = page_columns(view->columns),
			 .color = view->color},
		.view = view,
		.room = view->columns && view->columns < COLUMNS_MIN ? COLUMNS_MIN : view->columns,
	};

	if (view->list->service_cnt) {
		print_services(&page);
		text_newline(&page.text);
	}
	if (view->list->connection_cnt) {
		print_connections(&page);
		text_newline(&page.text);
	}
	print_summary(&page);
	return fflush(view->out) ? -errno : ferror(view->out) ? -EIO : 0;
}
