/* SPDX-License-Identifier: BSD-2-Clause */
/* Names, arguments of attach, and the output of `ipctrace list` as text and JSON. */
#include "support/build.h"
#include "support/capture.h"
#include "support/json_report.h"
#include "support/channel_ends.h"
#include "support/page.h"

#include "command/channels/end_words.h"
#include "command/list/list_view.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static const struct owner server = {812, "redis-server"};

static struct end named(enum transport_id transport, const char *name, size_t length)
{
	struct end end = unix_end(5, NULL);

	end.transport = transport;
	end.name = (char *)name;
	end.name_len = length;
	end.holding = (struct holding){.first = server, .cnt = 1};
	return end;
}

static void assert_attached(struct end end, const char *name, const char *option, const char *value)
{
	struct attach_words words;
	char text[END_NAME_LEN];

	end_name(&end, text);
	assert_string_equal(text, name);
	service_attach(&end, NETWORK, &words);
	if (!option) {
		assert_null(words.option);
		return;
	}
	assert_string_equal(words.option, option);
	assert_string_equal(words.value, value);
}

#define NAMED(name) named(TRANSPORT_UDS_STREAM, name, sizeof(name) - 1)

TEST(names_are_what_attach_takes)
{
	struct end foreign = abroad(NAMED("/run/x")), nobody = NAMED("\0a\0b");
	struct end port = tcp_listener(3, "::", 6379);

	assert_attached(NAMED("/run/x"), "/run/x", "--unix", "/run/x");
	assert_attached(NAMED("a path"), "a path", "--unix", "a path");
	assert_attached(NAMED("\0abstract"), "@abstract", "--unix", "@abstract");
	assert_attached(NAMED("\0a\0b"), "@a@b", "-p", "812");
	assert_attached(NAMED("\0"), "@", "-p", "812");
	assert_attached(NAMED("@like one"), "./@like one", "-p", "812");
	assert_attached(NAMED("no\xff utf8"), "no\xff utf8", "-p", "812");
	assert_attached(foreign, "/run/x", "-p", "812");
	nobody.holding.cnt = 0;
	assert_attached(nobody, "@a@b", NULL, NULL);
	assert_attached(port, "[::]:6379", "--port", "6379");
	port.holding = (struct holding){.first = server, .cnt = 1};
	assert_attached(abroad(port), "[::]:6379", "-p", "812");
}

static void assert_quoted(const char *word, const char *quoted)
{
	char text[128];

	quote_word(word, text, sizeof(text));
	assert_string_equal(text, quoted);
}

TEST(words_survive_a_shell)
{
	char tight[8];

	assert_quoted("/run/x.sock", "/run/x.sock");
	assert_quoted("", "''");
	assert_quoted("a b", "'a b'");
	assert_quoted("$(x)\\", "'$(x)\\'");
	assert_quoted("it's", "'it'\\''s'");
	assert_quoted("it's\n\\", "$'it\\'s\\012\\\\'");
	assert_quoted("\xc3\xbc", "$'\\303\\274'");
	quote_word("a very long name", tight, sizeof(tight));
	assert_string_equal(tight, "'a ver'");
}

/* A list with every kind of line. */
static struct channel_list *sample(void)
{
	struct channel_list *list = new_list();
	struct end listener = unix_listener(3, "/run/redis \x1b[31m.sock");
	struct end client = unix_peer(9, NULL, 5), accepted = unix_peer(5, "/run/redis.sock", 9);
	struct end port = tcp_listener(10, "127.0.0.1", 6379);

	listener.holding = (struct holding){.first = server, .cnt = 3};
	listener.waiting = 2;
	client.holding = (struct holding){.first = {977, "\x1b[0mcli"}, .cnt = 1};
	accepted.holding = (struct holding){.first = server, .cnt = 2, .wanted = true};
	port.holding = listener.holding;
	add_end(list, listener);
	add_end(list, client);
	add_end(list, accepted);
	add_end(list, port);
	add_end(list, half_closed(tcp(11, "127.0.0.1", 40412, "127.0.0.1", 6379)));
	add_end(list, tcp(12, "10.0.0.1", 40412, "93.184.216.34", 443));
	add_end(list, datagram(unix_end(13, NULL)));
	pair_all(list);
	return list;
}

#define OWN_PID 4711

