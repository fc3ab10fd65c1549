/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads /proc/PID/maps, and finds the mapping of an address. */
#include "stacks/image.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAPS_BYTES_MAX (4u << 20)

struct mapping {
	uint64_t from;
	uint64_t to;
	uint64_t inode; /* 0: no file */
	bool has_code;
	const char *name; /* in `text`, ends with a newline */
};

struct image {
	const char *proc;
	uint32_t pid;
	char *text;
	size_t length;
	struct mapping *mapping; /* sorted, as the kernel writes them */
	size_t cnt;
};

static char *read_maps(const char *proc, uint32_t pid, size_t *length)
{
	char path[PATH_MAX], *text;
	size_t size = 0;
	ssize_t got = 1;
	int fd;

	snprintf(path, sizeof(path), "%s/%u/maps", proc, pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	text = malloc(MAPS_BYTES_MAX + 1);
	while (text && got > 0 && size < MAPS_BYTES_MAX) {
		got = read(fd, text + size, MAPS_BYTES_MAX - size);
		size += got > 0 ? got : 0;
	}
	close(fd);
	if (!text || !size) {
		free(text);
		errno = text ? ESRCH : ENOMEM;
		return NULL;
	}
	text[size] = '\0';
	*length = size;
	return realloc(text, size + 1);
}

/* "55d0-55d1 r-xp 00001000 08:01 1234    /usr/bin/cat" */
static bool parse_line(const char *line, struct mapping *mapping)
{
	char mode[5];
	int name = 0;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %*s %*s %" SCNu64 "%n", &mapping->from,
		   &mapping->to, mode, &mapping->inode, &name) != 4)
		return false;
	mapping->has_code = mode[2] == 'x';
	mapping->name = line + name + strspn(line + name, " ");
	return true;
}

static struct mapping *image_parse(const char *text, size_t *cnt)
{
	struct mapping *mapping;
	size_t lines = 1;

	for (const char *at = text; (at = strchr(at, '\n')); at++)
		lines++;
	mapping = calloc(lines, sizeof(*mapping));
	*cnt = 0;
	for (const char *line = text; mapping && line && *line;) {
		*cnt += parse_line(line, &mapping[*cnt]);
		line = strchr(line, '\n');
		line += line != NULL;
	}
	return mapping;
}

/*
 * Another process, or program, may have this number by now. It lies elsewhere, or is the same file.
 */
static bool is_other(const struct image *image, const struct mapping *mapping, size_t cnt)
{
	return image->cnt && cnt &&
	       (mapping->from != image->mapping->from || mapping->inode != image->mapping->inode);
}

/* Takes over `text`; NULL and errno: it could not be read. */
static int image_set_text(struct image *image, char *text, size_t length)
{
	size_t cnt;
	struct mapping *mapping = text ? image_parse(text, &cnt) : NULL;

	int err = !mapping ? -errno : is_other(image, mapping, cnt) ? -ESTALE : 0;

	if (err) {
		free(text);
		free(mapping);
		return err;
	}
	free(image->text);
	free(image->mapping);
	image->text = text;
	image->length = length;
	image->mapping = mapping;
	image->cnt = cnt;
	return 0;
}

int image__refresh(struct image *image)
{
	size_t length;
	char *text = read_maps(image->proc, image->pid, &length);

	return image_set_text(image, text, length);
}

struct image *image__of_text(const char *proc, uint32_t pid, char *text, size_t length)
{
	struct image *image = text ? calloc(1, sizeof(*image)) : NULL;
	int err;

	if (!image) {
		free(text);
		return NULL;
	}
	image->proc = proc;
	image->pid = pid;
	err = image_set_text(image, text, length);
	if (!err)
		return image;
	image__free(image);
	errno = -err;
	return NULL;
}

struct image *image__new(const char *proc, uint32_t pid)
{
	size_t length;
	char *text = read_maps(proc, pid, &length);

	return image__of_text(proc, pid, text, length);
}

const char *image__text(const struct image *image, size_t *length)
{
	*length = image->length;
	return image->text;
}

void image__free(struct image *image)
{
	if (!image)
		return;
	free(image->text);
	free(image->mapping);
	free(image);
}

static const struct mapping *image_find(const struct image *image, uint64_t address)
{
	size_t low = 0, high = image->cnt;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (image->mapping[middle].to <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < image->cnt && image->mapping[low].from <= address ? &image->mapping[low]
								       : NULL;
}

bool image__has_code(const struct image *image, uint64_t address)
{
	const struct mapping *mapping = image_find(image, address);

	return mapping && mapping->has_code;
}

void image__file_name(const struct image *image, uint64_t address, char *text, size_t size)
{
	static const char deleted[] = " (deleted)";
	const struct mapping *mapping = image_find(image, address);
	const char *name = mapping ? mapping->name : "", *slash;
	int length = strcspn(name, "\n");

	slash = memrchr(name, '/', length);
	if (slash) {
		length -= slash + 1 - name;
		name = slash + 1;
	}
	if ((size_t)length >= strlen(deleted) &&
	    !strncmp(name + length - strlen(deleted), deleted, strlen(deleted)))
		length -= strlen(deleted);
	snprintf(text, size, "%.*s", length, name);
}

uint64_t image__file_begin(const struct image *image, uint64_t address)
{
	const struct mapping *mapping = image_find(image, address);

	if (!mapping || !mapping->inode)
		return 0;
	while (mapping > image->mapping && mapping[-1].inode == mapping->inode)
		mapping--;
	return mapping->from;
}

FILE *image__maps(const struct image *image)
{
	return fmemopen(image->text, image->length, "r");
}

/* -ESTALE: it is another file by now. */
static int open_inode(const char *path, uint64_t inode)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat file;

	if (fd < 0)
		return -errno;
	if (!fstat(fd, &file) && S_ISREG(file.st_mode) && file.st_ino == inode)
		return fd;
	close(fd);
	return -ESTALE;
}

int image__open_file(const struct image *image, uint64_t address)
{
	const struct mapping *mapping = image_find(image, address);
	char path[PATH_MAX];
	int fd;

	if (!mapping || !mapping->inode)
		return -ENOENT;
	snprintf(path, sizeof(path), "%s/%u/map_files/%" PRIx64 "-%" PRIx64, image->proc,
		 image->pid, mapping->from, mapping->to);
	fd = open_inode(path, mapping->inode);
	if (fd >= 0)
		return fd;
	/* The process has ended. */
	snprintf(path, sizeof(path), "%.*s", (int)strcspn(mapping->name, "\n"), mapping->name);
	return open_inode(path, mapping->inode);
}
