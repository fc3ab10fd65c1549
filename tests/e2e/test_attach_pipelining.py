# SPDX-License-Identifier: BSD-2-Clause
"""More requests before their answers: a request is what one send carries."""

import attach
import tap


class Pipelining(attach.AttachCase):
    """Both sides have logged what they sent."""

    CALLS, DEPTH = 100, 8

    def trace(self, transport, asking, answering=(), options=()):
        """The attachment to a service that gets so many requests at a time."""
        self.begin_logs()
        address, _ = self.address(transport)
        service = self.start("service", *answering, address)
        with self.attached("-p", service.pid, *options) as attachment:
            self.run_to_end("caller", "-n", self.CALLS, "-k", self.DEPTH, *asking, address)
        self.end(service)
        self.check_right(self.truth(), attachment.messages)
        return attachment

    def check_calls_of(self, asking, answering, messages, calls, options=()):
        for transport in ("uds-stream", "tcp"):
            with self.subTest(transport):
                attachment = self.trace(transport, asking, answering, options)
                self.check_whole(attachment, messages * self.CALLS)
                self.assertEqual(attachment.summary["calls"]["count"], calls * self.CALLS)

    def test_requests(self):
        """eight requests, of which a receive may take several, and an answer to each, in order: eight calls"""
        self.check_calls_of(["-e"], [], 2 * self.DEPTH, self.DEPTH, ["--calls", "fifo"])

    def test_unordered_requests(self):
        """the same without a word on the order: each request is in a call, which says what is not known"""
        for transport in ("uds-stream", "tcp"):
            with self.subTest(transport):
                attachment = self.trace(transport, ["-e"])
                calls, summary = attachment.calls, attachment.summary["calls"]
                self.assertEqual(sum(call["requests"] for call in calls) + summary["unbalanced"],
                                 self.DEPTH * self.CALLS)
                self.assertEqual(summary["count"], sum(c["match"] == "exact" for c in calls))
                self.assertEqual(summary["open_several"]["count"],
                                 sum(c["match"] == "open_several" for c in calls))

    def test_answers(self):
        """eight in one message, and an answer to each: one call"""
        self.check_calls_of([], [], 1 + self.DEPTH, 1)

    def test_one_answer(self):
        """eight in one message, and all answers in one: one call"""
        self.check_calls_of([], ["-g"], 2, 1)


if __name__ == "__main__":
    tap.main()
