/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the words for what sets slow units apart. */
#pragma once

#include "model/explanation.h"
#include "report/words/explain/cause_words.h"

/* "on CPU 1", "receiver asleep when the data came" */
void explain_attribute_words(const struct explain_attribute *attribute, char words[CLAUSE_LEN]);
