/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Notes the sockets on which targets listen. A target is a thread that the user asked to trace. A
 * thread that connects to such a socket is traced. Also notes all ports on which processes listen.
 * Such a port shows which end of a connection is the server.
 */
#pragma once

#include "attach/listening.bpf.h"
#include "attach/peer.bpf.h"
#include "base/inet.bpf.h"

static __always_inline void note_port(struct sock *sk)
{
	u32 port = BPF_CORE_READ(sk, __sk_common.skc_num);
	u8 yes = 1;

	if (is_inet(BPF_CORE_READ(sk, __sk_common.skc_family)))
		bpf_map_update_elem(&ports, &port, &yes, BPF_ANY);
}

/* The name that a unix socket is bound to (address). The sockets that it accepts share it. */
static __always_inline u64 bound_name(u64 sock)
{
	return (u64)BPF_CORE_READ((struct unix_sock *)sock, addr);
}

/* A socket that a target listens on. */
static __always_inline void note_listener(struct sock *sk)
{
	u64 address = (u64)sk, name;
	u8 yes = 1;

	bpf_map_update_elem(&listeners, &address, &yes, BPF_ANY);
	if (!no_syscalls)
		note_listening(sk);
	if (!by_syscalls || BPF_CORE_READ(sk, __sk_common.skc_family) != AF_UNIX)
		return;
	name = bound_name((u64)sk);
	bpf_map_update_elem(&listeners, &name, &yes, BPF_ANY);
}

/*
 * listen() has made a listener. Threads that connect to a target's become peers. `t`: may be NULL.
 */
static __noinline void listen_exit(struct task_state *t, u64 fd)
{
	struct file *file = file_of(fd);
	struct socket *socket;
	struct sock *sk;

	if (!file)
		return;
	socket = (struct socket *)BPF_CORE_READ(file, private_data);
	sk = BPF_CORE_READ(socket, sk);
	note_port(sk);
	if (t && !t->is_peer)
		note_listener(sk);
}
