/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the collector of a picture (model/picture.h). It gets the units of one run twice:
 *
 *	picture = picture__new(info, kind);
 *	picture__rank(picture, unit);			pass 1: every unit
 *	picture__choose(picture, slow_above_ns);
 *	picture__add(picture, unit, ...);		pass 2: every unit
 *	picture__add_message(picture, message);		pass 2: every message, but for calls
 *	picture__finish(picture, &result);
 *	picture__free(picture);
 *
 * Pass 1 shows between which instants and latencies the bins lie. Memory is bounded.
 */
#pragma once

#include "model/picture.h"

struct picture_maker;

/* NULL: out of memory. `info` is copied. */
struct picture_maker *picture__new(const struct run_info *info, enum unit_kind kind);
void picture__free(struct picture_maker *maker);

void picture__rank(struct picture_maker *maker, const struct unit *unit);

/*
 * Tracing ended then: the heat map reaches to there, as time without units is a result, too. Before
 * picture__choose().
 */
void picture__traced_until(struct picture_maker *maker, uint64_t ns);

/* Ends pass 1. Longer units than this are slow; UINT64_MAX: none is. 0 or -ENOMEM. */
int picture__choose(struct picture_maker *maker, uint64_t slow_above_ns);

/*
 * The same units as in pass 1. `component_ns`: the components of a message, [NR_COMPONENTS]; NULL:
 * the causes of the unit say what it consists of. `weight`: for how many units the causes stand: 1,
 * more in a sample, or 0 if they are not known in full. 1: it is one of the slowest so far, and the
 * caller should call picture__add_moments() before the next unit. 0: not so; -ENOMEM.
 */
int picture__add(struct picture_maker *maker, const struct unit *unit, const uint64_t *component_ns,
		 uint64_t weight);

/* Copies what the threads of the unit that was added last did. 0 or -ENOMEM. */
int picture__add_moments(struct picture_maker *maker, const struct moment *moment, uint32_t cnt);

/* For the series of clients. If the units are calls, these make them. */
void picture__add_message(struct picture_maker *maker, const struct message *message);

/* A unit of another recording, called `name`: its percentiles stand beside those of this one. */
void picture__add_other(struct picture_maker *maker, const struct unit *unit, const char *name);

/* Fills in `picture`, which picture_clean() frees. 0 or -ENOMEM, and then it is empty. */
int picture__finish(struct picture_maker *maker, struct picture *picture);
