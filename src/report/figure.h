/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Defines the interface of a figure, for example the heat map. A figure is one SVG element that
 * stands without scripts. figures.c lists the figures.
 *
 * A figure is drawn for a given width: a wide page and a narrow one have figures of their own, as
 * text would become too small if one was scaled to the other. The exact numbers of a mark are in
 * its data- attributes, in nanoseconds and counts as in -f json. A mark with a <title> shows that
 * as a tooltip.
 */
#pragma once

#include "report/format.h"
#include "report/markup.h"
#include "report/words/paragraph.h"
#include "report/words/rows.h"

#define FIGURE_WIDE   880
#define FIGURE_NARROW 360

/* Where a figure is drawn. */
struct canvas {
	struct markup *markup;
	double width; /* user units, which are CSS pixels */
	bool is_narrow;
	bool is_alone;      /* a file of its own: it has the style sheet in it */
	const char *id;     /* unique in the page: the prefix of all ids in the figure */
	const char *prefix; /* of ids that all figures of the run refer to; NULL: none */
	uint32_t choice;    /* of to-scale: which unit, see below */
};

/* What figures of several runs need of each run. Zero-initialised is empty. */
struct run_points {
	struct rows runs;   /* owned: one for each run */
	struct rows merged; /* owned: one for each configuration, the means of its runs */
};

/* Copies what is needed of a run. 0 or -ENOMEM. */
int run_points_add(struct run_points *points, const struct illustration *illustration);

/* All runs are added. 0 or -ENOMEM. */
int run_points_merge(struct run_points *points);
void run_points_clean(struct run_points *points);

/* What a figure is about: all messages of a run, its units, or several runs. */
enum figure_subject { OF_MESSAGES, OF_UNITS, OF_RUNS };

struct figure {
	const char *name;  /* the value of --figure, and the anchor in the page */
	const char *title; /* the heading above it */
	enum figure_subject subject;
	bool is_at_a_glance; /* the page shows it at once; others are folded */

	/* Whether the run, or the runs, have what it shows. */
	bool (*applies)(const struct illustration *illustration);

	/* What it says, in a sentence, if it applies: its <desc>, and the caption below it. */
	void (*describe)(const struct illustration *illustration, struct paragraph *words);

	/* Draws the marks inside of the <svg> element. Returns the height that they take. */
	double (*draw)(const struct canvas *canvas, const struct illustration *illustration);
};

/*
 * The figure to-scale shows one unit: choice 0 is the typical slow one, and i is the slowest one of
 * episode i, which may not be known. Each of several runs has only the first one.
 */
#define CHOICES_MAX 11
bool to_scale_has(const struct illustration *illustration, uint32_t choice);

/* "Episode 2: call 17 from redis-cli ... begins at 1.106 s and takes 18.3 ms." */
void to_scale_words(const struct illustration *illustration, uint32_t choice,
		    struct paragraph *words);

/* Its place among the slowest units, which the page shows in full: 1 …; 0: it is not there. */
uint32_t to_scale_rank(const struct illustration *illustration, uint32_t choice);

extern const struct figure figure_typical;
extern const struct figure figure_to_scale;
extern const struct figure figure_heat_map;
extern const struct figure figure_cpus;
extern const struct figure figure_bands;
extern const struct figure figure_slowest;
extern const struct figure figure_percentiles;
extern const struct figure figure_apart;
extern const struct figure figure_difference;
extern const struct figure figure_blame;
extern const struct figure figure_exchange;
extern const struct figure figure_exchanges;
extern const struct figure figure_graph;
extern const struct figure figure_chains;
extern const struct figure figure_series;
extern const struct figure figure_over_clients;
extern const struct figure figure_over_size;
extern const struct figure figure_published;
extern const struct figure figure_runs;

/* All figures in the order of the page, from 0 on; NULL after the last one. */
const struct figure *figure_at(size_t i);

/* NULL if no figure has this name. */
const struct figure *figure_find(const char *name);

/* Whether it is about one run, or about several, as `illustration` is, and applies. */
bool figure_shows(const struct figure *figure, const struct illustration *illustration);

/* Writes the figure as one <svg> element. 0 or -errno: there is no memory. */
int figure_draw(const struct figure *figure, const struct canvas *canvas,
		const struct illustration *illustration);

/* The style sheet of figures. */
extern const char figure_style[];

/* The class of an area: "c-runqueue". "c-unknown" for a number that is no cost. */
const char *cost_class(unsigned int cost);

/* What a number is, which decides how it is written. */
enum measure {
	MEASURE_NS,    /* "800 ns", "12.5 µs", "3 ms", "1.5 s" */
	MEASURE_COUNT, /* "800", "12 k", "3 M" */
	MEASURE_SHARE, /* of 1: "12 %" */
	MEASURE_NUMBER /* as it is: "1200" */
};

/*
 * The number on an axis whose largest number is `largest`, and whose ticks are `step` apart: all
 * have one unit and the same decimals. `step` 0: the number by itself, with up to three digits.
 */
#define MEASURE_LEN 32
const char *measure_text(enum measure measure, double value, double largest, double step,
			 char text[MEASURE_LEN]);

/* By itself: "812 ns", "12.3 µs". Valid in the enclosing block. */
#define NS_TEXT(ns)       measure_text(MEASURE_NS, (ns), (ns), 0, (char[MEASURE_LEN]){0})
#define COUNT_TEXT(count) measure_text(MEASURE_COUNT, (count), (count), 0, (char[MEASURE_LEN]){0})
