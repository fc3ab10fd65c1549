/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes the list of channels as text, for `list -f text`. The first table shows services, and the
 * second table shows connections.
 *
 *	services    held by               attach with
 *	uds-stream  redis-server 812      --unix /run/redis.sock
 *	tcp         redis-server 812 +2   --port 6379 (3 waiting) 127.0.0.1:6379
 *
 *	connections  from                 to                   by
 *	tcp          redis-cli 977        redis-server 812     127.0.0.1:6379 from port 40412
 */
#include "command/channels/end_words.h"
#include "command/list/list_view.h"
#include "report/text/layout.h"
#include "util/plain.h"

#include <string.h>

#define COLUMNS_MIN 80 /* of tables; else rows are stacked */
#define NAME_MIN    16 /* the least width of the last column */
#define EXTRA_MIN   12 /* a shorter part of `extra` is left out */
#define GAP         2
#define OWNER_LEN   48
#define PID_LEN     32
#define NOTE_LEN    64

struct page {
	struct text text;
	const struct list_view *view;
	int room; /* columns of the terminal; 0: nothing is cut */
	int kind_width;
	bool cut; /* a name was cut */
};

/*
 * "nginx (pid 812) +3"; "-": closed; "?": no visible holder. The name is cut if the text has more
 * than `width` columns; 0: unlimited.
 */
static void owner_text(const struct end *end, uint32_t others, int width, char text[OWNER_LEN])
{
	const struct holding *holding = end ? &end->holding : NULL;
	char tail[PID_LEN];
	int at, room;

	if (!holding || !holding->cnt) {
		snprintf(text, OWNER_LEN, "%s", end ? "?" : "-");
		return;
	}
	at = snprintf(tail, sizeof(tail), " (pid %u)", holding->first.pid);
	if (holding->cnt + others > 1)
		at += snprintf(tail + at, sizeof(tail) - at, " +%u", holding->cnt + others - 1);
	room = width - at;
	if (!width || room >= plain_columns(holding->first.comm))
		snprintf(text, OWNER_LEN, "%s%s", holding->first.comm, tail);
	else
		snprintf(text, OWNER_LEN, "%.*s..%s",
			 (int)plain_fit(holding->first.comm, room > 2 ? room - 2 : 0),
			 holding->first.comm, tail);
}

static void widen(int *width, const struct end *end, uint32_t others)
{
	char text[OWNER_LEN];

	owner_text(end, others, 0, text);
	if (plain_columns(text) > *width)
		*width = plain_columns(text);
}

/* Includes the gap behind the column. */
static int kind_width(const struct page *page)
{
	const struct channel_list *list = page->view->list;
	size_t longest = strlen("connections"), cnt = list->service_cnt;

	for (size_t i = 0; i < cnt + list->connection_cnt; i++) {
		enum transport_id transport =
			i < cnt ? list->service[i]->transport : list->connection[i - cnt].transport;
		size_t length = strlen(transport_id_name(transport));

		longest = length > longest ? length : longest;
	}
	return (int)longest + GAP;
}

/* The width of each of `cnt` columns of owners, with the gap behind it. */
static int owner_width(const struct page *page, int wanted, int cnt)
{
	int most = (page->room - page->kind_width - NAME_MIN) / cnt - GAP;

	return (page->room && wanted > most ? most : wanted) + GAP;
}

static void print_owner(const struct page *page, const struct end *end, uint32_t others, int width)
{
	char text[OWNER_LEN];

	owner_text(end, others, page->room ? width - GAP : 0, text);
	text_begin_cell(&page->text);
	text_label(&page->text, INK_PLAIN, width, text);
}

/* Cuts the middle out of a text with more than `room` columns. */
static void list_text_print_cut(struct page *page, const char *text, int room)
{
	int length = (int)strlen(text), head = (room - 2) / 3;

	if (length <= room) {
		fputs(text, page->text.out);
		return;
	}
	fprintf(page->text.out, "%.*s..%s", head, text, text + length - (room - 2 - head));
	page->cut = true;
}

/*
 * Prints the last column, which begins at column `from`. If the terminal is too narrow, `extra` is
 * cut before the name, and the name before `note`.
 */
static void print_name(struct page *page, int from, const char *name, const char *note,
		       const char *extra)
{
	int room = page->room - from - (int)strlen(note), left = room - (int)strlen(name);

	text_begin_cell(&page->text);
	if (!page->room) {
		fprintf(page->text.out, "%s%s%s\n", name, note, extra);
		return;
	}
	list_text_print_cut(page, name, room);
	fputs(note, page->text.out);
	if (left >= EXTRA_MIN || left >= (int)strlen(extra))
		list_text_print_cut(page, extra, left);
	else
		page->cut = true;
	text_newline(&page->text);
}

static void stacked_heading(const struct page *page, const char *first, const char *second,
			    const char *third, const char *last)
{
	struct column column[3] = {{0, second, NULL}};
	int cnt = 1;

	if (third)
		column[cnt++] = (struct column){0, third, NULL};
	column[cnt++] = (struct column){page->text.columns, last, NULL};
	text_heading(&page->text, first, page->kind_width, column, cnt);
}

static void list_text_heading(const struct page *page, const char *first, const char *second,
			      int width, const char *third, int third_width, const char *last)
{
	if (page->text.columns < COLUMNS_MIN) {
		stacked_heading(page, first, second, third, last);
		return;
	}
	text_label(&page->text, INK_BOLD, page->kind_width, first);
	text_label(&page->text, INK_BOLD, width, second);
	if (third)
		text_label(&page->text, INK_BOLD, third_width, third);
	text_label(&page->text, INK_BOLD, 0, last);
	text_newline(&page->text);
}

