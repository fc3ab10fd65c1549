/* SPDX-License-Identifier: BSD-2-Clause */
/* Follows a path one name at a time, and checks owners where all users can write. */
#include "util/file_place.h"

#include "util/caller.h"
#include "util/rights.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

/* The kernel's limit (MAXSYMLINKS). */
#define LINKS_MAX 40

/* The major number of /dev/null, /dev/zero and /dev/full. */
#define MEMORY_DEVICES 1

/* The state of a walk along a path. */
struct walk {
	int dir;             /* the folder that was reached; owned */
	char left[PATH_MAX]; /* the rest of the path */
	int links;           /* followed so far */
	char *why;           /* see file_place_find() */
};

const char *file_place_remedy(int error)
{
	switch (error) {
	case ENOSPC:
	case EDQUOT:
		return "make room, or choose another place";
	case EFBIG:
		return "raise the limit for the size of files (ulimit -f), or choose another place";
	case EPIPE:
		return "keep the program that reads it running";
	case ENOENT:
		return "create its folder first";
	case EISDIR:
		return "name a file in it";
	case EBADF:
		return "open it for writing, or name a file";
	case ENOMEM:
		return "free some memory";
	default:
		return "choose another place";
	}
}

static int enter(struct walk *walk, int dir)
{
	if (walk->dir >= 0)
		close(walk->dir);
	walk->dir = dir;
	return dir < 0 ? -errno : 0;
}

static int enter_path(struct walk *walk, const char *path)
{
	return enter(walk, open(path, O_PATH | O_DIRECTORY | O_CLOEXEC));
}

/* Removes the first name from the rest of the path. "": the path ends here and names a folder. */
static int next_name(struct walk *walk, char name[NAME_MAX + 1], bool *is_last)
{
	char *begin = walk->left + strspn(walk->left, "/");
	size_t length = strcspn(begin, "/");

	if (length > NAME_MAX)
		return -ENAMETOOLONG;
	memcpy(name, begin, length);
	name[length] = '\0';
	*is_last = !begin[length];
	memmove(walk->left, begin + length, strlen(begin + length) + 1);
	return 0;
}

/*
 * Whether users that do not trust each other can write here. The members of a sticky folder's group
 * do not trust each other either.
 */
static bool is_for_strangers(const struct stat *dir)
{
	return dir->st_mode & S_IWOTH || (dir->st_mode & S_ISVTX && dir->st_mode & S_IWGRP);
}

static bool is_trusted(uid_t owner, const struct stat *dir)
{
	const struct caller *caller = caller_find();

	return owner == geteuid() || owner == dir->st_uid ||
	       (caller && caller->is_other && caller->uid == owner);
}

/* Whether a link or file has a trusted owner: 0 or -errno. */
static int check_owner(const struct walk *walk, const char *name, const struct stat *stat)
{
	struct stat dir;

	if (fstat(walk->dir, &dir))
		return -errno;
	if (!is_for_strangers(&dir) || is_trusted(stat->st_uid, &dir))
		return 0;
	snprintf(walk->why, FILE_WHY_LEN,
		 "'%.100s' is %s of another user (%u), in a folder that all users can write: "
		 "choose another name",
		 name, S_ISLNK(stat->st_mode) ? "a symbolic link" : "a file",
		 (unsigned int)stat->st_uid);
	return -EACCES;
}

/* Puts the link's target before the rest of the path. */
static int file_place_follow(struct walk *walk, int link)
{
	char target[PATH_MAX];
	ssize_t length = readlinkat(link, "", target, sizeof(target));
	size_t left = strlen(walk->left);

	if (length < 0)
		return -errno;
	if (++walk->links > LINKS_MAX)
		return -ELOOP;
	if (length + left >= sizeof(walk->left))
		return -ENAMETOOLONG;
	memmove(walk->left + length, walk->left, left + 1);
	memcpy(walk->left, target, length);
	return target[0] == '/' ? enter_path(walk, "/") : 0;
}

/* The descriptor of this process that `name` stands for, in the folder `dir` of /proc. -1: none. */
static int own_descriptor(int dir, const char *name)
{
	char path[64], folder[64] = "";
	int pid = 0, end = 0;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", dir);
	if (readlink(path, folder, sizeof(folder) - 1) < 0)
		return -1;
	if (sscanf(folder, "/proc/%d/fd%n", &pid, &end) != 1 || !end)
		sscanf(folder, "/proc/%d/task/%*d/fd%n", &pid, &end);
	return pid == getpid() && end && !folder[end] ? atoi(name) : -1;
}

static void note_file(struct file_place *place, const struct stat *stat)
{
	place->is_there = true;
	place->device = stat->st_dev;
	place->inode = stat->st_ino;
	place->number = stat->st_rdev;
	place->mode = stat->st_mode;
	place->owner = stat->st_uid;
	place->group = stat->st_gid;
}

/* Links in /proc are made by the kernel, and their target need not be a path. */
static int take_proc_link(struct walk *walk, const char *name, struct file_place *place)
{
	struct stat stat;

	if (fstatat(walk->dir, name, &stat, 0))
		return -errno;
	note_file(place, &stat);
	place->is_proc_link = true;
	place->descriptor = own_descriptor(walk->dir, name);
	return S_ISDIR(stat.st_mode) ? -EISDIR : 0;
}

