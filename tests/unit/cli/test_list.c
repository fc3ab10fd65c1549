/* SPDX-License-Identifier: BSD-2-Clause */
/* The options of `list`. */
#include "support/build.h"
#include "support/command_line.h"

#include "model/transport_names.h"
#include "report/format.h"

#define ARGV(...) ((char *[]){"ipctrace", "list", ##__VA_ARGS__, NULL})

static struct options options;

/* The caller frees `options`, if processes are named. */
static struct list_options accept(char **argv)
{
	accept_line(argv, &options, COMMAND_LIST);
	return options.list;
}

TEST(nothing_said_is_everything)
{
	struct list_options list = accept(ARGV());

	assert_int_equal(list.processes.cnt, 0);
	assert_int_equal(list.transports, 0);
	assert_string_equal(list.output.format->name, "text");
}

TEST(every_option_is_taken)
{
	struct list_options list =
		accept(ARGV("--pid", "812", "--comm=redis-*", "--transport", "uds,tcp6",
			    "--transport", "pipe", "-f", "json", "-o", "out", "-q"));

	assert_int_equal(list.processes.cnt, 2);
	assert_int_equal(list.processes.at[0].number, 812);
	assert_string_equal(list.processes.at[1].name, "redis-*");
	assert_int_equal(list.transports, TRANSPORT_BIT(TRANSPORT_UDS) |
						  TRANSPORT_BIT(TRANSPORT_TCP6) |
						  TRANSPORT_BIT(TRANSPORT_PIPE));
	assert_string_equal(list.output.format->name, "json");
	assert_string_equal(list.output.path, "out");
	assert_int_equal(list.output.verbosity, -1);
}

TEST(processes_add_up)
{
	static const char *const names[] = {"redis-*", "nginx"};
	struct target_list list = accept(ARGV("-p", "5", "6", "--comm", (char *)names[0],
					      "--pid=7,8", "--comm", (char *)names[1]))
					  .processes;
	size_t pids = 0, comms = 0;

	assert_int_equal(list.cnt, 6);
	for (size_t i = 0; i < list.cnt; i++) {
		if (list.at[i].kind == TARGET_COMM)
			assert_string_equal(list.at[i].name, names[comms++]);
		else
			pids |= 1u << list.at[i].number;
	}
	assert_int_equal(comms, 2);
	assert_int_equal(pids, 0x1e0);
}

TEST(every_transport_has_its_word)
{
	for (size_t i = 0; listed_transports[i]; i++) {
		char *name = (char *)transport_id_name(listed_transports[i]);

		assert_int_equal(accept(ARGV("--transport", name)).transports,
				 TRANSPORT_BIT(listed_transports[i]));
	}
}

TEST(wrong_words_are_named)
{
	refuse_line(ARGV("--pid", "0"), "--pid", "0", "4194304");
	refuse_line(ARGV("--pid", "redis"), "--pid", "redis", "number");
	refuse_line(ARGV("--pid", "4194305"), "--pid", "4194305", "4194304");
	refuse_line(ARGV("--transport", "tcp,shm"), "--transport", "shm", "uds-seqpacket");
	refuse_line(ARGV("--transport", ""), "--transport", "''", "uds-seqpacket");
	refuse_line(ARGV("redis"), "list", "redis", "--pid PID");
	refuse_line(ARGV("-f", "ndjson"), "list", "ndjson", "text or json");
	refuse_line(ARGV("-f", "ndjson", "-q"), "list", "ndjson", "text or json");
}
