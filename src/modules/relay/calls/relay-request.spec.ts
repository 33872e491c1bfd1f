import type { DecidePermissionParams } from '@external-api/protocol';
import type { IdempotentCall } from '../../../access/idempotency';
import type { CallContext } from './call-context';
import {
  createCallAudit,
  createCancelInvocationRequest,
  createCancelTurnRequest,
  createDecidePermissionRequest,
  createEndSessionRequest,
  createInvokeRequest,
  createMessageRequest,
  createStartSessionRequest,
  getRequiredCapability,
  isEndingRequest,
} from './relay-request';

const CONTEXT = {
  requestId: 'req_1',
  caller: { kind: 'token', type: 'pat', tokenId: 'tok_1', appId: null },
  idempotentRequest: null,
} as CallContext;
const DEVICE = { kind: 'device', deviceId: 'dev_1' };
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
      caller: 'pat',
      method: 'machine.invoke',
      timeoutMs: 20_000,
      machineId: 'mch_1',
      params: { command: 'ls', args: [], cwd: null },
    });
  });

  it('give a message as long as a device may take', () => {
    expect(createMessageRequest(CONTEXT, 'ses_1', { content: 'hello' })).toEqual({
      requestId: 'req_1',
      caller: 'pat',
      method: 'session.message',
      timeoutMs: 28_000,
      sessionId: 'ses_1',
      params: { content: 'hello', waitMs: 25_000 },
    });
  });

  it('say how long the caller of a message waits for its turn, also if that is not at all', () => {
    expect(createMessageRequest(CONTEXT, 'ses_1', { content: 'hello' }, { waitMs: 0 }).params).toMatchObject({
      waitMs: 0,
    });
  });

  it.each([
    { text: { content: 'hello' }, capability: 'session.message' },
    { text: { content: 'hello' }, ifBusy: 'queue' as const, capability: 'session.message' },
    { text: { sealedContent: 'a.b.c.d.e', localId: 'm-1' }, capability: 'session.sealed' },
    { text: { content: 'hello', attachments: [] }, capability: 'session.attachments' },
    { text: { sealedContent: 'a.b.c.d.e', localId: 'm-1', attachments: [] }, capability: 'session.attachments' },
    { text: { content: 'hello' }, ifBusy: 'steer' as const, capability: 'session.busy' },
    { text: { sealedContent: 'a.b.c.d.e', localId: 'm-1' }, ifBusy: 'reject' as const, capability: 'session.busy' },
  ])('with $text and $ifBusy require $capability of the device', ({ text, ifBusy, capability }) => {
    const request = createMessageRequest(CONTEXT, 'ses_1', text, { waitMs: 0, ifBusy });
    expect(request).toMatchObject({ method: 'session.message', params: text });
    expect(getRequiredCapability(request)).toBe(capability);
  });

  it.each([
    { decision: { optionId: 'o1' }, capability: 'session.permission' },
    { decision: { answers: null }, capability: 'session.question' },
    { decision: { sealedAnswers: 'a.b.c.d.e' }, capability: 'session.question' },
    { decision: { optionId: 'o1', message: 'Use the cache.' }, capability: 'permission.message' },
    { decision: { answers: null, sealedMessage: 'a.b.c.d.e' }, capability: 'permission.message' },
  ])('with the decision $decision require $capability of the device', ({ decision, capability }) => {
    const params = { localId: 'p1', contentHash: 'hash', ...decision } as DecidePermissionParams;
    const request = createDecidePermissionRequest(CONTEXT, 'ses_1', params);
    expect(request).toMatchObject({ method: 'session.permission', params });
    expect(getRequiredCapability(request)).toBe(capability);
  });

  it.each([
    { body: {}, asked: {}, capability: 'session.start' },
    { body: {}, asked: { grant: { tokenId: 'tok_1', recipient: null } }, capability: 'session.grant' },
    { body: { resume: 'abc' }, asked: {}, capability: 'session.resume' },
    { body: { options: { model: 'opus' } }, asked: {}, capability: 'session.options' },
    { body: { content: 'hello' }, asked: { attachments: [] }, capability: 'session.attachments' },
  ])('of a start with $body and $asked require $capability of the device', ({ body, asked, capability }) => {
    expect(getRequiredCapability(createStartSessionRequest(CONTEXT, 'mch_1', body, asked))).toBe(capability);
  });

  const decide = (decision: object) =>
    createDecidePermissionRequest(CONTEXT, 'ses_1', { localId: 'p1', ...decision } as DecidePermissionParams);

  it.each([
    ['a cancellation', createCancelTurnRequest(CONTEXT, 'ses_1', 'turn_1'), true],
    ['the cancellation of a command', createCancelInvocationRequest(CONTEXT, 'mch_1', 'inv_1'), true],
    ['the end of a session', createEndSessionRequest(CONTEXT, 'ses_1'), true],
    ['a decision', decide({ optionId: 'o1' }), true],
    ['an answer', decide({ answers: null }), true],
    ['a decision with a message', decide({ optionId: 'o1', message: 'Use the cache.' }), false],
    ['an answer with a sealed message', decide({ answers: null, sealedMessage: 'a.b.c.d.e' }), false],
    ['a message', createMessageRequest(CONTEXT, 'ses_1', { content: 'hello' }), false],
    ['a command', createInvokeRequest(CONTEXT, 'mch_1', { command: 'ls' }), false],
  ])('know whether they end something, which an account may always do: %s', (_name, request, isEnding) => {
    expect(isEndingRequest(request)).toBe(isEnding);
  });

  it('name the turn to cancel', () => {
    expect(createCancelTurnRequest(CONTEXT, 'ses_1', 'turn_1')).toEqual({
      requestId: 'req_1',
      caller: 'pat',
      method: 'session.cancel',
      timeoutMs: 28_000,
      sessionId: 'ses_1',
      params: { turnId: 'turn_1' },
    });
  });

  it.each([
    { principal: { kind: 'token', type: 'pat' }, caller: 'pat' },
    { principal: { kind: 'token', type: 'oauth' }, caller: 'app' },
    { principal: DEVICE, caller: 'device' },
  ])('tell the device who calls: $caller', ({ principal, caller }) => {
    const context = { ...CONTEXT, caller: principal } as CallContext;
    expect(createInvokeRequest(context, 'mch_1', { command: 'ls' }).caller).toBe(caller);
    expect(createMessageRequest(context, 'ses_1', { content: 'hello' }).caller).toBe(caller);
  });

  it('carry the trace context of the caller', () => {
    const context = { ...CONTEXT, traceparent: TRACEPARENT };
    expect(createInvokeRequest(context, 'mch_1', { command: 'ls' })).toMatchObject({ traceparent: TRACEPARENT });
    expect(createMessageRequest(context, 'ses_1', { content: 'hello' })).toMatchObject({ traceparent: TRACEPARENT });
  });
});

