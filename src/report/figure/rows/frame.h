/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares what figures of rows share: a name, bars or points on a scale of all rows, and a note.
 *
 *	wide:    name   |=========      |  note       narrow:  name        note
 *	                                                       ================
 */
#pragma once

#include "report/figure/canvas.h"

struct row_frame {
	double name_width;
	double name_height; /* of the line above the bars; 0: names stand beside them */
	double bar_x;
	double bar_width;
};

/*
 * Names stand beside the bars of a wide figure, and above those of a narrow one. Notes end at the
 * right edge, and need this width.
 */
struct row_frame row_frame_of(const struct canvas *canvas, double wide_note, double narrow_note);

/*
 * A foreign name with its baseline at `y`, cut to `width`. A name that is cut is in full in a
 * tooltip. `class` may be NULL.
 */
void row_name_draw(const struct canvas *canvas, const char *class, double x, double y, double width,
		   const char *name);

/* The same for names whose end says as much as their begin, as that of a path. */
void row_path_draw(const struct canvas *canvas, const char *class, double x, double y, double width,
		   const char *path);

/* A note of a row, at the right edge. */
void row_note_draw(const struct canvas *canvas, const char *class, double y, const char *note);

/* A line that says what is not shown, in lines as wide as the figure. Returns their height. */
double row_words_draw(const struct canvas *canvas, double y, const char *words);
