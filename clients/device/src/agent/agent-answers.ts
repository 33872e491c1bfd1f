import { isAbsolute } from 'node:path';
import { AGENT_SESSION_ID } from '@external-api/protocol';
import { isJsonObject, isText } from '../untrusted-values';
import { toArray, toObject, type JsonObject } from './acp';
import type { AgentInfo, AgentSessionPage, ListedAgentSession } from './agent-inquiry';
import { toDisplayedLine } from './displayed-text';

/** Entries of one answer that are read. */
const MAX_ENTRIES = 10_000;
/** The cursor of a page of the device contains that of the agent. */
const MAX_CURSOR_LENGTH = 1_024;
const MAX_PATH_LENGTH = 4_096;
/** Characters of a title that are read. */
const MAX_TITLE_LENGTH = 4_096;

/**
 * Reads what an agent says about itself in its answer to `initialize`. An ability counts as missing if it isn't
 * announced as in version 1 of the protocol.
 * @param commandName name of an agent that has none
 */
export function parseAgentInfo({ agentInfo, agentCapabilities, _meta }: JsonObject, commandName: string): AgentInfo {
  const { name, title, version } = toObject(agentInfo);
  const { loadSession, promptCapabilities, sessionCapabilities } = toObject(agentCapabilities);
  const { image, embeddedContext } = toObject(promptCapabilities);
  const { resume, list, fork } = toObject(sessionCapabilities);
  return {
    name: toDisplayedLine(name) || commandName,
    title: toDisplayedLine(title) || null,
    version: toDisplayedLine(version) || null,
    canLoadSessions: loadSession === true,
    promptCapabilities: { image: image === true, embeddedContext: embeddedContext === true },
    // An object announces the method, also an empty one.
    canResumeSessions: isJsonObject(resume),
    canListSessions: isJsonObject(list),
    canForkSessions: isJsonObject(fork),
    canSteer: toObject(toObject(_meta).steering).supported === true,
  };
}

/**
 * Reads an answer to `session/list`. Values of another type than the protocol's are missing, and long ones are cut: an
 * agent may list whatever it likes.
 */
export function parseAgentSessionPage({ sessions, nextCursor }: JsonObject): AgentSessionPage {
  const isCursor = isText(nextCursor) && nextCursor !== '' && nextCursor.length <= MAX_CURSOR_LENGTH;
  return {
    sessions: toArray(sessions).slice(0, MAX_ENTRIES).map(parseEntry),
    nextCursor: isCursor ? nextCursor : null,
  };
}

function parseEntry(entry: unknown): ListedAgentSession | null {
  const { sessionId, cwd, title, updatedAt } = toObject(entry);
  if (!isText(sessionId) || !AGENT_SESSION_ID.test(sessionId) || !isText(cwd) || !isFolderPath(cwd)) return null;
  const text = isText(title) ? title.slice(0, MAX_TITLE_LENGTH) : '';
  return { id: sessionId, cwd, title: text, updatedAt: toTimestamp(updatedAt) };
}

const isFolderPath = (path: string): boolean =>
  path.length <= MAX_PATH_LENGTH && isAbsolute(path) && !path.includes('\0');

function toTimestamp(value: unknown): string | null {
  const time = isText(value) && value.length <= 64 ? new Date(value) : undefined;
  return time && !Number.isNaN(time.getTime()) ? time.toISOString() : null;
}
