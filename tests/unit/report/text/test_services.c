/* SPDX-License-Identifier: BSD-2-Clause */
/* The text report: the services that answered calls, and their clients. */
#include "support/build.h"
#include "support/page.h"
#include "support/sample.h"

#include <stdlib.h>

static void services_are_shown_with_their_clients(void **state)
{
	struct summary summary;

	sample_attach(&summary);
	assert_shows_not(&summary, "services (us)");
	sample_services(&summary);
	summary.duration_s = 2;
	assert_shows(&summary, "round trip: service: services (us) calls per s p50 p99 max mean "
			       "unsure postgres (pid 700) on "
			       "/run/x.sock, called by psql (pid 812) 4 2 10.0 10.0 10.0 3.0 25 %");
	assert_shows(&summary,
		     "Xorg (pid 900) on @/tmp/.X11-unix/X0, called by other clients 2 1 - - - - "
		     "100 %");
	summary.calls.service_of[1].server = (struct end_summary){0};
	assert_shows(&summary, "other services on @/tmp/.X11-unix/X0, called by other clients");
	sample_free(&summary);
}

static void further_services_are_in_json(void **state)
{
	struct summary summary;

	sample_attach(&summary);
	summary.calls.service_of = calloc(11, sizeof(*summary.calls.service_of));
	assert_non_null(summary.calls.service_of);
	summary.calls.service_cnt = 11;
	assert_shows(&summary, "and 3 more, see -f json");
	sample_free(&summary);
}

static void calls_at_level_light_say_what_they_lack(void **state)
{
	struct summary summary;

	sample_attach(&summary);
	assert_shows_not(&summary, "a round trip begins");
	summary.info.level = LEVEL_LIGHT;
	assert_shows(&summary, "level light a round trip begins when its request can be read and "
			       "ends when the kernel hands over its answer: it lacks the send path "
			       "of the request and the end of the last receive call");
	sample_free(&summary);
	sample_paced(&summary, "request", 2);
	summary.info.level = LEVEL_LIGHT;
	assert_shows_not(&summary, "a round trip begins");
	sample_free(&summary);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(services_are_shown_with_their_clients),
		cmocka_unit_test(further_services_are_in_json),
		cmocka_unit_test(calls_at_level_light_say_what_they_lack),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
