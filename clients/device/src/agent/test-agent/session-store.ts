import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { JsonRpcError } from '../json-rpc-peer';
import { createChosenOptions, type ChosenOptions } from './agent-options';

export interface AgentTestSession {
  cwd: string;
  mode: string;
  /** `on` or `off`: whether it asks about nothing, in any mode. */
  allowAll: string;
  /** Whether the client has set the mode, instead of relying on the default. */
  isModeSet: boolean;
  prompts: string[];
  /** Only with `fresh-loss`. */
  isLost?: boolean;
  chosen: ChosenOptions;
}

const PAGE_SIZE = 2;
const SESSION_FILE = /^(session-.+)\.json$/;

/** Sessions in a folder, which they last as long as. Without one they end with the process. */
export class SessionStore {
  constructor(private readonly folder: string | undefined) {}

  saveSession(sessionId: string, session: AgentTestSession): void {
    if (!this.folder) return;
    mkdirSync(this.folder, { recursive: true });
    writeFileSync(join(this.folder, `${sessionId}.json`), JSON.stringify(session));
  }

  /** @throws JsonRpcError for an unknown session */
  loadSession(sessionId: string): AgentTestSession {
    try {
      const stored = readFileSync(join(this.folder ?? '', `${sessionId}.json`), 'utf8');
      // Another client has chosen nothing.
      return { chosen: createChosenOptions(), ...(JSON.parse(stored) as Omit<AgentTestSession, 'chosen'>) };
    } catch {
      throw new JsonRpcError(-32602, 'Unknown session');
    }
  }

  /** Returns two sessions at a time, by their ids. */
  listSessions({ cwd, cursor }: Record<string, unknown>): object {
    const ids = readdirSync(this.folder ?? '.').flatMap((name) => SESSION_FILE.exec(name)?.[1] ?? []);
    const sessions = ids
      .sort()
      .map((sessionId) => ({ sessionId, ...this.describeSession(sessionId) }))
      .filter((session) => cwd === undefined || session.cwd === cwd);
    const end = Number(cursor ?? 0) + PAGE_SIZE;
    const nextCursor = end < sessions.length ? { nextCursor: String(end) } : {};
    return { sessions: sessions.slice(end - PAGE_SIZE, end), ...nextCursor };
  }

  private describeSession(sessionId: string): { cwd: string; title?: string; updatedAt: string } {
    const { cwd, prompts } = this.loadSession(sessionId);
    const { mtime } = statSync(join(this.folder ?? '', `${sessionId}.json`));
    return { cwd, title: prompts[0], updatedAt: mtime.toISOString() };
  }
}

/** Returns a list of an agent that must not be believed: each page has another one after it. */
export function createLyingList({ cursor }: Record<string, unknown>, cwd: string): object {
  const page = Number(cursor ?? 0);
  const entry = { sessionId: `session-${page}`, cwd, title: `Page ${page}`, updatedAt: '2026-11-28T09:12:44+01:00' };
  const entries = [
    entry,
    { ...entry, sessionId: `titled-${page}`, title: `\u001b[31mRed\u202e ${'long '.repeat(50_000)}`, updatedAt: 17 },
    { ...entry, sessionId: `untitled-${page}`, title: { toString: 'no' }, updatedAt: 'yesterday' },
    { ...entry, sessionId: 'with\nbreak' },
    { ...entry, sessionId: 7 },
    { ...entry, sessionId: 'x'.repeat(300) },
    { ...entry, cwd: 'relative' },
    { ...entry, cwd: '/' },
    { ...entry, cwd: `${cwd}/../..` },
    { ...entry, cwd: `/${'long/'.repeat(2_000)}` },
    { ...entry, cwd: null },
    'session-text',
    null,
  ];
  return { sessions: entries, nextCursor: String(page + 1) };
}