static char *show_filtered(int (*how)(const void *, const struct report_style *),
			   const struct channel_list *list, int columns, bool filtered)
{
	struct list_order order;
	struct list_view view = {.list = list, .order = &order, .filtered = filtered, .hidden = 7};
	struct report_style style = {.columns = columns};
	char *text;
	size_t size;

	assert_int_equal(list_order_make(list, OWN_PID, &order), 0);
	style.out = open_memstream(&text, &size);
	assert_non_null(style.out);
	assert_int_equal(how(&view, &style), 0);
	fclose(style.out);
	list_order_free(&order);
	return drop_after(text, free);
}

static char *show(int (*how)(const void *, const struct report_style *),
		  const struct channel_list *list, int columns)
{
	return show_filtered(how, list, columns, false);
}

TEST(the_page_has_a_line_for_each)
{
	struct channel_list *list = sample();
	char *text = show(list_text, list, 0);

	assert_has(text, "services     open  held by                    attach with\n"
			 "uds-stream      0  redis-server (pid 812) +2  "
			 "--unix $'/run/redis \\033[31m.sock' (2 waiting)\n"
			 "tcp             0  redis-server (pid 812) +2  "
			 "--port 6379 127.0.0.1:6379\n");
	assert_has(text, "connections  from                  to                         by\n"
			 "uds-stream   \\033[0mcli (pid 977)  redis-server (pid 812) +1  "
			 "/run/redis.sock\n");
	assert_has(text, "tcp          ?                     -                          "
			 "127.0.0.1:6379 (peer gone) from port 40412\n");
	unwrapped(text);
	assert_has(text, "2 services and 2 connections; ipctrace attach can trace all of the "
			 "services and 1 of the connections. Not shown: 1 socket connected to "
			 "other machines, 1 socket without a name or a peer.");
	assert_has_not(text, "names are cut");
	assert_has_not(text, "\x1b");
}

static struct end held(struct end end, const char *comm, uint32_t pid)
{
	end.holding = (struct holding){.first.pid = pid, .cnt = 1};
	snprintf(end.holding.first.comm, sizeof(end.holding.first.comm), "%s", comm);
	return end;
}

/* docs/list.md shows this list: scripts/maintain/figures compares. */
TEST(the_example_of_the_documents)
{
	struct channel_list *list = new_list();
	const struct end pipe = held((struct end){.transport = TRANSPORT_PIPE, .inode = 14166991},
				     "redis-server", 12301);
	const char *path = "/run/redis/redis.sock";
	char *text;

	add_end(list, held(unix_listener(1, path), "redis-server", 12301));
	add_end(list, held(tcp_listener(2, "0.0.0.0", 6379), "redis-server", 12301));
	add_end(list, held(tcp_listener(3, "::", 6379), "redis-server", 12301));
	add_end(list, held(unix_peer(4, NULL, 5), "redis-cli", 12313));
	add_end(list, held(unix_peer(5, path, 4), "redis-server", 12301));
	add_end(list, held(tcp(6, "127.0.0.1", 45180, "127.0.0.1", 6379), "redis-cli", 12311));
	add_end(list, held(tcp(7, "127.0.0.1", 6379, "127.0.0.1", 45180), "redis-server", 12301));
	assert_int_equal(channel_list__add_pair(list, &pipe, &pipe), 0);
	pair_all(list);
	text = show(list_text, list, 0);
	assert_string_equal(
		text, "3 services and 3 connections; ipctrace attach can trace all of them.\n"
		      "redis-server (pid 12301) has the most open connections: 1. To trace it:\n"
		      "  sudo ipctrace attach --unix /run/redis/redis.sock\n"
		      "To trace any process of the tables:\n"
		      "  sudo ipctrace attach -p PID\n"
		      "\n"
		      "services     open  held by                   attach with\n"
		      "uds-stream      1  redis-server (pid 12301)  --unix /run/redis/redis.sock\n"
		      "tcp             1  redis-server (pid 12301)  --port 6379 0.0.0.0:6379\n"
		      "tcp6            1  redis-server (pid 12301)  --port 6379 [::]:6379\n"
		      "\n"
		      "connections  from                      to                        by\n"
		      "uds-stream   redis-cli (pid 12313)     redis-server (pid 12301)  "
		      "/run/redis/redis.sock\n"
		      "tcp          redis-cli (pid 12311)     redis-server (pid 12301)  "
		      "127.0.0.1:6379 from port 45180\n"
		      "pipe         redis-server (pid 12301)  redis-server (pid 12301)  "
		      "pipe:[14166991]\n");
}

