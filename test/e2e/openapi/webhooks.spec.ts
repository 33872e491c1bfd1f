import {
  ConformanceValidator,
  readOpenApiDocument,
  recordDelivery,
  throwEventViolations,
  type OpenApiNode,
} from '../../support/conformance';
import { ForeignAccountDevice } from '../../support/device/foreign-device';
import { Service } from '../../support/service';

const SIGNATURE = `v1,${'A'.repeat(43)}=`;
const HEADERS = {
  'content-type': 'application/json',
  'webhook-id': 'evt_01m7xsah51f6ctt8c84t8wbh7e',
  'webhook-timestamp': '1788255000',
  'webhook-signature': SIGNATURE,
};

describe('the webhooks of the document', () => {
  const document = readOpenApiDocument();
  const validator = new ConformanceValidator();
  const getExample = (type: string) =>
    structuredClone(document.webhooks[type].post.requestBody.content['application/json'].example) as OpenApiNode;
  const deliver =
    (payload: object, headers: object = {}) =>
    () =>
      validator.assertDelivery({ ...HEADERS, ...headers }, payload as { type: string });

  it('are all event types that a webhook can subscribe to', async () => {
    const service = await Service.start();
    try {
      const ada = await ForeignAccountDevice.signUp(service.http);
      const { token } = await ada.createToken(['webhooks:manage']);
      const { body } = await service.http.get('/external/v1/webhooks', token);
      expect(Object.keys(document.webhooks)).toEqual(body.availableEvents);
    } finally {
      await service.stop();
    }
  });

  it.each(Object.keys(document.webhooks))('%s has an example that satisfies its schema', (type) => {
    expect(getExample(type)).toMatchObject({ type, timestamp: expect.any(Number), data: expect.any(Object) });
    expect(deliver(getExample(type))).not.toThrow();
  });

  it('reject a body with an additional, missing or malformed member, and an unknown type', () => {
    const example = getExample('session.ended');
    expect(deliver({ ...example, accountId: 'acc_1' })).toThrow(/unevaluated/);
    expect(deliver({ ...example, data: { ...example.data, secret: 'x' } })).toThrow(/unevaluated/);
    expect(deliver({ ...example, data: { ...example.data, tag: undefined } })).toThrow(/tag/);
    expect(deliver({ ...example, timestamp: 'now' })).toThrow(/timestamp/);
    expect(deliver({ ...example, type: 'session.exploded' })).toThrow(/event type is not in the document/);
  });

  it('reject missing and malformed headers', () => {
    const example = getExample('turn.ended');
    expect(deliver(example, { 'webhook-signature': `${SIGNATURE} ${SIGNATURE}` })).not.toThrow();
    expect(deliver(example, { 'webhook-signature': undefined })).toThrow(/webhook-signature is missing/);
    expect(deliver(example, { 'webhook-id': 'evt_1' })).toThrow(/webhook-id is out of form/);
    expect(deliver(example, { 'webhook-timestamp': '2026-01-01' })).toThrow(/webhook-timestamp is out of form/);
    expect(deliver(example, { traceparent: 'none' })).toThrow(/traceparent is out of form/);
  });

  it('hold each delivery of the tests: a violation fails the test', () => {
    recordDelivery(HEADERS, getExample('token.created') as { type: string });
    expect(throwEventViolations).not.toThrow();
    recordDelivery(HEADERS, { ...getExample('token.created'), extra: 1 } as unknown as { type: string });
    expect(throwEventViolations).toThrow(/token.created.*unevaluated/s);
    expect(throwEventViolations).not.toThrow();
  });
});

describe('the events of streams in the document', () => {
  const validator = new ConformanceValidator();
  const id = HEADERS['webhook-id'];
  const document = readOpenApiDocument();
  const getEvent = (type: string) => ({
    id,
    ...(document.webhooks[type].post.requestBody.content['application/json'].example as OpenApiNode),
  });
  const send = (path: string, type: string, data: object) => () =>
    validator.assertStreamEvent(`/external/v1${path}`, type, data);
  const session = '/sessions/ses_1/events';

  it('have the id of the event beside its payload', () => {
    expect(send('/events', 'machine.online', getEvent('machine.online'))).not.toThrow();
    expect(send('/events', 'machine.online', { ...getEvent('machine.online'), id: undefined })).toThrow(/id/);
    expect(send('/events', 'machine.online', { ...getEvent('machine.online'), more: 1 })).toThrow(/unevaluated/);
  });

  it('have content in the stream of a session only', () => {
    const { data, ...event } = getEvent('message.created') as OpenApiNode;
    const missing = { ...event, data: { ...data, content: null, contentReason: 'too_large' } };
    expect(send(session, 'message.created', { ...event, data })).not.toThrow();
    expect(send(session, 'message.created', missing)).not.toThrow();
    expect(send(session, 'message.created', { ...event, data: { ...data, text: 'x' } })).toThrow(/unevaluated/);
    expect(send('/events', 'message.created', missing)).toThrow(/unevaluated/);
  });

  it('are those of the stream', () => {
    expect(send(session, 'machine.online', getEvent('machine.online'))).toThrow(/event is not in the document/);
    expect(send('/events', 'webhook.test', getEvent('webhook.test'))).toThrow(/event is not in the document/);
    const output = { invocationId: 'inv_01m7xsah51f6ctt8c84t8wbh7e', stream: 'stdout', offset: 0, data: 'eA==' };
    const invocation = '/machines/mch_1/invocations/inv_1/events';
    expect(send(invocation, 'output', output)).not.toThrow();
    expect(send(invocation, 'output', { ...output, stream: 'stdin' })).toThrow(/stream/);
  });
});
