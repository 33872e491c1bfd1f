/** Tool that an agent offers. */
export interface OfferedTool {
  name: string;
  /** JSON schemas of its arguments by name. */
  properties: Record<string, { type?: string } | undefined>;
}

/** What the conversation contains, oldest first: texts of the user and of the agent, and the output of tools. */
export interface ConversationPart {
  from: 'user' | 'tool';
  text: string;
}

/** What an agent asks a model, the same for all protocols. */
export interface ModelRequest {
  parts: ConversationPart[];
  tools: OfferedTool[];
  isStreamed: boolean;
}

/** The model says something in these pieces, and then calls a tool. */
export interface ModelAnswer {
  pieces: readonly string[];
  call?: { tool: string; args: object };
}

/** Protocol of a vendor. */
export interface ModelDialect {
  path: RegExp;
  /** @param path of the request, which has members of its own with one vendor */
  parseRequest: (body: any, path: string) => ModelRequest;
  /** Returns the chunks of a stream of server-sent events. `id` is unique among the answers. */
  streamAnswer: (answer: ModelAnswer, id: string) => Iterable<string>;
  /** Returns the answer to a request that asks for no stream. */
  buildAnswer: (answer: ModelAnswer, id: string) => object;
}

/** Tokens of every answer. Those that were cached are a part of the input. */
export const STUB_USAGE = { input: 1_500, cached: 300, output: 42 };

/** Model that most vendors name in their answers. */
export const MODEL = 'stub';

interface ContentPart {
  text?: string;
}

/** Returns the text of content, which is a string or a list of parts. */
export function readText(content: string | null | undefined | ContentPart | (string | ContentPart | null)[]): string {
  return [content]
    .flat()
    .map((part) => (typeof part === 'string' ? part : (part?.text ?? '')))
    .join('\n');
}

export const formatEvent = (data: object, type?: string): string =>
  `${type === undefined ? '' : `event: ${type}\n`}data: ${JSON.stringify(data)}\n\n`;
