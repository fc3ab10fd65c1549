/* SPDX-License-Identifier: BSD-2-Clause */
#include "support/build.h"

#include "analysis/breakdown/blame.h"
#include "bpf/record_stacks.h"

enum { SERVER = 100, CLIENT = 101, TASK = 500, KTHREAD = 600, NAMELESS = 700 };

static struct cpu_shares shares; /* these two are too large for the stack */
static struct blames blames;

static struct roles *run_roles;

static void name(struct names *names, uint32_t kind, uint32_t id, uint64_t since_ns,
		 const char *comm, uint32_t flags)
{
	struct record_name record = make_name(kind, id, since_ns, comm);

	record.flags = flags;
	record.policy = flags ? 1 : 0;
	record.priority = flags ? 49 : 120;
	assert_int_equal(names__add(names, &record), 0);
}

static int setup(void **state)
{
	const struct record_role client = make_role(CLIENT, ROLE_CLIENT, 1);
	struct names *names = names__new();

	*state = names;
	run_roles = roles__new();
	assert_int_equal(roles__add(run_roles, &client), 0);
	shares.cnt = blames.cnt = 0;
	name(names, SLICE_TASK, TASK, 0, "stress", 0);
	name(names, SLICE_TASK, KTHREAD, 0, "kworker/0:1", NAME_KTHREAD);
	name(names, SLICE_IRQ, 5, 0, "virtio0", 0);
	return 0;
}

static int teardown(void **state)
{
	names__free(*state);
	roles__free(run_roles);
	return 0;
}

EACH_TEST(setup, teardown)

/* The shares so far become a segment of a message that `sender_tid` sent. */
static void add_from(struct names *names, uint32_t sender_tid)
{
	const struct blame_roles roles = {.sender_tid = sender_tid, .roles = run_roles};

	blame_add(&blames, &shares, names, &roles);
	shares.cnt = 0;
}

static void add(struct names *names)
{
	add_from(names, SERVER);
}

/* Appends `ns` to the shares of the present segment. */
static void share(uint32_t kind, uint32_t id, uint64_t ns)
{
	uint64_t from_ns = shares.cnt ? shares.share[shares.cnt - 1].to_ns : 1000;

	assert_true(shares.cnt < CPU_SHARES_MAX);
	shares.share[shares.cnt++] = (struct cpu_share){.from_ns = from_ns,
							.to_ns = from_ns + ns,
							.kind = kind,
							.id = id,
							.seen_ns = from_ns + ns};
}

/* A segment of its own. */
static void add_share(struct names *names, uint32_t kind, uint32_t id, uint64_t ns)
{
	share(kind, id, ns);
	add(names);
}

static uint64_t total_ns(void)
{
	uint64_t sum_ns = 0;

	for (uint32_t i = 0; i < blames.cnt; i++)
		sum_ns += blames.blame[i].ns;
	return sum_ns;
}

static const struct blame *blame_of(uint32_t kind, uint32_t tid)
{
	for (uint32_t i = 0; i < blames.cnt; i++) {
		if (blames.blame[i].kind == kind && blames.blame[i].tid == tid)
			return &blames.blame[i];
	}
	fail_msg("no blame for %u", tid);
	return NULL;
}

static void assert_blame(uint32_t kind, uint32_t tid, enum blame_class class, uint64_t ns)
{
	assert_int_equal(blame_of(kind, tid)->class, class);
	assert_int_equal(blame_of(kind, tid)->ns, ns);
}

TEST(every_kind_of_share_has_a_class)
{
	share(SLICE_TASK, 0, 1);
	share(SLICE_TASK, SERVER, 2);
	share(SLICE_TASK, CLIENT, 3);
	share(SLICE_TASK, TASK, 4);
	share(SLICE_TASK, KTHREAD, 5);
	share(SLICE_IRQ, 5, 6);
	share(SLICE_SOFTIRQ, 3, 7);
	share(SHARE_UNKNOWN, 0, 8);
	share(SHARE_THROTTLED, 0, 9);
	add(*state);
	assert_int_equal(blames.cnt, 9);
	assert_blame(SLICE_TASK, 0, BLAME_IDLE, 1);
	assert_blame(SLICE_TASK, SERVER, BLAME_SERVER, 2);
	assert_blame(SLICE_TASK, CLIENT, BLAME_CLIENT, 3);
	assert_blame(SLICE_TASK, TASK, BLAME_TASK, 4);
	assert_blame(SLICE_TASK, KTHREAD, BLAME_KTHREAD, 5);
	assert_blame(SLICE_IRQ, 5, BLAME_IRQ, 6);
	assert_blame(SLICE_SOFTIRQ, 3, BLAME_SOFTIRQ, 7);
	assert_blame(SHARE_UNKNOWN, 0, BLAME_UNKNOWN, 8);
	assert_blame(SHARE_THROTTLED, 0, BLAME_THROTTLED, 9);
}

