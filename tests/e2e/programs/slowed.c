// SPDX-License-Identifier: BSD-2-Clause
/*
 * Messages that are slow now and then for a known cause. A sender sends a datagram every PERIOD_NS
 * to a receiver. Something gets in the way of the receiver, and notes when.
 *
 *	slowed CAUSE RECEIVER_CPU OTHER_CPU COUNT FILE
 *
 * Prints "ready PID" of the receiver, begins at SIGUSR1, and at the end writes a line "BEGIN END"
 * for each disturbance to FILE, in nanoseconds of CLOCK_MONOTONIC. The causes:
 *
 *	spinner		a thread of a higher priority
 *	hogs		two of them take turns
 *	busy		the receiver has work for another process
 *	lock		a thread holds a mutex
 *	stop		SIGSTOP
 *	idle		the CPU is idle; else a thread of a lower priority keeps it awake
 *	flood		a softirq handles datagrams of another process
 *	burner		uses up the bandwidth of the group
 *	kworker		the kernel frees a map of BPF, in a worker of its own
 *	handler		calls: the receiver is a server that takes long for one of two clients
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <net/if.h>
#include <netinet/udp.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PERIOD_NS 1000000ULL  /* of messages */
#define EVERY_NS  97300000ULL /* of disturbances: not a multiple of the messages' period */
#define NOTED_MAX 65536
#define PRIORITY  50 /* of sender and receiver, where they are real-time threads */

/* What all processes share. */
static struct {
	volatile int begins;
	volatile int ended;
	volatile uint32_t noted;
	volatile uint64_t begin_ns[NOTED_MAX], end_ns[NOTED_MAX];
	pthread_mutex_t lock;
} * shared;

static int receiver_cpu, other_cpu, pair[2], elsewhere[2];
static uint32_t count;

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

static void sleep_until(uint64_t ns)
{
	struct timespec until = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
		;
}

static void fail(const char *what)
{
	fprintf(stderr, "slowed: %s: %s\n", what, strerror(errno));
	kill(0, SIGTERM);
	exit(EXIT_FAILURE);
}

static void be(const char *name, int cpu, int policy, int priority)
{
	struct sched_param param = {.sched_priority = priority};
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	prctl(PR_SET_NAME, name);
	if (sched_setaffinity(0, sizeof(cpus), &cpus) || sched_setscheduler(0, policy, &param))
		fail(name);
}

static void spin_until(uint64_t ns)
{
	while (now_ns() < ns)
		;
}

static void note(uint64_t begin_ns, uint64_t end_ns)
{
	uint32_t at = __sync_fetch_and_add(&shared->noted, 1);

	if (at >= NOTED_MAX)
		return;
	shared->begin_ns[at] = begin_ns;
	shared->end_ns[at] = end_ns;
}

static void wait_for_begin(void)
{
	while (!shared->begins)
		usleep(1000);
}

/* Disturbs for `ns` again and again, in a way that `act` knows. */
static void disturb(uint64_t ns, void act(uint64_t until_ns))
{
	wait_for_begin();
	for (uint64_t at_ns = now_ns() + EVERY_NS; !shared->ended; at_ns += EVERY_NS) {
		uint64_t begin_ns;

		sleep_until(at_ns);
		begin_ns = now_ns();
		act(begin_ns + ns);
		note(begin_ns, now_ns());
	}
}

static void run_spinner(void)
{
	be("rt-spinner", receiver_cpu, SCHED_RR, PRIORITY + 10);
	disturb(300000, spin_until);
}

/* The second hog runs when the first one is done. */
static int turn[2];

static void pass_turn(uint64_t until_ns)
{
	char byte = 0;

	spin_until(until_ns);
	if (write(turn[1], &byte, 1) != 1)
		fail("turn");
}

static void run_hog_a(void)
{
	be("hog-a", receiver_cpu, SCHED_RR, PRIORITY + 10);
	disturb(300000, pass_turn);
}

static void run_hog_b(void)
{
	char byte;

	be("hog-b", receiver_cpu, SCHED_RR, PRIORITY + 10);
	while (read(turn[0], &byte, 1) == 1) {
		uint64_t begin_ns = now_ns();

		spin_until(begin_ns + 300000);
		note(begin_ns, now_ns());
	}
}

