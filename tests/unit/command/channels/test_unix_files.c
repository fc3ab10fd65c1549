/* SPDX-License-Identifier: BSD-2-Clause */
/* The files of unix sockets: one file has many names, and a name means many files. */
#include "support/test.h"

#include "support/channel_ends.h"

#include "command/channels/end_words.h"
#include "command/channels/gathering.h"
#include "command/channels/unix_files.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static char place[] = "/tmp/unix_files.XXXXXX";
static int before = -1;

/* The folder of a test is the current one. */
static int setup(void **state)
{
	strcpy(strrchr(place, '.'), ".XXXXXX");
	before = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return before < 0 || !mkdtemp(place) || chdir(place) || mkdir("folder", 0755);
}

static int teardown(void **state)
{
	static const char *const names[] = {"s", "link", "hard", "folder/s", "folder", "plain"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		remove(names[i]);
	if (fchdir(before))
		return -1;
	close(before);
	return rmdir(place);
}

EACH_TEST(setup, teardown)

static int listening(const char *name)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int server = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", name);
	assert_int_equal(bind(server, (void *)&address, sizeof(address)), 0);
	assert_int_equal(listen(server, 1), 0);
	return server;
}

static uint64_t inode_of_socket(int fd)
{
	struct stat stat;

	assert_int_equal(fstat(fd, &stat), 0);
	return stat.st_ino;
}

struct found {
	uint64_t inode[4];
	size_t cnt;
};

static void note(void *ctx, uint64_t inode)
{
	struct found *found = ctx;

	assert_true(found->cnt < sizeof(found->inode) / sizeof(found->inode[0]));
	found->inode[found->cnt++] = inode;
}

/* Which sockets a name leads to: exactly this one, or none. */
static void assert_leads_to(const char *name, int fd)
{
	struct found found = {0};

	assert_int_equal(unix_file_sockets(name, note, &found), 0);
	assert_int_equal(found.cnt, fd >= 0);
	if (fd >= 0)
		assert_int_equal(found.inode[0], inode_of_socket(fd));
}

TEST(every_name_of_the_file_leads_to_the_socket)
{
	int server = listening("s"), other = listening("folder/s");
	char absolute[64];

	assert_int_equal(symlink("folder/../s", "link"), 0);
	assert_int_equal(link("s", "hard"), 0);
	snprintf(absolute, sizeof(absolute), "%s/s", place);
	assert_leads_to("s", server);
	assert_leads_to("./folder/../s", server);
	assert_leads_to("link", server);
	assert_leads_to("hard", server);
	assert_leads_to(absolute, server);
	assert_leads_to("folder/s", other);
	close(server);
	close(other);
}

TEST(what_is_no_socket_leads_nowhere)
{
	int server = listening("s");

	close(open("plain", O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
	assert_leads_to("plain", -1);
	assert_leads_to("folder", -1);
	assert_leads_to("absent", -1);
	assert_leads_to("", -1);
	close(server);
	/* The file is still there. */
	assert_leads_to("s", -1);
}

/* The file was made anew: the old socket has no name any more. */
TEST(a_replaced_file_is_another_one)
{
	int old = listening("s"), new;

	unlink("s");
	new = listening("s");
	assert_leads_to("s", new);
	close(old);
	close(new);
}

TEST_WITH(the_device_may_differ_if_the_last_part_is_the_same, NULL, NULL)
{
	struct end end = unix_listener(5, "run/x.sock");
	struct stat file = {.st_ino = (1ULL << 40) + 77, .st_mode = S_IFSOCK, .st_dev = 12};

	end.has_file = true;
	end.file_inode = 77;
	end.file_device = 999;
	assert_true(unix_file_is(&end, &file, "/srv/x.sock"));
	assert_false(unix_file_is(&end, &file, "/srv/y.sock"));
	end.file_device = 12;
	assert_true(unix_file_is(&end, &file, "/srv/y.sock"));
	end.file_inode = 78;
	assert_false(unix_file_is(&end, &file, "/srv/x.sock"));
	end.file_inode = 77;
	file.st_mode = S_IFREG;
	assert_false(unix_file_is(&end, &file, "/srv/x.sock"));
	file.st_mode = S_IFSOCK;
	end.has_file = false;
	assert_false(unix_file_is(&end, &file, "/srv/x.sock"));
}

/* The end of a listening socket of this process. */
static const struct end *service_of(const struct channel_list *list, int fd)
{
	for (size_t i = 0; i < list->service_cnt; i++) {
		if (list->service[i]->inode == inode_of_socket(fd))
			return list->service[i];
	}
	fail();
	return NULL;
}

static void assert_shown_as(int fd, const char *format)
{
	const pid_t pid = getpid();
	struct gathering gathering = {.owners.filter = {.pids = &pid, .pid_cnt = 1}};
	char name[END_NAME_LEN], expected[256];

	assert_int_equal(gathering_services_of(&gathering, &pid, 1), 0);
	assert_true(service_of(gathering.list, fd)->holding.wanted);
	end_name(service_of(gathering.list, fd), name);
	snprintf(expected, sizeof(expected), format, place);
	assert_string_equal(name, expected);
	gathering_free(&gathering);
}

TEST(a_relative_name_is_shown_as_its_path)
{
	int server = listening("folder/../s");

	assert_shown_as(server, "%s/s");
	/* The server has gone elsewhere, where another socket has that name. */
	assert_int_equal(chdir("folder"), 0);
	close(listening("s"));
	assert_shown_as(server, "folder/../s");
	assert_int_equal(chdir(".."), 0);
	close(server);
}

/* As servers do that replace their socket at once. */
TEST(a_renamed_socket_is_shown_by_its_name_now)
{
	char absolute[64];
	int server = listening("s"), other;

	assert_int_equal(rename("s", "link"), 0);
	assert_shown_as(server, "%s/link");
	other = listening("s"); /* another file of the old name */
	assert_shown_as(server, "%s/link");
	assert_shown_as(other, "%s/s");
	assert_int_equal(unlink("link"), 0);
	assert_shown_as(server, "s"); /* clients reach it no more */
	close(server);
	close(other);
	snprintf(absolute, sizeof(absolute), "%s/folder/s", place);
	server = listening(absolute);
	assert_int_equal(rename("folder/s", "folder/n"), 0);
	assert_shown_as(server, "%s/folder/n");
	assert_int_equal(rename("folder/n", "folder/s"), 0);
	assert_shown_as(server, "%s/folder/s");
	close(server);
}
