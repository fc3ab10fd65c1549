/* SPDX-License-Identifier: BSD-2-Clause */
/* Collects the values of an option that names processes and adds up, such as --peer. */
#pragma once

#include "model/spec.h"

/* Appends `arg`, a number or a glob or several, to `text`, with a comma. 0, or EINVAL (logged). */
int add_process(const char *option, const char *arg, char text[SPEC_TEXT_LEN]);
