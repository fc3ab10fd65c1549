/* SPDX-License-Identifier: BSD-2-Clause */
#include "support/capture.h"

#include "support/build.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Defined if a sanitizer is linked. Its report goes to the terminal, not into the capture. */
__attribute__((weak)) void __sanitizer_set_report_fd(void *fd);

static void report_to(int fd)
{
	if (__sanitizer_set_report_fd)
		__sanitizer_set_report_fd((void *)(intptr_t)fd);
}

/* Only these two: other streams can be under test. */
static void flush(void)
{
	fflush(stdout);
	fflush(stderr);
}

void capture_begin(struct capture *capture, int stream)
{
	flush();
	capture->stream = stream;
	capture->text[0] = '\0';
	capture->file = memfd_create("capture", MFD_CLOEXEC);
	assert_true(capture->file >= 0);
	capture->saved = dup(stream);
	assert_true(capture->saved >= 0);
	dup2(capture->file, stream);
	if (stream == STDERR_FILENO)
		report_to(capture->saved);
}

void capture_end(struct capture *capture)
{
	ssize_t length;

	flush();
	dup2(capture->saved, capture->stream);
	if (capture->stream == STDERR_FILENO)
		report_to(STDERR_FILENO);
	length = pread(capture->file, capture->text, sizeof(capture->text) - 1, 0);
	close(capture->saved);
	close(capture->file);
	assert_true(length >= 0);
	capture->text[length] = '\0';
}

size_t count_lines(const char *text)
{
	size_t cnt = 0;

	for (; *text; text++)
		cnt += *text == '\n';
	return cnt;
}

/* cmocka cuts a message after 1 KiB, its newline included. */
static void show(const char *text)
{
	fprintf(stderr, "%s\n", text);
}

void assert_has(const char *text, const char *part)
{
	if (strstr(text, part))
		return;
	show(text);
	fail_msg("'%.500s' is not in the text above", part);
}

void assert_has_not(const char *text, const char *part)
{
	if (!strstr(text, part))
		return;
	show(text);
	fail_msg("'%.500s' is in the text above", part);
}

void assert_one_line_with(const char *text, const char *part)
{
	if (count_lines(text) != 1 || text[strlen(text) - 1] != '\n') {
		show(text);
		fail_msg("the text above is not one line");
	}
	assert_has(text, part);
}
