import { PassThrough } from 'node:stream';
import { JsonRpcError, JsonRpcPeer, MAX_INVALID_LINES, MAX_LINE_BYTES } from './json-rpc-peer';

function createPeer() {
  const input = new PassThrough();
  const output = new PassThrough();
  const notifications: unknown[][] = [];
  const violations: string[] = [];
  const peer = new JsonRpcPeer(input, output, {
    handleRequest: (method, params) => {
      if (method === 'add') return (params as number[]).reduce((sum, value) => sum + value, 0);
      if (method === 'echo') return params;
      if (method === 'break') throw new TypeError('A secret of this side');
      throw new JsonRpcError(-32601, 'Method not found');
    },
    handleNotification: (method, params) => notifications.push([method, params]),
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
  return { peer, input, notifications, violations, readOutput };
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

it('reads no line above the limit, and fails what is pending', async () => {
  const { peer, input, notifications, violations } = createPeer();
  const pending = peer.sendRequest('wait', {});
  input.write(`{"method":"note","params":"${'x'.repeat(MAX_LINE_BYTES)}"}\n{"method":"note"}\n`);
  await expect(pending).rejects.toThrow(`A line exceeds ${MAX_LINE_BYTES} bytes.`);
  expect([notifications, violations.length]).toEqual([[], 1]);
  await expect(peer.sendRequest('late', {})).rejects.toThrow('A line exceeds');
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
