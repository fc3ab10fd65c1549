/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel's functions, from a prepared file. */
#include "support/build.h"

#include "stacks/kallsyms.h"
#include "support/machine.h"

#include <errno.h>
#include <stdio.h>

#define ENTRIES 100000

static struct kallsyms *read_symbols(const char *text)
{
	char path[256];

	assert_int_equal(machine_put("/proc/kallsyms", text), 0);
	snprintf(path, sizeof(path), "%s/proc/kallsyms", machine_root());
	return kallsyms__new(path);
}

EACH_TEST(machine_make, machine_remove)

TEST(an_address_belongs_to_the_function_before_it)
{
	struct kallsyms *symbols = read_symbols("ffffffff81000000 T first\n"
						"ffffffff81000100 t second\n"
						"ffffffff81000200 W third\n");

	assert_non_null(symbols);
	assert_string_equal(kallsyms__find(symbols, 0xffffffff81000000), "first");
	assert_string_equal(kallsyms__find(symbols, 0xffffffff810000ff), "first");
	assert_string_equal(kallsyms__find(symbols, 0xffffffff81000100), "second");
	assert_string_equal(kallsyms__find(symbols, 0xffffffff81000299), "third");
	assert_null(kallsyms__find(symbols, 0xffffffff80ffffff));
	assert_null(kallsyms__find(symbols, 0));
	kallsyms__free(symbols);
}

/* Code of a module that is gone, or of a program, lies far behind the last function. */
TEST(an_address_far_behind_belongs_to_none)
{
	struct kallsyms *symbols = read_symbols("ffffffff81000000 T last\n");

	assert_string_equal(kallsyms__find(symbols, 0xffffffff810fffff), "last");
	assert_null(kallsyms__find(symbols, 0xffffffff81100000));
	assert_null(kallsyms__find(symbols, ~0ull));
	kallsyms__free(symbols);
}

TEST(modules_come_in_any_order_and_are_named)
{
	struct kallsyms *symbols = read_symbols("ffffffffc0001000 t late\t[nf_tables]\n"
						"ffffffffc0000000 t early\t[nf_tables]\n"
						"ffffffff81000000 T kernel\n");

	assert_string_equal(kallsyms__find(symbols, 0xffffffffc0000010), "early [nf_tables]");
	assert_string_equal(kallsyms__find(symbols, 0xffffffffc0001010), "late [nf_tables]");
	kallsyms__free(symbols);
}

TEST(data_and_padding_are_no_functions)
{
	struct kallsyms *symbols = read_symbols("ffffffff81000000 T function\n"
						"ffffffff81000010 D data\n"
						"ffffffff81000020 t __pfx_next\n"
						"no line\n\n"
						"ffffffff81000030 T next\n");

	assert_string_equal(kallsyms__find(symbols, 0xffffffff81000025), "function");
	assert_string_equal(kallsyms__find(symbols, 0xffffffff81000031), "next");
	kallsyms__free(symbols);
}

TEST(the_first_of_several_names_counts)
{
	struct kallsyms *symbols = read_symbols("ffffffff81000000 T one\n"
						"ffffffff81000000 T two\n"
						"ffffffff81000000 T three\n");

	assert_string_equal(kallsyms__find(symbols, 0xffffffff81000001), "one");
	kallsyms__free(symbols);
}

TEST(hidden_addresses_and_a_missing_file_are_errors)
{
	assert_null(read_symbols("0000000000000000 T one\n0000000000000000 T two\n"));
	assert_int_equal(errno, EACCES);
	assert_null(read_symbols(""));
	assert_int_equal(errno, EACCES);
	assert_null(kallsyms__new("/nowhere/kallsyms"));
	assert_int_equal(errno, ENOENT);
}

TEST(there_may_be_many)
{
	static char text[ENTRIES * 40];
	struct kallsyms *symbols;
	size_t size = 0;

	for (int i = 0; i < ENTRIES; i++)
		size += snprintf(text + size, sizeof(text) - size, "%016llx t f%d\n",
				 0xffffffff81000000ull + i * 16, i);
	symbols = read_symbols(text);
	assert_non_null(symbols);
	assert_string_equal(kallsyms__find(symbols, 0xffffffff81000000 + 77777 * 16 + 15),
			    "f77777");
	kallsyms__free(symbols);
}
