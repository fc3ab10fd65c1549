# SPDX-License-Identifier: BSD-2-Clause
"""The comparisons of scripts/services/compare: what is right, what is wrong, and what the table shows of it."""

import os
import re
import sys
import types
import unittest

import tap

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../scripts/services"))

import comparison as compare

TEXT = """server (1), tcp: 2000 messages/s for 1.0 s

CAUSE         82.5 % of call time is the server working: server (1) on
              127.0.0.1:80. 17 % is the send path.
TYPICAL       half of all calls take at most 5.0 us.

calls (us)          mean
"""


def case(**members):
    """A case whose handler spins 500 us."""
    return types.SimpleNamespace(**{"name": "c", "program": "server", "planted": "spins 500 us", "true": "the service",
                                    "says": "the server working", "service_ns": 500_000, "state": "on_cpu",
                                    "explained": {}} | members)


def report(**members):
    return {"count": 1000, "p50_ns": 600_000, "p99_ns": 700_000, "service_ns": 501_000, "known_pct": 100.0, "marked": 0,
            "states_ns": {"count": 1000, "on_cpu": 499_000.0, "runqueue": 0.0, "blocked": 2000.0}} | members


CLIENT = {"count": 1000, "p50_ns": 605_000, "p99_ns": 710_000}


def judged(client=None, text=TEXT, base=compare.Base(), of=None, **members):
    return compare.judge(of or case(), CLIENT | (client or {}), report(**members), text, base)


class Figures(unittest.TestCase):
    def test_percentile(self):
        """the smallest value that so many are not above"""
        values = list(range(100, 0, -1))
        self.assertEqual([compare.percentile(values, share) for share in (50, 99, 100)], [50, 99, 100])
        self.assertEqual(compare.percentile([7], 99), 7)
        self.assertIsNone(compare.percentile([], 50))

    def test_client(self):
        """what a client knows"""
        self.assertEqual(compare.client_figures([3, 1, 2]), {"count": 3, "p50_ns": 2, "p99_ns": 3})

    @staticmethod
    def service(channel, count, open_several=0, transport="tcp"):
        return {"channel": channel, "transport": transport, "count": count, "open_several": open_several,
                "round_trip_ns": {"p50": 1, "p99": 2}, "service_ns": {"p50": 3}, "states_ns": None,
                "states_known_pct": None, "answer_parts": None}

    def test_service(self):
        """the busiest service that is meant, with calls that had others open"""
        services = [self.service("a", 5), self.service("b", 1, 9), self.service("a", 7, transport="uds-stream"),
                    self.service(None, 6)]
        summary = {"calls": {"whole_services": services}}
        self.assertIs(compare.service_of(summary), services[1])
        self.assertIs(compare.service_of(summary, "a"), services[2])
        self.assertIs(compare.service_of(summary, "a", "tcp"), services[0])
        self.assertIsNone(compare.service_of(summary, "c"))
        self.assertIsNone(compare.service_of({"calls": None}))

    def test_parts(self):
        """a service is over with the last part of its answer, if most answers have several"""
        service = self.service("a", 4) | {"states_ns": {"on_cpu": 3, "blocked": None},
                                          "answer_parts": {"count": 3, "between_ns": 50,
                                                           "states_ns": {"on_cpu": 1, "runqueue": 2, "blocked": 47}}}
        report = compare.report_figures(service)
        self.assertEqual((report["service_ns"], report["states_ns"]),
                         (53, {"on_cpu": 4, "runqueue": 2, "blocked": 47}))
        service["answer_parts"]["count"] = 2
        self.assertEqual(compare.report_figures(service)["service_ns"], 3)

    def test_report(self):
        """its figures; none without a service; those of calls with others open if these are most"""
        several = {"p50": 8, "p99": 9}
        self.assertEqual(compare.report_figures(None)["count"], 0)
        one = compare.report_figures(self.service("a", 4, 3), several)
        self.assertEqual((one["count"], one["marked"], one["p50_ns"], one["states_ns"]), (7, 3, 1, {}))
        self.assertEqual(compare.report_figures(self.service("a", 3, 4), several)["p99_ns"], 9)


