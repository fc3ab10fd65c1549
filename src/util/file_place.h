/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where a file is that is to be written: its folder and its name in there, with all symbolic links
 * followed. The program often runs as root, and in a folder that all users may write, such as
 * /tmp, other users can leave a link or a file under the name that root is going to use. There
 * only links and files of a trusted owner are taken: of this process, of the user that called
 * sudo, of the folder's owner. The kernel has the same rule (fs.protected_symlinks,
 * protected_regular, protected_fifos), but it can be switched off.
 */
#ifndef IPCTRACE_UTIL_FILE_PLACE_H
#define IPCTRACE_UTIL_FILE_PLACE_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#define FILE_WHY_LEN 256

struct file_place {
	int dir;                 /* an O_PATH descriptor of the folder; -1: none. Owned */
	char name[NAME_MAX + 1]; /* in there */
	bool is_there;
	bool is_proc_link; /* the name is a link in /proc, which only the kernel can follow */
	int descriptor;    /* of this process, if the path is one such as /dev/stdout; -1: none.
			      Borrowed */

	/* Of the file, if it is there. */
	dev_t device; /* on which it is */
	ino_t inode;
	dev_t number; /* that of a device */
	mode_t mode;
	uid_t owner;
	gid_t group;
};

/*
 * 0 or -errno, with the reason, and what to do, in `why` (FILE_WHY_LEN). A file that is not there
 * is no error, a folder is. On success the caller closes with file_place_close(). Opens no file.
 */
int file_place_find(struct file_place *place, const char *path, char *why);
void file_place_close(struct file_place *place);

/*
 * Whether what is written to one path would replace what is at the other, or mix with it. NULL is
 * standard output. What the kernel throws away (/dev/null, /dev/full) is not mixed.
 */
bool file_place_is_same(const char *path, const char *other);

/* What to do about a file that cannot be opened or written for this errno value. Static. */
const char *file_place_remedy(int error);

#endif
