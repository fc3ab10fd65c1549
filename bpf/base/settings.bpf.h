/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Defines the variables that all BPF programs share. The loader sets the constants (.rodata)
 * before the kernel verifies the programs. The verifier then removes the branches that cannot be
 * taken.
 */
#pragma once

#include "vmlinux.h"
#include "kernel/variant.bpf.h"
#include "record.h"

u64 losses[NR_LOSSES];
u32 channel_cnt;
u32 partial_receive_cnt; /* calls that may receive in parts, on whatever socket */

/* Attach. */
u64 armed_ns;          /* all ends are known; calls that began earlier are not counted */
u64 is_surveyed;       /* all sockets that existed when tracing began are marked SOCKET_OLD */
u32 untraced_siblings; /* threads that have some, see trace_siblings() */
u32 looks_up_receives; /* see receive_calls.bpf.h */
u32 keeper_pid;        /* the process that starts the commands of --on-slow; 0: none */
u64 disarmed_ns;       /* calls that begin later are not counted; 0: not yet */
u32 shares_waits;      /* several threads wait for one thing, see note_user() */

/* Other programs, and the threads that talk to them, are traced; not ipctrace's own workload. */
const volatile bool attach = false;
/*
 * Messages are recorded by the workload, whose records carry no changes. So changes go out
 * whenever a thread has been given the CPU.
 */
const volatile bool from_workload = false;
/* --level light: no program runs when a system call begins or ends, see no_syscalls.bpf.h. */
const volatile bool no_syscalls = false;
/* --level deep: records what only explanations need. */
const volatile bool deep = false;
/* --level deep: nanoseconds between two ticks of the kernel's clock (jiffies); 0: not known. */
const volatile u64 tick_ns = 0;
/* The kernel has sched_exit_tp. */
const volatile bool has_sched_exit = false;
/* The kernel preempts threads in programs, see preempt.bpf.h. */
const volatile bool can_preempt = false;
/* A traced transport has no event when data becomes visible: waking its receiver stands for it. */
const volatile bool waking_shows_data = false;
/* What is traced: TCP and UDP; UDP; pipes; message queues. */
const volatile bool trace_inet = false;
const volatile bool trace_udp = false;
const volatile bool trace_pipes = false;
const volatile bool trace_queues = false;
/* Connections are recorded: in an attach, and in a run in which each message has its own. */
const volatile bool trace_connections = false;
/* Makes identities of sockets, which records have, of their addresses in the kernel. */
const volatile u64 address_salt = 0;
/* The tracer's own process, which is no peer. */
const volatile u32 self_pid = 0;
