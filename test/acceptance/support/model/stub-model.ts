import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { anthropicMessages } from './anthropic-messages';
import { chooseReaction } from './choose-reaction';
import { MODEL, type ModelDialect } from './dialect';
import { gemini } from './gemini';
import { openAiChat } from './openai-chat';
import { openAiResponses } from './openai-responses';

const DIALECTS: readonly ModelDialect[] = [anthropicMessages, openAiChat, openAiResponses, gemini];

/** Types and texts of errors, as vendors word them. */
const ERRORS: Record<number, [type: string, message: string]> = {
  401: ['authentication_error', 'Invalid API key'],
  404: ['not_found_error', 'Not found'],
  429: ['rate_limit_error', 'Rate limit reached'],
  500: ['api_error', 'Internal server error'],
};

/** Model on loopback that speaks the protocols of several vendors and does what prompts say (`chooseReaction`). */
export class StubModel {
  private answerCount = 0;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<StubModel> {
    const server = createServer((request, response) => void model.answerRequest(request, response));
    const model = new StubModel(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return model;
  }

  /** Without a path. */
  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async answerRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url!, 'http://localhost');
    if (/\/models$/.test(pathname)) {
      const data = [{ id: MODEL, object: 'model', created: 1, owned_by: MODEL }];
      return sendJson(response, 200, { object: 'list', data });
    }
    if (/count_tokens$|:countTokens$/.test(pathname))
      return sendJson(response, 200, { input_tokens: 10, totalTokens: 10 });
    const dialect = DIALECTS.find(({ path }) => path.test(pathname));
    if (!dialect) return sendJson(response, 404, createError(404));
    const asked = dialect.parseRequest(await json(request), pathname);
    const reaction = chooseReaction(asked);
    if (reaction === 'hang') return;
    if ('status' in reaction) return sendJson(response, reaction.status, createError(reaction.status));
    const id = String(++this.answerCount);
    if (!asked.isStreamed) return sendJson(response, 200, dialect.buildAnswer(reaction.answer, id));
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    for (const chunk of dialect.streamAnswer(reaction.answer, id)) {
      if (response.destroyed) return;
      response.write(chunk);
      if (reaction.pauseMs !== undefined) await sleep(reaction.pauseMs);
    }
    response.end();
  }
}

/** Has the members that each vendor's errors have. */
function createError(status: number): object {
  const [type, message] = ERRORS[status]!;
  return { type: 'error', error: { type, code: status, status: type.toUpperCase(), message } };
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}
