/* SPDX-License-Identifier: BSD-2-Clause */
/* Holds the transport of each channel and its receiver, usually a socket: CHANNEL records. */
#pragma once

#include "bpf/record.h"

#include <stdbool.h>

struct channels;

struct channels *channels__new(void); /* NULL: out of memory */
void channels__free(struct channels *channels);

/* 0 or -ENOMEM. */
int channels__add(struct channels *channels, const struct record_channel *channel);

/* enum transport_id; 0 if the channel's record is missing. */
uint32_t channels__transport(struct channels *channels, uint32_t id);

/* Whether two channels end at the same receiving socket. */
bool channels__same_receiver(const struct channels *channels, uint32_t a, uint32_t b);
