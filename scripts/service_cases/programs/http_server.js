// SPDX-License-Identifier: BSD-2-Clause
// An HTTP server with bodies of 1 MB and a planted handler: http_server.js PORT WAY
'use strict';
const http = require('http');

const [port, way] = process.argv.slice(2);
const body = Buffer.alloc(1000000, 'x');

function spin() {
	const end = process.hrtime.bigint() + 500000n;
	while (process.hrtime.bigint() < end)
		;
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
	answer();
}).listen(Number(port), '127.0.0.1').on('connection', connection => connection.setNoDelay(true));
