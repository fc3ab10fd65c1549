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

static struct CMUnitTest tests[TESTS_MAX];
static bool has_own_fixture[TESTS_MAX];
static size_t test_cnt;
static struct fixture each, all;

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

int main(void)
{
	for (size_t i = 0; i < test_cnt; i++) {
		if (!has_own_fixture[i]) {
			tests[i].setup_func = each.set_up;
			tests[i].teardown_func = each.tear_down;
		}
	}
	return _cmocka_run_group_tests("tests", tests, test_cnt, all.set_up, all.tear_down);
}
