import type { AgentInquiry, AgentSessionPage, ListedAgentSession } from '../agent/agent-inquiry';
import { CommandError } from '../exec/command-error';
import { isInteger, isJsonObject, isText } from '../untrusted-values';

/** Pages of one agent that a caller can read, however many it announces. */
const MAX_PAGES = 200;

/** Where a list goes on. */
export interface ListPosition {
  agent: string;
  /** Cursor of the agent's page; null: the first one. */
  cursor: string | null;
  /** Entries of the page that were read. */
  offset: number;
  /** Pages that were read before this one. */
  page: number;
}

export const startOfList = (agent: string): ListPosition => ({ agent, cursor: null, offset: 0, page: 0 });

/**
 * Reads an agent's sessions from a position on, each with the position after it; null after the last one. Entries that
 * can't be continued have no session.
 * @param cwd only sessions of this folder, as far as the agent minds it; null: all
 * @throws AgentError
 */
export async function* readListedSessions(
  agent: AgentInquiry,
  cwd: string | null,
  start: ListPosition,
): AsyncGenerator<{ session: ListedAgentSession | null; next: ListPosition | null }> {
  let position: ListPosition | null = start;
  while (position) {
    const { sessions, nextCursor }: AgentSessionPage = await agent.listSessions(cwd, position.cursor);
    const nextPage = findNextPage(position, nextCursor);
    for (let offset = position.offset; offset < sessions.length; offset++) {
      const isEnd = offset + 1 === sessions.length;
      yield { session: sessions[offset]!, next: isEnd ? nextPage : { ...position, offset: offset + 1 } };
    }
    // A page without entries is a chance for the caller to stop as well.
    if (position.offset >= sessions.length) yield { session: null, next: nextPage };
    position = nextPage;
  }
}

/** An agent may repeat a page for ever, or announce more without an end. */
function findNextPage({ agent, cursor, page }: ListPosition, nextCursor: string | null): ListPosition | null {
  if (nextCursor === null || nextCursor === cursor || page + 1 >= MAX_PAGES) return null;
  return { agent, cursor: nextCursor, offset: 0, page: page + 1 };
}

export const formatCursor = (position: ListPosition): string =>
  Buffer.from(JSON.stringify(position)).toString('base64url');

/** @throws CommandError `invalid_cursor` */
export function parseCursor(text: string): ListPosition {
  const { agent, cursor, offset, page } = readJson(Buffer.from(text, 'base64url').toString());
  if (isText(agent) && (cursor === null || isText(cursor)) && isInteger(offset, 0) && isInteger(page, 0, MAX_PAGES))
    return { agent, cursor, offset, page };
  throw new CommandError('invalid_cursor', 'The cursor is not one of a list of sessions of agents.');
}

function readJson(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}
