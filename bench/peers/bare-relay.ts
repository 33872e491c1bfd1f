import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { createBareGateway } from './bare-gateway';

/** `POST /<token>` sends the body to that device and responds with its acknowledgement. */
const server = createServer((request, response) => {
  relayRequest(request, response).catch(() => response.writeHead(500).end());
});
const sockets = createBareGateway(server);

async function relayRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const params = (await json(request)) as object;
  const socket = sockets.get(request.url!.slice(1));
  if (!socket) return void response.writeHead(503).end();
  const relayMessage = { method: 'machine.invoke', deadline: Date.now() + 21_000, timeoutMs: 20_000, params };
  const answer = (await socket.timeout(22_000).emitWithAck('relay:request', relayMessage)) as {
    result: object;
  };
  const body = JSON.stringify({ result: answer.result });
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) });
  response.end(body);
}

server.listen(0, '127.0.0.1', () => process.send!({ port: (server.address() as AddressInfo).port }));
