import { PassThrough } from 'node:stream';
import { JsonRpcError, JsonRpcPeer, MAX_INVALID_LINES } from './json-rpc-peer';
import { MAX_LINE_BYTES } from './line-reader';

function createPeer() {
  const input = new PassThrough();
  const output = new PassThrough();
  const notifications: unknown[][] = [];
  const violations: string[] = [];
  const skippedBytes: number[] = [];
  const peer = new JsonRpcPeer(input, output, {
    handleRequest: (method, params) => {
      if (method === 'add') return (params as number[]).reduce((sum, value) => sum + value, 0);
      if (method === 'echo') return params;
      if (method === 'break') throw new TypeError('A secret of this side');
      throw new JsonRpcError(-32601, 'Method not found');
    },
    handleNotification: (method, params) => notifications.push([method, params]),
    handleSkippedLine: (bytes) => skippedBytes.push(bytes),
    handleViolation: (reason) => violations.push(reason),
  });
  /** Returns the messages that the peer has written. */
  const readOutput = async (): Promise<unknown[]> => {
    await new Promise((resolve) => setImmediate(resolve));
    const text = String(output.read() ?? '');
    return text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as unknown);
  };
  return { peer, input, notifications, skippedBytes, violations, readOutput };
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

it('matches responses to requests, in any order', async () => {
  const { peer, input, readOutput } = createPeer();
  const answers = Promise.all([
    peer.sendRequest('one', {}),
    peer.sendRequest('two', {}).catch((error: unknown) => error),
  ]);
  expect(await readOutput()).toEqual([
    { jsonrpc: '2.0', id: 1, method: 'one', params: {} },
    { jsonrpc: '2.0', id: 2, method: 'two', params: {} },
  ]);
  input.write(
    '{"jsonrpc":"2.0","id":9,"result":0}\n{"id":2,"error":{"code":-32000,"message":"no"}}\n{"id":1,"result":1}\n',
  );
  const [one, two] = await answers;
  expect(one).toBe(1);
  expect(two).toMatchObject({ name: 'JsonRpcError', code: -32000, message: 'no' });
});

it('answers requests with the same id, and errors without details of this side', async () => {
  const { input, readOutput } = createPeer();
  input.write('{"id":"a","method":"add","params":[1,2]}\n{"id":null,"method":"none"}\n{"id":0,"method":"break"}\n');
  await nextTurn();
  const answers = await readOutput();
  expect(answers).toHaveLength(3);
  expect(answers).toEqual(
    expect.arrayContaining([
      { jsonrpc: '2.0', id: 'a', result: 3 },
      { jsonrpc: '2.0', id: null, error: { code: -32601, message: 'Method not found' } },
      { jsonrpc: '2.0', id: 0, error: { code: -32603, message: 'Internal error' } },
    ]),
  );
});

it('refuses a request with a repeated member, and ignores such a notification', async () => {
  const { input, notifications, readOutput } = createPeer();
  input.write('{"method":"note","params":{"a":1,"a":2}}\n{"id":1,"method":"echo","params":{"a":1,"\\u0061":2}}\n');
  await nextTurn();
  expect(await readOutput()).toEqual([{ jsonrpc: '2.0', id: 1, error: { code: -32600, message: 'Invalid request' } }]);
  expect(notifications).toEqual([]);
});

it('reads lines that arrive in pieces, with characters cut in two', async () => {
  const { input, notifications } = createPeer();
  const bytes = Buffer.from('{"method":"note","params":"é🙂"}\r\n\n{"method":"last"}\n');
  for (const byte of bytes) input.write(Buffer.from([byte]));
  await nextTurn();
  expect(notifications).toEqual([
    ['note', 'é🙂'],
    ['last', undefined],
  ]);
});

it.each(['\u001b[?25l', '\u001b]0;agent\u0007', '\ufeff', 'Ready. '])(
  'reads a message behind what was written to the terminal: %j',
  async (prefix) => {
    const { input, notifications, readOutput } = createPeer();
    input.write(`${prefix}{"method":"start"}\n${prefix}{"id":1,"method":"add","params":[1,2]}\n`);
    await nextTurn();
    expect(notifications).toEqual([['start', undefined]]);
    expect(await readOutput()).toEqual([{ jsonrpc: '2.0', id: 1, result: 3 }]);
  },
);

it('ignores lines that are not JSON-RPC, up to a limit', async () => {
  const { input, notifications, violations } = createPeer();
  input.write('[]\nnull\n"x"\n'.repeat(300));
  input.write('{"method":"note"}\n');
  await nextTurn();
  expect([notifications.length, violations]).toEqual([1, []]);
  input.write('oops\n'.repeat(MAX_INVALID_LINES));
  await nextTurn();
  expect(violations).toEqual(['Too many lines are not JSON-RPC.']);
});

describe('a line above the limit', () => {
  const long = 'x'.repeat(MAX_LINE_BYTES);

  it('is skipped, and the next one is read', async () => {
    const { peer, input, notifications, skippedBytes, violations } = createPeer();
    const pending = peer.sendRequest('wait', {});
    for (const line of [`${long}x`, `"${long}"`, `[${long}`, `{"method":"note","params":1,"x":"${long}","params":2}`])
      input.write(`${line}\n`);
    input.write(`"${'y'.repeat(MAX_LINE_BYTES - 2)}"\n{"id":1,"result":"on"}\n`);
    expect(await pending).toBe('on');
    expect(skippedBytes).toEqual([1, 2, 1, 46].map((more) => MAX_LINE_BYTES + more));
    expect([notifications, violations]).toEqual([[], []]);
  });

  it('counts as a notification without the members that are long, wherever they are', async () => {
    const { input, notifications } = createPeer();
    const update = {
      toolCallId: 'a "1"\\',
      content: [[{ long: '}]' }]],
      rawInput: { a: { b: {} } },
      status: 'completed',
    };
    const params = { sessionId: 'é', update: { ...update, rawOutput: `\\"${long}` }, last: null };
    const line = Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', method: 'note', params, n: 1.5, t: true })}\n`);
    for (let start = 0; start < line.length; start += 65_521) input.write(line.subarray(start, start + 65_521));
    await nextTurn();
    const outline = { sessionId: 'é', update: { toolCallId: 'a "1"\\', status: 'completed' }, last: null };
    expect(notifications).toEqual([['note', outline]]);
  });

  it('is refused if it is a request, and an answer without its long members if it is one', async () => {
    const { peer, input, readOutput } = createPeer();
    const answers = Promise.allSettled([peer.sendRequest('one', {}), peer.sendRequest('two', {})]);
    await readOutput();
    input.write(`{"method":"echo","params":"${long}","id":"q"}\n`);
    input.write(`{"id":1,"result":{"stopReason":"end_turn","_meta":{"all":["${long}"]}}}\n`);
    input.write(`{"error":{"code":-32001,"message":"no","data":"${long}"},"id":2}\n`);
    expect(await answers).toMatchObject([{ value: { stopReason: 'end_turn' } }, { reason: { code: -32001 } }]);
    expect(await readOutput()).toEqual([
      { jsonrpc: '2.0', id: 'q', error: { code: -32600, message: `A line exceeds ${MAX_LINE_BYTES} bytes` } },
    ]);
  });
});

it('is closed when the other side does not read', async () => {
  const { input, violations } = createPeer();
  const request = `{"id":1,"method":"echo","params":"${'x'.repeat(1_000_000)}"}\n`;
  for (let round = 0; round < 20; round++) {
    input.write(request);
    await nextTurn();
  }
  expect(violations).toEqual(['Messages are not read.']);
});
