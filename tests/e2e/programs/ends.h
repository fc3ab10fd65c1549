/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Both ends of every transport, by an address:
 *
 *	uds:PATH uds-stream:PATH uds-seqpacket:PATH	unix sockets; @NAME is an abstract one
 *	tcp:PORT udp:PORT				on the loopback interface
 *	tcp:HOST:PORT udp:HOST:PORT			on another; HOST in figures. That of a group
 *							is on the loopback interface, too
 *	tcp6:PORT udp6:PORT				on all of them, for callers of IPv4, too
 *	tcp6:HOST:PORT udp6:HOST:PORT			on one of IPv6
 *	fifo:PATH					PATH.in to the server, PATH.out back
 *	fd:IN,OUT					inherited: pipes, or a socket twice
 *	mqueue:/NAME					a POSIX message queue
 *	sysv:ID						a System V message queue
 *	eventfd:FD futex:FD				inherited: an eventfd, memory to share
 *
 * The last four go one way. An eventfd or a futex carries no data: it is rung.
 */
#pragma once

#include "log.h"

#include <arpa/inet.h>
#include <limits.h>
#include <linux/futex.h>
#include <mqueue.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>

enum end_kind { END_FILE, END_SOCKET, END_QUEUE, END_SYSV, END_EVENTFD, END_FUTEX };

struct end {
	int in, out;
	enum end_kind kind;
	bool listens;   /* connections come from it, no messages */
	bool answers;   /* one socket for all peers: answer the sender of the last message */
	uint32_t *word; /* END_FUTEX: how often it was rung */
	uint32_t seen;
	uint32_t wakes; /* of its last receive: how often another thread ended its wait */
	struct sockaddr_storage peer;
	socklen_t peer_len;
};

struct address {
	int family, type;
	struct sockaddr_storage name;
	socklen_t name_len;
};

static const struct {
	const char *name;
	int family, type;
} transports[] = {
	{"uds", AF_UNIX, SOCK_DGRAM},
	{"uds-stream", AF_UNIX, SOCK_STREAM},
	{"uds-seqpacket", AF_UNIX, SOCK_SEQPACKET},
	{"tcp", AF_INET, SOCK_STREAM},
	{"udp", AF_INET, SOCK_DGRAM},
	{"tcp6", AF_INET6, SOCK_STREAM},
	{"udp6", AF_INET6, SOCK_DGRAM},
};

static inline void address_parse_inet(const char *text, struct address *address)
{
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)&address->name;
	struct sockaddr_in *in = (struct sockaddr_in *)&address->name;
	bool is_v6 = address->family == AF_INET6;
	const char *port = strrchr(text, ':');
	char host[INET6_ADDRSTRLEN];

	address->name_len = is_v6 ? sizeof(*in6) : sizeof(*in);
	in->sin_family = address->family;
	in->sin_port = htons(atoi(port ? port + 1 : text)); /* that of IPv6 lies there, too */
	if (!is_v6)
		in->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (!port)
		return;
	snprintf(host, sizeof(host), "%.*s", (int)(port - text), text);
	inet_pton(address->family, host, is_v6 ? (void *)&in6->sin6_addr : &in->sin_addr);
}

/* Whether the text names a socket. */
static inline bool address_parse(const char *text, struct address *address)
{
	struct sockaddr_un *un = (struct sockaddr_un *)&address->name;
	size_t len = strcspn(text, ":");

	memset(address, 0, sizeof(*address));
	for (size_t i = 0; i < sizeof(transports) / sizeof(*transports); i++) {
		if (strlen(transports[i].name) != len || strncmp(text, transports[i].name, len))
			continue;
		address->family = transports[i].family;
		address->type = transports[i].type;
	}
	if (!address->family)
		return false;
	text += len + 1;
	if (address->family != AF_UNIX) {
		address_parse_inet(text, address);
		return true;
	}
	un->sun_family = AF_UNIX;
	snprintf(un->sun_path, sizeof(un->sun_path), "%s", text);
	if (*text == '@')
		un->sun_path[0] = '\0';
	address->name_len = offsetof(struct sockaddr_un, sun_path) + strlen(text);
	return true;
}

