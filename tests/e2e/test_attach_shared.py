# SPDX-License-Identifier: BSD-2-Clause
"""Several threads at one end of a channel: who came first is known, or `ambiguous`."""

import fcntl
import time

import attach
import tap
import test_attach_joins

F_SETPIPE_SZ = 1031
PAGE = 4096


class Ending(test_attach_joins.OneWay):
    """Three writers of a pipe that is always full, when tracing ends."""

    def test_pipe(self):
        """
        some wait for room at the end, and who begins after it gets in before them: though that does
        not count, it shifts those who do
        """
        for _ in range(5):
            self.begin_logs()
            reader_at, writer_at, fds = self.ends("pipe")
            fcntl.fcntl(fds[0], F_SETPIPE_SZ, PAGE)
            reader = self.start("reader", "-s", 40, "-d", 1, reader_at, pass_fds=fds)
            writers = [self.start("writer", "-s", 40, writer_at, pass_fds=fds) for _ in range(3)]
            with self.attached("-p", reader.pid) as attachment:
                time.sleep(0.02)
            self.end(*writers, reader)
            records = attachment.of("pipe")
            self.check_right(self.truth(), records, (*attach.SURE, "ambiguous"))
            self.assertGreater(len(records), 100)


if __name__ == "__main__":
    tap.main()
