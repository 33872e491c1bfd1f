const MAX_DEPTH = 64;
const MAX_BYTES = 3 * 1_048_576;
const MAX_MESSAGE = 2_000;

/** A device's answer, judged. */
export type DeviceAnswer =
  | { kind: 'result'; result: Record<string, unknown>; bytes: number }
  | { kind: 'error'; error: { code: string; message: string } };

/**
 * Reads the acknowledgement of a `relay:request` (relay.md, Request): a result is a JSON object of at most 64
 * levels and 3 MiB. Anything else is an `invalid_answer`, and harms nothing but its own call.
 */
export function readDeviceAnswer(answer: unknown): DeviceAnswer {
  if (!isObject(answer)) return invalid('The answer is not an object.');
  if (answer.ok === false) return readError(answer.error);
  if (answer.ok !== true) return invalid('The answer says neither ok: true nor ok: false.');
  const { result } = answer;
  if (!isObject(result)) return invalid('The result is not a JSON object.');
  const fault = shapeFault(result);
  if (fault) return invalid(fault);
  const bytes = Buffer.byteLength(JSON.stringify(result));
  if (bytes > MAX_BYTES) return invalid(`The result is larger than ${MAX_BYTES} bytes.`);
  return { kind: 'result', result, bytes };
}

function readError(error: unknown): DeviceAnswer {
  if (!isObject(error)) return invalid('The error is not an object.');
  const { code, message } = error;
  if (typeof code !== 'string' || !/^[\w.-]{1,64}$/.test(code)) return invalid('The error has no code.');
  if (typeof message !== 'string') return invalid('The error has no message.');
  return { kind: 'error', error: { code, message: message.slice(0, MAX_MESSAGE) } };
}

/** Iterative: the nesting of a hostile answer may be deeper than the stack. */
function shapeFault(root: object): string | null {
  const open: [value: unknown, depth: number][] = [[root, 1]];
  for (let entry = open.pop(); entry; entry = open.pop()) {
    const [value, depth] = entry;
    if (typeof value !== 'object' || value === null) continue;
    if (isBinary(value)) return 'The result holds binary data.';
    if (depth > MAX_DEPTH) return `The result is nested deeper than ${MAX_DEPTH} levels.`;
    for (const member of Object.values(value)) open.push([member, depth + 1]);
  }
  return null;
}

function isBinary(value: object): boolean {
  return ArrayBuffer.isView(value) || value instanceof ArrayBuffer || value instanceof Blob;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isBinary(value);
}

function invalid(message: string): DeviceAnswer {
  return { kind: 'error', error: { code: 'invalid_answer', message } };
}
