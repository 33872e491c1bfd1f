import { ApiError, SealedContentError, type ExternalApiClient, type Message } from '../../index.ts';
import type { CommandAction } from '../command-line/command-spec.ts';
import { formatRelativeTime } from '../output/relative-time.ts';
import { resolveSessionId } from '../resolve-names.ts';

const DEFAULT_LIMIT = 30;
/** Why no text can be read, by the code of the error. */
const REFUSALS: Record<string, string> = {
  insufficient_scope: 'this token lacks sessions:content.',
  no_content_grant: 'this session is not shared with the token. Share it in the console.',
  key_required: 'this session is shared with a key of yours, which xapi does not have.',
};

export const listMessages: CommandAction = async (context, input) => {
  const { terminal } = context;
  const client = context.createClient();
  const id = await resolveSessionId(client, input.getArgument('SESSION'));
  const limit = input.findWholeNumber('limit') ?? DEFAULT_LIMIT;
  const query = { turnId: input.findOption('turn'), limit: Math.min(limit, 200) };
  const messages = (await client.sessions.messages(id, query).toArray(limit)).reverse();
  const reader = new ContentReader(client, id);
  const readable: (Message & { text: string | null })[] = [];
  for (const message of messages) {
    const text = await reader.readText(message);
    if (terminal.isJson) {
      readable.push({ ...message, text });
      continue;
    }
    const time = formatRelativeTime(message.createdAt, context.now);
    terminal.writeLine(`${terminal.style('bold', message.role)} ${terminal.style('dim', `#${message.seq}, ${time}`)}`);
    if (text !== null) terminal.writeLine(`${terminal.showText(formatContent(message, text)).trimEnd()}\n`);
  }
  if (terminal.isJson) return terminal.writeJson(readable);
  if (messages.length === 0) terminal.writeNotice('There are no messages.');
  if (reader.refusal !== undefined) terminal.writeNotice(`The texts are not shown: ${REFUSALS[reader.refusal]}`);
};

/** A tool call is a JSON object with a title, a status, and what the tool wrote or changed. */
function formatContent({ role }: Message, text: string): string {
  if (role !== 'tool') return text;
  try {
    const call = JSON.parse(text) as Record<'title' | 'status' | 'exitCode' | 'output' | 'diff', unknown>;
    if (typeof call.title !== 'string') return text;
    const exitCode = typeof call.exitCode === 'number' ? `, exit code ${call.exitCode}` : '';
    const details = [call.output, call.diff].filter((part) => typeof part === 'string' && part !== '');
    return [typeof call.status === 'string' ? `${call.title}: ${call.status}${exitCode}` : call.title, ...details].join(
      '\n',
    );
  } catch {
    return text;
  }
}

/** Reads texts until the service says that this token may not. */
class ContentReader {
  readonly #client: ExternalApiClient;
  readonly #sessionId: string;
  /** Code of the error after which no text can be read. */
  refusal: string | undefined;

  constructor(client: ExternalApiClient, sessionId: string) {
    this.#client = client;
    this.#sessionId = sessionId;
  }

  async readText(message: Message): Promise<string | null> {
    if (this.refusal !== undefined) return null;
    try {
      return (await this.#client.content(this.#sessionId, message)).text;
    } catch (error) {
      const isKnown = error instanceof ApiError || error instanceof SealedContentError;
      if (!isKnown || !Object.hasOwn(REFUSALS, error.code)) throw error;
      this.refusal = error.code;
      return null;
    }
  }
}