TEST(a_client_that_sends_is_a_client)
{
	share(SLICE_TASK, CLIENT, 3);
	add_from(*state, CLIENT);
	assert_blame(SLICE_TASK, CLIENT, BLAME_CLIENT, 3);
}

TEST(names_and_priorities_come_from_the_names)
{
	share(SLICE_TASK, TASK, 4);
	share(SLICE_TASK, KTHREAD, 5);
	share(SLICE_IRQ, 5, 6);
	share(SLICE_SOFTIRQ, 3, 7);
	share(SLICE_TASK, NAMELESS, 8);
	add(*state);
	assert_string_equal(blame_of(SLICE_TASK, TASK)->comm, "stress");
	assert_int_equal(blame_of(SLICE_TASK, TASK)->priority, 120);
	assert_string_equal(blame_of(SLICE_TASK, KTHREAD)->comm, "kworker/0:1");
	assert_int_equal(blame_of(SLICE_TASK, KTHREAD)->policy, 1);
	assert_int_equal(blame_of(SLICE_TASK, KTHREAD)->priority, 49);
	assert_string_equal(blame_of(SLICE_IRQ, 5)->comm, "virtio0");
	assert_string_equal(blame_of(SLICE_SOFTIRQ, 3)->comm, "net_rx");
	assert_string_equal(blame_of(SLICE_TASK, NAMELESS)->comm, "");
}

TEST(a_thread_in_several_segments_is_one_blame)
{
	share(SLICE_TASK, TASK, 10);
	share(SLICE_IRQ, 5, 1);
	share(SLICE_TASK, TASK, 20);
	add(*state);
	share(SLICE_TASK, TASK, 30);
	add(*state);
	assert_int_equal(blames.cnt, 2);
	assert_blame(SLICE_TASK, TASK, BLAME_TASK, 60);
	assert_blame(SLICE_IRQ, 5, BLAME_IRQ, 1);
}

TEST(an_interrupt_is_not_the_thread_of_the_same_number)
{
	share(SLICE_TASK, 5, 10);
	share(SLICE_IRQ, 5, 20);
	share(SLICE_SOFTIRQ, 5, 30);
	add(*state);
	assert_int_equal(blames.cnt, 3);
	assert_blame(SLICE_TASK, 5, BLAME_TASK, 10);
	assert_blame(SLICE_IRQ, 5, BLAME_IRQ, 20);
	assert_blame(SLICE_SOFTIRQ, 5, BLAME_SOFTIRQ, 30);
}

TEST(the_largest_blame_comes_first)
{
	share(SLICE_TASK, TASK, 10);
	share(SLICE_TASK, KTHREAD, 30);
	share(SLICE_SOFTIRQ, 3, 20);
	share(SLICE_IRQ, 5, 20);
	share(SLICE_TASK, SERVER, 20);
	add(*state);
	blame_sort(&blames);
	assert_int_equal(blames.blame[0].tid, KTHREAD);
	assert_int_equal(blames.blame[1].tid, SERVER);
	assert_int_equal(blames.blame[2].class, BLAME_IRQ);
	assert_int_equal(blames.blame[3].class, BLAME_SOFTIRQ);
	assert_int_equal(blames.blame[4].tid, TASK);
}

TEST(without_a_wait_there_is_no_blame)
{
	add(*state);
	blame_sort(&blames);
	assert_int_equal(blames.cnt, 0);
}

TEST(more_threads_than_fit_still_add_up)
{
	for (uint32_t i = 0; i < 3 * BLAMES_MAX; i++)
		add_share(*state, SLICE_TASK, 1000 + i, 1 + i);
	add_share(*state, SLICE_TASK, TASK, 7);
	blame_sort(&blames);
	assert_int_equal(blames.cnt, BLAMES_MAX);
	assert_int_equal(total_ns(), 3 * BLAMES_MAX * (3 * BLAMES_MAX + 1) / 2 + 7);
	assert_int_equal(blames.blame[0].class, BLAME_UNKNOWN);
}

