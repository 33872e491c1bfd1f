import { generateId } from '../../../common/ids';
import { parseLivePacket } from './parse-live-packet';

const base64url = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const HEADER = base64url({ alg: 'dir', enc: 'A256GCM' });
/** Compact JWE with a ciphertext of this length. */
const buildJwe = (length: number) => [HEADER, '', 'i'.repeat(16), 'c'.repeat(length), 't'.repeat(22)].join('.');
const LONGEST_CIPHERTEXT = 8_192 - buildJwe(0).length;

const OUTPUT = { invocationId: generateId('inv'), stream: 'stderr', offset: 7, data: 'aGk=' };
const DELTA = {
  sessionId: generateId('ses'),
  turnId: generateId('turn'),
  localId: 'm-1',
  n: 0,
  content: buildJwe(LONGEST_CIPHERTEXT),
};
const toPacket = (event: string, ...args: unknown[]) => `2${JSON.stringify([event, ...args])}`;

describe('parseLivePacket', () => {
  it('returns output with its size', () => {
    expect(parseLivePacket(toPacket('output', OUTPUT))).toEqual({
      topic: { type: 'output', id: OUTPUT.invocationId },
      message: OUTPUT,
      contentBytes: 2,
    });
  });

  it('returns a delta', () => {
    expect(parseLivePacket(toPacket('delta', DELTA))).toEqual({
      topic: { type: 'delta', id: DELTA.sessionId },
      message: DELTA,
      contentBytes: 8_192,
    });
  });

  it.each(['thought', 'tool', 'plan', 'of_a_later_release'])('returns progress apart from messages: %s', (kind) => {
    expect(parseLivePacket(toPacket('delta', { ...DELTA, kind }))).toMatchObject({
      topic: { type: 'progress', id: DELTA.sessionId },
      message: { ...DELTA, kind },
    });
    expect(parseLivePacket(toPacket('delta', { ...DELTA, kind: 'message' }))).toMatchObject({
      topic: { type: 'delta' },
      message: DELTA,
    });
  });

  it('leaves out unknown members', () => {
    expect(parseLivePacket(toPacket('output', { ...OUTPUT, unknown: 1 }))!.message).toEqual(OUTPUT);
    expect(parseLivePacket(toPacket('delta', { ...DELTA, unknown: 1 }))!.message).toEqual(DELTA);
  });

  it.each([
    { sessionId: generateId('inv') },
    { sessionId: undefined },
    { turnId: 'turn_1' },
    { localId: '' },
    { localId: 'x'.repeat(129) },
    { localId: 'with space' },
    { kind: 'Tool' },
    { kind: '' },
    { kind: null },
    { localId: 1 },
    { n: -1 },
    { n: 0.5 },
    { n: null },
    { content: buildJwe(LONGEST_CIPHERTEXT + 1) },
    { content: 'plain text' },
    { content: [HEADER, '', '', '', ''].join('.') },
    { content: [DELTA.content] },
  ])('refuses a delta with %p', (change) => {
    expect(parseLivePacket(toPacket('delta', { ...DELTA, ...change }))).toBeNull();
  });

  it.each([
    { invocationId: generateId('ses') },
    { stream: 'stdin' },
    { stream: null },
    { offset: -1 },
    { offset: 2 ** 53 },
    { data: 'aGk' },
    { data: 'aGl=' },
    { data: 'a_-=' },
    { data: '' },
    { data: null },
  ])('refuses output with %p', (change) => {
    expect(parseLivePacket(toPacket('output', { ...OUTPUT, ...change }))).toBeNull();
  });

  it.each([
    toPacket('output'),
    toPacket('output', OUTPUT, {}),
    toPacket('output', [OUTPUT]),
    toPacket('output', null),
    toPacket('other', OUTPUT),
    toPacket('delta', OUTPUT),
    `2["output",{"data":"${'x'.repeat(100_000)}"}]`,
    `2["output",${'['.repeat(20_000)}`,
    '2["output",',
  ])('refuses the packet %.40s', (packet) => {
    expect(parseLivePacket(packet)).toBeNull();
  });
});
