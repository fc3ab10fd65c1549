// SPDX-License-Identifier: BSD-2-Clause
/*
 * Takes datagrams, from its first line of input on, and logs what it received when. The memory for
 * the first is not there: while it is fetched, in the middle of the receive, the thread is sent to
 * another CPU.
 *
 *	moved PATH LOGDIR
 */
#include "ends.h"

#include <linux/userfaultfd.h>
#include <pthread.h>
#include <sched.h>
#include <sys/ioctl.h>

#define PAGE 4096

static int faults;
static char *memory;

static void use_cpu(pid_t tid, int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(tid, sizeof(set), &set))
		die("cannot use a CPU");
}

static void *fetch(void *none)
{
	struct uffdio_zeropage page = {.range = {(uintptr_t)memory, PAGE}};
	struct uffd_msg message;

	if (read(faults, &message, sizeof(message)) != sizeof(message))
		die("cannot wait for the first use");
	use_cpu(getpid(), 1);
	if (ioctl(faults, UFFDIO_ZEROPAGE, &page))
		die("cannot fetch a page");
	return none;
}

/* Memory whose first use waits until another thread provides it. */
static void memory_make(void)
{
	struct uffdio_register range = {.mode = UFFDIO_REGISTER_MODE_MISSING};
	struct uffdio_api api = {.api = UFFD_API};
	pthread_t fetcher;

	memory = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	range.range = (struct uffdio_range){(uintptr_t)memory, PAGE};
	faults = syscall(SYS_userfaultfd, 0);
	if (faults < 0 || ioctl(faults, UFFDIO_API, &api) ||
	    ioctl(faults, UFFDIO_REGISTER, &range) || pthread_create(&fetcher, NULL, fetch, NULL))
		die("cannot watch memory");
}

int main(int argc, char **argv)
{
	struct end source;
	char line[8];

	if (argc != 3)
		return EXIT_FAILURE;
	log_begin();
	source = server_open(argv[1]);
	memory_make();
	use_cpu(getpid(), 0);
	ready();
	if (read(STDIN_FILENO, line, sizeof(line)) <= 0)
		die("no line");
	while (!ended) {
		uint64_t enter_ns = now_ns();
		ssize_t bytes = recv(source.in, memory, PAGE, 0);

		if (bytes > 0)
			log_add(LOG_RECEIVE, enter_ns, now_ns(), bytes, *(struct head *)memory);
	}
	log_write(argv[2]);
	return EXIT_SUCCESS;
}