/* Its first thread has the number of the process, the others name it. Its namer is another one. */
TEST(a_thread_of_ipctrace_itself_has_a_class_of_its_own)
{
	const struct blame_roles own = {
		.sender_tid = SERVER, .tracer_pid = 700, .roles = run_roles};
	struct record_process process = {
		.head = {.type = RECORD_PROCESS, .words = RECORD_WORDS(process), .tid = 702},
		.pid = 700,
		.since_ns = 0,
		.comm = "ipctrace"};

	name(*state, SLICE_TASK, 700, 0, "renamed", 0);
	name(*state, SLICE_TASK, 702, 0, "watch", 0);
	name(*state, SLICE_TASK, 801, 0, "ipctrace", 0);
	name(*state, SLICE_TASK, 802, 0, "ipctrace700", 0);
	name(*state, SLICE_TASK, 803, 0, "ipctrace70", 0);
	names__add_process(*state, &process);
	share(SLICE_TASK, 700, 40);
	share(SLICE_TASK, 702, 30);
	share(SLICE_TASK, 801, 20);
	share(SLICE_TASK, 802, 50);
	share(SLICE_TASK, 803, 10);
	blame_add(&blames, &shares, *state, &own);
	blame_sort(&blames);
	assert_int_equal(blames.blame[0].tid, 802);
	assert_int_equal(blames.blame[0].class, BLAME_IPCTRACE);
	assert_int_equal(blames.blame[1].class, BLAME_IPCTRACE);
	assert_int_equal(blames.blame[2].class, BLAME_IPCTRACE);
	assert_int_equal(blames.blame[3].class, BLAME_TASK);
	assert_int_equal(blames.blame[4].tid, 803);
	assert_int_equal(blames.blame[4].class, BLAME_TASK);
}

/* The commands of --on-slow, whatever their names are. */
TEST(what_ipctrace_has_started_is_its_own)
{
	name(*state, SLICE_TASK, 801, 0, "gzip", NAME_OWN);
	name(*state, SLICE_TASK, 802, 0, "gzip", 0);
	share(SLICE_TASK, 801, 40);
	share(SLICE_TASK, 802, 30);
	add(*state);
	blame_sort(&blames);
	assert_int_equal(blames.blame[0].class, BLAME_IPCTRACE);
	assert_int_equal(blames.blame[1].class, BLAME_TASK);
}

TEST(without_its_process_ipctrace_is_known_by_its_name)
{
	name(*state, SLICE_TASK, 801, 0, "ipctrace", 0);
	name(*state, SLICE_TASK, 802, 0, "ipctrace-cl-1", 0);
	share(SLICE_TASK, 801, 40);
	share(SLICE_TASK, 802, 30);
	add(*state);
	blame_sort(&blames);
	assert_int_equal(blames.blame[0].class, BLAME_IPCTRACE);
	assert_int_equal(blames.blame[1].class, BLAME_TASK);
}

TEST(the_rest_is_one_unknown_share)
{
	uint32_t unknown = 0;

	for (uint32_t i = 0; i < 3 * BLAMES_MAX; i++)
		add_share(*state, i % 2 ? SLICE_TASK : SLICE_IRQ, 1000 + i, 1);
	add_share(*state, SHARE_UNKNOWN, 0, 1);
	for (uint32_t i = 0; i < blames.cnt; i++)
		unknown += blames.blame[i].class == BLAME_UNKNOWN;
	assert_int_equal(unknown, 1);
	assert_int_equal(blame_of(SHARE_UNKNOWN, 0)->comm[0], 0);
}

/* As many threads as the table has room for, and then the first one again. */
TEST(a_known_thread_gets_its_share_when_the_table_is_full)
{
	for (uint32_t i = 0; i < BLAMES_MAX - 1; i++)
		add_share(*state, SLICE_TASK, 1000 + i, 1);
	add_share(*state, SLICE_TASK, 1000, 50);
	assert_blame(SLICE_TASK, 1000, BLAME_TASK, 51);
	assert_int_equal(total_ns(), BLAMES_MAX - 1 + 50);
	assert_int_equal(blames.cnt, BLAMES_MAX - 1);

	/* Two new threads, and then the last known one again. */
	add_share(*state, SLICE_TASK, TASK, 3);
	add_share(*state, SLICE_IRQ, 5, 4);
	add_share(*state, SLICE_TASK, 1000 + BLAMES_MAX - 2, 60);
	assert_int_equal(blames.cnt, BLAMES_MAX);
	assert_blame(SHARE_UNKNOWN, 0, BLAME_UNKNOWN, 7);
	assert_blame(SLICE_TASK, 1000 + BLAMES_MAX - 2, BLAME_TASK, 61);
	assert_int_equal(total_ns(), BLAMES_MAX - 1 + 50 + 7 + 60);
}

