import { formatEvent, MODEL, readText, STUB_USAGE, type ModelDialect } from './dialect';

const USAGE = {
  prompt_tokens: STUB_USAGE.input,
  completion_tokens: STUB_USAGE.output,
  total_tokens: STUB_USAGE.input + STUB_USAGE.output,
  prompt_tokens_details: { cached_tokens: STUB_USAGE.cached },
};

/** Chat completions of OpenAI: OpenCode, Qwen Code, Copilot. */
export const openAiChat: ModelDialect = {
  path: /\/chat\/completions$/,
  parseRequest: ({ messages, tools = [], stream }) => ({
    parts: messages
      .filter(({ role }: any) => role === 'user' || role === 'tool')
      .map(({ role, content }: any) => ({ from: role, text: readText(content) })),
    tools: tools.map(({ function: { name, parameters } }: any) => ({
      name,
      properties: parameters?.properties ?? {},
    })),
    isStreamed: stream === true,
  }),

  *streamAnswer({ pieces, call }, id) {
    const head = { id: `chatcmpl-${id}`, object: 'chat.completion.chunk', created: 1, model: MODEL };
    const writeDelta = (delta: object, finish_reason: string | null = null): string =>
      formatEvent({ ...head, choices: [{ index: 0, delta, finish_reason }] });
    yield writeDelta({ role: 'assistant', content: '' });
    for (const content of pieces) yield writeDelta({ content });
    if (call) {
      const called = { name: call.tool, arguments: JSON.stringify(call.args) };
      yield writeDelta({ tool_calls: [{ index: 0, id: `call_${id}`, type: 'function', function: called }] });
    }
    yield writeDelta({}, call ? 'tool_calls' : 'stop');
    yield formatEvent({ ...head, choices: [], usage: USAGE });
    yield 'data: [DONE]\n\n';
  },

  buildAnswer: ({ pieces }, id) => ({
    id: `chatcmpl-${id}`,
    object: 'chat.completion',
    created: 1,
    model: MODEL,
    choices: [{ index: 0, message: { role: 'assistant', content: pieces.join('') }, finish_reason: 'stop' }],
    usage: USAGE,
  }),
};
