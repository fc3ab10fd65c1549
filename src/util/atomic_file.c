/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes a file without a name, or under a hidden one, and renames the file at the end.
 * file_place.c decides whether the place of the file can be trusted.
 */
#include "util/atomic_file.h"

#include "util/caller.h"
#include "util/log.h"
#include "util/rights.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

/* A recording, a report and a few more. */
#define HIDDEN_MAX 4

/* A hidden file beside its final place. */
struct hidden {
	volatile sig_atomic_t is_there;
	int dir; /* borrowed */
	char name[32];
};

struct atomic_file {
	struct file_place place;
	FILE *stream;
	struct hidden *hidden; /* NULL: it is written directly, has no name, or is at its place */
	bool is_nameless;
	bool committed;
};

/*
 * Global, because a signal handler has nothing else. Children of this process must not remove the
 * files.
 */
static struct hidden hidden[HIDDEN_MAX];
static pid_t hider;

void atomic_file_remove_all(void)
{
	for (int i = 0; i < HIDDEN_MAX && hider == getpid(); i++) {
		if (hidden[i].is_there)
			unlinkat(hidden[i].dir, hidden[i].name, 0);
		hidden[i].is_there = false;
	}
}

static void atomic_file_on_end(int signal_number)
{
	atomic_file_remove_all();
	signal(signal_number, SIG_DFL);
	raise(signal_number);
}

/* Signals that the program ignores or handles already keep their disposition. */
static void catch_ends(void)
{
	static const int ends[] = {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM, SIGXCPU};
	struct sigaction action = {.sa_handler = atomic_file_on_end}, present;

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		if (!sigaction(ends[i], NULL, &present) && present.sa_handler == SIG_DFL)
			sigaction(ends[i], &action, NULL);
	}
}

/* Registers the file before it exists, so that no signal comes in between. */
static struct hidden *atomic_file_note_hidden(int dir)
{
	uint64_t number;

	if (getrandom(&number, sizeof(number), 0) != sizeof(number))
		return NULL;
	for (int i = 0; i < HIDDEN_MAX; i++) {
		if (hidden[i].is_there)
			continue;
		snprintf(hidden[i].name, sizeof(hidden[i].name), ".ipctrace-%016" PRIx64, number);
		hidden[i].dir = dir;
		hider = getpid();
		hidden[i].is_there = true;
		catch_ends();
		return &hidden[i];
	}
	errno = EMFILE;
	return NULL;
}

/*
 * Copies owner, group and mode. If the group cannot be kept, the other group does not get its
 * rights.
 */
static void be_like(int fd, const struct file_place *old)
{
	mode_t mode = old->mode & 0777;

	if (fchown(fd, old->owner, old->group) && fchown(fd, -1, old->group))
		mode &= ~S_IRWXG;
	fchmod(fd, mode);
}

/*
 * A file that root makes for the user that called sudo belongs to this user, if the file system has
 * owners.
 */
static void be_the_callers(int fd)
{
	const struct caller *caller = caller_find();

	if (caller && caller->is_other && fchown(fd, caller->uid, caller->gid))
		log_info("a new file stays with root: it cannot be given to the user that called "
			 "sudo: %s",
			 strerror(errno));
}

static void forget_hidden(struct hidden *old)
{
	unlinkat(old->dir, old->name, 0);
	old->is_there = false;
}

static int open_nameless(const struct file_place *place)
{
	int fd = openat(place->dir, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC,
			place->is_there ? 0600 : 0666);

	return fd < 0 ? -errno : fd;
}

/* Gives a file without a name a hidden one. NULL and errno on failure. */
static struct hidden *name_hidden(int dir, int fd)
{
	struct hidden *new = atomic_file_note_hidden(dir);
	char path[64];
	int err;

	if (!new)
		return NULL;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (!linkat(AT_FDCWD, path, dir, new->name, AT_SYMLINK_FOLLOW))
		return new;
	err = errno;
	new->is_there = false;
	errno = err;
	return NULL;
}

/* Whether a file without a name can get one here. Else all that was written would be lost. */
static bool can_name(const struct file_place *place)
{
	int fd = open_nameless(place);
	struct hidden *new = fd < 0 ? NULL : name_hidden(place->dir, fd);

	if (fd >= 0)
		close(fd);
	if (new)
		forget_hidden(new);
	return new;
}

static int open_hidden(struct atomic_file *file)
{
	const struct file_place *place = &file->place;
	struct hidden *new = atomic_file_note_hidden(place->dir);
	int fd, err;

	if (!new)
		return -errno;
	fd = openat(place->dir, new->name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		    place->is_there ? 0600 : 0666);
	if (fd < 0) {
		err = -errno;
		new->is_there = false;
		return err;
	}
	file->hidden = new;
	return fd;
}

/*
 * The only place where files are created. Returns a descriptor or -errno. SIGKILL leaves nothing
 * behind of a file without a name, which not every file system has.
 */
static int create_beside(struct atomic_file *file)
{
	const struct file_place *place = &file->place;
	int fd = can_name(place) ? open_nameless(place) : -EOPNOTSUPP;

	file->is_nameless = fd >= 0;
	if (fd < 0)
		fd = open_hidden(file);
	if (fd < 0)
		return fd;
	if (place->is_there)
		be_like(fd, place);
	else
		be_the_callers(fd);
	return fd;
}

