/* SPDX-License-Identifier: BSD-2-Clause */
/* Handler translate: its dictionary files and its answers. */
#include "support/build.h"
#include "support/capture.h"
#include "support/handler.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

TEST(translate_leaves_what_it_does_not_know)
{
	handler_expect_of("translate", "", "");
	handler_expect_of("translate", " ", " ");
	handler_expect_of("translate", "good morning server 17", "guten Morgen Diener 17");
	handler_expect_of("translate", "goodmorning Good good.", "goodmorning Good good.");
}

TEST(translate_keeps_the_blanks)
{
	handler_expect_of("translate", "  good\t\tbread \n", "  guten\t\tBrot \n");
}

TEST(translate_cuts_an_answer_that_is_longer_than_its_room)
{
	handler_expect_cut("translate", "dictionary", 10, "W\303\266rterbuc");
	handler_expect_cut("translate", "good bread", 5, "guten");
	handler_expect_cut("translate", "good bread", 0, "");
}

TEST(translate_takes_bytes_that_are_no_text_for_words)
{
	struct served served = handler_serve("translate");
	char *answer;

	assert_int_equal(handler_ask(served, "\0 go\0 go", 8, &answer, ROOM), 11);
	assert_memory_equal(answer, "\0 go\0 gehen", 11);
	free(answer);
	handler_leave(served);
}

TEST(a_dictionary_file_has_a_word_and_its_translation_in_each_line)
{
	struct dictionary_file file =
		dictionary_file_make("# good bad\n\n \t\n  good bon\nbread\tdu  pain \r\n"
				     "good again\n17  dix-sept");

	handler_expect_of(file.text, "good bread 17 morning", "bon du  pain dix-sept morning");
	handler_expect_of(file.text, "# bad", "# bad");
	dictionary_file_remove(file);
}

TEST(an_empty_dictionary_translates_nothing)
{
	struct dictionary_file file = dictionary_file_make("");

	handler_expect_of(file.text, "good morning", "good morning");
	dictionary_file_remove(file);
}

TEST(a_line_without_a_translation_is_named)
{
	struct dictionary_file file = dictionary_file_make("good bon\n# more\nbread \nmilk lait\n");

	handler_expect_refused(file.text, "line 3 has no translation");
	dictionary_file_remove(file);
}

TEST(a_file_that_is_no_dictionary_is_refused_with_the_reason)
{
	handler_expect_refused("translate=/no/such/file", "No such file or directory");
	handler_expect_refused("translate=", "No such file or directory");
	handler_expect_refused("translate=/tmp", "Is a directory");
	handler_expect_refused("translate=/dev/zero", "no plain file");
}

TEST(a_dictionary_that_vanished_cannot_be_opened)
{
	errno = 0;
	assert_null(translate_handler.open("/no/such/file"));
	assert_int_equal(errno, ENOENT);
}

TEST(clients_of_translate_introduce_themselves)
{
	char text[64] = "";
	size_t length = translate_handler.ask(17, text, sizeof(text));

	assert_int_equal(length, strlen(text));
	assert_has(text, "client 17");
	handler_expect_of("translate", text, "guten Morgen Diener ich bin Klient 17");
	memset(text, 'x', sizeof(text));
	assert_int_equal(translate_handler.ask(17, text, 4), 4);
	assert_memory_equal(text, "goodxxxx", 8);
	assert_int_equal(translate_handler.ask(17, text, 0), 0);
}

ALL_TESTS(become_subreaper, NULL)
