/* SPDX-License-Identifier: BSD-2-Clause */
#include "support/command_line.h"

#include "support/build.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int words_in(char **argv)
{
	int cnt = 0;

	while (argv[cnt])
		cnt++;
	return cnt;
}

static void drop(void *options)
{
	options_free(options);
	free(options);
}

int parse_line(char **argv, struct options *options, struct capture *err)
{
	int status;

	capture_begin(err, STDERR_FILENO);
	status = options_parse(words_in(argv), argv, options);
	capture_end(err);
	if (!status)
		drop_after(memcpy(calloc(1, sizeof(*options)), options, sizeof(*options)), drop);
	return status;
}

void accept_line(char **argv, struct options *options, enum command command)
{
	struct capture err;
	int status = parse_line(argv, options, &err);

	assert_string_equal(err.text, "");
	assert_int_equal(status, 0);
	assert_int_equal(options->command, command);
}

struct run_options accept_run(char **argv)
{
	struct options options;
	struct run_options run;

	accept_line(argv, &options, COMMAND_RUN);
	assert_true(options.run.matrix.cnt > 0);
	run = options.run;
	run.spec = options.run.matrix.spec[0];
	run.clients = run.sizes = NULL;
	run.matrix = (struct run_matrix){.cnt = run.matrix.cnt};
	return run;
}

void refuse_line(char **argv, const char *thing, const char *value, const char *remedy)
{
	struct options options;
	struct capture err;
	int status = parse_line(argv, &options, &err);

	if (status != -EINVAL)
		fail_msg("%s %s: status %d", thing, value, status);
	assert_one_line_with(err.text, thing);
	assert_has(err.text, value);
	assert_has(err.text, remedy);
	assert_true(!strncmp(err.text, "ipctrace: ", strlen("ipctrace: ")));
}
