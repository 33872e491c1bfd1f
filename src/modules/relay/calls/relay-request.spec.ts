import { createCallAudit, createInvokeRequest, createMessageRequest, type CallContext } from './relay-request';

const CONTEXT = {
  requestId: 'req_1',
  caller: { tokenId: 'tok_1', appId: null },
  idempotencyKey: null,
} as CallContext;
const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

describe('relay requests', () => {
  it.each([
    ['the default', undefined, 20_000],
    ['the requested time', 1_000, 1_000],
    ['a millisecond less than a device may take', 27_999, 27_999],
    ['the most that a device may take', 28_000, 28_000],
    ['the most that a device may take, if more is requested', 28_001, 28_000],
  ])('limit an invocation to %s', (_name, timeoutMs, expected) => {
    expect(createInvokeRequest(CONTEXT, 'mch_1', { command: 'ls', timeoutMs }).timeoutMs).toBe(expected);
  });

  it('fill in arguments and working directory of an invocation', () => {
    expect(createInvokeRequest(CONTEXT, 'mch_1', { command: 'ls' })).toEqual({
      requestId: 'req_1',
      method: 'machine.invoke',
      timeoutMs: 20_000,
      machineId: 'mch_1',
      params: { command: 'ls', args: [], cwd: null },
    });
  });

  it('give a message as long as a device may take', () => {
    expect(createMessageRequest(CONTEXT, 'ses_1', { content: 'hello' })).toEqual({
      requestId: 'req_1',
      method: 'session.message',
      timeoutMs: 28_000,
      sessionId: 'ses_1',
      params: { content: 'hello' },
    });
  });

  it('carry the trace context of the caller', () => {
    const context = { ...CONTEXT, traceparent: TRACEPARENT };
    expect(createInvokeRequest(context, 'mch_1', { command: 'ls' })).toMatchObject({ traceparent: TRACEPARENT });
    expect(createMessageRequest(context, 'ses_1', { content: 'hello' })).toMatchObject({ traceparent: TRACEPARENT });
  });
});

describe('audit of a call', () => {
  it.each([
    ['ASCII', 'hello', 19],
    ['UTF-8', 'é💻', 20],
  ])('counts the bytes of its parameters as JSON in %s', (_name, content, requestBytes) => {
    const request = createMessageRequest(CONTEXT, 'ses_1', { content });
    expect(createCallAudit(CONTEXT, request, 5)).toEqual({
      tokenId: 'tok_1',
      appId: null,
      requestBytes,
      keyed: false,
      startedAt: 5,
    });
  });

  it('records that the call has a key, but not the key', () => {
    const request = createMessageRequest(CONTEXT, 'ses_1', { content: 'hello' });
    const audit = createCallAudit({ ...CONTEXT, idempotencyKey: 'my-key' }, request, 5);
    expect(audit.keyed).toBe(true);
    expect(JSON.stringify(audit)).not.toContain('my-key');
  });
});
