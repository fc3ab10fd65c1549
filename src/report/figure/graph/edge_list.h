/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the list of the edges of a network, with their exact numbers as data- attributes. */
#pragma once

#include "report/figure/graph/view.h"

/* Returns where it ends. */
double edge_list_draw(const struct canvas *canvas, const struct graph_view *view, double y);
