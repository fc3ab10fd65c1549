/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the style sheet and the script of the page, which are files of their own in this folder.
 */
#pragma once

extern const char page_style[];
extern const char page_script[];