/* Returns a descriptor or -errno. Opening a pipe waits for its reader. */
static int open_directly(const struct file_place *place)
{
	int flags = place->is_proc_link ? O_APPEND : O_NOFOLLOW;
	int fd = openat(place->dir, place->name, O_WRONLY | O_CLOEXEC | O_NOCTTY | flags);
	struct stat stat;

	if (fd < 0)
		return -errno;
	if (!fstat(fd, &stat) && stat.st_dev == place->device && stat.st_ino == place->inode)
		return fd;
	/* Another file has taken the place since it was checked. */
	close(fd);
	return -EAGAIN;
}

static int open_descriptor(int descriptor)
{
	int flags = fcntl(descriptor, F_GETFL), fd;

	if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY)
		return -EBADF;
	fd = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
	return fd < 0 ? -errno : fd;
}

/* Whether rename() can replace the file: it is no mount point, and the folder allows it. */
static bool is_replaceable(const struct file_place *place)
{
	struct statx file;
	struct stat dir;

	if (statx(place->dir, place->name, AT_SYMLINK_NOFOLLOW, 0, &file) ||
	    file.stx_attributes & STATX_ATTR_MOUNT_ROOT)
		return false;
	return !fstat(place->dir, &dir) && (!(dir.st_mode & S_ISVTX) || !geteuid() ||
					    dir.st_uid == geteuid() || place->owner == geteuid());
}

/* A file that may not be written is not replaced either. */
static int open_old(struct atomic_file *file)
{
	const struct file_place *place = &file->place;
	int fd = -EACCES;

	if (faccessat(place->dir, place->name, W_OK, AT_EACCESS))
		return -errno;
	if (is_replaceable(place))
		fd = create_beside(file);
	return fd == -EACCES || fd == -EPERM ? open_directly(place) : fd;
}

static int open_place(struct atomic_file *file)
{
	const struct file_place *place = &file->place;

	if (place->descriptor >= 0)
		return open_descriptor(place->descriptor);
	if (!place->is_there)
		return create_beside(file);
	return S_ISREG(place->mode) && !place->is_proc_link ? open_old(file) : open_directly(place);
}

static void discard(struct atomic_file *file)
{
	bool was_used;

	if (!file->hidden)
		return;
	was_used = rights_lower();
	forget_hidden(file->hidden);
	rights_restore(was_used);
	file->hidden = NULL;
}

static int open_stream(struct atomic_file *file)
{
	int fd = open_place(file);

	if (fd < 0)
		return fd;
	file->stream = fdopen(fd, "w");
	if (file->stream)
		return 0;
	close(fd);
	discard(file);
	return -ENOMEM;
}

static int atomic_file_open_path(struct atomic_file *file, const char *path, char *why)
{
	int err = file_place_find(&file->place, path, why);

	if (err)
		return err;
	err = open_stream(file);
	if (!err)
		return 0;
	snprintf(why, FILE_WHY_LEN, "%s: %s", strerror(-err), file_place_remedy(-err));
	file_place_close(&file->place);
	return err;
}

struct atomic_file *atomic_file__open(const char *path, char *why)
{
	struct atomic_file *file = calloc(1, sizeof(*file));
	bool was_used;
	int err;

	if (!file) {
		snprintf(why, FILE_WHY_LEN, "%s", strerror(ENOMEM));
		return NULL;
	}
	file->place = (struct file_place){.dir = -1, .descriptor = STDOUT_FILENO};
	file->stream = stdout;
	was_used = rights_lower();
	err = path ? atomic_file_open_path(file, path, why) : 0;
	rights_restore(was_used);
	if (!err)
		return file;
	free(file);
	errno = -err;
	return NULL;
}

FILE *atomic_file__stream(const struct atomic_file *file)
{
	return file->stream;
}

/* Whether the place is a regular file in a folder, and no descriptor or link of /proc. */
static bool is_regular(const struct file_place *place)
{
	return place->descriptor < 0 && !place->is_proc_link &&
	       (!place->is_there || S_ISREG(place->mode));
}

static int put_at_place(struct atomic_file *file)
{
	const struct file_place *place = &file->place;

	if (file->is_nameless && !file->hidden) {
		file->hidden = name_hidden(place->dir, fileno(file->stream));
		if (!file->hidden)
			return -errno;
	}
	if (!file->hidden)
		return is_regular(place) && ftruncate(fileno(file->stream), ftello(file->stream))
			       ? -errno
			       : 0;
	if (renameat(place->dir, file->hidden->name, place->dir, place->name))
		return -errno;
	file->hidden->is_there = false;
	file->hidden = NULL;
	return 0;
}

int atomic_file__commit(struct atomic_file *file)
{
	bool was_used;
	int err = 0;

	if (fflush(file->stream))
		return -errno;
	if (ferror(file->stream))
		return -EIO;
	was_used = rights_lower();
	if (!file->committed)
		err = put_at_place(file);
	rights_restore(was_used);
	file->committed = !err;
	return err;
}

enum atomic_file_rest atomic_file__rest(const struct atomic_file *file)
{
	if (!is_regular(&file->place))
		return REST_UNKNOWN;
	if (file->committed)
		return REST_NEW;
	if (!file->hidden && !file->is_nameless)
		return REST_UNKNOWN;
	return file->place.is_there ? REST_OLD : REST_NOTHING;
}

int atomic_file__close(struct atomic_file *file, bool keep)
{
	int err = keep ? atomic_file__commit(file) : 0;

	if (file->stream != stdout) {
		/* A flush of the buffer would overwrite an old file that is written directly. */
		if (!file->committed)
			__fpurge(file->stream);
		if (fclose(file->stream) && keep && !err)
			err = -errno;
	}
	discard(file);
	file_place_close(&file->place);
	free(file);
	return err;
}
