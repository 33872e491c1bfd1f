import { truncateText, type DeviceError } from '@external-api/protocol';
import { isWellFormedId } from '../../common/ids';

const MAX_RESULT_DEPTH = 64;
const MAX_RESULT_BYTES = 3 * 1_048_576;
const MAX_ERROR_MESSAGE_LENGTH = 2_000;

/** A device's answer after validation. */
export type DeviceAnswer =
  | { kind: 'result'; result: Record<string, unknown>; bytes: number }
  | { kind: 'error'; error: DeviceError };

/**
 * Parses the acknowledgement of a `relay:request` (docs/protocol/relay.md#request): a result is a JSON object of at
 * most 64 levels and 3 MiB, with numbers in the range of a double. Anything else becomes the error `invalid_answer` of
 * this call.
 */
export function parseDeviceAnswer(answer: unknown): DeviceAnswer {
  if (!isJsonObject(answer)) return createInvalidAnswer('The answer is not an object.');
  if (answer.ok === false) return parseDeviceError(answer.error);
  if (answer.ok !== true) return createInvalidAnswer('The answer has neither ok: true nor ok: false.');
  const { result } = answer;
  if (!isJsonObject(result)) return createInvalidAnswer('The result is not a JSON object.');
  const violation = findResultViolation(result);
  if (violation) return createInvalidAnswer(violation);
  const bytes = Buffer.byteLength(JSON.stringify(result));
  if (bytes > MAX_RESULT_BYTES) return createInvalidAnswer(`The result is larger than ${MAX_RESULT_BYTES} bytes.`);
  return { kind: 'result', result, bytes };
}

function parseDeviceError(error: unknown): DeviceAnswer {
  if (!isJsonObject(error)) return createInvalidAnswer('The error is not an object.');
  const { code, message, sessionId } = error;
  if (typeof code !== 'string' || !/^[\w.-]{1,64}$/.test(code)) return createInvalidAnswer('The error has no code.');
  if (typeof message !== 'string') return createInvalidAnswer('The error has no message.');
  const isSessionId = typeof sessionId === 'string' && isWellFormedId('ses', sessionId);
  const bounded = { code, message: truncateText(message, MAX_ERROR_MESSAGE_LENGTH) };
  return { kind: 'error', error: isSessionId ? { ...bounded, sessionId } : bounded };
}

/** Iterates instead of recursing: the nesting of a hostile answer may be deeper than the stack. */
function findResultViolation(root: object): string | null {
  const pendingValues: [value: unknown, depth: number][] = [[root, 1]];
  for (let entry = pendingValues.pop(); entry; entry = pendingValues.pop()) {
    const [value, depth] = entry;
    if (typeof value === 'number' && !Number.isFinite(value))
      return 'The result contains a number beyond the range of a double.';
    if (typeof value !== 'object' || value === null) continue;
    if (isBinary(value)) return 'The result contains binary data.';
    if (depth > MAX_RESULT_DEPTH) return `The result is nested deeper than ${MAX_RESULT_DEPTH} levels.`;
    for (const member of Object.values(value)) pendingValues.push([member, depth + 1]);
  }
  return null;
}

function isBinary(value: object): boolean {
  return ArrayBuffer.isView(value) || value instanceof ArrayBuffer || value instanceof Blob;
}

function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isBinary(value);
}

function createInvalidAnswer(message: string): DeviceAnswer {
  return { kind: 'error', error: { code: 'invalid_answer', message } };
}
