/* SPDX-License-Identifier: BSD-2-Clause */
/* Files that replace others when they are complete, and where paths lead. */
#include "support/test.h"

#include "support/capture.h"

#include "util/atomic_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/ipctrace-test-XXXXXX";

static int make_folder(void **state)
{
	strcpy(folder + sizeof(folder) - 7, "XXXXXX");
	return mkdtemp(folder) && !chdir(folder) ? 0 : -1;
}

static int count_files(void)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	int cnt = 0;

	while ((entry = readdir(dir)))
		cnt += strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
	closedir(dir);
	return cnt;
}

static int remove_folder(void **state)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;

	while ((entry = readdir(dir)))
		unlinkat(dirfd(dir), entry->d_name, 0);
	closedir(dir);
	return chdir("/") || rmdir(folder);
}

EACH_TEST(make_folder, remove_folder)

static void put_file(const char *name, const char *text, mode_t mode)
{
	FILE *file = fopen(name, "we");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
	assert_int_equal(chmod(name, mode), 0);
}

static void assert_file(const char *name, const char *text)
{
	char bytes[256] = "";
	int fd = open(name, O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_true(read(fd, bytes, sizeof(bytes) - 1) >= 0);
	close(fd);
	assert_string_equal(bytes, text);
}

static mode_t mode_of(const char *name)
{
	struct stat stat;

	assert_int_equal(lstat(name, &stat), 0);
	return stat.st_mode;
}

static struct atomic_file *open_with(const char *path, const char *text)
{
	char why[FILE_WHY_LEN];
	struct atomic_file *file = atomic_file__open(path, why);

	assert_non_null(file);
	fputs(text, atomic_file__stream(file));
	return file;
}

TEST(the_old_file_stays_until_the_new_one_is_committed)
{
	struct atomic_file *file;

	put_file("a", "old", 0604);
	file = open_with("a", "new");
	fflush(atomic_file__stream(file));
	assert_file("a", "old");
	assert_int_equal(atomic_file__rest(file), REST_OLD);
	assert_int_equal(atomic_file__commit(file), 0);
	assert_file("a", "new");
	assert_int_equal(atomic_file__rest(file), REST_NEW);
	fputs(" and more", atomic_file__stream(file));
	assert_int_equal(atomic_file__close(file, true), 0);
	assert_file("a", "new and more");
	assert_int_equal(mode_of("a") & 07777, 0604);
	assert_int_equal(count_files(), 1);
}

TEST(what_is_not_kept_leaves_nothing_behind)
{
	struct atomic_file *file, *other;

	put_file("a", "old", 0644);
	file = open_with("a", "new");
	other = open_with("b", "new");
	assert_int_equal(atomic_file__rest(other), REST_NOTHING);
	assert_int_equal(count_files(), 1);
	assert_int_equal(atomic_file__close(file, false), 0);
	assert_int_equal(atomic_file__close(other, false), 0);
	assert_file("a", "old");
	assert_int_equal(count_files(), 1);
}

TEST(a_file_that_was_not_there_gets_the_mode_that_the_user_likes)
{
	mode_t before = umask(027);
	struct atomic_file *file = open_with("a", "new");

	assert_int_equal(atomic_file__close(file, true), 0);
	umask(before);
	assert_file("a", "new");
	assert_int_equal(mode_of("a") & 07777, 0640);
}

TEST(links_are_followed_and_stay)
{
	put_file("target", "old", 0600);
	assert_int_equal(symlink("target", "to"), 0);
	assert_int_equal(symlink(folder, "here"), 0);
	assert_int_equal(symlink("here/to", "link"), 0);
	assert_int_equal(atomic_file__close(open_with("link", "new"), true), 0);
	assert_file("target", "new");
	assert_true(S_ISLNK(mode_of("link")) && S_ISLNK(mode_of("to")));
	assert_int_equal(unlink("target"), 0);
	assert_int_equal(atomic_file__close(open_with("./here//./link", "again"), true), 0);
	assert_file("target", "again");
}

TEST(a_hard_link_keeps_what_it_had)
{
	put_file("a", "old", 0600);
	assert_int_equal(link("a", "b"), 0);
	assert_int_equal(atomic_file__close(open_with("a", "new"), true), 0);
	assert_file("a", "new");
	assert_file("b", "old");
}

TEST(descriptors_and_devices_are_written_directly)
{
	char path[32], bytes[8] = "";
	int end[2];

	assert_int_equal(pipe(end), 0);
	snprintf(path, sizeof(path), "/dev/fd/%d", end[1]);
	assert_int_equal(atomic_file__close(open_with(path, "new"), true), 0);
	assert_int_equal(read(end[0], bytes, sizeof(bytes)), 3);
	close(end[0]);
	close(end[1]);
	assert_int_equal(atomic_file__close(open_with("/dev/null", "new"), true), 0);
	assert_int_equal(atomic_file__close(open_with("/dev/full", "new"), true), -ENOSPC);
	assert_true(S_ISCHR(mode_of("/dev/null")) && S_ISCHR(mode_of("/dev/full")));
}

/* As when a shell appends to the descriptor. */
TEST(a_descriptor_goes_on_where_it_is)
{
	char path[32];
	int fd;

	put_file("a", "old, ", 0600);
	fd = open("a", O_WRONLY | O_APPEND | O_CLOEXEC);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_int_equal(atomic_file__close(open_with(path, "new, "), true), 0);
	assert_int_equal(write(fd, "end", 3), 3);
	close(fd);
	assert_file("a", "old, new, end");
	fd = open("a", O_RDONLY | O_CLOEXEC);
	assert_null(atomic_file__open(path, (char[FILE_WHY_LEN]){0}));
	assert_int_equal(errno, EBADF);
	close(fd);
}

static void assert_not_opened(const char *path, int error, const char *words)
{
	char why[FILE_WHY_LEN] = "";

	assert_null(atomic_file__open(path, why));
	assert_int_equal(errno, error);
	assert_has(why, words);
}

TEST(what_cannot_be_a_file_is_refused_with_the_reason)
{
	char path[NAME_MAX + 3];

	put_file("a", "old", 0600);
	assert_int_equal(symlink("loop", "loop"), 0);
	memset(path, 'x', sizeof(path));
	path[sizeof(path) - 1] = '\0';
	assert_not_opened("", ENOENT, "No such file");
	assert_not_opened("no/a", ENOENT, "create its folder first");
	assert_not_opened("a/b", ENOTDIR, "Not a directory");
	assert_not_opened("a/", ENOTDIR, "Not a directory");
	assert_not_opened("/", EISDIR, "name a file in it");
	assert_not_opened("..", EISDIR, "Is a directory");
	assert_not_opened("/proc/self/cwd", EISDIR, "Is a directory");
	assert_not_opened("loop", ELOOP, "symbolic links");
	assert_not_opened(path, ENAMETOOLONG, "too long");
	assert_file("a", "old");
	assert_int_equal(count_files(), 2);
}

/* In a process of its own, which leaves two unfinished files, and returns how many have a name. */
static int end_by(int signal_number, bool ignore)
{
	struct rlimit no_core = {0};
	int status;
	pid_t pid = fork();

	if (!pid) {
		setrlimit(RLIMIT_CORE, &no_core);
		if (ignore)
			signal(signal_number, SIG_IGN);
		open_with("a", "new");
		open_with("b", "new");
		raise(signal_number);
		_exit(count_files());
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

TEST(a_signal_that_ends_the_program_removes_what_is_not_whole)
{
	static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU};

	put_file("a", "old", 0600);
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		int status = end_by(ends[i], false);

		assert_true(WIFSIGNALED(status));
		assert_int_equal(WTERMSIG(status), ends[i]);
		assert_file("a", "old");
		assert_int_equal(count_files(), 1);
	}
}

TEST(an_ignored_signal_stays_ignored)
{
	int status = end_by(SIGHUP, true);

	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	assert_int_equal(count_files(), 0);
}

TEST(a_child_does_not_remove_the_files_of_its_parent)
{
	struct atomic_file *file = open_with("a", "new");
	int status;
	pid_t pid = fork();

	if (!pid) {
		atomic_file_remove_all();
		_exit(count_files());
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(WEXITSTATUS(status), 0);
	assert_int_equal(atomic_file__close(file, true), 0);
	assert_file("a", "new");
}

TEST(the_same_file_is_known_by_whatever_name)
{
	char path[sizeof(folder) + 8];
	int fd;

	put_file("a", "old", 0600);
	put_file("b", "old", 0600);
	assert_int_equal(link("a", "hard"), 0);
	assert_int_equal(symlink("a", "soft"), 0);
	assert_int_equal(symlink("new", "dangling"), 0);
	snprintf(path, sizeof(path), "%s/new", folder);
	assert_true(file_place_is_same("a", "./a"));
	assert_true(file_place_is_same("a", "hard"));
	assert_true(file_place_is_same("soft", "hard"));
	assert_true(file_place_is_same("new", path));
	assert_true(file_place_is_same("dangling", path));
	assert_false(file_place_is_same("a", "b"));
	assert_false(file_place_is_same("a", "new"));
	assert_false(file_place_is_same("newer", "new"));
	assert_false(file_place_is_same("no/new", "new"));
	fd = open("a", O_RDONLY | O_CLOEXEC);
	snprintf(path, sizeof(path), "/dev/fd/%d", fd);
	assert_true(file_place_is_same("soft", path));
	close(fd);
}

TEST(what_the_kernel_throws_away_is_not_mixed)
{
	assert_false(file_place_is_same("/dev/null", "/dev/null"));
	assert_false(file_place_is_same("/dev/full", "/dev/full"));
}
