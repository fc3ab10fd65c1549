/* SPDX-License-Identifier: BSD-2-Clause */
/* The text report: the channels of an attach, and the clients of its rounds. */
#include "support/build.h"
#include "support/capture.h"
#include "support/page.h"
#include "support/sample.h"

#include <linux/sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void channels_are_shown_with_their_ends(void **state)
{
	struct summary summary;
	char *text;

	sample_attach(&summary);
	text = shown(&summary);
	assert_has(text, "uds-stream /run/x.sock: psql (pid 812) > postgres (pid 700)");
	assert_has(text, "uds-stream /run/x.sock: postgres (pid 700) > psql (pid 812)");
	assert_has(text, "3 other channels");
	assert_numbers_are_numbers(text);
	free(text);
	summary.channel[0].sender.pid = TID_OUTSIDE | 812;
	assert_shows(&summary, "uds-stream /run/x.sock: psql (outside) > postgres (pid 700)");
	sample_free(&summary);
}

/* The clients of a round have numbers in the table, and names below it. */
static void listeners_of_an_attach_have_names(void **state)
{
	struct summary summary;

	sample_summary(&summary, 3);
	summary.info.mode = MODE_ATTACH;
	snprintf(summary.client[1].comm, sizeof(summary.client[1].comm), "jack_metro");
	summary.client[1].tid = 4711;
	summary.client[2].tid = 0;
	snprintf(summary.client[2].comm, sizeof(summary.client[2].comm), "others");
	assert_shows(&summary, "2 jack_metro (tid 4711), 3 others");
	sample_free(&summary);
}

/* A bar with a letter for each part. A process without a name is '?'. */
static void channels_have_bars_of_their_parts(void **state)
{
	struct summary summary;
	struct component_sum *sum;
	char *text;

	sample_attach(&summary);
	sum = &summary.channel[0].components;
	memset(sum->ns, 0, sizeof(sum->ns));
	sum->ns[COMPONENT_SEND_PATH] = 100;
	sum->ns[COMPONENT_RUNQUEUE] = 250;
	sum->ns[COMPONENT_BUSY] = 50;
	sum->ns[COMPONENT_RECEIVE] = 100;
	memset(summary.channel[1].components.ns, 0, sizeof(sum->ns));
	summary.channel[1].transport = 0;
	summary.channel[1].name[0] = summary.channel[1].sender.comm[0] = '\0';
	text = shown(&summary);
	assert_has(text, " ssssqqqqqqqqqbbrrr ");
	assert_has(text, "q run queue");
	assert_has(text, "? ?: ? (pid 700) > psql (pid 812)");
	assert_null(strstr(text, "(null)"));
	free(text);
	assert_shows(&summary, "bars sender: s send path o room; receiver: w wakeup q run queue");
	summary.info.level = LEVEL_LIGHT;
	assert_shows(&summary, "bars receiver: w wakeup q run queue");
	sample_free(&summary);
}

static void without_channels_there_is_no_table_of_them(void **state)
{
	struct summary summary;

	sample_summary(&summary, 2);
	assert_shows_not(&summary, "channels");
	sample_free(&summary);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(channels_are_shown_with_their_ends),
		cmocka_unit_test(channels_have_bars_of_their_parts),
		cmocka_unit_test(listeners_of_an_attach_have_names),
		cmocka_unit_test(without_channels_there_is_no_table_of_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