/* "/run/s3.sock" has three connections, and its neighbours fewer. */
static void add_service(struct channel_list *list, const char *path, uint64_t inode, int clients)
{
	add_end(list, held(unix_listener(inode, path), "server", (uint32_t)inode));
	for (int i = 0; i < clients; i++) {
		uint64_t client = inode + 1 + 2 * i;

		add_end(list, held(unix_peer(client, NULL, client + 1), "client", 977));
		add_end(list, held(unix_peer(client + 1, path, client), "server", (uint32_t)inode));
	}
}

static void assert_order(const char *text, const char *first, const char *second)
{
	const char *at = strstr(text, first);

	assert_non_null(at);
	assert_has(at, second);
}

TEST(the_most_connected_service_comes_first)
{
	struct channel_list *list = new_list();
	char *text;

	add_service(list, "/run/a", 100, 1);
	add_service(list, "/run/b", 200, 3);
	add_service(list, "/run/c", 300, 0);
	pair_all(list);
	text = show(list_text, list, 0);
	assert_has(text, "server (pid 200) has the most open connections: 3. To trace it:\n"
			 "  sudo ipctrace attach --unix /run/b\n");
	assert_has(text, "uds-stream      3  server (pid 200)  --unix /run/b\n"
			 "uds-stream      1  server (pid 100)  --unix /run/a\n"
			 "uds-stream      0  server (pid 300)  --unix /run/c\n");
	assert_order(strstr(text, "connections  from"), " /run/b\n", " /run/a\n");
}

static void add_pipe(struct channel_list *list, uint32_t from, uint32_t to)
{
	const struct end writer =
		held((struct end){.transport = TRANSPORT_PIPE, .inode = from}, "writer", from);
	const struct end reader =
		held((struct end){.transport = TRANSPORT_PIPE, .inode = from}, "reader", to);

	assert_int_equal(channel_list__add_pair(list, &writer, &reader), 0);
}

/* A process with itself, and the pipe to which this program writes, say nothing. */
TEST(without_a_connected_service_a_process_is_the_advice)
{
	struct channel_list *list = new_list();
	char *text;

	for (int i = 0; i < 5; i++) {
		add_pipe(list, 20, 20);
		add_pipe(list, OWN_PID, 21);
	}
	add_pipe(list, 30, 31);
	add_pipe(list, 32, 31);
	add_service(list, "/run/c", 300, 0);
	pair_all(list);
	text = show(list_text, list, 80);
	assert_has(text, "reader (pid 31) has the most open connections: 2. To trace it:\n"
			 "  sudo ipctrace attach -p 31\n");
}

TEST(a_service_without_connections_is_better_than_nothing)
{
	struct channel_list *list = new_list();
	char *text;

	add_service(list, "/run/a service", 300, 0);
	pair_all(list);
	text = show(list_text, list, 80);
	assert_has(text, "1 service and 0 connections; ipctrace attach can trace all of them.\n"
			 "server (pid 300) has no connections yet. To wait for them:\n"
			 "  sudo ipctrace attach --unix '/run/a service'\n");
}

TEST(nothing_to_attach_to_has_a_next_step)
{
	struct channel_list *list = new_list();

	pair_all(list);
	assert_string_equal(show(list_text, list, 80),
			    "0 services and 0 connections: there is nothing to attach to.\n"
			    "Start the programs first, or try a run, which starts its own:\n"
			    "  sudo ipctrace --transport uds --clients 5\n");
	assert_string_equal(show_filtered(list_text, list, 80, true),
			    "0 services and 0 connections: there is nothing to attach to in what "
			    "the options\n"
			    "select.\n"
			    "For the whole machine:\n"
			    "  sudo ipctrace list\n");
}

/* Numbers and what goes into a shell are whole on every page, on a line of their own if need be. */
TEST(numbers_and_arguments_are_never_cut)
{
	const char *path = "/run/a-folder-with-a-name/that-leaves-no-room-for-it.sock";
	struct channel_list *list = new_list();

	add_service(list, path, 4194000, 3);
	list->end[0]->waiting = 4096;
	add_end(list, held(tcp_listener(7, "255.255.255.255", 40412), "fifteen-letters", 4194303));
	add_end(list,
		held(tcp(8, "127.0.0.1", 40412, "127.0.0.1", 65535), "fifteen-letters", 4194303));
	add_end(list,
		held(tcp(9, "127.0.0.1", 65535, "127.0.0.1", 40412), "fifteen-letters", 4194302));
	pair_all(list);
	for (int columns = 40; columns <= 200; columns += 20) {
		char *text = show(list_text, list, columns);

		assert_width(text, columns);
		assert_has(text, "127.0.0.1:40412");
		assert_has(text, "(pid 4194303)");
		if (columns < 80)
			continue;
		assert_has(text, "--port 40412");
		assert_has(text, "(4096 waiting)");
		assert_has(text,
			   "--unix /run/a-folder-with-a-name/that-leaves-no-room-for-it.sock");
	}
}

