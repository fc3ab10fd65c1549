/* SPDX-License-Identifier: BSD-2-Clause */
#include "support/target_search.h"

#include "support/build.h"

#include "command/live/target/children.h"

#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int targets_search(struct targets *targets, const struct attach_options *options,
		   struct capture *err)
{
	int status;

	capture_begin(err, STDERR_FILENO);
	status = targets_find(targets, options);
	if (!status && !options->no_children)
		status = children_add(targets);
	capture_end(err);
	return status;
}

struct targets targets_found(const struct attach_options *options)
{
	struct targets targets = {0};
	struct capture err;

	assert_int_equal(targets_search(&targets, options, &err), 0);
	assert_string_equal(err.text, "");
	return targets;
}

int unix_listener_at(const char *name, size_t length)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	memcpy(address.sun_path, name, length);
	assert_true(fd >= 0);
	assert_int_equal(
		bind(fd, (void *)&address, offsetof(struct sockaddr_un, sun_path) + length), 0);
	assert_int_equal(listen(fd, 1), 0);
	return fd;
}
