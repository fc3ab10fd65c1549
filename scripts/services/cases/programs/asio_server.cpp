// SPDX-License-Identifier: BSD-2-Clause
// An echo server on Boost.Asio whose planted handler runs in a pool of threads: asio_server PORT WAY
#include <array>
#include <boost/asio.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <thread>

using boost::asio::ip::tcp;
using namespace std::chrono_literals;

static std::string way;

static void handle()
{
	auto begin = std::chrono::steady_clock::now();

	if (way == "sleep")
		std::this_thread::sleep_for(3ms);
	while (way == "spin" && std::chrono::steady_clock::now() - begin < 500us)
		;
}

struct Session : std::enable_shared_from_this<Session> {
	Session(tcp::socket connection, boost::asio::thread_pool &pool)
		: connection(std::move(connection)), pool(pool)
	{
		this->connection.set_option(tcp::no_delay(true));
	}

	void receive()
	{
		connection.async_read_some(boost::asio::buffer(bytes),
					   [self = shared_from_this()](auto error, size_t size) {
						   if (!error)
							   self->hand_over(size);
					   });
	}

	void hand_over(size_t size)
	{
		boost::asio::post(pool, [self = shared_from_this(), size] {
			handle();
			boost::asio::post(self->connection.get_executor(),
					  [self, size] { self->answer(size); });
		});
	}

	void answer(size_t size)
	{
		boost::asio::async_write(connection, boost::asio::buffer(bytes, size),
					 [self = shared_from_this()](auto error, size_t) {
						 if (!error)
							 self->receive();
					 });
	}

	tcp::socket connection;
	boost::asio::thread_pool &pool;
	std::array<char, 64> bytes;
};

static void accept(tcp::acceptor &acceptor, boost::asio::thread_pool &pool)
{
	acceptor.async_accept([&](auto error, tcp::socket connection) {
		if (!error)
			std::make_shared<Session>(std::move(connection), pool)->receive();
		accept(acceptor, pool);
	});
}

int main(int, char **argv)
{
	boost::asio::io_context loop;
	boost::asio::thread_pool pool(2);
	tcp::endpoint address(boost::asio::ip::address_v4::loopback(), std::stoi(argv[1]));
	tcp::acceptor acceptor(loop, address);

	way = argv[2];
	accept(acceptor, pool);
	loop.run();
}
