import { withProxyName } from '@external-api/forward-proxy';
import { findDeviceAnswers, type DocumentedAnswers } from '@external-api/protocol';
import { ApiResponseError, UnreachableError } from './client-errors';
import { isJsonObject, isText, toLine, type JsonObject } from './untrusted-values';

const PROBLEM_TYPE = /^application\/problem\+json(?:$|[\s;])/i;

/** An HTTP response, read to its end. */
export interface ReceivedResponse {
  status: number;
  headers: Headers;
  text: string;
}

/**
 * Decides whose word a response is (docs/protocol/device-api.md#whose-word-is-final). Only what the service itself says
 * is final: a success with the shape of the call's result, or a problem document with a code that the protocol names
 * for the call and the id of the response. A hotel portal, a proxy or a gateway may answer anything else.
 * @returns the parsed body of a success, `undefined` if the call has none
 * @throws ApiResponseError the service refuses the call; UnreachableError the response is not one of the service
 */
export function readServiceAnswer<T>(method: string, path: string, url: string, response: ReceivedResponse): T {
  const answers = findDeviceAnswers(method, path);
  const body = parseJsonObject(response.text);
  if (isResult(answers, response, body)) return (answers.result === 'none' ? undefined : body) as T;
  const problem = readProblem(answers, response, body);
  if (problem) throw problem;
  const type = response.headers.get('content-type')?.split(';', 1)[0]?.slice(0, 100) ?? 'no media type';
  const answer = `status ${response.status} and ${type}`;
  const summary = `Something before ${url} answered instead of the service, with ${answer}.`;
  throw new UnreachableError(withProxyName(summary, url));
}

function isResult(
  answers: DocumentedAnswers,
  { status, headers }: ReceivedResponse,
  body: JsonObject | undefined,
): boolean {
  // Without a body, only the id tells the service from a portal.
  if (answers.result === 'none') return status === 204 && headers.has('x-request-id');
  if (status < 200 || status > 299 || !body) return false;
  if (answers.result === 'object') return hasMembers(body, answers);
  const records = answers.result === 'list' ? body.data : [body.data];
  return Array.isArray(records) && records.every((record) => isJsonObject(record) && isRecord(record, answers));
}

/** Members beside `object` may be of a later release, and `object` alone says what the record is. */
function isRecord(record: JsonObject, answers: DocumentedAnswers): boolean {
  return answers.object === undefined ? hasMembers(record, answers) : record.object === answers.object;
}

function hasMembers(value: JsonObject, { members = '' }: DocumentedAnswers): boolean {
  return members === '' || members.split(' ').every((name) => Object.hasOwn(value, name));
}

/** Returns null unless this is a problem document of the service. */
function readProblem(
  { codes }: DocumentedAnswers,
  { status, headers }: ReceivedResponse,
  problem: JsonObject | undefined,
): ApiResponseError | null {
  const { code, requestId, detail, title, reason } = problem ?? {};
  const isOfService =
    status >= 400 &&
    PROBLEM_TYPE.test(headers.get('content-type') ?? '') &&
    isText(code) &&
    codes.split(' ').includes(code) &&
    isText(requestId) &&
    requestId === headers.get('x-request-id');
  if (!isOfService) return null;
  const summary = [detail, title].find(isText) ?? `The service returned ${status}.`;
  const retryAfter = Number(headers.get('retry-after') ?? NaN);
  return new ApiResponseError(
    status,
    code,
    toLine([summary, ...formatViolations(problem!, summary)].join(' ')),
    requestId,
    Number.isFinite(retryAfter) ? retryAfter * 1000 : null,
    isText(reason) ? reason : null,
  );
}

/** Formats the violations that `summary` does not already contain. */
function formatViolations({ errors }: JsonObject, summary: string): string[] {
  if (!Array.isArray(errors)) return [];
  return (errors as ({ path?: string; message?: string } | null)[])
    .filter((violation) => !summary.includes(String(violation?.message)))
    .map((violation) => `${violation?.path}: ${violation?.message}.`);
}

function parseJsonObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
