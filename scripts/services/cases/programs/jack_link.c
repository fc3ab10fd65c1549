/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A link of a chain of JACK clients: jack_link NUMBER SPIN_US NOTES
 * It notes when each of its cycles began. Its input is the output of the link before it.
 */
#include <jack/jack.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define CYCLES_MAX 200000
#define NS_PER_S 1000000000ull

static unsigned long long began[CYCLES_MAX], spin_ns;
static unsigned cnt;
static jack_port_t *in, *out;

static unsigned long long now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * NS_PER_S + now.tv_nsec;
}

static int cycle(jack_nframes_t frames, void *unused)
{
	unsigned long long begin = now_ns();

	(void)unused;
	memcpy(jack_port_get_buffer(out, frames), jack_port_get_buffer(in, frames),
	       frames * sizeof(jack_default_audio_sample_t));
	while (now_ns() - begin < spin_ns)
		;
	if (cnt < CYCLES_MAX)
		began[cnt++] = begin;
	return 0;
}

static void wait_for_go(const char *notes)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s.ready", notes);
	fclose(fopen(path, "w"));
	snprintf(path, sizeof(path), "%s.go", notes);
	while (access(path, F_OK))
		usleep(20000);
}

static void write_notes(const char *notes)
{
	FILE *file = fopen(notes, "w");
	unsigned noted = cnt;

	fprintf(file, "{\"began\": [");
	for (unsigned i = 0; i < noted; i++)
		fprintf(file, "%s%llu", i ? ", " : "", began[i]);
	fprintf(file, "]}\n");
	fclose(file);
}

int main(int argc, char **argv)
{
	int number = argc == 4 ? atoi(argv[1]) : -1;
	char name[32], before[64], mine[64];
	jack_client_t *client;

	if (number < 0)
		return 2;
	spin_ns = atoll(argv[2]) * 1000;
	snprintf(name, sizeof(name), "link-%d", number);
	prctl(PR_SET_NAME, name); /* its threads inherit it */
	client = jack_client_open(name, JackNoStartServer, NULL);
	if (!client) {
		fprintf(stderr, "jack_link: no server\n");
		return 1;
	}
	in = jack_port_register(client, "in", JACK_DEFAULT_AUDIO_TYPE, JackPortIsInput, 0);
	out = jack_port_register(client, "out", JACK_DEFAULT_AUDIO_TYPE, JackPortIsOutput, 0);
	jack_set_process_callback(client, cycle, NULL);
	jack_activate(client);
	snprintf(before, sizeof(before), "link-%d:out", number - 1);
	snprintf(mine, sizeof(mine), "link-%d:in", number);
	if (number && jack_connect(client, before, mine)) {
		fprintf(stderr, "jack_link: cannot connect %s to %s\n", before, mine);
		return 1;
	}
	wait_for_go(argv[3]);
	write_notes(argv[3]);
	_exit(0); /* the library's own end waits for its server */
}
