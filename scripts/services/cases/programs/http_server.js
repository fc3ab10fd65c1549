// SPDX-License-Identifier: BSD-2-Clause
// An HTTP server with bodies of 1 MB and a planted handler: http_server.js PORT WAY
'use strict';
const http = require('http');

const [port, way] = process.argv.slice(2);
const {Worker} = require('worker_threads');

const body = Buffer.alloc(1000000, 'x');

function spin() {
	const end = process.hrtime.bigint() + 500000n;
	while (process.hrtime.bigint() < end)
		;
}

// Another thread holds a lock for 2 ms whenever it is wanted.
const held = new Int32Array(new SharedArrayBuffer(8));
const HOLD = `
const {workerData: held} = require('worker_threads');
for (;;) {
	Atomics.wait(held, 0, 0);
	Atomics.wait(held, 1, 1, 2);
	Atomics.store(held, 0, 0);
	Atomics.store(held, 1, 0);
	Atomics.notify(held, 1);
}`;
if (way === 'lock')
	new Worker(HOLD, {eval: true, workerData: held});

function lock() {
	Atomics.store(held, 1, 1);
	Atomics.store(held, 0, 1);
	Atomics.notify(held, 0);
	Atomics.wait(held, 1, 1);
}

http.createServer((request, response) => {
	const answer = () => {
		response.writeHead(200, {'Content-Length': body.length});
		response.end(body);
	};
	if (way === 'sleep') {
		setTimeout(answer, 3);
		return;
	}
	if (way === 'spin')
		spin();
	if (way === 'lock')
		lock();
	answer();
}).listen(Number(port), '127.0.0.1').on('connection', connection => connection.setNoDelay(true));