static bool is_foreign(const struct page *page, const struct end *end)
{
	return end->network && end->network != page->view->list->own_network;
}

/* What the argument does not show: " 127.0.0.1:80 in net:[4026532177]". */
static void service_extra(const struct page *page, const struct end *end,
			  const struct attach_words *words, char *extra, size_t size)
{
	char name[END_NAME_LEN];
	size_t at = 0;

	extra[0] = '\0';
	end_name(end, name);
	if (!words->option || strcmp(words->option, "--unix")) {
		extra[at++] = ' ';
		escape_text(name, strlen(name), extra + at, size - at);
		at = strlen(extra);
	}
	if (is_foreign(page, end))
		snprintf(extra + at, size - at, " in net:[%llu]", (unsigned long long)end->network);
}

static void print_service(struct page *page, const struct end *end, int width)
{
	char quoted[4 * END_NAME_LEN], argument[4 * END_NAME_LEN + 16], note[NOTE_LEN] = "";
	char extra[4 * END_NAME_LEN + NOTE_LEN];
	struct attach_words words;

	service_attach(end, page->view->list->own_network, &words);
	quote_word(words.value, quoted, sizeof(quoted));
	snprintf(argument, sizeof(argument), "%s %s", words.option ?: "", quoted);
	if (end->waiting)
		snprintf(note, sizeof(note), " (%u waiting)", end->waiting);
	service_extra(page, end, &words, extra, sizeof(extra));
	text_label(&page->text, INK_PLAIN, page->kind_width, transport_id_name(end->transport));
	print_owner(page, end, 0, width);
	print_name(page, page->kind_width + width, words.option ? argument : "?", note, extra);
}

static void print_services(struct page *page)
{
	const struct channel_list *list = page->view->list;
	int width = (int)strlen("held by");

	for (size_t i = 0; i < list->service_cnt; i++)
		widen(&width, list->service[i], 0);
	width = owner_width(page, width, 1);
	list_text_heading(page, "services", "held by", width, NULL, 0, "attach with");
	for (size_t i = 0; i < list->service_cnt; i++)
		print_service(page, list->service[i], width);
}

/* Connections without a name are shown by their inodes. */
static void connection_text(const struct connection *connection, char *text, size_t size)
{
	const struct end *from = connection->from, *to = connection->to;
	const char *kind = connection->transport == TRANSPORT_PIPE ? "pipe" : "socket";
	unsigned long long inode = (from ?: to)->inode, peer = (to ?: from)->inode;
	char name[END_NAME_LEN];

	connection_name(connection, name);
	if (name[0])
		escape_text(name, strlen(name), text, size);
	else if (inode == peer)
		snprintf(text, size, "%s:[%llu]", kind, inode);
	else
		snprintf(text, size, "%s:[%llu] [%llu]", kind, inode, peer);
}

static const char *connection_note(const struct connection *connection)
{
	static const char *const notes[NR_CONNECTION_STATES] = {
		[CONNECTION_OPEN] = "",
		[CONNECTION_HALF_CLOSED] = " (half closed)",
		[CONNECTION_NOT_ACCEPTED] = " (not accepted)",
		[CONNECTION_PEER_GONE] = " (peer gone)",
	};

	return notes[connection->state];
}

/* " from port 40412 in net:[4026532177]": the port distinguishes the clients of a server. */
static void connection_extra(const struct page *page, const struct connection *connection,
			     char *extra, size_t size)
{
	const struct end *from = connection->from, *to = connection->to;
	const struct end *end = to ?: from;
	size_t at = 0;

	extra[0] = '\0';
	if (is_inet(connection->transport))
		at = snprintf(extra, size, " from port %u",
			      from ? from->inet.local.port : to->inet.remote.port);
	if (is_foreign(page, end))
		snprintf(extra + at, size - at, " in net:[%llu]", (unsigned long long)end->network);
}

static void print_connection(struct page *page, const struct connection *connection, int from_width,
			     int to_width)
{
	char name[4 * END_NAME_LEN], extra[NOTE_LEN];

	connection_text(connection, name, sizeof(name));
	connection_extra(page, connection, extra, sizeof(extra));
	text_label(&page->text, INK_PLAIN, page->kind_width,
		   transport_id_name(connection->transport));
	print_owner(page, connection->from, 0, from_width);
	print_owner(page, connection->to, connection->others, to_width);
	print_name(page, page->kind_width + from_width + to_width, name,
		   connection_note(connection), extra);
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
	list_text_heading(page, "connections", "from", from, "to", to, "by");
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

int list_text(const void *ctx, const struct report_style *style)
{
	struct page page = {
		.view = ctx,
		.room = style->columns < COLUMNS_MIN ? 0 : style->columns,
	};
	int err = text_open(&page.text, style);

	if (err)
		return err;
	if (!style->columns)
		page_has_no_end(page.text.page); /* the text is for programs */
	page.kind_width = kind_width(&page);
	if (page.view->list->service_cnt) {
		print_services(&page);
		text_newline(&page.text);
	}
	if (page.view->list->connection_cnt) {
		print_connections(&page);
		text_newline(&page.text);
	}
	print_summary(&page);
	return text_close(&page.text);
}
