import { parseDeviceAnswer } from './device-answer';

const MAX_BYTES = 3 * 1_048_576;
/** Result of this size in JSON: `{"text":"…"}`. */
const resultOfBytes = (bytes: number) => ({ text: 'a'.repeat(bytes - '{"text":""}'.length) });
/** Result of this many levels, including the root. */
function resultOfDepth(depth: number): object {
  let value: object = {};
  for (let level = 1; level < depth; level++) value = { value };
  return value;
}
const invalidAnswer = (message: string) => ({ kind: 'error', error: { code: 'invalid_answer', message } });

describe('answer of a device', () => {
  it.each([
    ['empty', {}],
    ['with every JSON type', { a: null, b: true, c: -1.5, d: 'é💻', e: [1, { f: [] }] }],
    ['of the largest size', resultOfBytes(MAX_BYTES)],
    ['of 64 levels', resultOfDepth(64)],
  ])('is accepted with a result %s, and measured in bytes of UTF-8', (_name, result) => {
    const bytes = Buffer.byteLength(JSON.stringify(result));
    expect(parseDeviceAnswer({ ok: true, result })).toEqual({ kind: 'result', result, bytes });
  });

  it.each([
    ['nothing', undefined, 'The answer is not an object.'],
    ['null', null, 'The answer is not an object.'],
    ['a string', 'ok', 'The answer is not an object.'],
    ['an array', [{ ok: true }], 'The answer is not an object.'],
    ['binary data', Buffer.from('{}'), 'The answer is not an object.'],
    ['no ok', { result: {} }, 'The answer has neither ok: true nor ok: false.'],
    ['an ok that is not a boolean', { ok: 1, result: {} }, 'The answer has neither ok: true nor ok: false.'],
    ['no result', { ok: true }, 'The result is not a JSON object.'],
    ['an array as result', { ok: true, result: [] }, 'The result is not a JSON object.'],
    ['binary data as result', { ok: true, result: new Uint8Array(1) }, 'The result is not a JSON object.'],
    [
      'binary data in the result',
      { ok: true, result: { a: [new ArrayBuffer(1)] } },
      'The result contains binary data.',
    ],
    [
      'a number beyond a double',
      { ok: true, result: { a: JSON.parse('1e999') as number } },
      'The result contains a number beyond the range of a double.',
    ],
    [
      'a result one byte too large',
      { ok: true, result: resultOfBytes(MAX_BYTES + 1) },
      `The result is larger than ${MAX_BYTES} bytes.`,
    ],
    ['a result of 65 levels', { ok: true, result: resultOfDepth(65) }, 'The result is nested deeper than 64 levels.'],
    [
      'a result deeper than the stack',
      { ok: true, result: resultOfDepth(200_000) },
      'The result is nested deeper than 64 levels.',
    ],
    ['an error that is no object', { ok: false, error: 'failed' }, 'The error is not an object.'],
    ['an error without a code', { ok: false, error: { message: 'm' } }, 'The error has no code.'],
    ['an empty error code', { ok: false, error: { code: '', message: 'm' } }, 'The error has no code.'],
    ['an error code with a space', { ok: false, error: { code: 'a b', message: 'm' } }, 'The error has no code.'],
    ['a code of 65 characters', { ok: false, error: { code: 'a'.repeat(65), message: 'm' } }, 'The error has no code.'],
    ['an error without a message', { ok: false, error: { code: 'c' } }, 'The error has no message.'],
  ])('becomes invalid_answer with %s', (_name, answer, message) => {
    expect(parseDeviceAnswer(answer)).toEqual(invalidAnswer(message));
  });

  it.each(['c', 'a'.repeat(64), 'spawn.ENOENT-2_b'])('is passed on as an error with the code %s', (code) => {
    const error = { code, message: '' };
    expect(parseDeviceAnswer({ ok: false, error })).toEqual({ kind: 'error', error });
  });

  it('is passed on with the session that an error names, unless it names something else', () => {
    const error = { code: 'session_exists', message: '' };
    const named = { ...error, sessionId: 'ses_01kpmvv80hfdssm8wysxkm8fea' };
    expect(parseDeviceAnswer({ ok: false, error: named })).toEqual({ kind: 'error', error: named });
    for (const sessionId of ['../machines', 7, null])
      expect(parseDeviceAnswer({ ok: false, error: { ...error, sessionId } })).toEqual({ kind: 'error', error });
  });

  it('has its error message cut after 2,000 characters, and other members of the error dropped', () => {
    const error = { code: 'failed', message: `${'m'.repeat(2_000)}!`, stack: 'at …' };
    expect(parseDeviceAnswer({ ok: false, error })).toEqual({
      kind: 'error',
      error: { code: 'failed', message: 'm'.repeat(2_000) },
    });
  });

  it('has its error message cut between characters', () => {
    const error = { code: 'failed', message: `${'m'.repeat(1_999)}😀` };
    expect(parseDeviceAnswer({ ok: false, error })).toMatchObject({ error: { message: 'm'.repeat(1_999) } });
  });
});
