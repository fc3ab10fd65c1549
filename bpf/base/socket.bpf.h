/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Defines constants of the kernel for sockets and files. Most of these constants are macros, which
 * vmlinux.h does not contain.
 */
#pragma once

#define S_IFMT         0170000
#define S_IFSOCK       0140000
#define S_IFIFO        0010000
#define AF_UNIX        1
#define AF_INET        2
#define AF_INET6       10
#define SOCK_STREAM    1
#define SOCK_DGRAM     2
#define SOCK_SEQPACKET 5
#define SOCK_TYPE_MASK 0xf
#define SOL_SOCKET     1
#define SO_RCVLOWAT    18
#define RCV_SHUTDOWN   1
#define MSG_OOB        1
#define MSG_PEEK       2
#define MSG_WAITALL    0x100
#define MSG_ERRQUEUE   0x2000
#define MSG_MORE       0x8000
#define MSG_RECEIVES_NONE                                                                          \
	(MSG_OOB | MSG_PEEK |                                                                      \
	 MSG_ERRQUEUE) /* receives no message of the queue                    \
					     */
#define TCP_ESTABLISHED 1
#define TCP_SYN_SENT    2
#define TCP_SYN_RECV    3
#define TCP_LISTEN      10 /* also of unix sockets */