describe('audit of a call', () => {
  it.each([
    ['ASCII', 'hello', 34],
    ['UTF-8', 'é💻', 35],
  ])('counts the bytes of its parameters as JSON in %s', (_name, content, requestBytes) => {
    const request = createMessageRequest(CONTEXT, 'ses_1', { content });
    expect(createCallAudit(CONTEXT, request, 5)).toEqual({
      tokenId: 'tok_1',
      appId: null,
      callerDeviceId: null,
      requestBytes,
      keyed: false,
      startedAt: 5,
    });
  });

  it.each([
    { caller: CONTEXT.caller, ids: { tokenId: 'tok_1', appId: null, callerDeviceId: null } },
    {
      caller: { ...CONTEXT.caller, type: 'oauth', appId: 'svc_oapp_1' },
      ids: { tokenId: 'tok_1', appId: 'svc_oapp_1', callerDeviceId: null },
    },
    { caller: DEVICE, ids: { tokenId: null, appId: null, callerDeviceId: 'dev_1' } },
  ])('names the caller: $ids', ({ caller, ids }) => {
    const context = { ...CONTEXT, caller } as CallContext;
    const request = createMessageRequest(context, 'ses_1', { content: 'hello' });
    expect(createCallAudit(context, request, 5)).toMatchObject(ids);
  });

  it('records that the call has a key, but not the key', () => {
    const request = createMessageRequest(CONTEXT, 'ses_1', { content: 'hello' });
    const idempotentRequest = { key: 'my-key' } as IdempotentCall;
    const audit = createCallAudit({ ...CONTEXT, idempotentRequest }, request, 5);
    expect(audit.keyed).toBe(true);
    expect(JSON.stringify(audit)).not.toContain('my-key');
  });
});
