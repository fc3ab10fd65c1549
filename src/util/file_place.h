/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the folder and the name of a file that is about to be written, and follows symbolic links
 * on the way. The program often runs as root. Another user could place a link in /tmp and make the
 * program overwrite a file. In a folder that all users can write, only links and files of trusted
 * owners are therefore used. Trusted owners are the user of this process, the user that called
 * sudo, and the owner of the folder. The kernel has a similar rule (fs.protected_symlinks), which
 * can be switched off.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#define FILE_WHY_LEN 256

struct file_place {
	int dir;                 /* an O_PATH descriptor of the folder; -1: none. Owned */
	char name[NAME_MAX + 1]; /* in that folder */
	bool is_there;
	bool is_proc_link; /* the name is a link in /proc, which only the kernel can follow */
	int descriptor;    /* of this process, if the path is one such as /dev/stdout; -1: none.
			      Borrowed */

	/* The file itself, if it exists. */
	dev_t device; /* the device that holds it */
	ino_t inode;
	dev_t number; /* of a device file */
	mode_t mode;
	uid_t owner;
	gid_t group;
};

/*
 * 0, or -errno with the reason and what to do in `why` (FILE_WHY_LEN). A missing file is no error,
 * a missing folder is. After success the caller calls file_place_close(). Opens no file.
 */
int file_place_find(struct file_place *place, const char *path, char *why);
void file_place_close(struct file_place *place);

/*
 * Whether output to one path would replace the other file or mix with it. NULL is standard output.
 * Output to /dev/null and /dev/full does not mix.
 */
bool file_place_is_same(const char *path, const char *other);

/*
 * Whether the path is that of something else than a regular file, for example of a pipe. NULL is
 * standard output.
 */
bool file_place_is_special(const char *path);

/* What to do if opening or writing a file fails with this errno value. Static. */
const char *file_place_remedy(int error);

/* The folder of $TMPDIR, else one that is on a disk. */
const char *temporary_file_folder(void);

/* A descriptor for reading and writing, which the caller closes. -1 and errno on failure. */
int temporary_file_open(const char *folder);
