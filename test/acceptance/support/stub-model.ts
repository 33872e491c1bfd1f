import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MODEL_DIALECTS, type ModelAnswer, type ModelRequest } from './model-dialects';

const INSTRUCTION = /^(say|run|recall|wait)\b *(.*)$/gm;
const COMMAND_TOOL = /^(bash|exec_command|run_shell_command)$/i;

/**
 * Model on loopback that speaks the protocols of several vendors. The last line of the prompt that begins with one of
 * these words says what it does: `say TEXT`, `run COMMAND` (then it repeats the command's output), `recall` (says what
 * it was first asked to say in this session) and `wait` (it never answers).
 */
export class StubModel {
  private constructor(private readonly server: Server) {}

  static async start(): Promise<StubModel> {
    const server = createServer((request, response) => void answerRequest(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new StubModel(server);
  }

  /** Without a path. */
  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

async function answerRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { pathname } = new URL(request.url!, 'http://localhost');
  const dialect = MODEL_DIALECTS.find(({ path }) => path.test(pathname));
  if (!dialect) {
    response.writeHead(400).end();
    return;
  }
  const answer = chooseAnswer(dialect.parseRequest(JSON.parse(Buffer.concat(chunks).toString())));
  if (!answer) return;
  response.writeHead(200, { 'Content-Type': 'text/event-stream' });
  dialect.writeAnswer(response, answer);
}

/** Returns null to stay silent. Requests without the tool are the agent's own, for instance for a title. */
function chooseAnswer({ prompts, toolOutput, tools }: ModelRequest): ModelAnswer | null {
  const tool = tools.find((name) => COMMAND_TOOL.test(name));
  if (!tool) return { text: 'A title' };
  if (toolOutput !== null) return { text: `The command said: ${toolOutput}` };
  // An agent may put several messages of the user into one, for instance after one without an answer.
  const [, word, text = ''] = [...(prompts.at(-1) ?? '').matchAll(INSTRUCTION)].at(-1) ?? [];
  if (word === 'wait') return null;
  if (word === 'run') return { tool, command: text };
  if (word === 'recall') return { text: prompts.map((prompt) => /^say +(.*)$/m.exec(prompt)?.[1]).find(Boolean) ?? '' };
  return { text };
}
