import { formatEvent, MODEL, readText, STUB_USAGE, type ConversationPart, type ModelDialect } from './dialect';

const USAGE = {
  promptTokenCount: STUB_USAGE.input,
  cachedContentTokenCount: STUB_USAGE.cached,
  candidatesTokenCount: STUB_USAGE.output,
  totalTokenCount: STUB_USAGE.input + STUB_USAGE.output,
};

/** Gemini CLI. */
export const gemini: ModelDialect = {
  path: /:(generateContent|streamGenerateContent)$/,
  parseRequest: ({ contents, tools = [] }, path) => ({
    parts: contents.filter(({ role }: any) => role !== 'model').flatMap(({ parts }: any) => parts.map(readPart)),
    tools: tools
      .flatMap(({ functionDeclarations = [] }: any) => functionDeclarations)
      .map(({ name, parameters, parametersJsonSchema }: any) => ({
        name,
        properties: (parametersJsonSchema ?? parameters)?.properties ?? {},
      })),
    isStreamed: /:stream/.test(path),
  }),

  *streamAnswer({ pieces, call }) {
    const calls = call ? [{ functionCall: { name: call.tool, args: call.args } }] : [];
    for (const part of [...pieces.map((text) => ({ text })), ...calls]) yield formatEvent(createContent([part]));
    yield formatEvent(createContent([{ text: '' }], 'STOP'));
  },

  buildAnswer: ({ pieces }) => createContent([{ text: pieces.join('') }], 'STOP'),
};

const createContent = (parts: object[], finishReason?: string) => ({
  candidates: [{ index: 0, content: { role: 'model', parts }, ...(finishReason ? { finishReason } : {}) }],
  usageMetadata: USAGE,
  modelVersion: MODEL,
});

const readPart = ({ text, functionResponse }: any): ConversationPart =>
  functionResponse
    ? { from: 'tool', text: JSON.stringify(functionResponse.response) }
    : { from: 'user', text: readText(text) };
