#!/usr/bin/env node
/** MCP server over stdio. Standard output carries the protocol and nothing else. */
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { ExternalApiClient } from '@external-api/client';
import { useProxies } from '@external-api/forward-proxy/programs';
import { getMessage } from './describe-failure.ts';
import { createServer } from './server.ts';

const { XAPI_HOST, XAPI_TOKEN } = process.env;

if (process.argv.length > 2) fail('The server has no arguments. It reads XAPI_HOST and XAPI_TOKEN.', 2);
if (!XAPI_HOST || !XAPI_TOKEN) fail('Set XAPI_HOST to the URL of the service, and XAPI_TOKEN to a token.', 2);
if (!/^[\x21-\x7e]+$/.test(XAPI_TOKEN)) fail('XAPI_TOKEN has characters that no token has.', 2);

try {
  await useProxies();
  const client = new ExternalApiClient({ baseUrl: XAPI_HOST, token: XAPI_TOKEN, userAgent: 'external-api-mcp' });
  const server = createServer(client, (await client.me()).data);
  await server.connect(new StdioServerTransport());
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
