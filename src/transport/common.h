/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What transports share: how long they wait at most, how the server and a client meet before
 * messages are sent (one waits for a word that the other sets in shared memory), system limits, and
 * notes of system objects.
 */
#pragma once

#include <stdatomic.h>
#include <stdint.h>
#include <sys/un.h>

/* How long send() and admit() wait at most. */
#define TRANSPORT_WAIT_MS 1000
#define TRANSPORT_WAIT_NS (TRANSPORT_WAIT_MS * 1000000ULL)

/* unix_dgram_sendmsg() keeps this much of the send buffer for itself. */
#define UNIX_SEND_BUFFER_RESERVED 32

/* `fd`; or `err`, a negative errno, if there is one: then `fd` is closed. */
int fd_or_error(int fd, int err);

/* The number in a file of /proc/sys; `fallback` if the file cannot be read. */
long limit_read(const char *file, long fallback);

/*
 * Lets this process and its children have `count` descriptors for links besides all others, as far
 * as its hard limit allows. Beyond that, opening one fails with EMFILE.
 */
void limit_descriptors(uint64_t count);

/* How long open() waits for admit(), which may have timed out before. */
#define RENDEZVOUS_JOIN_MS 10000

/* Waits until the word is not 0. Returns its value, or 0 after `limit_ms`. */
uint32_t rendezvous_await(const _Atomic uint32_t *word, uint32_t limit_ms);

/* Pauses between two checks of something that sends no notification. */
void rendezvous_nap(void);

/* A unix address with this path. 0 or -ENAMETOOLONG. */
__attribute__((format(printf, 2, 3))) int unix_address_set(struct sockaddr_un *address,
							   const char *format, ...);

/* An epoll instance that watches `fd` for these events, or -errno. */
int epoll_of(int fd, uint32_t events);

/* Sleeps until `fd` can be read: in `epoll`, or in poll() if that is negative. 0 or -errno. */
int readable_await(int epoll, int fd);

/*
 * A note is an empty file in the run's directory. The file's name identifies a system object that a
 * transport makes outside of this directory. The note is written before the object is made. If the
 * run is killed, the next run finds the note and removes the object (tidy() of struct
 * transport_ops).
 */
#define NOTE_LEN 32

/*
 * Opens the run's directory for the other functions; the caller closes it. Follows no link. -errno
 * on failure.
 */
int note_directory_open(const char *path);

/* 0 or -errno; -EEXIST: the note exists. */
int note_make(int directory, const char *note);
void note_remove(int directory, const char *note);
