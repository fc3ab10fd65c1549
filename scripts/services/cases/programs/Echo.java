// SPDX-License-Identifier: BSD-2-Clause
// An echo server with a Selector and a planted handler: Echo PORT WAY

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;

class Echo {
	static volatile long heldUntil;
	static final Semaphore wanted = new Semaphore(0), free = new Semaphore(0);

	static void hold() {
		try {
			while (true) {
				wanted.acquire();
				while (System.nanoTime() < heldUntil)
					LockSupport.parkNanos(heldUntil - System.nanoTime());
				free.release();
			}
		} catch (InterruptedException e) {
			throw new IllegalStateException(e);
		}
	}

	static void handle(String way) throws InterruptedException {
		switch (way) {
		case "spin":
			long end = System.nanoTime() + 500_000;
			while (System.nanoTime() < end)
				;
			break;
		case "sleep":
			Thread.sleep(3);
			break;
		case "lock":
			heldUntil = System.nanoTime() + 2_000_000;
			wanted.release();
			free.acquire();
			break;
		default:
		}
	}

	public static void main(String[] words) throws Exception {
		Thread holder = new Thread(Echo::hold);
		holder.setDaemon(true);
		holder.start();
		Selector selector = Selector.open();
		ServerSocketChannel listener = ServerSocketChannel.open();
		listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(words[0])));
		listener.configureBlocking(false);
		listener.register(selector, SelectionKey.OP_ACCEPT);
		ByteBuffer buffer = ByteBuffer.allocateDirect(65536);
		while (true) {
			selector.select();
			for (SelectionKey key : selector.selectedKeys()) {
				if (key.isAcceptable()) {
					SocketChannel client = listener.accept();
					client.configureBlocking(false);
					client.setOption(StandardSocketOptions.TCP_NODELAY, true);
					client.register(selector, SelectionKey.OP_READ);
					continue;
				}
				SocketChannel client = (SocketChannel) key.channel();
				buffer.clear();
				if (client.read(buffer) < 0) {
					client.close();
					continue;
				}
				handle(words[1]);
				buffer.flip();
				while (buffer.hasRemaining())
					client.write(buffer);
			}
			selector.selectedKeys().clear();
		}
	}
}
