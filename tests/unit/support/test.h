/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A test is written once: TEST() defines its function and registers it, and the main() that all
 * programs share (test.c) runs what is registered, in the order of definition.
 */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* Runs at the start of the program, in the order of the file. */
#define TEST_CONSTRUCTOR(name) __attribute__((constructor)) static void name(void)

#define TEST_REGISTERED(name, set_up, tear_down, has_own_fixture)                                  \
	static void name(void **state);                                                            \
	TEST_CONSTRUCTOR(register_##name)                                                          \
	{                                                                                          \
		tests_register(&(struct CMUnitTest){#name, name, set_up, tear_down, NULL}, 1,      \
			       has_own_fixture);                                                   \
	}                                                                                          \
	static void name(void **state)

/* A test, with the fixture of EACH_TEST(), if the file has that. */
#define TEST(name) TEST_REGISTERED(name, NULL, NULL, false)

/* A test with a fixture of its own; NULL: without. */
#define TEST_WITH(name, set_up, tear_down) TEST_REGISTERED(name, set_up, tear_down, true)

/* Functions that are tests several times, as entries of cmocka. */
#define TEST_LIST(...)                                                                             \
	TEST_CONSTRUCTOR(register_list)                                                            \
	{                                                                                          \
		const struct CMUnitTest list[] = {__VA_ARGS__};                                    \
                                                                                                   \
		tests_register(list, sizeof(list) / sizeof(list[0]), true);                        \
	}

/* What cmocka calls around each TEST() of this program. */
#define EACH_TEST(set_up, tear_down)                                                               \
	TEST_CONSTRUCTOR(register_fixture)                                                         \
	{                                                                                          \
		tests_each(set_up, tear_down);                                                     \
	}

/*
 * Each TEST() of this program has an object of its own, which the expression `make` makes. `object`
 * is a variable, or *state.
 */
#define EACH_TEST_HAS(object, make, drop)                                                          \
	static int make_object(void **state)                                                       \
	{                                                                                          \
		object = make;                                                                     \
		return object ? 0 : -1;                                                            \
	}                                                                                          \
	static int drop_object(void **state)                                                       \
	{                                                                                          \
		drop(object);                                                                      \
		return 0;                                                                          \
	}                                                                                          \
	EACH_TEST(make_object, drop_object)

/* What cmocka calls before the first and after the last test of this program. */
#define ALL_TESTS(set_up, tear_down)                                                               \
	TEST_CONSTRUCTOR(register_group)                                                           \
	{                                                                                          \
		tests_all(set_up, tear_down);                                                      \
	}

/* The entries are copied. Their names and functions last as long as the program. */
void tests_register(const struct CMUnitTest *list, size_t cnt, bool have_own_fixture);

void tests_each(CMFixtureFunction set_up, CMFixtureFunction tear_down);

void tests_all(CMFixtureFunction set_up, CMFixtureFunction tear_down);

/*
 * Calls drop(thing) when the test ends, passed or failed, before its tear-down: the last thing
 * first. Returns `thing`, which must not be NULL.
 */
void *drop_after(void *thing, void (*drop)(void *thing));
