/* SPDX-License-Identifier: BSD-2-Clause */
/* The serving order of rounds whose sender is the kernel's timer. */
#ifndef IPCTRACE_REPORT_TEXT_TABLES_SERVING_ORDER_H
#define IPCTRACE_REPORT_TEXT_TABLES_SERVING_ORDER_H

#include "report/text/tables/rows.h"

/* Whether the serving order varies where the kernel's timer is the sender, and why. */
void order_words(struct paragraph *paragraph, const struct row *row);

#endif
