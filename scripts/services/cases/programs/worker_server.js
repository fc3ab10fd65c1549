// SPDX-License-Identifier: BSD-2-Clause
// An HTTP server whose planted handler runs in another thread of the process: worker_server.js PORT WAY
'use strict';
const http = require('http');
const {Worker} = require('worker_threads');

const [port, way] = process.argv.slice(2);

const HANDLER = `
const {parentPort, workerData: way} = require('worker_threads');
const never = new Int32Array(new SharedArrayBuffer(4));
function spin() {
	const end = process.hrtime.bigint() + 500000n;
	while (process.hrtime.bigint() < end)
		;
}
parentPort.on('message', number => {
	if (way === 'spin')
		spin();
	if (way === 'sleep')
		Atomics.wait(never, 0, 0, 3);
	parentPort.postMessage(number);
});`;

const worker = new Worker(HANDLER, {eval: true, workerData: way});
const open = [];
worker.on('message', () => {
	const response = open.shift();
	response.setHeader('Content-Length', 5);
	response.end('here\n');
});
http.createServer({keepAliveTimeout: 60000}, (request, response) => {
	open.push(response);
	worker.postMessage(1);
}).listen(Number(port), '127.0.0.1').on('connection', connection => connection.setNoDelay(true));
