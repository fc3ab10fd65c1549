/* SPDX-License-Identifier: BSD-2-Clause */
/* What a process executes, from prepared files of /proc. */
#include "support/test.h"

#include "stacks/image.h"
#include "support/machine.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME_LEN 64

static char proc[256];

/* `inode`: of /usr/bin/server. */
static void put_maps(uint64_t first, uint64_t inode, const char *more)
{
	char text[2048];

	snprintf(text, sizeof(text),
		 "%lx-%lx r--p 00000000 fe:01 %lu   %s/usr/bin/server\n"
		 "%lx-%lx r-xp 00001000 fe:01 %lu   %s/usr/bin/server\n"
		 "7f0000000000-7f0000001000 rw-p 00000000 00:00 0 \n"
		 "7f0000100000-7f0000200000 r-xp 00000000 fe:01 9   /lib/a b.so (deleted)\n%s"
		 "7fff00000000-7fff00002000 r-xp 00000000 00:00 0     [vdso]\n",
		 first, first + 0x1000, inode, machine_root(), first + 0x1000, first + 0x3000,
		 inode, machine_root(), more);
	assert_int_equal(machine_put("/proc/7/maps", text), 0);
	snprintf(proc, sizeof(proc), "%s/proc", machine_root());
}

static const char *name_at(const struct image *image, uint64_t address)
{
	static char name[NAME_LEN];

	image__file_name(image, address, name, sizeof(name));
	return name;
}

EACH_TEST(machine_make, machine_remove)

TEST(an_address_has_a_file_and_may_be_code)
{
	struct image *image;

	put_maps(0x550000000000, 5, "");
	image = image__new(proc, 7);
	assert_non_null(image);
	assert_false(image__has_code(image, 0x550000000fff));
	assert_true(image__has_code(image, 0x550000001000));
	assert_true(image__has_code(image, 0x550000002fff));
	assert_false(image__has_code(image, 0x550000003000));
	assert_false(image__has_code(image, 0x7f0000000000));
	assert_false(image__has_code(image, 0));
	assert_false(image__has_code(image, ~0ull));
	assert_string_equal(name_at(image, 0x550000001000), "server");
	assert_string_equal(name_at(image, 0x7f0000100000), "a b.so");
	assert_string_equal(name_at(image, 0x7fff00000000), "[vdso]");
	assert_string_equal(name_at(image, 0x7f0000000000), "");
	assert_string_equal(name_at(image, 1), "");
	assert_int_equal(image__file_begin(image, 0x550000001234), 0x550000000000);
	assert_int_equal(image__file_begin(image, 0x7f0000100000), 0x7f0000100000);
	assert_int_equal(image__file_begin(image, 0x7fff00000000), 0);
	assert_int_equal(image__file_begin(image, 1), 0);
	image__free(image);
}

TEST(a_process_that_has_ended_has_no_image)
{
	put_maps(0x550000000000, 5, "");
	assert_null(image__new(proc, 8));
	assert_int_equal(errno, ENOENT);
	assert_int_equal(machine_put("/proc/9/maps", ""), 0);
	assert_null(image__new(proc, 9));
	assert_int_equal(errno, ESRCH);
	image__free(NULL);
}

TEST(libraries_that_come_later_are_found_by_another_look)
{
	struct image *image;

	put_maps(0x550000000000, 5, "");
	image = image__new(proc, 7);
	assert_non_null(image);
	put_maps(0x550000000000, 5,
		 "7f0000300000-7f0000301000 r-xp 00000000 fe:01 9   /lib/new.so\n");
	assert_false(image__has_code(image, 0x7f0000300010));
	assert_int_equal(image__refresh(image), 0);
	assert_string_equal(name_at(image, 0x7f0000300010), "new.so");
	image__free(image);
}

/* Its number is that of another process by now. */
TEST(another_process_does_not_replace_it)
{
	struct image *image;

	put_maps(0x550000000000, 5, "");
	image = image__new(proc, 7);
	assert_non_null(image);
	put_maps(0x560000000000, 5, "");
	assert_int_equal(image__refresh(image), -ESTALE);
	put_maps(0x550000000000, 6, "");
	assert_int_equal(image__refresh(image), -ESTALE);
	assert_string_equal(name_at(image, 0x550000001000), "server");
	image__free(image);
}

TEST(a_file_is_opened_by_its_mapping_or_its_path)
{
	char path[512], old[512], text[16] = "";
	struct image *image;
	struct stat file;
	int fd;

	assert_int_equal(machine_put("/usr/bin/server", "server"), 0);
	snprintf(path, sizeof(path), "%s/usr/bin/server", machine_root());
	assert_int_equal(stat(path, &file), 0);
	put_maps(0x550000000000, file.st_ino, "");
	image = image__new(proc, 7);
	assert_non_null(image);
	fd = image__open_file(image, 0x550000000000);
	assert_true(fd >= 0);
	assert_int_equal(read(fd, text, sizeof(text)), strlen("server"));
	assert_string_equal(text, "server");
	close(fd);
	/* The program was replaced after it had been started. */
	snprintf(old, sizeof(old), "%s/usr/bin/server.old", machine_root());
	assert_int_equal(rename(path, old), 0);
	assert_int_equal(machine_put("/usr/bin/server", "another"), 0);
	assert_int_equal(image__open_file(image, 0x550000000000), -ESTALE);
	assert_int_equal(machine_link("/proc/7/map_files/550000000000-550000001000", old), 0);
	fd = image__open_file(image, 0x550000000000);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(image__open_file(image, 0x7f0000000000), -ENOENT);
	image__free(image);
}
