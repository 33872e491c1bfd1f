/**
 * Webhook endpoint in its own process. On `{await: n}` it reports when `n` more deliveries have arrived, and on
 * `{take: true}` the deliveries since the last report.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

let receivedCount = 0;
let expectedCount = Infinity;
/** `performance.now()` of each arrival since the last report, and the timestamp of the payload. */
let delays: number[] = [];

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    response.writeHead(204).end();
    const { timestamp } = JSON.parse(Buffer.concat(chunks).toString()) as { timestamp: number };
    delays.push(Date.now() - timestamp);
    if (++receivedCount === expectedCount) process.send!({ come: delays });
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
  receivedCount = 0;
  delays = [];
  expectedCount = count;
  process.send!({ ready: true });
});
