# SPDX-License-Identifier: BSD-2-Clause
"""What the network does with packets and sockets on the way: none of it makes a wrong number."""

import os
import signal
import socket
import subprocess
import sys
import uuid

import attach
import tap

# A process of Python that begins when it gets SIGUSR1.
WAITS = """
import os, select, signal, socket, sys, time
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
def wait():
    print("ready", flush=True)
    signal.sigwait([signal.SIGUSR1])
"""

# It asks one question after the other.
ASKS = WAITS + """
host, count = sys.argv[1], int(sys.argv[2])
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as end:
    end.connect((host, 53))
    end.settimeout(5)
    wait()
    for i in range(count):
        end.send(b"question %d" % i)
        assert end.recv(100) == b"answer %d" % i
"""

# Another machine, behind a device whose driver frees what it has put on its wire. It answers.
MACHINE = """
import fcntl, os, struct, subprocess, sys
device, subnet = sys.argv[1:]
TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454ca, 1, 0x1000
tun = os.open("/dev/net/tun", os.O_RDWR)
fcntl.ioctl(tun, TUNSETIFF, struct.pack("16sH22x", device.encode(), IFF_TUN | IFF_NO_PI))
subprocess.run(["sh", "-ec", f"ip address add {subnet}.1/30 dev {device}; ip link set {device} up"],
               check=True)

def checksum(header):
    total = sum(struct.unpack("!10H", header))
    total = (total & 0xffff) + (total >> 16)
    return ~(total + (total >> 16)) & 0xffff

print("ready", flush=True)
while True:
    packet = os.read(tun, 2000)
    if packet[0] >> 4 != 4 or packet[9] != 17:
        continue
    asker, asked = struct.unpack("!2H", packet[20:24])
    text = packet[28:].replace(b"question", b"answer")
    udp = struct.pack("!4H", asked, asker, 8 + len(text), 0) + text
    ip = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(udp), 0, 0, 64, 17, 0)
    ip += packet[16:20] + packet[12:16]
    ip = ip[:10] + struct.pack("!H", checksum(ip)) + ip[12:]
    os.write(tun, ip + udp)
"""


class Inet(attach.AttachCase):
    """Targets in Python that wait for the test, and links to others."""

    def waiting(self, program, *arguments):
        return self.ready(self.spawn([sys.executable, "-c", program, *arguments]))

    def test_another_machine(self):
        """UDP to another machine and back: nobody here has sent or received it"""
        device, subnet = f"ipct{uuid.uuid4().hex[:6]}", f"198.19.{os.getpid() % 256}"
        self.ready(self.spawn([sys.executable, "-c", MACHINE, device, subnet]))
        target = self.waiting(ASKS, subnet + ".2", 300)
        with self.attached("-p", target.pid) as attachment:
            target.send_signal(signal.SIGUSR1)
            self.join(target)
        self.assertEqual(attachment.of("udp"), [])
        integrity = attachment.summary["integrity"]
        self.assertEqual(integrity["elsewhere"], 600, integrity)


if __name__ == "__main__":
    tap.main()
