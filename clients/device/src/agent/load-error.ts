import { AgentError } from './agent-error';
import { JsonRpcError } from './json-rpc-peer';
import { toAgentError } from './to-agent-error';

/** Error code of version 1 of the protocol for something that doesn't exist, here the session. */
const RESOURCE_NOT_FOUND = -32002;

const MAX_TEXT_LENGTH = 2_000;

/** Words that make it a part of a session, as in "session lock", which may be missing only now. */
const PART = 'lock|store|storage|database|directory|folder|server|state|error';
const SESSION = `(?:session|conversation|thread|rollout|chat)s?(?! (?:${PART}))`;
/** Excludes "unknown error". */
const UNKNOWN = 'unknown(?! [a-z])';
const GONE = "does not exist|doesn't exist|no longer exists|could not be found|cannot be found|was deleted";

/** What agents say of a session that they don't have, in lower case, without punctuation and the session's id. */
const UNKNOWN_SESSION_TEXTS = [
  // "Session not found: …", "Session with id "…" does not exist"
  new RegExp(`\\b${SESSION}(?: with| for)?(?: id| identifier| file)? (?:not found|${UNKNOWN}|${GONE})\\b`),
  // "Unknown session", "No such thread"
  new RegExp(`\\b(?:unknown|no such|nonexistent) ${SESSION}\\b`),
  // "No rollout found for thread id …", "No previous sessions found"
  new RegExp(`\\bno (?:previous |saved |matching )?${SESSION}(?: was| were)? found\\b`),
  // "Could not find session …"
  new RegExp(`\\b(?:not|cannot|can't|couldn't|unable to|failed to) find (?:the |a |any )?${SESSION}\\b`),
  // "Invalid session identifier …", of Gemini CLI
  new RegExp(`\\binvalid ${SESSION} (?:id|identifier)\\b`),
  /^(?:error |resource )?(?:unknown|not found)$/,
];

/**
 * Returns why a session could not be loaded, or undefined if the agent says that it has no such session. Anything else
 * may pass: another program has the session open, or a file is locked.
 * @param error of the request, from the agent or of its process
 * @param sessionId the agent's own id, which its texts may contain
 */
export function toLoadError(error: Error, sessionId: string): AgentError | undefined {
  const failure = toAgentError(error, '');
  if (!(error instanceof JsonRpcError) || failure.code === 'agent_auth_required') return failure;
  if (error.code === RESOURCE_NOT_FOUND || saysUnknownSession(error, sessionId)) return undefined;
  const reason = `The agent can't continue the session now: it answered with error ${error.code}.`;
  const loadError = new AgentError('agent_session_unavailable', `${reason} The next message tries again.`);
  loadError.report = failure.report;
  return loadError;
}

/** The reason is often in `data`: a text, or an object such as `{details: "…"}`. */
function saysUnknownSession({ message, data = null }: JsonRpcError, sessionId: string): boolean {
  return [message, JSON.stringify(data)]
    .map((text) => simplifyText(text.slice(0, MAX_TEXT_LENGTH), sessionId))
    .some((text) => UNKNOWN_SESSION_TEXTS.some((pattern) => pattern.test(text)));
}

const simplifyText = (text: string, sessionId: string): string =>
  text
    .replaceAll(sessionId, ' ')
    .toLowerCase()
    .replaceAll('’', "'")
    .replace(/[^a-z']+/g, ' ')
    .trim();