class Sentences(unittest.TestCase):
    def test_first(self):
        """full stops in numbers and addresses end no sentence, and lines are joined"""
        self.assertEqual(compare.sentence_of(TEXT),
                         "82.5 % of call time is the server working: server (1) on 127.0.0.1:80.")

    def test_long_head(self):
        """a warning may stand before the cause"""
        self.assertEqual(compare.sentence_of(TEXT.replace("\n\n", "\n\nUNRELIABLE  5 % are missing\n", 1)),
                         compare.sentence_of(TEXT))

    def test_none(self):
        """a report without a verdict"""
        self.assertEqual(compare.sentence_of("ipctrace 0.1\n"), "")


class Judgement(unittest.TestCase):
    def wrong(self, **how):
        return set(judged(**how)["wrong"])

    def test_right(self):
        """all is as the client and the handler know it"""
        row = judged()
        self.assertEqual((row["wrong"], row["explained"]), ({}, []))
        self.assertFalse(compare.is_disturbed(row))

    def test_count(self):
        """one call too few or too many is wrong, and no second try helps"""
        for count in (999, 1001):
            self.assertEqual(self.wrong(count=count), {"count"})
        self.assertFalse(compare.is_disturbed(judged(count=999, p50_ns=1)))

    def test_round_trips(self):
        """5 % or 20 us are allowed, and an unknown figure is wrong"""
        self.assertEqual(self.wrong(p50_ns=575_000), set())
        self.assertEqual(self.wrong(p50_ns=574_000), {"p50_ns"})
        short = {"of": case(service_ns=None, state=None), "p50_ns": 10_000}
        self.assertEqual(self.wrong(client={"p50_ns": 30_000}, **short), set())
        self.assertEqual(self.wrong(client={"p50_ns": 30_001}, **short), {"p50_ns"})
        self.assertEqual(self.wrong(p99_ns=None), {"p99_ns"})
        self.assertTrue(compare.is_disturbed(judged(p99_ns=None)))

    def test_service(self):
        """the planted time, and what the server takes anyway"""
        self.assertEqual(self.wrong(service_ns=474_000), {"service_ns"})
        self.assertEqual(self.wrong(service_ns=524_000), set())
        self.assertEqual(self.wrong(service_ns=560_000), {"service_ns"})
        self.assertEqual(self.wrong(service_ns=560_000, base=compare.Base(own_ns=40_000)), set())
        self.assertEqual(self.wrong(service_ns=None), {"service_ns"})

    def test_allowed(self):
        """a service is no longer than the client's call, less what a call without a handler spends outside of it"""
        why = {"service_ns": compare.Explained("Its own work.", 1, None)}
        self.assertEqual(self.wrong(of=case(explained=why), service_ns=635_000), set())
        self.assertEqual(self.wrong(of=case(explained=why), service_ns=636_000), {"allowed_ns"})
        away = compare.Base(outside_ns=100_000)
        self.assertEqual(self.wrong(of=case(explained=why), service_ns=530_000, base=away), set())
        self.assertEqual(self.wrong(of=case(explained=why), service_ns=531_000, base=away), {"allowed_ns"})
        self.assertEqual(self.wrong(of=case(explained=why), service_ns=474_000), {"service_ns"})
        self.assertTrue(compare.is_disturbed(judged(of=case(explained=why), service_ns=636_000)))

    def test_state(self):
        """the planted state is the longest, and has nearly all of the planted time"""
        self.assertEqual(self.wrong(states_ns={"on_cpu": 449_000.0, "blocked": 51_000.0}), {"state"})
        self.assertEqual(self.wrong(states_ns={"on_cpu": 500_000.0, "blocked": 600_000.0}), {"state"})
        self.assertEqual(self.wrong(states_ns={}), {"state"})
        self.assertEqual(self.wrong(states_ns={"on_cpu": None}), {"state"})

    def test_no_handler(self):
        """without a planted handler there is no planted time"""
        self.assertEqual(set(judged(of=case(service_ns=None, state=None), service_ns=9, states_ns={})["wrong"]), set())

    def test_sentence(self):
        """one that says something else is wrong"""
        self.assertEqual(self.wrong(text=TEXT.replace("the server working", "the send path")), {"sentence"})
        self.assertFalse(compare.is_disturbed(judged(text="")))
        self.assertFalse(compare.is_disturbed(judged(client={"p50_ns": None, "p99_ns": None}, text="")))

    def test_disturbed_sentence(self):
        """where the client's slowest calls show other causes, these may be in the sentence: another try"""
        slow = {"p99_ns": 2_000_000}
        self.assertTrue(compare.is_disturbed(judged(client=slow, p99_ns=2_000_000, text="")))
        self.assertFalse(compare.is_disturbed(judged(client=slow, p99_ns=2_000_000, text="", count=1)))

    def test_more(self):
        """further figures have a limit of their own"""
        self.assertEqual(self.wrong(more=[("bytes", 100, 100, 0)]), set())
        row = judged(more=[("bytes", 100, 99, 0)])
        self.assertEqual(set(row["wrong"]), {"bytes"})
        self.assertTrue(compare.is_disturbed(row))

    def test_explained(self):
        """a known difference within its bounds is explained once; a larger one is wrong"""
        why = compare.Explained("Threads.", 0.8, 1)
        of = case(explained={"p50_ns": why, "p99_ns": why})
        row = judged(of=of, p50_ns=500_000, p99_ns=600_000)
        self.assertEqual((row["wrong"], row["explained"]), ({}, ["Threads."]))
        self.assertEqual(set(judged(of=of, p50_ns=480_000)["wrong"]), {"p50_ns"})
        self.assertEqual(set(judged(of=of, p50_ns=650_000)["wrong"]), {"p50_ns"})
        self.assertEqual(set(judged(of=of, p50_ns=None)["wrong"]), {"p50_ns"})