/* The receiver has a millisecond of work for this process. */
static void ask_elsewhere(uint64_t until_ns)
{
	if (send(elsewhere[1], &until_ns, sizeof(until_ns), 0) != sizeof(until_ns))
		fail("ask");
}

static void run_asker(void)
{
	be("elsewhere", other_cpu, SCHED_FIFO, PRIORITY + 20);
	disturb(0, ask_elsewhere);
}

static void hold_lock(uint64_t until_ns)
{
	pthread_mutex_lock(&shared->lock);
	spin_until(until_ns);
	pthread_mutex_unlock(&shared->lock);
}

static void *run_holder(void *arg)
{
	(void)arg;
	be("lock-holder", other_cpu, SCHED_FIFO, PRIORITY - 10);
	disturb(2000000, hold_lock);
	return NULL;
}

static void stop_receiver(uint64_t until_ns)
{
	kill(getppid(), SIGSTOP);
	sleep_until(until_ns);
	kill(getppid(), SIGCONT);
}

static void run_stopper(void)
{
	be("stopper", other_cpu, SCHED_FIFO, PRIORITY + 20);
	disturb(3000000, stop_receiver);
}

/* Keeps the CPU awake but for a few milliseconds. */
static void run_waker(void)
{
	uint64_t at_ns;

	be("keeps-awake", receiver_cpu, SCHED_FIFO, PRIORITY - 20);
	wait_for_begin();
	for (at_ns = now_ns() + EVERY_NS; !shared->ended; at_ns += EVERY_NS) {
		uint64_t begin_ns;

		spin_until(at_ns);
		begin_ns = now_ns();
		sleep_until(begin_ns + 8000000);
		note(begin_ns, now_ns());
	}
}

/* A softirq takes each datagram apart: the socket that it goes to has no room. */
static int flood;

static void send_flood(uint64_t until_ns)
{
	static const char bytes[64 * 64];

	while (now_ns() < until_ns)
		send(flood, bytes, sizeof(bytes), MSG_DONTWAIT);
}

static void open_flood(void)
{
	struct sockaddr_in to = {.sin_family = AF_INET};
	socklen_t length = sizeof(to);
	int full = socket(AF_INET, SOCK_DGRAM, 0), size = 64;

	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	flood = socket(AF_INET, SOCK_DGRAM, 0);
	if (bind(full, (struct sockaddr *)&to, sizeof(to)) ||
	    getsockname(full, (struct sockaddr *)&to, &length) ||
	    connect(flood, (struct sockaddr *)&to, length) ||
	    setsockopt(flood, SOL_UDP, UDP_SEGMENT, &size, sizeof(size)))
		fail("flood");
}

/* A network of its own, whose loopback device hands packets to the receiver's CPU. */
static void make_network(void)
{
	struct ifreq request = {.ifr_name = "lo", .ifr_flags = IFF_UP};
	int file, fd;

	if (unshare(CLONE_NEWNET | CLONE_NEWNS) ||
	    mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("sysfs", "/sys", "sysfs", 0, NULL))
		fail("network");
	fd = socket(AF_INET, SOCK_DGRAM, 0);
	file = open("/sys/class/net/lo/queues/rx-0/rps_cpus", O_WRONLY);
	if (ioctl(fd, SIOCSIFFLAGS, &request) || file < 0 ||
	    dprintf(file, "%x", 1u << receiver_cpu) < 0)
		fail("network");
	close(file);
	close(fd);
}

static void run_flooder(void)
{
	make_network();
	open_flood();
	be("udp-flooder", other_cpu, SCHED_FIFO, PRIORITY - 10);
	disturb(3000000, send_flood);
}

/* Its elements are freed one by one. */
#define MAP_ELEMENTS 20000

static int make_map(void)
{
	static uint32_t keys[MAP_ELEMENTS], values[MAP_ELEMENTS];
	union bpf_attr map = {.map_type = BPF_MAP_TYPE_HASH,
			      .key_size = sizeof(keys[0]),
			      .value_size = sizeof(values[0]),
			      .max_entries = MAP_ELEMENTS,
			      .map_flags = BPF_F_NO_PREALLOC};
	union bpf_attr fill = {.batch = {.keys = (uintptr_t)keys,
					 .values = (uintptr_t)values,
					 .count = MAP_ELEMENTS}};

	for (uint32_t i = 0; i < MAP_ELEMENTS; i++)
		keys[i] = i;
	fill.batch.map_fd = syscall(SYS_bpf, BPF_MAP_CREATE, &map, sizeof(map));
	if ((int)fill.batch.map_fd < 0 ||
	    syscall(SYS_bpf, BPF_MAP_UPDATE_BATCH, &fill, sizeof(fill)))
		fail("map");
	return fill.batch.map_fd;
}

