/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists all transports, and finds a transport by its name. */
#include "transport/transport.h"
#include "util/word_list.h"

#include <string.h>

/* A new transport is one file, its declaration in transport.h, and one line here. */
const struct transport_ops *const transports[] = {
	&uds_transport,
	&uds_stream_transport,
	&uds_seqpacket_transport,
	&tcp_transport,
	&tcp6_transport,
	&udp_transport,
	&udp6_transport,
	&pipe_transport,
	&fifo_transport,
	&shm_transport,
	&mqueue_transport,
	&sysv_transport,
	&signal_transport,
	&signal_std_transport,
	&eventfd_transport,
	&kernel_transport,
	NULL,
};

const struct transport_ops *transport_find(const char *name)
{
	for (size_t i = 0; transports[i]; i++)
		if (!strcmp(transports[i]->name, name))
			return transports[i];
	return NULL;
}

const char *transport_names(void)
{
	static char names[256];
	struct word_list list = {.text = names, .size = sizeof(names)};

	for (size_t i = 0; transports[i]; i++)
		word_list_add(&list, "%s", transports[i]->name);
	return names;
}

void transports_tidy(const char *note, uid_t owner)
{
	for (size_t i = 0; transports[i]; i++)
		if (transports[i]->tidy)
			transports[i]->tidy(note, owner);
}