static int take_link(struct walk *walk, int link, const char *name, bool is_last,
		     struct file_place *place, const struct stat *stat)
{
	struct statfs fs;
	int err;

	if (!fstatfs(link, &fs) && fs.f_type == PROC_SUPER_MAGIC) {
		if (is_last)
			return take_proc_link(walk, name, place);
		return enter(walk, openat(walk->dir, name, O_PATH | O_DIRECTORY | O_CLOEXEC));
	}
	err = check_owner(walk, name, stat);
	return err ? err : file_place_follow(walk, link);
}

/* Walks to the next name. 0 or -errno; 1: it was the last, and `place` describes it. */
static int file_place_step(struct walk *walk, struct file_place *place)
{
	struct stat stat;
	bool is_last;
	int err = next_name(walk, place->name, &is_last), entry;

	if (err)
		return err;
	if (!place->name[0])
		return -EISDIR;
	entry = openat(walk->dir, place->name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (entry < 0)
		return is_last && errno == ENOENT ? 1 : -errno;
	err = fstat(entry, &stat) ? -errno : 0;
	if (!err && S_ISLNK(stat.st_mode)) {
		err = take_link(walk, entry, place->name, is_last, place, &stat);
	} else if (!err && is_last) {
		note_file(place, &stat);
		err = S_ISDIR(stat.st_mode) ? -EISDIR : check_owner(walk, place->name, &stat);
	} else if (!err && S_ISDIR(stat.st_mode)) {
		return enter(walk, entry);
	} else if (!err) {
		err = -ENOTDIR;
	}
	close(entry);
	return err ? err : place->is_there;
}

static int walk_path(struct walk *walk, const char *path, struct file_place *place)
{
	int err = enter_path(walk, path[0] == '/' ? "/" : ".");

	if (!path[0])
		return -ENOENT;
	if (strlen(path) >= sizeof(walk->left))
		return -ENAMETOOLONG;
	strcpy(walk->left, path);
	while (!err)
		err = file_place_step(walk, place);
	return err < 0 ? err : 0;
}

int file_place_find(struct file_place *place, const char *path, char *why)
{
	struct walk walk = {.dir = -1, .why = why};
	bool was_used = rights_lower();
	int err;

	*place = (struct file_place){.dir = -1, .descriptor = -1};
	why[0] = '\0';
	err = walk_path(&walk, path, place);
	rights_restore(was_used);
	place->dir = walk.dir;
	if (!err)
		return 0;
	if (!why[0])
		snprintf(why, FILE_WHY_LEN, "%s: %s", strerror(-err), file_place_remedy(-err));
	file_place_close(place);
	return err;
}

void file_place_close(struct file_place *place)
{
	if (place->dir >= 0)
		close(place->dir);
	place->dir = -1;
}

/* As file_place_find(), but also describes places that may not be written. */
static int look_at(struct file_place *place, const char *path)
{
	char why[FILE_WHY_LEN];
	struct stat file;
	int err = path ? file_place_find(place, path, why) : -EINVAL;
	bool was_used;

	if (!err)
		return 0;
	*place = (struct file_place){.dir = -1, .descriptor = -1};
	was_used = rights_lower();
	err = path ? stat(path, &file) : fstat(STDOUT_FILENO, &file);
	rights_restore(was_used);
	if (err)
		return -errno;
	note_file(place, &file);
	return 0;
}

static bool is_same_folder(int dir, int other)
{
	struct stat here, there;

	return !fstat(dir, &here) && !fstat(other, &there) && here.st_dev == there.st_dev &&
	       here.st_ino == there.st_ino;
}

static bool util_file_place_is_same(const struct file_place *place, const struct file_place *other)
{
	if (place->is_there != other->is_there)
		return false;
	if (!place->is_there)
		return is_same_folder(place->dir, other->dir) && !strcmp(place->name, other->name);
	if (S_ISCHR(place->mode) && S_ISCHR(other->mode))
		return place->number == other->number && major(place->number) != MEMORY_DEVICES;
	return place->device == other->device && place->inode == other->inode;
}

bool file_place_is_same(const char *path, const char *other)
{
	struct file_place here, there;
	bool same;

	if (look_at(&here, path))
		return false;
	same = !look_at(&there, other);
	if (same) {
		same = util_file_place_is_same(&here, &there);
		file_place_close(&there);
	}
	file_place_close(&here);
	return same;
}

bool file_place_is_special(const char *path)
{
	struct file_place place;
	bool is_special;

	if (look_at(&place, path))
		return false;
	is_special = place.is_there && !S_ISREG(place.mode);
	file_place_close(&place);
	return is_special;
}

/* Opens files without a name. */

/* Not /tmp, which is often in memory. */
#define FOLDER "/var/tmp"

const char *temporary_file_folder(void)
{
	const char *given = getenv("TMPDIR");

	return given && given[0] == '/' ? given : FOLDER;
}

/* Some file systems have no files without a name: there the name is removed at once. */
static int file_place_file_make(const char *folder)
{
	int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	char name[PATH_MAX];

	if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL))
		return fd;
	snprintf(name, sizeof(name), "%s/.ipctrace-XXXXXX", folder);
	fd = mkostemp(name, O_CLOEXEC);
	if (fd >= 0)
		unlink(name);
	return fd;
}

int temporary_file_open(const char *folder)
{
	bool was_used = rights_lower();
	int fd = file_place_file_make(folder);

	rights_restore(was_used);
	return fd;
}
