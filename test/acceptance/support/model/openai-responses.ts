import {
  formatEvent,
  readText,
  STUB_USAGE,
  type ConversationPart,
  type ModelAnswer,
  type ModelDialect,
} from './dialect';

const USAGE = {
  input_tokens: STUB_USAGE.input,
  input_tokens_details: { cached_tokens: STUB_USAGE.cached },
  output_tokens: STUB_USAGE.output,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: STUB_USAGE.input + STUB_USAGE.output,
};

/** Responses of OpenAI: Codex. */
export const openAiResponses: ModelDialect = {
  path: /\/responses$/,
  parseRequest: ({ input, tools = [], stream }) => ({
    parts: (typeof input === 'string' ? [{ role: 'user', content: input }] : input).flatMap(readParts),
    tools: tools.map(({ name, type, parameters }: any) => ({
      name: name ?? type,
      properties: parameters?.properties ?? {},
    })),
    isStreamed: stream === true,
  }),

  *streamAnswer(answer, id) {
    let sequence_number = 0;
    const writeEvent = (type: string, members: object): string =>
      formatEvent({ type, ...members, sequence_number: sequence_number++ }, type);
    yield writeEvent('response.created', { response: { ...createResponse(id), status: 'in_progress' } });
    const items = createItems(answer, id);
    for (const [output_index, item] of items.entries()) {
      yield writeEvent('response.output_item.added', { output_index, item: { ...item, status: 'in_progress' } });
      const place = { item_id: item.id, output_index, content_index: 0 };
      if (item.type === 'message')
        for (const delta of answer.pieces) yield writeEvent('response.output_text.delta', { ...place, delta });
      yield writeEvent('response.output_item.done', { output_index, item });
    }
    const response = { ...createResponse(id), status: 'completed', output: items, usage: USAGE };
    yield writeEvent('response.completed', { response });
  },

  buildAnswer: (answer, id) => ({
    ...createResponse(id),
    status: 'completed',
    output: createItems(answer, id),
    usage: USAGE,
  }),
};

const createResponse = (id: string) => ({ id: `resp_${id}`, object: 'response', output: [] });

function createItems({ pieces, call }: ModelAnswer, id: string) {
  const content = [{ type: 'output_text', text: pieces.join('') }];
  const message = { type: 'message', id: `msg_${id}`, role: 'assistant', status: 'completed', content };
  const called = { type: 'function_call', id: `fc_${id}`, call_id: `call_${id}`, status: 'completed' };
  return [
    ...(pieces.length > 0 ? [message] : []),
    ...(call ? [{ ...called, name: call.tool, arguments: JSON.stringify(call.args) }] : []),
  ];
}

function readParts(item: any): ConversationPart[] {
  if (item.role === 'user') return [{ from: 'user', text: readText(item.content) }];
  if (!/_output$/.test(item.type ?? '')) return [];
  return [{ from: 'tool', text: typeof item.output === 'string' ? item.output : JSON.stringify(item.output) }];
}