static void free_map(uint64_t begin_ns)
{
	(void)begin_ns;
	close(make_map());
}

static void run_map_maker(void)
{
	be("map-maker", other_cpu, SCHED_OTHER, 0);
	disturb(0, free_map);
}

static void run_burner(void)
{
	be("burner", receiver_cpu, SCHED_OTHER, 0);
	wait_for_begin();
	while (!shared->ended)
		;
}

/* A child process that ends with its parent. */
static void start(void run(void))
{
	pid_t parent = getpid(), pid = fork();

	if (pid < 0)
		fail("fork");
	if (pid)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	run();
	_exit(0);
}

static int policy_of(const char *cause)
{
	bool is_fair =
		!strcmp(cause, "burner") || !strcmp(cause, "kworker") || !strcmp(cause, "plain");

	return is_fair ? SCHED_OTHER : SCHED_FIFO;
}

static const char *chosen;

static void run_sender(void)
{
	uint64_t at_ns;

	be("sender", other_cpu, SCHED_FIFO, PRIORITY);
	wait_for_begin();
	at_ns = now_ns() + 10 * PERIOD_NS;
	for (uint32_t i = 0; i < count; i++, at_ns += PERIOD_NS) {
		sleep_until(at_ns);
		if (send(pair[1], &i, sizeof(i), 0) != sizeof(i))
			fail("send");
	}
}

static void receive_plain(void)
{
	for (uint32_t number = 0, i = 0; i < count; i++) {
		if (recv(pair[0], &number, sizeof(number), 0) != sizeof(number))
			fail("recv");
	}
}

/* Takes the CPU from no thread of ordinary priority. */
static void receive_polite(void)
{
	if (setpriority(PRIO_PROCESS, 0, 19))
		fail("nice");
	receive_plain();
}

/* Takes the lock after each message. */
static void receive_locked(void)
{
	for (uint32_t number = 0, i = 0; i < count; i++) {
		if (recv(pair[0], &number, sizeof(number), 0) != sizeof(number))
			fail("recv");
		pthread_mutex_lock(&shared->lock);
		pthread_mutex_unlock(&shared->lock);
	}
}

static void work_elsewhere(void)
{
	uint64_t asked_ns, begin_ns = now_ns();

	if (recv(elsewhere[0], &asked_ns, sizeof(asked_ns), 0) != sizeof(asked_ns))
		fail("recv");
	spin_until(begin_ns + 2000000);
	note(begin_ns, now_ns());
}

static void receive_both(void)
{
	struct pollfd fds[] = {{.fd = pair[0], .events = POLLIN},
			       {.fd = elsewhere[0], .events = POLLIN}};
	uint32_t number;

	for (uint32_t i = 0; i < count;) {
		if (poll(fds, 2, -1) < 0)
			fail("poll");
		if (fds[1].revents)
			work_elsewhere();
		if (!fds[0].revents)
			continue;
		if (recv(pair[0], &number, sizeof(number), 0) != sizeof(number))
			fail("recv");
		i++;
	}
}

/* Sends requests, and waits for the answer to each. */
static void call(int fd, uint64_t pause_ns, uint32_t calls)
{
	uint64_t at_ns = now_ns() + 10 * PERIOD_NS;

	for (uint32_t i = 0; i < calls; i++, at_ns += pause_ns) {
		sleep_until(at_ns);
		if (send(fd, &i, sizeof(i), 0) != sizeof(i) ||
		    recv(fd, &i, sizeof(i), 0) != sizeof(i))
			fail("call");
	}
}

static void run_client_a(void)
{
	be("client-a", other_cpu, SCHED_FIFO, PRIORITY);
	wait_for_begin();
	call(pair[1], PERIOD_NS, count);
}

/* The server takes two milliseconds for its requests. */
static void run_client_b(void)
{
	be("client-b", other_cpu, SCHED_FIFO, PRIORITY);
	wait_for_begin();
	call(elsewhere[1], 50 * PERIOD_NS, count / 50);
}

