/* SPDX-License-Identifier: BSD-2-Clause */
/* The text report: the services that answered calls, and their clients. */
#include "support/build.h"
#include "support/capture.h"
#include "support/page.h"
#include "support/sample.h"

#include <stdlib.h>
#include <string.h>

TEST(services_are_shown_with_their_clients)
{
	struct summary *summary = sample_attach();

	assert_shows_not(summary, "services (us)");
	sample_services(summary);
	summary->duration_s = 2;
	assert_shows(summary, "round trip: service: services (us) calls per s p50 p99 max mean "
			      "unsure postgres (pid 700) on "
			      "/run/x.sock, called by psql (pid 812) 4 2 10.0 - 10.0 3.0 25 %");
	assert_shows(summary,
		     "Xorg (pid 900) on @/tmp/.X11-unix/X0, called by other clients 2 1 - - - - "
		     "100 %");
	summary->calls.service_of[1].server = (struct end_summary){0};
	assert_shows(summary, "other services on @/tmp/.X11-unix/X0, called by other clients");
}

TEST(further_services_are_in_json)
{
	struct summary *summary = sample_attach();

	summary->calls.service_of = calloc(11, sizeof(*summary->calls.service_of));
	assert_non_null(summary->calls.service_of);
	summary->calls.service_cnt = 11;
	for (uint32_t i = 0; i < 11; i++)
		summary->calls.service_of[i].server.pid = 1 + i;
	assert_shows(summary, "and 3 more, see -f json");
}

TEST(calls_at_level_light_say_what_they_lack)
{
	struct summary *summary = sample_attach();

	assert_shows_not(summary, "a round trip begins");
	summary->info.level = LEVEL_LIGHT;
	assert_shows(summary, "level light a round trip begins when its request can be read and "
			      "ends when the kernel hands over its answer: it lacks the send path "
			      "of the request and the end of the last receive call");
	summary = sample_paced("request", 2);
	summary->info.level = LEVEL_LIGHT;
	assert_shows_not(summary, "a round trip begins");
}

TEST(clients_of_one_name_are_one_row)
{
	struct service_summary *service = calloc(5, sizeof(*service));
	struct summary *summary = sample_attach();
	char *text;

	assert_non_null(service);
	summary->calls.service_of = service;
	summary->calls.service_cnt = 5;
	for (uint32_t i = 0; i < 5; i++) {
		service[i] = (struct service_summary){.server = {.pid = 5, .comm = "logd"},
						      .client = {.pid = 10 + i, .comm = "logger"},
						      .name = "/run/log",
						      .count = 2};
		for (int k = 0; k < 2; k++) {
			stat_add(&service[i].round_trip, 1000 * (1 + i));
			stat_add(&service[i].service, 500);
		}
	}
	text = shown(summary);
	assert_has(text, "logd (pid 5) on /run/log, called by 5 x logger 10 10 3.0 - 5.0 0.5 0 %");
	strcpy(service[0].client.comm, "other");
	strcpy(service[1].client.comm, "other");
	text = shown(summary);
	assert_has(text, "logd (pid 5) on /run/log, called by logger (pid 12)");
	assert_has(text, "logd (pid 5) on /run/log, called by other (pid 10)");
}

/* A script that is executed by its name has it already, perhaps cut by the kernel. */
TEST(an_interpreter_is_shown_with_its_script)
{
	static const struct {
		const char *comm, *script, *title;
	} cases[] = {
		{"python3", "/srv/worker.py", "python3 worker.py (pid 700) on"},
		{"python3", "-m http.server", "python3 -m http.server (pid 700) on"},
		{"java", "-jar /opt/x/app.jar", "java -jar app.jar (pid 700) on"},
		{"worker.py", "/srv/worker.py", "worker.py (pid 700) on"},
		{"a-script-of-16.", "/a-script-of-16.py", "a-script-of-16.py (pid 700) on"},
		{"work", "worker.py", "work worker.py (pid 700) on"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct summary *summary = sample_attach();

		sample_services(summary);
		sample_names(summary);
		strcpy(summary->script[0].text, cases[i].script);
		strcpy(summary->calls.service_of[0].server.comm, cases[i].comm);
		assert_shows(summary, cases[i].title);
	}
}

/* Each of two clients calls each of two workers, and one worker the other. */
static struct summary *sample_workers(void)
{
	struct service_summary *service = calloc(5, sizeof(*service));
	struct summary *summary = sample_attach();

	assert_non_null(service);
	summary->calls.service_of = service;
	summary->calls.service_cnt = 5;
	for (uint32_t i = 0; i < 5; i++) {
		service[i] = (struct service_summary){
			.server = {.pid = i % 2 ? 11 : 12, .comm = "gunicorn"},
			.client = {.pid = 20 + i / 2, .comm = "wrk"},
			.name = "127.0.0.1:8000",
			.count = 2 + i % 2,
		};
		for (uint64_t k = 0; k < service[i].count; k++) {
			stat_add(&service[i].round_trip, 1000);
			stat_add(&service[i].request, 100);
			stat_add(&service[i].service, 800);
			stat_add(&service[i].response, 100);
		}
	}
	service[4].client = (struct end_summary){.pid = 11, .comm = "gunicorn"};
	summary->calls.count = 12;
	return summary;
}

TEST(processes_of_one_program_behind_one_name_are_one_service)
{
	struct summary *summary = sample_workers();

	summary->duration_s = 1;
	assert_shows(summary,
		     "gunicorn (2 processes) on 127.0.0.1:8000, called by 3 clients 12 12 1.0");
	assert_shows(summary, "of these, gunicorn (pid 11) 6 6 1.0");
	assert_shows(summary, "of these, gunicorn (pid 12) 6 6 1.0");
	strcpy(summary->calls.service_of[4].client.comm, "wrk");
	assert_shows(summary, "on 127.0.0.1:8000, called by 3 x wrk 12");
	strcpy(summary->calls.service_of[0].server.comm, "other");
	strcpy(summary->calls.service_of[2].server.comm, "other");
	strcpy(summary->calls.service_of[4].server.comm, "other");
	assert_shows_not(summary, "processes)");
}

/* They come from no client, and are a part of the others. */
TEST(calls_of_a_service_to_itself_are_not_those_of_its_clients)
{
	struct summary *summary = sample_workers();

	assert_shows(summary, "gunicorn (pid 11) and 1 more process on 127.0.0.1:8000");
	assert_shows(summary, ": 10 of 12 calls");
}

/* A service without any other client: then there are no calls of which they are a part. */
TEST(calls_of_a_service_to_itself_alone_are_its_calls)
{
	struct summary *summary = sample_workers();
	struct service_summary *service = summary->calls.service_of;

	for (uint32_t i = 0; i < summary->calls.service_cnt; i++)
		service[i].client = (struct end_summary){.pid = 11, .comm = "gunicorn"};
	summary->calls.count = 24;
	assert_shows(summary,
		     "gunicorn (pid 11) and 1 more process on 127.0.0.1:8000: 12 of 24 calls");
}
