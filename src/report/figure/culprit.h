/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the words of the culprits of a picture, and their places: a culprit has one colour and
 * one number in all figures.
 */
#pragma once

#include "model/picture.h"
#include "report/figure/legend.h"
#include "report/words/labels.h"

/* The culprit in the list of the picture: 1 + index; 0: it is not there. */
uint32_t culprit_place(const struct picture *picture, const struct blame *by);

/*
 * "1 hog", "2 kworker", "3 net_rx (softirq 3)", whose tip has the priorities. `place`: 1 + index.
 */
struct legend_entry *culprit_add_entry(const struct picture *picture, uint32_t place,
				       struct legend *legend);

/* For tooltips, with its priorities: "hog (RR 50, nice 0)". */
#define CULPRIT_WORDS_LEN (3 * NAME_LEN)
void culprit_words(const struct picture_culprit *culprit, char words[CULPRIT_WORDS_LEN]);
