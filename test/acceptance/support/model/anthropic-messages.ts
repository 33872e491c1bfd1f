import { formatEvent, MODEL, readText, STUB_USAGE, type ConversationPart, type ModelDialect } from './dialect';

const USAGE = {
  input_tokens: STUB_USAGE.input - STUB_USAGE.cached,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: STUB_USAGE.cached,
};

/** Claude Code. */
export const anthropicMessages: ModelDialect = {
  path: /\/messages$/,
  parseRequest: ({ messages, tools = [], stream }) => ({
    parts: messages.filter(({ role }: any) => role === 'user').flatMap(({ content }: any) => readParts(content)),
    tools: tools.map(({ name, input_schema: schema }: any) => ({ name, properties: schema?.properties ?? {} })),
    isStreamed: stream === true,
  }),

  *streamAnswer({ pieces, call }, id) {
    const usage = { ...USAGE, output_tokens: 1 };
    yield writeEvent('message_start', { message: { ...createMessage(id), stop_reason: null, usage } });
    let index = 0;
    if (pieces.length > 0) {
      yield writeEvent('content_block_start', { index, content_block: { type: 'text', text: '' } });
      for (const text of pieces)
        yield writeEvent('content_block_delta', { index, delta: { type: 'text_delta', text } });
      yield writeEvent('content_block_stop', { index: index++ });
    }
    if (call) {
      const content_block = { type: 'tool_use', id: `toolu_${id}`, name: call.tool, input: {} };
      const delta = { type: 'input_json_delta', partial_json: JSON.stringify(call.args) };
      yield writeEvent('content_block_start', { index, content_block });
      yield writeEvent('content_block_delta', { index, delta });
      yield writeEvent('content_block_stop', { index });
    }
    const delta = { stop_reason: call ? 'tool_use' : 'end_turn', stop_sequence: null };
    yield writeEvent('message_delta', { delta, usage: { output_tokens: STUB_USAGE.output } });
    yield writeEvent('message_stop', {});
  },

  buildAnswer: ({ pieces }, id) => ({
    ...createMessage(id),
    content: [{ type: 'text', text: pieces.join('') }],
    stop_reason: 'end_turn',
    usage: { ...USAGE, output_tokens: STUB_USAGE.output },
  }),
};

const createMessage = (id: string) => ({
  id: `msg_${id}`,
  type: 'message',
  role: 'assistant',
  model: MODEL,
  content: [],
  stop_sequence: null,
});

const writeEvent = (type: string, members: object): string => formatEvent({ type, ...members }, type);

/** A message of the user contains the results of tools as well. */
const readParts = (content: any): ConversationPart[] =>
  [content]
    .flat()
    .map((block) =>
      block.type === 'tool_result'
        ? { from: 'tool', text: readText(block.content) }
        : { from: 'user', text: readText(block) },
    );
