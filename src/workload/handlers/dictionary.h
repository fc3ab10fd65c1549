/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the English-German dictionary that the handler "translate" uses if the user names no
 * file.
 */
#pragma once

/* In the format of a dictionary file: a word, a blank and its translation on every line. */
extern const char dictionary_text[];