/* An unknown share came first: what no longer fits is added to it. */
TEST(the_rest_joins_what_was_unknown_before)
{
	add_share(*state, SHARE_UNKNOWN, 0, 5);
	for (uint32_t i = 0; i < BLAMES_MAX + 10; i++)
		add_share(*state, SLICE_TASK, 1000 + i, 1);
	assert_int_equal(blames.cnt, BLAMES_MAX - 1);
	assert_blame(SHARE_UNKNOWN, 0, BLAME_UNKNOWN, 5 + 12);
	assert_int_equal(total_ns(), BLAMES_MAX + 10 + 5);
}

TEST(an_entry_has_the_cpu_that_was_waited_for)
{
	blames.cpu = 3;
	add_share(*state, SLICE_TASK, TASK, 10);
	add_share(*state, SLICE_TASK, KTHREAD, 10);
	blames.cpu = 5;
	add_share(*state, SLICE_TASK, KTHREAD, 10);
	add_share(*state, SLICE_IRQ, 5, 10);
	assert_int_equal(blames.cnt, 3);
	assert_int_equal(blames.blame[0].cpu, 3);
	assert_int_equal(blames.blame[1].cpu, BLAME_CPU_SEVERAL);
	assert_int_equal(blames.blame[2].cpu, 5);
}

TEST(throttled_threads_wait_for_no_cpu)
{
	const struct blame_roles roles = {.sender_tid = SERVER, .roles = run_roles};
	const struct cpu_wait wait = {
		.cpu = SEGMENT_CPU_THROTTLED, .from_ns = 10, .to_ns = 30, .began_ns = 10};

	blames.cpu = 3;
	blame_add_wait(&blames, NULL, &wait, *state, &roles);
	assert_int_equal(blames.cnt, 1);
	assert_int_equal(blames.blame[0].cpu, BLAME_CPU_UNKNOWN);
}

/* What the host took is no time of the task that was to run; the shares still add up. */
TEST(stolen_time_is_taken_from_those_that_ran)
{
	const struct record_stolen record = {
		.head = {.cpu = 3}, .from_ns = 1000, .to_ns = 1100, .stolen_ns = 30};
	struct blame_roles roles = {.roles = run_roles, .deep = deep_events__new()};

	assert_int_equal(deep_events__add(roles.deep, &record.head), 0);
	shares.share[0] =
		(struct cpu_share){.from_ns = 1000, .to_ns = 1100, .kind = SLICE_TASK, .id = TASK};
	shares.share[1] = (struct cpu_share){
		.from_ns = 1100, .to_ns = 1150, .kind = SLICE_TASK, .id = KTHREAD};
	shares.cnt = 2;
	blames.cpu = 3;
	blame_add(&blames, &shares, *state, &roles);
	shares.cnt = 0;
	assert_blame(SLICE_TASK, TASK, BLAME_TASK, 70);
	assert_blame(SHARE_STOLEN, 0, BLAME_STEAL, 30);
	assert_blame(SLICE_TASK, KTHREAD, BLAME_KTHREAD, 50);
	assert_int_equal(blames.cnt, 3);
	deep_events__free(roles.deep);
}

/* A service may have threads of several groups. */
TEST(bandwidth_control_has_the_name_of_its_group)
{
	static const char *const group[] = {"/web.slice/app.service", NULL, "/batch",
					    "/web.slice/app.service"};

	for (size_t i = 0; i < ARRAY_SIZE(group); i++) {
		const struct blame_roles roles = {.roles = run_roles, .group = group[i]};

		share(SHARE_THROTTLED, 0, 10);
		share(SLICE_TASK, TASK, 1);
		blame_add(&blames, &shares, *state, &roles);
		shares.cnt = 0;
	}
	assert_int_equal(blames.cnt, 4);
	assert_string_equal(blames.blame[0].comm, "app.service");
	assert_int_equal(blames.blame[0].ns, 20);
	assert_int_equal(blames.blame[1].ns, 4);
	assert_string_equal(blames.blame[2].comm, "");
	assert_string_equal(blames.blame[3].comm, "batch");
}
