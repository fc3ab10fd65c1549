/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the text report into memory, and from there into the page. */
#include "report/html/plain_report.h"

#include "model/explanation.h"

#include <errno.h>

/*
 * The text report asks the user's locale what a character is. A page is UTF-8 in every locale, and
 * the same for all users.
 */
static locale_t enter_utf8(const struct plain_report *plain)
{
	return plain->utf8 ? uselocale(plain->utf8) : (locale_t)0;
}

static void leave_utf8(locale_t before)
{
	if (before)
		uselocale(before);
}

int plain_report_begin(struct plain_report *plain, const struct report_style *style)
{
	struct report_style own = *style;
	int err = memory_begin(&plain->memory);

	if (err)
		return err;
	/* Without it, the report is ASCII. */
	plain->utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
	own.out = plain->memory.stream;
	own.color = false;
	own.is_unicode = plain->utf8;
	own.is_brief = false;
	own.columns = 0;
	plain->is_run_matrix = style->is_run_matrix;
	plain->report = report_text.begin(&own);
	return plain->report ? 0 : -errno;
}

static int add(struct plain_report *plain, const struct illustration *illustration)
{
	int err = report_text.run(plain->report, &illustration->summary->info);

	if (!err)
		err = report_text.summary(plain->report, illustration->summary);
	if (!err && !plain->is_run_matrix && illustration->explanation)
		err = report_text.explanation(plain->report, illustration->explanation);
	return err;
}

int plain_report_add(struct plain_report *plain, const struct illustration *illustration)
{
	locale_t before = enter_utf8(plain);
	int err = add(plain, illustration);

	leave_utf8(before);
	return err;
}

int plain_report_finish(struct plain_report *plain, bool is_cut)
{
	locale_t before = enter_utf8(plain);
	int err = report_text.end(plain->report, is_cut);
	int memory_err = memory_finish(&plain->memory);

	leave_utf8(before);
	plain->report = NULL;
	return err ?: memory_err;
}

void plain_report_write(const struct plain_report *plain, struct markup *markup)
{
	markup_open(markup, "details");
	markup_attr(markup, "id", "text");
	markup_element(markup, "summary", NULL, "The report as text");
	markup_open(markup, "pre");
	markup_attr(markup, "tabindex", "0");
	markup_lines(markup, plain->memory.text ?: "");
	markup_close(markup);
	markup_close(markup);
}

void plain_report_clean(struct plain_report *plain)
{
	if (plain->report)
		report_text.end(plain->report, false);
	plain->report = NULL;
	memory_clean(&plain->memory);
	if (plain->utf8)
		freelocale(plain->utf8);
}
