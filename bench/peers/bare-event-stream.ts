import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Redis } from 'ioredis';
import { Pool } from 'pg';

/**
 * Bare event stream: holds responses, and on each Redis message sends the newest event of the account to all of them,
 * by one indexed SELECT. Without `DATABASE_URL` it only holds them.
 */
const responses = new Set<ServerResponse>();
const server = createServer((_request, response) => {
  response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
  response.write(': open\n\n');
  responses.add(response);
  response.once('close', () => responses.delete(response));
});

async function relayEvents(databaseUrl: string): Promise<void> {
  const pool = new Pool({ connectionString: databaseUrl });
  const subscriber = new Redis(process.env.REDIS_URL!);
  subscriber.on('message', () => {
    const select = 'SELECT id, type, payload FROM event_log WHERE account_id = $1 ORDER BY xid DESC LIMIT 1';
    void pool
      .query<{ id: string; type: string; payload: string }>(select, [process.env.ACCOUNT_ID])
      .then(({ rows }) => {
        const { id, type, payload } = rows[0]!;
        const text = `id: ${id}\nevent: ${type}\ndata: {"id":"${id}",${payload.slice(1)}\n\n`;
        for (const response of responses) response.write(text);
      });
  });
  await subscriber.subscribe('bare');
}

server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  const { DATABASE_URL } = process.env;
  void (DATABASE_URL ? relayEvents(DATABASE_URL) : Promise.resolve()).then(() => process.send!({ port }));
});