TEST(a_page_for_a_terminal_is_as_wide)
{
	struct channel_list *list = new_list();
	char path[108] = "/run/", *text;
	struct end listener, client, accepted;

	memset(path + 5, 'x', sizeof(path) - 6);
	listener = unix_listener(3, path);
	client = unix_peer(9, NULL, 5);
	accepted = unix_peer(5, path, 9);
	client.holding = (struct holding){.first = {4194303, "fifteen-letters"}, .cnt = 12345};
	listener.holding = accepted.holding = client.holding;
	listener.waiting = 4096;
	add_end(list, listener);
	add_end(list, half_closed(client));
	add_end(list, accepted);
	add_end(list, abroad(tcp(1, "::1", 40000, "::1", 65535)));
	pair_all(list);
	for (int columns = 80; columns <= 240; columns += 40) {
		text = show(list_text, list, columns);
		assert_width(text, columns);
		assert_has(text, "(4096 waiting)");
		assert_has(text, " (half closed)");
		if (columns < 160)
			assert_has(text, "names are cut");
	}
}

static json_t *json_of(const struct channel_list *list)
{
	return json_of_test(json_loads(show(list_json, list, 0), 0, NULL));
}

static const char *string_at(json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

static json_int_t integer_at(json_t *object, const char *key)
{
	assert_true(json_is_integer(json_object_get(object, key)));
	return json_integer_value(json_object_get(object, key));
}

TEST(json_has_all_of_it)
{
	struct channel_list *list = sample();
	json_t *object = json_of(list), *item, *end;

	assert_string_equal(string_at(object, "schema"), "ipctrace.list/1");
	assert_int_equal(integer_at(object, "network"), NETWORK);
	assert_int_equal(integer_at(object, "elsewhere"), 1);
	assert_int_equal(integer_at(object, "idle"), 1);
	assert_int_equal(integer_at(json_object_get(object, "missing"), "processes"), 7);
	item = json_array_get(json_object_get(object, "services"), 0);
	assert_string_equal(string_at(item, "transport"), "uds-stream");
	assert_string_equal(string_at(item, "name"), "/run/redis \x1b[31m.sock");
	assert_int_equal(integer_at(item, "waiting"), 2);
	assert_int_equal(integer_at(item, "owners"), 3);
	assert_int_equal(integer_at(item, "open"), 0);
	assert_string_equal(json_string_value(json_array_get(json_object_get(object, "try"), 0)),
			    "-p");
	item = json_array_get(json_object_get(object, "connections"), 0);
	assert_string_equal(string_at(item, "state"), "open");
	end = json_object_get(item, "to");
	assert_int_equal(integer_at(end, "inode"), 5);
	assert_int_equal(integer_at(json_object_get(end, "owner"), "pid"), 812);
	item = json_array_get(json_object_get(object, "connections"), 1);
	assert_true(json_is_null(json_object_get(item, "to")));
	assert_true(json_is_null(json_object_get(json_object_get(item, "from"), "owner")));
	assert_true(json_is_null(json_object_get(item, "attach")));
}

TEST(nothing_is_json_too)
{
	struct channel_list *list = new_list();
	json_t *object;

	pair_all(list);
	object = json_of(list);
	assert_int_equal(json_array_size(json_object_get(object, "services")), 0);
	assert_true(json_is_array(json_object_get(object, "connections")));
	assert_true(json_is_null(json_object_get(object, "try")));
	assert_has(show(list_text, list, 80), "0 services and 0 connections");
}

TEST(a_filter_keeps_what_one_of_both_ends_is_wanted_for)
{
	struct channel_list *list = sample();

	channel_list__filter(list, 0, true);
	assert_int_equal(list->service_cnt, 0);
	assert_int_equal(list->connection_cnt, 1);
	assert_int_equal(list->connection[0].to->inode, 5);
	assert_int_equal(list->elsewhere + list->idle, 0);

	list = sample();
	channel_list__filter(list, 1u << TRANSPORT_TCP, false);
	assert_int_equal(list->service_cnt, 1);
	assert_int_equal(list->connection_cnt, 1);
	assert_int_equal(list->connection[0].transport, TRANSPORT_TCP);
	assert_int_equal(list->elsewhere, 1);
	assert_int_equal(list->idle, 0);
}