static void answer(int fd, uint64_t spin_ns)
{
	uint64_t begin_ns;
	uint32_t number;

	if (recv(fd, &number, sizeof(number), 0) != sizeof(number))
		fail("recv");
	begin_ns = now_ns();
	spin_until(begin_ns + spin_ns);
	if (spin_ns)
		note(begin_ns, now_ns());
	if (send(fd, &number, sizeof(number), 0) != sizeof(number))
		fail("send");
}

static void serve(void)
{
	struct pollfd fds[] = {{.fd = pair[0], .events = POLLIN},
			       {.fd = elsewhere[0], .events = POLLIN}};

	for (uint32_t left = count + count / 50; left;) {
		if (poll(fds, 2, -1) < 0)
			fail("poll");
		for (int i = 0; i < 2; i++) {
			if (!fds[i].revents)
				continue;
			answer(fds[i].fd, i ? 2000000 : 0);
			left--;
		}
	}
}

static const struct {
	const char *name;
	void (*run)(void);
	void (*run_second)(void);
	void *(*run_thread)(void *);
	void (*receive)(void);
	bool has_clients; /* there is no sender */
} causes[] = {
	{"plain", NULL, NULL, NULL, receive_plain, false},
	{"spinner", run_spinner, NULL, NULL, receive_plain, false},
	{"hogs", run_hog_a, run_hog_b, NULL, receive_plain, false},
	{"busy", run_asker, NULL, NULL, receive_both, false},
	{"lock", NULL, NULL, run_holder, receive_locked, false},
	{"stop", run_stopper, NULL, NULL, receive_plain, false},
	{"idle", run_waker, NULL, NULL, receive_plain, false},
	{"flood", run_flooder, NULL, NULL, receive_plain, false},
	{"burner", run_burner, NULL, NULL, receive_plain, false},
	{"kworker", run_map_maker, NULL, NULL, receive_polite, false},
	{"handler", run_client_a, run_client_b, NULL, serve, true},
};

static void share(void)
{
	pthread_mutexattr_t attributes;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	if (shared == MAP_FAILED)
		fail("mmap");
	pthread_mutexattr_init(&attributes);
	pthread_mutex_init(&shared->lock, &attributes);
	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) ||
	    socketpair(AF_UNIX, SOCK_DGRAM, 0, elsewhere) || pipe(turn))
		fail("socketpair");
}

static void write_noted(const char *path)
{
	FILE *file = fopen(path, "w");

	if (!file)
		fail(path);
	for (uint32_t i = 0; i < shared->noted && i < NOTED_MAX; i++)
		fprintf(file, "%llu %llu\n", (unsigned long long)shared->begin_ns[i],
			(unsigned long long)shared->end_ns[i]);
	if (fclose(file))
		fail(path);
}

static void run(size_t cause, const char *path)
{
	pthread_t thread;
	sigset_t begin;
	int number;

	sigemptyset(&begin);
	sigaddset(&begin, SIGUSR1);
	sigprocmask(SIG_BLOCK, &begin, NULL);

	if (!causes[cause].has_clients)
		start(run_sender);
	if (causes[cause].run)
		start(causes[cause].run);
	if (causes[cause].run_second)
		start(causes[cause].run_second);
	if (causes[cause].run_thread &&
	    pthread_create(&thread, NULL, causes[cause].run_thread, NULL))
		fail("thread");
	be("receiver", receiver_cpu, policy_of(chosen),
	   policy_of(chosen) == SCHED_FIFO ? PRIORITY : 0);
	printf("ready %d\n", getpid());
	fflush(stdout);
	sigwait(&begin, &number);
	shared->begins = 1;
	causes[cause].receive();
	shared->ended = 1;
	write_noted(path);
}

int main(int argc, char **argv)
{
	if (argc != 6)
		return EXIT_FAILURE;
	chosen = argv[1];
	receiver_cpu = atoi(argv[2]);
	other_cpu = atoi(argv[3]);
	count = atoi(argv[4]);
	share();
	for (size_t i = 0; i < sizeof(causes) / sizeof(causes[0]); i++) {
		if (strcmp(causes[i].name, chosen))
			continue;
		run(i, argv[5]);
		_exit(EXIT_SUCCESS);
	}
	return EXIT_FAILURE;
}
