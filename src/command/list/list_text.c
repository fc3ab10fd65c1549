/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes the list of channels as text, for `list -f text`. The answer comes first: how much there
 * is, and which command to try. The first table shows services, and the second table shows
 * connections, each with the most connected service first.
 *
 *	2 services and 1 connection; ipctrace attach can trace all of them.
 *	redis-server (pid 812) has the most open connections: 1. To trace it:
 *	  sudo ipctrace attach --unix /run/redis.sock
 *
 *	services    open  held by                    attach with
 *	uds-stream     1  redis-server (pid 812)     --unix /run/redis.sock
 *	tcp            0  redis-server (pid 812) +2  --port 6379 (3 waiting) 127.0.0.1:6379
 *
 *	connections  from                 to                      by
 *	uds-stream   redis-cli (pid 977)  redis-server (pid 812)  /run/redis.sock
 */
#include "command/channels/end_words.h"
#include "command/list/list_view.h"
#include "report/text/layout.h"
#include "util/plain.h"

#include <string.h>

#define COLUMNS_MIN 80 /* of tables; else rows are stacked */
#define NAME_MIN    16 /* the least width of the last column */
#define GAP         2
#define OWNER_LEN   48
#define PID_LEN     32
#define NOTE_LEN    64

struct page {
	struct text text;
	const struct list_view *view;
	int room; /* columns of the terminal; 0: nothing is cut */
	int kind_width;
	int open_width; /* of the services' connections, with the gap behind it */
	bool cut;       /* a name was cut, or something left out */
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

/* The width of each of `cnt` columns of owners behind column `before`, with its gap. */
static int owner_width(const struct page *page, int wanted, int cnt, int before)
{
	int most = (page->room - before - NAME_MIN) / cnt - GAP;

	return (page->room && wanted > most ? most : wanted) + GAP;
}

static void print_owner(const struct page *page, const struct end *end, uint32_t others, int width)
{
	char text[OWNER_LEN];

	owner_text(end, others, page->room ? width - GAP : 0, text);
	text_begin_cell(&page->text);
	text_label(&page->text, INK_PLAIN, width, text);
}

/* What the last column shows. */
struct last {
	const char *name, *note, *extra;
	bool is_path; /* the name can be cut; numbers and what goes into a shell cannot */
};

/* Cuts the middle out of a path. */
static void print_cut(struct page *page, const char *path, int room)
{
	int length = (int)strlen(path), head = (room - 2) / 3;

	fprintf(page->text.out, "%.*s..%s", head, path, path + length - (room - 2 - head));
	page->cut = true;
}

/* The column at which a name without room in the last column begins, in a line of its own. */
static int own_line_from(const struct page *page, int wanted)
{
	int from = page->room - wanted;

	return from > page->kind_width ? page->kind_width : from > GAP ? from : GAP;
}

/*
 * Prints the last column, which begins at column `from`. If the terminal is too narrow, a path is
 * cut, any other name goes on a line of its own, and `extra` is left out.
 */
static void print_last(struct page *page, int from, const struct last *last)
{
	int note = (int)strlen(last->note), name = (int)strlen(last->name);
	int extra = (int)strlen(last->extra);

	text_begin_cell(&page->text);
	if (!page->room) {
		fprintf(page->text.out, "%s%s%s\n", last->name, last->note, last->extra);
		return;
	}
	if (from + name + note > page->room &&
	    !(last->is_path && page->room - from - note >= NAME_MIN)) {
		from = own_line_from(page, name + note);
		fprintf(page->text.out, "\n%*s", from, "");
	}
	if (from + name + note > page->room && last->is_path)
		print_cut(page, last->name, page->room - from - note);
	else
		fputs(last->name, page->text.out);
	fputs(last->note, page->text.out);
	if (from + name + note + extra <= page->room)
		fputs(last->extra, page->text.out);
	else
		page->cut = true;
	text_newline(&page->text);
}

/* A title with the width of its column; 0: the last one. */
struct title {
	const char *words;
	int width;
	bool is_number;
};

/* Rows are stacked. There a cell that begins with '-' would stand as numbers do. */
static bool is_narrow(const struct page *page)
{
	return page->text.columns < COLUMNS_MIN;
}

static void list_text_heading(const struct page *page, const char *first, const struct title *title,
			      int cnt)
{
	struct column column[4] = {0};

	if (is_narrow(page)) {
		for (int i = 0; i < cnt; i++)
			column[i] = (struct column){title[i].width ? 0 : page->text.columns,
						    title[i].words, NULL};
		text_heading(&page->text, first, page->kind_width, column, cnt);
		return;
	}
	text_label(&page->text, INK_BOLD, page->kind_width, first);
	for (int i = 0; i < cnt; i++) {
		if (title[i].is_number)
			fprintf(page->text.out, "%*s",
				title[i].width - GAP - (int)strlen(title[i].words), "");
		text_label(&page->text, INK_BOLD,
			   title[i].is_number ? (int)strlen(title[i].words) + GAP : title[i].width,
			   title[i].words);
	}
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

static void print_open(const struct page *page, size_t cnt)
{
	bool stacked = page_is_stacked(page->text.page);

	text_count(&page->text, stacked ? 0 : page->open_width - GAP, cnt);
	fprintf(page->text.out, "%*s", stacked ? 0 : GAP, "");
}

static void print_service(struct page *page, size_t index, int width)
{
	const struct end *end = page->view->list->service[index];
	char quoted[4 * END_NAME_LEN], argument[4 * END_NAME_LEN + 32], note[NOTE_LEN] = "";
	char extra[4 * END_NAME_LEN + NOTE_LEN];
	struct attach_words words;

	service_attach(end, page->view->list->own_network, &words);
	quote_word(words.value, quoted, sizeof(quoted));
	snprintf(argument, sizeof(argument), "%s%s %s", is_narrow(page) ? "attach " : "",
		 words.option ?: "", quoted);
	if (end->waiting)
		snprintf(note, sizeof(note), " (%u waiting)", end->waiting);
	service_extra(page, end, &words, extra, sizeof(extra));
	text_label(&page->text, INK_PLAIN, page->kind_width, transport_id_name(end->transport));
	print_open(page, page->view->order->open_cnt[index]);
	print_owner(page, end, 0, width);
	print_last(page, page->kind_width + page->open_width + width,
		   &(struct last){words.option ? argument : "?", note, extra, false});
}

static void print_services(struct page *page)
{
	const struct list_view *view = page->view;
	int width = (int)strlen("held by"), open = (int)strlen("open");

	for (size_t i = 0; i < view->list->service_cnt; i++) {
		int digits = snprintf(NULL, 0, "%zu", view->order->open_cnt[i]);

		open = digits > open ? digits : open;
		widen(&width, view->list->service[i], 0);
	}
	page->open_width = open + GAP;
	width = owner_width(page, width, 1, page->kind_width + page->open_width);
	list_text_heading(
		page, "services",
		(struct title[]){{"open", page->open_width, true},
				 {"held by", width, false},
				 {is_narrow(page) ? "trace with" : "attach with", 0, false}},
		3);
	for (size_t i = 0; i < view->list->service_cnt; i++)
		print_service(page, view->order->service[i], width);
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
	print_last(page, page->kind_width + from_width + to_width,
		   &(struct last){name, connection_note(connection), extra,
				  name[0] == '/' || name[0] == '@'});
}

static void print_connections(struct page *page)
{
	const struct channel_list *list = page->view->list;
	int from = (int)strlen("from"), to = (int)strlen("to");

	for (size_t i = 0; i < list->connection_cnt; i++) {
		widen(&from, list->connection[i].from, 0);
		widen(&to, list->connection[i].to, list->connection[i].others);
	}
	from = owner_width(page, from, 2, page->kind_width);
	to = owner_width(page, to, 2, page->kind_width);
	list_text_heading(
		page, "connections",
		(struct title[]){{"from", from, false}, {"to", to, false}, {"by", 0, false}}, 3);
	for (size_t i = 0; i < list->connection_cnt; i++)
		print_connection(page, &list->connection[page->view->order->connection[i]], from,
				 to);
}

static void list_add_share(struct paragraph *sentence, size_t cnt, size_t of, const char *what)
{
	if (cnt == of)
		paragraph_add(sentence, "all of the %s", what);
	else
		paragraph_add(sentence, "%zu of the %s", cnt, what);
}

static void add_traced(const struct list_order *order, struct paragraph *sentence)
{
	const struct channel_list *list = order->list;

	paragraph_add(sentence, "; ipctrace attach can trace ");
	if (order->traced_services == list->service_cnt &&
	    order->traced_connections == list->connection_cnt) {
		paragraph_add(sentence, "all of them.");
		return;
	}
	if (list->service_cnt)
		list_add_share(sentence, order->traced_services, list->service_cnt, "services");
	if (list->service_cnt && list->connection_cnt)
		paragraph_add(sentence, " and ");
	if (list->connection_cnt)
		list_add_share(sentence, order->traced_connections, list->connection_cnt,
			       "connections");
	paragraph_add(sentence, ".");
}

static void add_not_shown(const struct list_view *view, struct paragraph *sentence)
{
	const struct channel_list *list = view->list;
	const char *begin = " Not shown: ";

	if (list->elsewhere) {
		paragraph_add(sentence, "%s%llu socket%s connected to other machines", begin,
			      (unsigned long long)list->elsewhere, plural(list->elsewhere));
		begin = ", ";
	}
	if (list->idle)
		paragraph_add(sentence, "%s%llu socket%s without a name or a peer", begin,
			      (unsigned long long)list->idle, plural(list->idle));
	if (list->elsewhere || list->idle)
		paragraph_add(sentence, ".");
	if (view->within_namespace)
		paragraph_add(sentence, " Processes outside of this PID namespace are not seen.");
}

static void print_counts(const struct page *page)
{
	const struct channel_list *list = page->view->list;
	struct paragraph sentence = {0};

	paragraph_add(&sentence, "%zu service%s and %zu connection%s", list->service_cnt,
		      plural(list->service_cnt), list->connection_cnt,
		      plural(list->connection_cnt));
	if (list->service_cnt || list->connection_cnt)
		add_traced(page->view->order, &sentence);
	else
		paragraph_add(&sentence, ": there is nothing to attach to%s.",
			      page->view->filtered ? " in what the options select" : "");
	add_not_shown(page->view, &sentence);
	paragraph_print(&page->text, INK_PLAIN, "", &sentence);
}

/* A command stands on a line of its own, to be copied. */
static void print_command(const struct page *page, const char *words, const char *value)
{
	fprintf(page->text.out, "  sudo ipctrace %s%s%s\n", words, value[0] ? " " : "", value);
}

static void print_no_advice(const struct page *page)
{
	struct paragraph sentence = {0};

	if (page->view->filtered) {
		paragraph_add(&sentence, "For the whole machine:");
		paragraph_print(&page->text, INK_PLAIN, "", &sentence);
		print_command(page, "list", "");
		return;
	}
	paragraph_add(&sentence, "Start the programs first, or try a run, which starts its own:");
	paragraph_print(&page->text, INK_PLAIN, "", &sentence);
	print_command(page, "--transport uds --clients 5", "");
}

/* The service with the most connections, or else the process; see list_order.c. */
static void print_advice(const struct page *page)
{
	const struct list_advice *advice = &page->view->order->advice;
	char quoted[4 * END_NAME_LEN], words[32], owner[OWNER_LEN];
	struct end holder = {.holding = {.first = advice->process, .cnt = 1}};
	struct paragraph sentence = {0};

	if (!advice->words.option) {
		print_no_advice(page);
		return;
	}
	owner_text(advice->service ?: &holder, 0, 0, owner);
	if (!strcmp(owner, "?"))
		snprintf(owner, sizeof(owner), "This service");
	if (advice->connection_cnt)
		paragraph_add(&sentence,
			      "%s has the most open connections: %zu. To trace it:", owner,
			      advice->connection_cnt);
	else
		paragraph_add(&sentence, "%s has no connections yet. To wait for them:", owner);
	paragraph_print(&page->text, INK_PLAIN, "", &sentence);
	quote_word(advice->words.value, quoted, sizeof(quoted));
	snprintf(words, sizeof(words), "attach %s", advice->words.option);
	print_command(page, words, quoted);
	sentence = (struct paragraph){0};
	paragraph_add(&sentence, "To trace any process of the tables:");
	paragraph_print(&page->text, INK_PLAIN, "", &sentence);
	print_command(page, "attach -p", "PID");
}

static void print_cut_hint(const struct page *page)
{
	struct paragraph sentence = {0};

	if (page->cut)
		paragraph_add(&sentence,
			      "Long names are cut and details left out: ipctrace list | cat "
			      "shows them.");
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
	print_counts(&page);
	print_advice(&page);
	if (page.view->list->service_cnt) {
		text_newline(&page.text);
		print_services(&page);
	}
	if (page.view->list->connection_cnt) {
		text_newline(&page.text);
		print_connections(&page);
	}
	if (page.cut)
		text_newline(&page.text);
	print_cut_hint(&page);
	return text_close(&page.text);
}