static inline struct end end_of_fds(int in, int out)
{
	struct stat stat;
	int yes = 1;

	if (in < 0 || out < 0 || fstat(in, &stat))
		die("cannot open an end");
	/* What is sent goes at once; of no meaning to others than TCP. */
	setsockopt(out, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
	return (struct end){
		.in = in, .out = out, .kind = S_ISSOCK(stat.st_mode) ? END_SOCKET : END_FILE};
}

static inline struct end end_of_queue(const char *name)
{
	struct mq_attr attr = {.mq_maxmsg = 10, .mq_msgsize = 8192};
	mqd_t queue = mq_open(name, O_RDWR | O_CREAT, 0600, &attr);
	struct end end = end_of_fds(queue, queue);

	end.kind = END_QUEUE;
	return end;
}

static inline struct end end_of_memory(int fd)
{
	struct end end = {.in = fd, .out = fd, .kind = END_FUTEX};

	end.word = mmap(NULL, sizeof(*end.word), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (end.word == MAP_FAILED)
		die("cannot share memory");
	end.seen = *end.word;
	return end;
}

/* FIFOs are opened for both directions, so that neither side has to open it first. */
static inline struct end end_of_files(const char *text, bool is_server)
{
	char in[PATH_MAX], out[PATH_MAX];
	int fds[2];

	if (sscanf(text, "fd:%d,%d", &fds[0], &fds[1]) == 2)
		return end_of_fds(fds[0], fds[1]);
	if (!strncmp(text, "mqueue:", 7))
		return end_of_queue(text + 7);
	if (!strncmp(text, "sysv:", 5))
		return (struct end){atoi(text + 5), atoi(text + 5), .kind = END_SYSV};
	if (!strncmp(text, "eventfd:", 8))
		return (struct end){atoi(text + 8), atoi(text + 8), .kind = END_EVENTFD};
	if (!strncmp(text, "futex:", 6))
		return end_of_memory(atoi(text + 6));
	if (strncmp(text, "fifo:", 5)) {
		errno = EINVAL;
		die(text);
	}
	snprintf(in, sizeof(in), "%s.%s", text + 5, is_server ? "in" : "out");
	snprintf(out, sizeof(out), "%s.%s", text + 5, is_server ? "out" : "in");
	return end_of_fds(open(in, O_RDWR), open(out, O_RDWR));
}

/* Groups of receivers (multicast) are on the loopback interface. */
static inline void use_group(int fd, const struct address *address, bool joins)
{
	const struct sockaddr_in *name = (const struct sockaddr_in *)&address->name;
	struct ip_mreq group = {.imr_multiaddr = name->sin_addr,
				.imr_interface.s_addr = htonl(INADDR_LOOPBACK)};

	if (address->family != AF_INET || !IN_MULTICAST(ntohl(name->sin_addr.s_addr)))
		return;
	if (joins ? setsockopt(fd, IPPROTO_IP, IP_ADD_MEMBERSHIP, &group, sizeof(group))
		  : setsockopt(fd, IPPROTO_IP, IP_MULTICAST_IF, &group.imr_interface,
			       sizeof(group.imr_interface)))
		die("cannot use a group");
}

static inline struct end server_open(const char *text)
{
	struct address address;
	struct end end;
	int fd, yes = 1;

	if (!address_parse(text, &address))
		return end_of_files(text, true);
	fd = socket(address.family, address.type, 0);
	end = end_of_fds(fd, fd);
	end.listens = address.type != SOCK_DGRAM;
	end.answers = !end.listens;
	if (address.family != AF_UNIX)
		setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &yes, sizeof(yes));
	if (bind(fd, (struct sockaddr *)&address.name, address.name_len) ||
	    (end.listens && listen(fd, 512)))
		die(text);
	use_group(fd, &address, true);
	return end;
}

/* The end that takes messages: of a listener, its next connection. */
static inline struct end end_accept(struct end server)
{
	int fd;

	if (!server.listens)
		return server;
	fd = accept(server.in, NULL, NULL);
	return end_of_fds(fd, fd);
}

/* A datagram client gets a name of its own, so that it can be answered. in < 0: refused. */
static inline struct end client_try(const char *text)
{
	sa_family_t unnamed = AF_UNIX;
	struct address address;
	struct end end;
	int fd;

	if (!address_parse(text, &address))
		return end_of_files(text, false);
	fd = socket(address.family, address.type, 0);
	end = end_of_fds(fd, fd);
	if (address.family == AF_UNIX && address.type == SOCK_DGRAM &&
	    bind(fd, (struct sockaddr *)&unnamed, sizeof(unnamed)))
		die("cannot bind");
	use_group(fd, &address, false);
	if (connect(fd, (struct sockaddr *)&address.name, address.name_len)) {
		close(fd);
		end.in = -1;
	}
	return end;
}

static inline struct end client_open(const char *text)
{
	struct end end = client_try(text);

	if (end.in < 0)
		die(text);
	return end;
}

/* How often it was rung since the last time; < 0: EINTR. */
static inline ssize_t futex_receive(struct end *end)
{
	uint32_t now, before = end->seen;

	end->wakes = 0;
	while ((now = __atomic_load_n(end->word, __ATOMIC_ACQUIRE)) == before) {
		if (!syscall(SYS_futex, end->word, FUTEX_WAIT, before, NULL, NULL, 0))
			end->wakes++;
		else if (errno == EINTR)
			return -1;
	}
	end->seen = now;
	return now - before;
}

/* The kernel wants a type in front of every message. */
struct sysv_message {
	long type;
	char data[8192];
};

static inline ssize_t sysv_receive(int queue, void *data, size_t size)
{
	struct sysv_message message;
	ssize_t bytes = msgrcv(queue, &message, sizeof(message.data), 0, 0);

	if (bytes > 0)
		memcpy(data, message.data, (size_t)bytes < size ? (size_t)bytes : size);
	return bytes;
}

/* Each sender has a type of its own. */
static inline ssize_t sysv_send(int queue, const void *data, size_t size)
{
	struct sysv_message message = {.type = gettid()};

	memcpy(message.data, data, size);
	return msgsnd(queue, &message, size, 0) ? -1 : (ssize_t)size;
}

static inline ssize_t end_receive(struct end *end, void *data, size_t size)
{
	uint64_t count;

	switch (end->kind) {
	case END_SOCKET:
		end->peer_len = sizeof(end->peer);
		return recvfrom(end->in, data, size, 0, (struct sockaddr *)&end->peer,
				&end->peer_len);
	case END_QUEUE:
		return mq_receive(end->in, data, size, NULL);
	case END_SYSV:
		return sysv_receive(end->in, data, size);
	case END_EVENTFD:
		return read(end->in, &count, sizeof(count)) < 0 ? -1 : (ssize_t)count;
	case END_FUTEX:
		return futex_receive(end);
	default:
		return read(end->in, data, size);
	}
}

static inline ssize_t end_send_once(struct end *end, const void *data, size_t size)
{
	const uint64_t one = 1;

	switch (end->kind) {
	case END_SOCKET:
		if (!end->answers)
			return send(end->out, data, size, 0);
		return sendto(end->out, data, size, 0, (struct sockaddr *)&end->peer,
			      end->peer_len);
	case END_QUEUE:
		return mq_send(end->out, data, size, 0) ? -1 : (ssize_t)size;
	case END_SYSV:
		return sysv_send(end->out, data, size);
	case END_EVENTFD:
		return write(end->out, &one, sizeof(one)) < 0 ? -1 : 1;
	case END_FUTEX:
		__atomic_fetch_add(end->word, 1, __ATOMIC_RELEASE);
		syscall(SYS_futex, end->word, FUTEX_WAKE, 1, NULL, NULL, 0);
		return 1;
	default:
		return write(end->out, data, size);
	}
}

/* SIGTERM comes between two messages. */
static inline ssize_t end_send(struct end *end, const void *data, size_t size)
{
	ssize_t bytes;

	do {
		bytes = end_send_once(end, data, size);
	} while (bytes < 0 && errno == EINTR);
	return bytes;
}

static inline void end_close(struct end *end)
{
	close(end->in);
	if (end->out != end->in)
		close(end->out);
}
