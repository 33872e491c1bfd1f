#!/usr/bin/env node
/** MCP server over stdio. Standard output carries the protocol and nothing else. */
import { setTimeout as sleep } from 'node:timers/promises';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { ExternalApiClient } from '@external-api/client';
import { useProxies } from '@external-api/forward-proxy/programs';
import { getMessage } from './describe-failure.ts';
import { OwnToken } from './own-token.ts';
import { createServer } from './server.ts';

/** Hosts often give up a call after a minute, and don't learn then what is wrong. */
const LIMITS = { attemptTimeoutMs: 45_000, retryTimeoutMs: 20_000 };
/** How long the list of tools waits for the scopes of the token. A later list is announced to the host. */
const LIST_WAIT_MS = 3_000;

const { XAPI_HOST } = process.env;
// Copies and files of secrets often end with a line break.
const XAPI_TOKEN = process.env.XAPI_TOKEN?.trim();

if (process.argv.length > 2) fail('The server has no arguments. It reads XAPI_HOST and XAPI_TOKEN.', 2);
if (!XAPI_HOST || !XAPI_TOKEN) fail('Set XAPI_HOST to the URL of the service, and XAPI_TOKEN to a token.', 2);
if (!/^[\x21-\x7e]+$/.test(XAPI_TOKEN)) fail('XAPI_TOKEN has characters that no token has.', 2);

try {
  await useProxies();
  const client = new ExternalApiClient({
    baseUrl: XAPI_HOST,
    token: XAPI_TOKEN,
    userAgent: 'external-api-mcp',
    ...LIMITS,
  });
  const closed = new AbortController();
  const token = new OwnToken(client, closed.signal);
  const { server, limitTools } = createServer(client, token);
  server.server.onclose = () => closed.abort();
  const limited = token.readWhenReachable().then(limitTools, (error: unknown) => {
    // A host that is connected learns it from the calls, and one that has gone needs no reason.
    if (!closed.signal.aborted && !server.server.getClientVersion()) fail(getMessage(error), 1);
  });
  const transport = new StdioServerTransport();
  await server.connect(transport);
  const receive = transport.onmessage!;
  transport.onmessage = (message) => {
    const isList = 'method' in message && message.method === 'tools/list';
    if (!isList) return receive(message);
    void Promise.race([limited, sleep(LIST_WAIT_MS, undefined, { ref: false })]).then(() => receive(message));
  };
  // Closing the server cancels its calls. The process ends when their cancellations have.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void server.close());
  process.stdin.once('end', () => void server.close());
} catch (error) {
  fail(getMessage(error), 1);
}

function fail(message: string, exitCode: number): never {
  process.stderr.write(`${message}\n`);
  process.exit(exitCode);
}
