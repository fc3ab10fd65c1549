# SPDX-License-Identifier: BSD-2-Clause
"""The reported latencies are what the clients have measured themselves."""

import harness
import tap
from replay import decode, records


class OwnStamps(harness.TestCase):
    """decode.py reads the clients' own stamps from the recording, and nothing else."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.path = f"{cls.folder}/run.ipct"
        cls.live = harness.ipctrace("--clients", 5, "--messages", 300, "--record", cls.path,
                                    "-f", "json")
        if cls.live.status:
            raise AssertionError(f"the run failed: {cls.live.err}")
        cls.recorded = records.read(cls.path)[0]
        cls.own = decode.own_messages(cls.recorded)

    def report(self, output):
        result = harness.ipctrace("report", self.path, "-f", output)
        self.check_quiet(result)
        return result

    def check_rounds(self, summary):
        expected = decode.rounds_of(self.recorded, self.own)
        rounds = summary["rounds"]
        self.assertEqual(expected["complete"], 300)
        self.assertEqual(rounds["complete"], expected["complete"])
        for name in ("first_latency_ns", "next_latency_ns", "last_latency_ns"):
            self.check_figures(rounds[name], expected[name], name)
        self.assert_near(rounds["service_time_ns"], expected["service_time_ns"], "service time")

    def check_figures(self, got, expected, what):
        for key in ("count", "min", "max"):
            self.assertEqual(got[key], expected[key], f"{what} {key}")
        for key in ("mean", "stddev"):
            self.assert_near(got[key], expected[key], f"{what} {key}")

    def test_live(self):
        """first, next and last latency and service time of the live run are the clients' own"""
        self.check_rounds(self.live.json())

    def test_report(self):
        """the rounds from the recording are the clients' own, too"""
        self.check_rounds(self.report("json").json())

    def test_every_message(self):
        """every latency is the client's own, to the nanosecond"""
        messages = harness.read_ndjson(self.report("ndjson").out)[1]
        self.check_every_record(messages)
        got = {(m["client"], m["round"]): (m["stamp_ns"], m["user_ns"], m["latency_ns"])
               for m in messages}
        own = {(m["client"], m["round"]): (m["stamp_ns"], m["user_ns"], m["latency_ns"])
               for m in self.own}
        self.assertEqual(len(own), 1500)
        self.assertEqual(got, own)

    def test_clients(self):
        """the row of every client is its own latencies"""
        for client in self.live.json()["clients"]:
            own = [m["latency_ns"] for m in self.own if m["client"] == client["client"]]
            self.check_figures(client["latency_ns"], decode.stat_of(own), client["comm"])

    def test_components(self):
        """every instant, component and share of blame is what decode.py finds in the records"""
        messages = harness.read_ndjson(self.report("ndjson").out)[1]
        got = {(m["client"], m["round"]): m for m in messages}
        decoded = decode.messages_of(self.recorded)
        decode.blame_of(self.recorded, decoded)
        self.assertEqual(len(decoded), len(got))
        for message in decoded:
            mine = got[message["client"], message["round"]]
            blame = sorted([b["class"], b["tid"], b["ns"]] for b in mine["blame"])
            self.assertEqual(blame, message.pop("blame"), mine)
            self.assertEqual({k: mine[k] for k in message}, dict(message))

    def test_same_json(self):
        """-f json of the live run and of its recording are the same, figure for figure"""
        self.assertEqual(self.report("json").json(), self.live.json())

    def test_same_elsewhere(self):
        """-f ndjson and the text of a live run and of its recording are the same"""
        for output in ("ndjson", "text"):
            with self.subTest(output):
                path = self.file(f"{output}.ipct")
                live = harness.ipctrace("--clients", 3, "--messages", 50, "--warmup", 20,
                                        "--record", path, "-f", output)
                self.check_quiet(live)
                self.assertEqual(harness.ipctrace("report", path, "-f", output).out, live.out)


if __name__ == "__main__":
    tap.main()
