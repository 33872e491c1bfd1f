import { toObject, toText } from './acp';
import { AgentError, type AgentReport } from './agent-error';
import { toBoundedText, toDisplayedValue } from './displayed-text';
import { JsonRpcError } from './json-rpc-peer';

const MAX_ERROR_TEXT_BYTES = 1_024;
/** Error codes of agents that must be signed in first: that of the protocol, and those that pass on HTTP's. */
const AUTHENTICATION_CODES: unknown[] = [-32000, 401, 403, '401', '403'];

/** What providers of models say about a missing or refused key, in the words of the agents that pass it on. */
const AUTHENTICATION_TEXTS = [
  /(?:status|code|error|http)\W{0,3}(?:code\W{0,3})?40[13]\b|^40[13]\b/i,
  /unauthori[sz]ed|unauthenticated|authentication[ _](?:is )?(?:error|failed|required)/i,
  /(?:invalid|incorrect|missing|expired|wrong|no) (?:x-)?(?:api[ _-]?key|credentials|(?:auth|access) token)/i,
  /api[ _-]?key (?:is )?(?:not valid|not set|invalid|missing|expired)|not (?:logged|signed) in/i,
];

/**
 * Maps the error of a request to the agent. What the agent said is in its report and stays out of logs.
 * @param lastErrorLines of the agent's standard error
 */
export function toAgentError(error: Error, lastErrorLines: string): AgentError {
  const { errorText, isAuthentication } = error instanceof JsonRpcError ? readError(error) : {};
  const failure = error instanceof AgentError ? error : createAgentError(error, isAuthentication ?? false);
  const report: AgentReport = { ...(errorText ? { errorText } : {}), ...(lastErrorLines ? { lastErrorLines } : {}) };
  failure.report = { ...report, ...failure.report };
  return failure;
}

function createAgentError(error: Error, isAuthentication: boolean): AgentError {
  if (isAuthentication) return new AgentError('agent_auth_required', 'The agent must be signed in first.');
  if (!(error instanceof JsonRpcError)) return new AgentError('agent_error', 'The agent failed.', { cause: error });
  return new AgentError('agent_error', `The agent answered with error ${error.code}.`);
}

function readError({ code, message, data }: JsonRpcError): { errorText: string; isAuthentication: boolean } {
  const errorText = toBoundedText([message, formatDetails(data)].filter(Boolean).join('\n'), MAX_ERROR_TEXT_BYTES);
  const details = [toObject(data), toObject(toObject(data).error)];
  const codes = [code, ...details.flatMap((each) => [each.code, each.status, each.statusCode])];
  const isAuthentication =
    codes.some((each) => AUTHENTICATION_CODES.includes(each)) ||
    AUTHENTICATION_TEXTS.some((pattern) => pattern.test(errorText));
  return { errorText, isAuthentication };
}

/** Many agents say "Internal error", and the reason in `data`: a text, or an object with a text of any name. */
function formatDetails(data: unknown): string {
  const { details, message } = toObject(data);
  const text = toText(data) || toText(details) || toText(message);
  if (text !== '' || data === undefined || data === null) return text;
  const displayed = toDisplayedValue(data, MAX_ERROR_TEXT_BYTES);
  return typeof displayed === 'string' ? displayed : JSON.stringify(displayed);
}
