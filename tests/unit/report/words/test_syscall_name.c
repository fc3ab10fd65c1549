/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of system calls by architecture. */
#include "support/build.h"

#include "report/words/labels.h"

static void assert_name(const char *arch, uint16_t number, const char *expected)
{
	char name[NAME_LEN];

	syscall_name(arch, number, name);
	assert_string_equal(name, expected);
}

TEST(numbers_are_those_of_the_traced_machine)
{
	assert_name("x86_64", 0, "read");
	assert_name("x86_64", 202, "futex");
	assert_name("x86_64", 230, "clock_nanosleep");
	assert_name("aarch64", 98, "futex");
	assert_name("aarch64", 63, "read");
	assert_name("aarch64", 115, "clock_nanosleep");
	assert_name("x86_64", 232, "epoll_wait");
	assert_name("riscv64", 98, "futex");
}

TEST(unknown_numbers_stay_numbers)
{
	assert_name("x86_64", 511, "call 511");
	assert_name("x86_64", 9999, "call 9999");
	assert_name("vax", 202, "call 202");
	assert_name("", 202, "call 202");
}

TEST(sleeps_without_a_number_have_words)
{
	assert_name("x86_64", CALL_OUTSIDE, "no call");
	assert_name("x86_64", CALL_STOPPED, "stopped");
	assert_name("x86_64", CALL_UNKNOWN, "unknown");
	assert_name("x86_64", CALL_OTHERS, "others");
}
