/* SPDX-License-Identifier: BSD-2-Clause */
/* The kinds of causes: how each is called, how it looks, and what to do (docs/causes.md). */
#include "report/words/explain/remedies.h"

const struct remedy_info remedies[NR_REMEDIES] = {
	[REMEDY_OWN] =
		{
			.cause = "ipctrace itself",
			.looks = "behind ipctrace itself",
			.helps = "leave a CPU free for ipctrace, or trace with --level light; the "
				 "figures of these units are not those of the programs alone",
			.source = "docs/cost.md",
		},
	[REMEDY_TIMEOUT] =
		{
			.cause = "a timeout of the thread's own",
			.looks = "sleeps in epoll_wait until its own timeout ends",
			.helps = "find out what should have woken the thread before: an event that "
				 "was missed (edge-triggered epoll needs reads until EAGAIN), or a "
				 "timeout that is longer than it has to be",
			.source = "epoll(7)",
		},
	[REMEDY_TRIED] =
		{
			.cause = "a call that fails, and a sleep before it is tried again",
			.looks = "sleeps in clock_nanosleep until its own timeout ends, after "
				 "fcntl has failed (EAGAIN)",
			.helps = "see why it fails, and wait for just that instead of sleeping: "
				 "for a lock in the call that takes it (F_SETLKW), for a socket in "
				 "poll; or raise the limit that is reached (errno says which)",
			.source = "better-sqlite3#155",
		},
	[REMEDY_CIRCLE] =
		{
			.cause = "two ends that wait for each other",
			.looks = "waits for room at the other end, which waits for it: a circle",
			.helps = "let each end read while it waits for room (poll for both), or "
				 "limit how much may be sent before an answer is read",
			.source = "dalli#776",
		},
	[REMEDY_CIRCLE_CALL] =
		{
			.cause = "two that ask each other",
			.looks = "waits for an answer of a thread that waits for it: a circle, "
				 "until its own timeout ends",
			.helps = "do not ask the caller while it waits: send along what is needed, "
				 "or serve such requests with a thread of their own; hold no lock "
				 "during a call",
			.source = "fastapi#3962",
		},
	[REMEDY_CIRCLE_SELF] =
		{
			.cause = "a service that asks itself",
			.looks = "waits for itself to answer: a circle, until its own timeout ends",
			.helps = "call the function instead of the service, or serve with more "
				 "threads or processes than may ask at once",
			.source = "atlasdb#2089",
		},
	[REMEDY_SLACK] =
		{
			.cause = "timer slack",
			.looks = "sleeps longer than it asked for",
			.helps = "lower the timer slack of the thread (prctl with "
				 "PR_SET_TIMERSLACK), "
				 "or give it a real-time priority, which has none",
			.source = "prctl(2)",
		},
	[REMEDY_SPARE] =
		{
			.cause = "an idle CPU that is not used",
			.looks = "waits for CPU 1, while CPU 0 idles, which it may use",
			.helps =
				"pin the thread and what it waits for to different CPUs (taskset): "
				"the scheduler keeps threads near their caches and wakers",
			.source = "sched(7)",
		},
	[REMEDY_RESERVE] =
		{
			.cause = "the kernel's reserve for ordinary threads",
			.looks = "waits behind an ordinary thread, for which the kernel reserves "
				 "time",
			.helps = "let the real-time thread sleep now and then, move ordinary "
				 "threads "
				 "to other CPUs, or lower the reserve (fair_server in debugfs; "
				 "before "
				 "Linux 6.12 sched_rt_runtime_us)",
			.source = "Documentation/scheduler/sched-rt-group.rst",
		},
	[REMEDY_NAGLE] =
		{
			.cause = "Nagle's algorithm",
			.looks = "the data wait in the sender's socket (Nagle)",
			.helps = "set TCP_NODELAY at the sender, or send a request in one call "
				 "(writev, sendmsg) instead of several",
			.source = "tcp(7)",
		},
	[REMEDY_CORK] =
		{
			.cause = "a corked socket",
			.looks = "the data wait for more to be sent (TCP_CORK or MSG_MORE)",
			.helps = "take TCP_CORK or MSG_MORE away behind the last part of a message",
			.source = "tcp(7)",
		},
	[REMEDY_WINDOW] =
		{
			.cause = "TCP's congestion window",
			.looks = "the data wait until TCP's congestion window allows more",
			.helps = "keep connections open, as new and idle ones begin with a small "
				 "window (tcp_slow_start_after_idle), or choose another congestion "
				 "control",
			.source = "tcp(7)",
		},
	[REMEDY_PACING] =
		{
			.cause = "pacing",
			.looks = "the data wait in the sender's socket, whose rate is limited",
			.helps = "raise SO_MAX_PACING_RATE, or use a congestion control without "
				 "pacing",
			.source = "tc-fq(8)",
		},
	[REMEDY_DEVICE] =
		{
			.cause = "the queue of a network device",
			.looks =
				"the data wait in the queue (qdisc) of the sender's network device",
			.helps = "raise the rate, or shorten the delay, that tc gives the device "
				 "(tc -s qdisc), or keep bulk data out of its queue",
			.source = "tc(8)",
		},
	[REMEDY_SEND_BUFFER] =
		{
			.cause = "a send buffer that is too small",
			.looks = "waits for acknowledgements, as its own send buffer is full",
			.helps = "leave SO_SNDBUF alone, so that the kernel sizes it, or make it "
				 "larger than what is under way (tcp_wmem); send in larger pieces",
			.source = "tcp(7)",
		},
	[REMEDY_LOSS] =
		{
			.cause = "lost TCP data",
			.looks = "the data arrive only after TCP has sent them again",
			.helps =
				"find out what drops packets on this machine: a filter, a queue of "
				"a virtual device, or a full backlog (nstat, dropwatch)",
			.source = "nstat(8)",
		},
	[REMEDY_IN_VAIN] =
		{
			.cause = "wakes in vain",
			.looks = "each call wakes 39 threads in vain (accept4 finds nothing)",
			.helps = "EPOLLEXCLUSIVE (epoll_ctl), SO_REUSEPORT with a socket for each "
				 "worker, or one thread that accepts",
			.source = "epoll_ctl(2)",
		},
	[REMEDY_BROADCAST] =
		{
			.cause = "a broadcast to many threads",
			.looks = "each call wakes 39 threads in futex, which sleep there again "
				 "without any other call",
			.helps = "wake one thread for one piece of work (pthread_cond_signal "
				 "instead of pthread_cond_broadcast), or have fewer threads",
			.source = "pthread_cond_signal(3)",
		},
	[REMEDY_REPETITION] =
		{
			.cause = "many calls, one after another",
			.looks = "makes 200 calls to a backend, one after another",
			.helps = "ask for all of it in one call, send the requests without waiting "
				 "for each answer, or keep the answers",
			.source = "systemd#43715",
		},
	[REMEDY_SHORT_CALLS] =
		{
			.cause = "many short system calls",
			.looks = "is in read again and again, on a CPU",
			.helps = "make fewer of them: read and write more in each (a buffer, "
				 "readv, mmap), ask for the time less often, keep what a call "
				 "finds out",
			.source = "readv(2)",
		},
	[REMEDY_CALLS_AGAIN] =
		{
			.cause = "calls in vain",
			.looks = "tries again and again in recvfrom in vain: there is nothing, or "
				 "no room (EAGAIN)",
			.helps = "wait until the socket is ready (poll, epoll), and ask only those "
				 "that are; or use sockets that block",
			.source = "epoll(7)",
		},
	[REMEDY_CALLS_FAIL] =
		{
			.cause = "calls that fail",
			.looks = "tries again and again in sendto, which fails",
			.helps = "see why they fail (strace -Z), and close what does not work any "
				 "more",
			.source = "strace(1)",
		},
	[REMEDY_OPENING] =
		{
			.cause = "a connection for each call",
			.looks = "each call opens a connection: 41 % of its time",
			.helps = "keep connections, and use them again (keep-alive, a pool of "
				 "connections)",
			.source = "openlibrary#13680",
		},
	[REMEDY_ACCEPT] =
		{
			.cause = "connections that are accepted late",
			.looks = "each call opens a connection, which waits 24.9 ms until it is "
				 "accepted: 96 % of its time",
			.helps = "look at what the accepting thread does (--unit connection): "
				 "errors of accept (EMFILE: raise RLIMIT_NOFILE), pauses, other "
				 "work",
			.source = "accept(2)",
		},
	[REMEDY_QUOTA] =
		{
			.cause = "CPU quota",
			.looks =
				"is held back, because its control group has used up its CPU quota",
			.helps = "raise cpu.max (cpu.cfs_quota_us) of the control group, or lower "
				 "the number of its threads that run at the same time",
			.source = "Documentation/scheduler/sched-bwc.rst",
		},
	[REMEDY_STEAL] =
		{
			.cause = "the host of a virtual machine",
			.looks = "the host took the CPU away",
			.helps = "move the virtual machine to a host with free CPUs, or pin "
				 "its CPUs",
			.source = "proc_stat(5)",
		},
	[REMEDY_IDLE] =
		{
			.cause = "a CPU that leaves idle",
			.looks = "waits until CPU 1 has left idle",
			.helps = "hold /dev/cpu_dma_latency open with a small value, boot with "
				 "idle=poll, or run both ends on one CPU",
			.source = "Documentation/admin-guide/pm/cpuidle.rst",
		},
	[REMEDY_INTERRUPTS] =
		{
			.cause = "interrupts and softirqs",
			.looks = "behind net_rx (softirq 3)",
			.helps = "move the interrupts to other CPUs (/proc/irq/N/smp_affinity, "
				 "RPS), or boot with threadirqs",
			.source = "Documentation/core-api/irq/irq-affinity.rst",
		},
	[REMEDY_KTHREAD] =
		{
			.cause = "kernel threads",
			.looks = "behind kworker/1:2",
			.helps = "move them to other CPUs (/sys/devices/virtual/workqueue/cpumask, "
				 "rcu_nocbs=), or raise the priority of the thread that waits",
			.source = "Documentation/admin-guide/kernel-per-CPU-kthreads.rst",
		},
	[REMEDY_WORKERS] =
		{
			.cause = "threads on too few CPUs",
			.looks = "waits for CPU 1 behind worker-1 or one like it; while CPU 0 "
				 "idles, "
				 "which it may not use",
			.helps = "compare the CPUs that they may use (taskset -cp PID) with those "
				 "of the machine; have no more workers that run than CPUs",
			.source = "sched_setaffinity(2)",
		},
	[REMEDY_NEIGHBOUR] =
		{
			.cause = "another program on the CPU",
			.looks = "waits for CPU 1 behind hog",
			.helps = "move that program to another CPU (taskset, cpuset), lower its "
				 "priority (nice, chrt), or raise that of the thread that waits",
			.source = "sched(7)",
		},
	[REMEDY_FROZEN] =
		{
			.cause = "a frozen control group",
			.looks = "is frozen with its control group",
			.helps =
				"find out what freezes it (cgroup.freeze, freezer.state, docker "
				"pause, systemctl freeze), and let no others wait for it meanwhile",
			.source = "Documentation/admin-guide/cgroup-v2.rst",
		},
	[REMEDY_STOPPED] =
		{
			.cause = "a thread that is stopped",
			.looks = "is stopped by a signal",
			.helps = "find out what sends SIGSTOP or traces it (gdb, strace), and do "
				 "not let others wait for it without a timeout",
			.source = "signal(7)",
		},
	[REMEDY_KERNEL_LOCK] =
		{
			.cause = "a lock of the kernel",
			.looks = "waits for a lock of the kernel",
			.helps = "let fewer threads use the same socket, pipe, file or memory map "
				 "at the same time: one each, or one thread that does it for all; "
				 "read smaps of /proc less often",
			.source = "perf-lock(1)",
		},
	[REMEDY_LOCK] =
		{
			.cause = "a lock",
			.looks = "sleeps in futex until low wakes it",
			.helps = "hold the lock for less time; if its holder has a lower priority, "
				 "use a mutex with priority inheritance (PTHREAD_PRIO_INHERIT)",
			.source = "pthread_mutexattr_setprotocol(3)",
		},
	[REMEDY_DISK_BUSY] =
		{
			.cause = "a disk that is busy for others",
			.looks = "sleeps in fsync for vda, which is busy with requests of backup; "
				 "of a kworker: it writes what any program has written to files "
				 "before",
			.helps =
				"give the other program a lower priority there (ionice, io.weight, "
				"io.max), let it write less at a time (dirty_background_bytes), or "
				"use another disk",
			.source = "Documentation/admin-guide/cgroup-v2.rst",
		},
	[REMEDY_DISK] =
		{
			.cause = "a disk",
			.looks = "sleeps in fsync, read or write of a file",
			.helps = "leave the file to a thread that no call waits for, flush less "
				 "often, or see what else uses the device (iostat, biolatency)",
			.source = "fsync(2)",
		},
	[REMEDY_RECLAIM] =
		{
			.cause = "memory that has to be freed first",
			.looks = "frees memory itself (direct reclaim)",
			.helps = "a larger limit for the control group (memory.high, memory.max), "
				 "a larger reserve of the machine (vm.watermark_scale_factor), or "
				 "less page cache",
			.source = "Documentation/admin-guide/sysctl/vm.rst",
		},
	[REMEDY_DIRTY] =
		{
			.cause = "writes that the kernel holds back",
			.looks = "is held back in write by the kernel, as too many pages are dirty",
			.helps = "write less, or through another thread; have the disk begin "
				 "sooner (vm.dirty_background_bytes, sync_file_range), or allow "
				 "more dirty pages (vm.dirty_ratio, the memory limit of the group)",
			.source = "Documentation/admin-guide/sysctl/vm.rst",
		},
	[REMEDY_FAULTS] =
		{
			.cause = "page faults",
			.looks = "runs its own code, with 4096 page faults a call",
			.helps = "keep memory and use it again (mallopt: M_TRIM_THRESHOLD, "
				 "M_MMAP_THRESHOLD), fill it before (MAP_POPULATE), or use huge "
				 "pages (madvise); after a fork, the parent's pages are copied at "
				 "the next write",
			.source = "mallopt(3)",
		},
	[REMEDY_PAGES] =
		{
			.cause = "memory that is not there",
			.looks = "sleeps outside of any system call",
			.helps =
				"lock the memory (mlockall), or keep the machine from swapping and "
				"from dropping the program's file pages (memory.low)",
			.source = "mlock(2)",
		},
	[REMEDY_TIMER] =
		{
			.cause = "a sleep of the thread's own",
			.looks = "sleeps in clock_nanosleep until its own timeout ends",
			.helps = "wait for the event itself instead of sleeping for a fixed time; "
				 "for short sleeps lower the timer slack (PR_SET_TIMERSLACK)",
			.source = "prctl(2)",
		},
	[REMEDY_BACKEND] =
		{
			.cause = "another service",
			.looks = "sleeps in recvfrom until backend wakes it",
			.helps = "explain that service's calls: --service NAME, or attach to it",
			.source = "docs/explain.md",
		},
	[REMEDY_SLEEP] =
		{
			.cause = "another thread",
			.looks = "sleeps in a system call until another thread wakes it",
			.helps = "see what that thread did in the rows below it; --stacks shows "
				 "where both were",
			.source = "docs/explain.md",
		},
	[REMEDY_ROOM] =
		{
			.cause = "a receiver that reads too slowly",
			.looks = "waits for room in the channel to the receiver",
			.helps = "let the receiver read sooner, in a thread of its own; larger "
				 "buffers (SO_RCVBUF, F_SETPIPE_SZ) only help with bursts",
			.source = "socket(7)",
		},
	[REMEDY_HOARD] =
		{
			.cause = "a server that takes more than it can serve",
			.looks = "serves other calls first, while worker-b, which accepts from the "
				 "same socket, sleeps",
			.helps = "accept one connection at a time, and the next one only when the "
				 "thread is free; or hand connections to a thread that is",
			.source = "gunicorn#2266",
		},
	[REMEDY_EVENTS] =
		{
			.cause = "a thread that takes several events at once",
			.looks = "serves other calls first, while worker-2, which waits in the "
				 "same epoll, sleeps",
			.helps = "ask for one event at a time (maxevents 1 in epoll_wait), or hand "
				 "events to threads that are free",
			.source = "epoll_wait(2)",
		},
	[REMEDY_PORT] =
		{
			.cause = "uneven sockets on one port (SO_REUSEPORT)",
			.looks = "serves other calls first, while worker-b, which has another "
				 "socket on the same port (SO_REUSEPORT), sleeps",
			.helps = "let all threads wait for one socket (with EPOLLEXCLUSIVE), "
				 "open more connections, or choose the socket yourself "
				 "(SO_ATTACH_REUSEPORT_EBPF)",
			.source = "socket(7)",
		},
	[REMEDY_BUSY] =
		{
			.cause = "a server that serves others first",
			.looks = "serves other calls first",
			.helps = "serve with more threads or processes, or make each call shorter",
			.source = "accept(2)",
		},
	[REMEDY_DISPATCH] =
		{
			.cause = "a sender that sends to others first",
			.looks = "sends to another client first",
			.helps = "send from several threads, or all with one call (sendmmsg)",
			.source = "sendmmsg(2)",
		},
	[REMEDY_WORK] =
		{
			.cause = "the thread's own work",
			.looks = "runs its own code",
			.helps = "--stacks names the functions; then make them faster, or let "
				 "several threads do the work",
			.source = "docs/explain.md",
		},
	[REMEDY_KERNEL] =
		{
			.cause = "the kernel's own work for the message",
			.looks = "is in its send or receive call",
			.helps = "fewer and larger messages, or a transport with less work: unix "
				 "sockets instead of TCP, shared memory for large data",
			.source = "docs/experiments.md",
		},
	[REMEDY_BACKLOG] =
		{
			.cause = "a full accept queue",
			.looks = "3 connects waited 1.0 to 3.1 s: the accept queue of server was "
				 "full (backlog 1)",
			.helps = "accept sooner, or raise the backlog (listen, "
				 "net.core.somaxconn)",
			.source = "listen(2)",
		},
	[REMEDY_DROPS] =
		{
			.cause = "a full receive buffer of datagrams",
			.looks = "39 % of the messages were dropped by the kernel: its receive "
				 "buffer was full",
			.helps = "read sooner, raise the buffer (SO_RCVBUF, net.core.rmem_max), or "
				 "send fewer at a time",
			.source = "udp(7)",
		},
};
