/* SPDX-License-Identifier: BSD-2-Clause */
/* The main() of every unit test: runs the tests that have registered themselves. */
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>

#define TESTS_MAX 1024

struct fixture {
	CMFixtureFunction set_up;
	CMFixtureFunction tear_down;
};

struct dropped {
	void *thing;
	void (*drop)(void *thing);
};

static struct CMUnitTest tests[TESTS_MAX];
static bool has_own_fixture[TESTS_MAX];
static size_t test_cnt;
static struct fixture each, all;
static struct fixture fixture_of[TESTS_MAX];
static size_t begun_cnt; /* tests run in their order */
static struct dropped *dropped;
static size_t dropped_cnt;

void tests_register(const struct CMUnitTest *list, size_t cnt, bool have_own_fixture)
{
	for (size_t i = 0; i < cnt; i++) {
		if (test_cnt == TESTS_MAX) {
			fprintf(stderr, "too many tests in one program: raise TESTS_MAX\n");
			abort();
		}
		has_own_fixture[test_cnt] = have_own_fixture;
		tests[test_cnt++] = list[i];
	}
}

void tests_each(CMFixtureFunction set_up, CMFixtureFunction tear_down)
{
	each = (struct fixture){set_up, tear_down};
}

void tests_all(CMFixtureFunction set_up, CMFixtureFunction tear_down)
{
	all = (struct fixture){set_up, tear_down};
}

void *drop_after(void *thing, void (*drop)(void *thing))
{
	assert_non_null(thing);
	dropped = realloc(dropped, (dropped_cnt + 1) * sizeof(*dropped));
	assert_non_null(dropped);
	dropped[dropped_cnt++] = (struct dropped){thing, drop};
	return thing;
}

static void drop_all(void)
{
	while (dropped_cnt) {
		struct dropped last = dropped[--dropped_cnt];

		last.drop(last.thing);
	}
	free(dropped);
	dropped = NULL;
}

static int begin_test(void **state)
{
	const struct fixture *fixture = &fixture_of[begun_cnt++];

	return fixture->set_up ? fixture->set_up(state) : 0;
}

static int end_test(void **state)
{
	const struct fixture *fixture = &fixture_of[begun_cnt - 1];

	drop_all();
	return fixture->tear_down ? fixture->tear_down(state) : 0;
}

int main(void)
{
	for (size_t i = 0; i < test_cnt; i++) {
		fixture_of[i] = has_own_fixture[i] ? (struct fixture){tests[i].setup_func,
								      tests[i].teardown_func}
						   : each;
		tests[i].setup_func = begin_test;
		tests[i].teardown_func = end_test;
	}
	return _cmocka_run_group_tests("tests", tests, test_cnt, all.set_up, all.tear_down);
}
