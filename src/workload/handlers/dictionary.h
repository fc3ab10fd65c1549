/* SPDX-License-Identifier: BSD-2-Clause */
/* The English-German dictionary that handler "translate" uses without a file. */
#pragma once

/* In the format of a dictionary file: a word, a blank and its translation on every line. */
extern const char dictionary_text[];
