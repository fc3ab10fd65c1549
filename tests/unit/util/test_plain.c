/* SPDX-License-Identifier: BSD-2-Clause */
/* Escaping of text for terminals, in the C locale and in a UTF-8 locale. */
#include "support/build.h"
#include "support/capture.h"

#include "util/plain.h"

#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

/* Sets the locale for the rest of a test. */
static void use(const char *locale)
{
	assert_non_null(setlocale(LC_CTYPE, locale));
}

static const char *plain(const char *text)
{
	static char form[1024];

	plain_text(text, form, sizeof(form));
	return form;
}

static int in_c(void **state)
{
	use("C");
	return 0;
}

EACH_TEST(in_c, in_c)

static int in_utf8(void **state)
{
	use("C.UTF-8");
	return 0;
}

TEST(what_controls_is_shown_in_octal)
{
	static const char *const locales[] = {"C", "C.UTF-8"};

	for (size_t i = 0; i < ARRAY_SIZE(locales); i++) {
		use(locales[i]);
		assert_string_equal(plain("\x1b]0;x\a"), "\\033]0;x\\007");
		assert_string_equal(plain("a\nb\tc\rd\x7f"), "a\\012b\\011c\\015d\\177");
		/* C1, as a byte and as UTF-8. */
		assert_string_equal(plain("\x9b"
					  "31m"),
				    "\\23331m");
		assert_string_equal(plain("\xc2\x9b"
					  "31m"),
				    "\\302\\23331m");
		assert_string_equal(plain("\xc2\x80\xc2\x9f"), "\\302\\200\\302\\237");
		/* Directions: U+202E, U+2066, U+200F, U+061C. */
		assert_string_equal(plain("\u202e"), "\\342\\200\\256");
		assert_string_equal(plain("\u2066\u200f"), "\\342\\201\\246\\342\\200\\217");
		assert_string_equal(plain("\u061c"), "\\330\\234");
		/* Zero width: U+200B, U+FEFF; line separator: U+2028. */
		assert_string_equal(plain("\u200b\ufeff"), "\\342\\200\\213\\357\\273\\277");
		assert_string_equal(plain("\u2028"), "\\342\\200\\250");
		/* Invalid UTF-8: a lone byte, an overlong form, a surrogate, a cut character. */
		assert_string_equal(plain("\xff\xc0\xaf"), "\\377\\300\\257");
		assert_string_equal(plain("\xed\xa0\x80"), "\\355\\240\\200");
		assert_string_equal(plain("x\xe2\x82"), "x\\342\\202");
	}
}

TEST(what_has_room_in_the_locale_stays)
{
	use("C.UTF-8");
	assert_string_equal(plain("/home/jürgen/日本.ipct"), "/home/jürgen/日本.ipct");
	use("C");
	assert_string_equal(plain("jürgen"), "j\\303\\274rgen");
}

/* Plain text can pass through twice. */
static void plain_text_stays_as_it_is(void **state)
{
	char once[1024];

	for (int byte = 1; byte < 256; byte++) {
		const char text[] = {'a', (char)byte, 'b', '\0'};

		strcpy(once, plain(text));
		assert_string_equal(plain(once), once);
	}
	assert_string_equal(plain("C:\\033 $'\\''"), "C:\\033 $'\\''");
}

TEST_WITH(what_does_not_fit_is_cut_at_a_character, in_utf8, in_c)
{
	char form[7];

	plain_text("ab\x1b\x1b", form, sizeof(form));
	assert_string_equal(form, "ab\\033");
	plain_text("abc\x1b", form, sizeof(form));
	assert_string_equal(form, "abc");
	plain_text("abcdü", form, sizeof(form));
	assert_string_equal(form, "abcdü");
	plain_text("abcdeü", form, sizeof(form));
	assert_string_equal(form, "abcde");
	plain_text("x", form, 1);
	assert_string_equal(form, "");
}

TEST_WITH(columns_are_those_of_the_plain_form, in_utf8, in_c)
{
	assert_int_equal(plain_columns("ü日\x1b"), 1 + 2 + 4);
	assert_int_equal(plain_fit("ü日\x1bz", 100), 7);
	assert_int_equal(plain_fit("ü日\x1bz", 7), 6);
	assert_int_equal(plain_fit("ü日\x1bz", 6), 5);
	assert_int_equal(plain_fit("ü日\x1bz", 2), 2);
	assert_int_equal(plain_fit("ü日\x1bz", 0), 0);
	assert_int_equal(plain_fit("ü", -3), 0);
	assert_int_equal(plain_fit("", 5), 0);
}

/* The output of a stream for `text`, written in pieces of this many bytes. */
static char *handed_on(const char *text, size_t length, size_t piece)
{
	char *got = NULL;
	size_t size;
	FILE *out = open_memstream(&got, &size), *stream = plain_open(out);

	assert_non_null(stream);
	for (size_t at = 0; at < length; at += piece) {
		fwrite(text + at, length - at < piece ? length - at : piece, 1, stream);
		fflush(stream);
	}
	assert_int_equal(fclose(stream), 0);
	fputs("|", out);
	assert_int_equal(fclose(out), 0);
	return got;
}

TEST_WITH(a_stream_does_the_same_but_for_the_layout, in_utf8, in_c)
{
	static const char text[] = "ü\n\t\x1b[1m\u202e日\0\x9b\xe2\x82";

	for (size_t piece = 1; piece < sizeof(text); piece++) {
		char *got = handed_on(text, sizeof(text) - 1, piece);

		assert_string_equal(got, "ü\n\t\\033[1m\\342\\200\\256日\\000\\233\\342\\202|");
		free(got);
	}
}

TEST(a_stream_takes_more_than_its_memory_holds)
{
	char text[50001], *got;

	memset(text, '\a', sizeof(text));
	got = handed_on(text, sizeof(text), sizeof(text));
	assert_int_equal(strlen(got), 4 * sizeof(text) + 1);
	for (size_t i = 0; i < sizeof(text); i++)
		assert_memory_equal(got + 4 * i, "\\007", 4);
	free(got);
}

TEST(a_stream_reports_an_error)
{
	FILE *full = fopen("/dev/full", "we"), *stream = plain_open(full);

	assert_non_null(stream);
	fputs("x", stream);
	assert_int_equal(fflush(stream), EOF);
	assert_int_equal(errno, ENOSPC);
	assert_true(ferror(stream));
	fclose(stream);
	fclose(full);
}

#define IN_C(function)    cmocka_unit_test_setup_teardown(function, in_c, in_c)
#define IN_UTF8(function) cmocka_unit_test_setup_teardown(function, in_utf8, in_c)

TEST_LIST(IN_C(plain_text_stays_as_it_is), IN_UTF8(plain_text_stays_as_it_is))
