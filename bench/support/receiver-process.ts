/**
 * An endpoint for webhooks in a process of its own. On `{await: n}` it says once `n` more have come, on `{take: true}`
 * what has come since it was asked last.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

let come = 0;
let awaited = Infinity;
/** `performance.now()` at each coming since the last question, and the time that the payload says. */
let delays: number[] = [];

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    response.writeHead(204).end();
    const { timestamp } = JSON.parse(Buffer.concat(chunks).toString()) as { timestamp: number };
    delays.push(Date.now() - timestamp);
    if (++come === awaited) process.send!({ come: delays });
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.send!({ port: (server.address() as AddressInfo).port }));

process.on('message', ({ await: count, take }: { await?: number; take?: true }) => {
  if (take) {
    process.send!({ taken: delays });
    delays = [];
  }
  if (count === undefined) return;
  come = 0;
  delays = [];
  awaited = count;
  process.send!({ ready: true });
});