class Table(unittest.TestCase):
    def cells(self, row):
        return [cell.strip() for cell in re.split(r"(?<!\\)\|", compare.table([row]).splitlines()[-1])[1:-1]]

    def test_row(self):
        """a row that is right"""
        cells = self.cells(judged())
        self.assertEqual(len(cells), len(compare.HEAD))
        self.assertEqual(cells[2:6], ["1,000 / 1,000", "605 / 600", "710 / 700", "501; on CPU 100%"])
        self.assertEqual(cells[-1], "ok")

    def test_wrong(self):
        """every difference is named with both figures"""
        cells = self.cells(judged(count=7, p50_ns=1_000, states_ns={}, text="", more=[("bytes", 100, 99, 0)]))
        for words in ("number 7 instead of 1,000", "p50 1.0 instead of 605 us", "99 bytes instead of 100",
                      "not on CPU", "the sentence is not true"):
            self.assertIn(words, cells[-1])
        self.assertTrue(cells[-1].startswith("**differs**"))

    def test_marks(self):
        """calls that had others open, and states that are known of some calls only"""
        cells = self.cells(judged(marked=300, known_pct=90.0))
        self.assertIn("(300 of them with several open)", cells[2])
        self.assertEqual(cells[5], "501; on CPU 100% (known of 90 %)")
        self.assertEqual(self.cells(judged(known_pct=89.9))[5], "501; states known of 90 % of calls")

    def test_no_calls(self):
        """bytes instead of calls, and nothing where there is no figure"""
        nothing = {"count": None, "p50_ns": None, "p99_ns": None}
        row = judged(of=case(service_ns=None), client=nothing, **nothing, service_ns=None,
                     more=[("bytes", 10, 10, 0)])
        self.assertEqual(self.cells(row)[2:6], ["10 / 10 bytes", "- / -", "- / -", "-"])

    def test_totals(self):
        """every case is counted once"""
        why = compare.Explained("Threads.", 0.8, 1)
        rows = [judged(), judged(count=1), judged(of=case(explained={"p50_ns": why}), p50_ns=500_000),
                compare.not_run(case(), "why")]
        self.assertEqual(compare.totals(rows), "4 cases: 1 ok, 1 with a difference that is explained, 1 that differ, "
                                               "1 not run.")

    def test_not_run(self):
        """a case that could not run stays in the table, with the reason"""
        cells = self.cells(compare.not_run(case(), "no | such\nprogram"))
        self.assertEqual(cells[:2] + cells[-1:], ["server", "spins 500 us", r"not run: no \| such program"])
        self.assertEqual(len(cells), len(compare.HEAD))


if __name__ == "__main__":
    tap.main()
