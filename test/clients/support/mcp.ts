import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

const FOLDER = join(__dirname, '..', '..', '..', 'clients', 'mcp');
export const MCP_SERVER = join(FOLDER, 'dist', 'main.mjs');
/** The tools that a token with all scopes of sessions and machines allows. */
export const MCP_TOOLS = [
  'change_session_options',
  'list_agent_sessions',
  'list_machines',
  'list_sessions',
  'read_session',
  'read_session_options',
  'run_command',
  'send_message',
  'start_session',
];

/** Bundles the server as its package does. */
export function buildMcpServer(): void {
  const { status, stderr } = spawnSync(process.execPath, [join(FOLDER, 'build.mjs')], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`The MCP server could not be built: ${stderr}`);
}

export interface McpOptions {
  /** Program of Node.js. */
  command?: string;
  env?: Record<string, string>;
}

/** Host of the MCP server, with the client of the official SDK over standard input and output. */
export class McpHost {
  private readonly errorChunks: Buffer[] = [];
  /** Lines of the standard output that are not messages of the protocol. */
  readonly protocolErrors: Error[] = [];

  private constructor(readonly client: Client) {}

  static async start(
    url: string,
    token: string,
    { command = process.execPath, ...more }: McpOptions = {},
  ): Promise<McpHost> {
    const host = new McpHost(new Client({ name: 'test', version: '1.0.0' }));
    const env = { PATH: process.env.PATH!, XAPI_HOST: url, XAPI_TOKEN: token, ...more.env };
    const transport = new StdioClientTransport({ command, args: [MCP_SERVER], env, stderr: 'pipe' });
    (transport.stderr as Readable).on('data', (chunk: Buffer) => host.errorChunks.push(chunk));
    host.client.onerror = (error) => host.protocolErrors.push(error);
    await host.client.connect(transport);
    return host;
  }

  get errors(): string {
    return Buffer.concat(this.errorChunks).toString();
  }

  async listToolNames(): Promise<string[]> {
    return (await this.client.listTools()).tools.map(({ name }) => name).sort();
  }

  async call(name: string, args: object, options: Parameters<Client['callTool']>[2] = {}): Promise<any> {
    return this.client.callTool({ name, arguments: { ...args } }, undefined, options);
  }

  stop(): Promise<void> {
    return this.client.close();
  }
}
