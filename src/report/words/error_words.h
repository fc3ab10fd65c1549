/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the words for errors of system calls. */
#pragma once

#include "report/words/paragraph.h"

/* "EAGAIN"; 0: "other errors" */
void error_words(struct paragraph *line, uint32_t error);
