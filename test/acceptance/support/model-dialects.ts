import type { ServerResponse } from 'node:http';

/** What an agent asks a model, the same for all protocols. */
export interface ModelRequest {
  /** Texts of the user, oldest first. */
  prompts: string[];
  /** Output of the tool that the model has just called. */
  toolOutput: string | null;
  /** Names of the tools that the agent offers. */
  tools: string[];
}

/** The model says something, or calls a tool that runs a command. */
export type ModelAnswer = { text: string } | { tool: string; command: string };

/** Protocol of a vendor. Answers are streamed, each in one piece. */
export interface ModelDialect {
  path: RegExp;
  parseRequest: (body: any) => ModelRequest;
  writeAnswer: (response: ServerResponse, answer: ModelAnswer) => void;
}

type Part = string | { text?: string } | null | undefined;

/** OpenAI, chat completions: OpenCode, Qwen Code. */
const chatCompletions: ModelDialect = {
  path: /\/chat\/completions$/,
  parseRequest: ({ messages, tools = [] }) => ({
    prompts: messages.filter(hasRole('user')).map(({ content }: any) => readText(content)),
    toolOutput: messages.at(-1).role === 'tool' ? readText(messages.at(-1).content) : null,
    tools: tools.map((tool: any) => tool.function.name),
  }),
  writeAnswer: (response, answer) => {
    const call = (name: string, args: string) => ({
      index: 0,
      id: 'call_1',
      type: 'function',
      function: { name, arguments: args },
    });
    const [delta, finish_reason] =
      'text' in answer
        ? [{ role: 'assistant', content: answer.text }, 'stop']
        : [{ role: 'assistant', tool_calls: [call(answer.tool, createArguments(answer))] }, 'tool_calls'];
    const chunks = [
      { choices: [{ index: 0, delta, finish_reason: null }] },
      { choices: [{ index: 0, delta: {}, finish_reason }] },
      { choices: [], usage: { prompt_tokens: 20, completion_tokens: 5, total_tokens: 25 } },
    ];
    const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'stub' };
    for (const chunk of chunks) response.write(`data: ${JSON.stringify({ ...head, ...chunk })}\n\n`);
    response.end('data: [DONE]\n\n');
  },
};

/** OpenAI, responses: Codex. */
const responses: ModelDialect = {
  path: /\/responses$/,
  parseRequest: ({ input, tools = [] }) => ({
    prompts: input.filter(hasRole('user')).map(({ content }: any) => readText(content)),
    toolOutput: input.at(-1).type === 'function_call_output' ? JSON.stringify(input.at(-1).output) : null,
    tools: tools.map(({ name }: any) => name ?? ''),
  }),
  writeAnswer: (response, answer) => {
    const item =
      'text' in answer
        ? { type: 'message', role: 'assistant', id: 'msg_1', content: [{ type: 'output_text', text: answer.text }] }
        : {
            type: 'function_call',
            id: 'fc_1',
            call_id: 'call_1',
            name: answer.tool,
            arguments: createArguments(answer),
          };
    const usage = { input_tokens: 20, output_tokens: 5, total_tokens: 25 };
    writeEvent(response, { type: 'response.created', response: { id: 'resp_1' } });
    writeEvent(response, { type: 'response.output_item.added', output_index: 0, item });
    writeEvent(response, { type: 'response.output_item.done', output_index: 0, item });
    writeEvent(response, { type: 'response.completed', response: { id: 'resp_1', usage } });
    response.end();
  },
};

/** Anthropic, messages: Claude Code. */
const messages: ModelDialect = {
  path: /\/messages$/,
  parseRequest: ({ messages: turns, tools = [] }) => {
    const last = [turns.at(-1).content].flat().at(-1);
    return {
      prompts: turns.filter(hasRole('user')).map(({ content }: any) => readText(content)),
      toolOutput: last.type === 'tool_result' ? readText(last.content) : null,
      tools: tools.map(({ name }: any) => name),
    };
  },
  writeAnswer: (response, answer) => {
    const usage = { input_tokens: 20, output_tokens: 5 };
    const [block, delta, stop_reason] =
      'text' in answer
        ? [{ type: 'text', text: '' }, { type: 'text_delta', text: answer.text }, 'end_turn']
        : [
            { type: 'tool_use', id: 'toolu_1', name: answer.tool, input: {} },
            { type: 'input_json_delta', partial_json: createArguments(answer) },
            'tool_use',
          ];
    const head = { id: 'msg_1', type: 'message', role: 'assistant', model: 'stub', content: [], usage };
    writeEvent(response, { type: 'message_start', message: { ...head, stop_reason: null, stop_sequence: null } });
    writeEvent(response, { type: 'content_block_start', index: 0, content_block: block });
    writeEvent(response, { type: 'content_block_delta', index: 0, delta });
    writeEvent(response, { type: 'content_block_stop', index: 0 });
    writeEvent(response, { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage });
    writeEvent(response, { type: 'message_stop' });
    response.end();
  },
};

/** Google, Gemini: Gemini CLI. */
const gemini: ModelDialect = {
  path: /:streamGenerateContent$/,
  parseRequest: ({ contents, tools = [] }) => {
    const result = contents.at(-1).parts.find((part: any) => part.functionResponse);
    return {
      prompts: contents.filter(hasRole('user')).map(({ parts }: any) => readText(parts)),
      toolOutput: result ? JSON.stringify(result.functionResponse.response) : null,
      tools: tools.flatMap((tool: any) => tool.functionDeclarations ?? []).map(({ name }: any) => name),
    };
  },
  writeAnswer: (response, answer) => {
    const part =
      'text' in answer
        ? { text: answer.text }
        : { functionCall: { name: answer.tool, args: JSON.parse(createArguments(answer)) } };
    const candidates = [{ index: 0, content: { role: 'model', parts: [part] }, finishReason: 'STOP' }];
    const usageMetadata = { promptTokenCount: 20, candidatesTokenCount: 5, totalTokenCount: 25 };
    response.end(`data: ${JSON.stringify({ candidates, usageMetadata })}\n\n`);
  },
};

export const MODEL_DIALECTS: readonly ModelDialect[] = [chatCompletions, responses, messages, gemini];

const hasRole = (wanted: string) => (message: { role?: string }) => message.role === wanted;

function readText(content: Part | Part[]): string {
  return [content]
    .flat()
    .map((part) => (typeof part === 'string' ? part : (part?.text ?? '')))
    .join('\n');
}

function writeEvent(response: ServerResponse, event: { type: string; [member: string]: unknown }): void {
  response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
}

/** Arguments of the agents' tools for commands, some of which refuse others. */
function createArguments({ tool, command }: { tool: string; command: string }): string {
  const description = 'Run a command';
  if (/^bash$/i.test(tool)) return JSON.stringify({ command, description });
  if (tool === 'run_shell_command') return JSON.stringify({ command, description, is_background: false });
  // Codex asks its client only if the model asks to leave the sandbox.
  return JSON.stringify({ cmd: command, sandbox_permissions: 'require_escalated', justification: description });
}
