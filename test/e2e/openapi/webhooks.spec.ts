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
  const findViolation = (payload: object, headers: object = {}) =>
    validator.findDeliveryViolation({ ...HEADERS, ...headers }, payload as { type: string });

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
    expect(findViolation(getExample(type))).toBeNull();
  });

  it('reject a body with an additional, missing or malformed member, and an unknown type', () => {
    const example = getExample('session.ended');
    expect(findViolation({ ...example, accountId: 'acc_1' })).toMatch(/unevaluated/);
    expect(findViolation({ ...example, data: { ...example.data, secret: 'x' } })).toMatch(/unevaluated/);
    expect(findViolation({ ...example, data: { ...example.data, tag: undefined } })).toMatch(/tag/);
    expect(findViolation({ ...example, timestamp: 'now' })).toMatch(/timestamp/);
    expect(findViolation({ ...example, type: 'session.exploded' })).toMatch(/event type is not in the document/);
  });

  it('reject missing and malformed headers', () => {
    const example = getExample('turn.ended');
    expect(findViolation(example, { 'webhook-signature': `${SIGNATURE} ${SIGNATURE}` })).toBeNull();
    expect(findViolation(example, { 'webhook-signature': undefined })).toMatch(/webhook-signature is missing/);
    expect(findViolation(example, { 'webhook-id': 'evt_1' })).toMatch(/webhook-id is out of form/);
    expect(findViolation(example, { 'webhook-timestamp': '2026-01-01' })).toMatch(/webhook-timestamp is out of form/);
    expect(findViolation(example, { traceparent: 'none' })).toMatch(/traceparent is out of form/);
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
  const findViolation = (path: string, type: string, data: object) =>
    validator.findStreamEventViolation(`/external/v1${path}`, type, data);
  const session = '/sessions/ses_1/events';

  it('have the id of the event beside its payload', () => {
    expect(findViolation('/events', 'machine.online', getEvent('machine.online'))).toBeNull();
    expect(findViolation('/events', 'machine.online', { ...getEvent('machine.online'), id: undefined })).toMatch(/id/);
    expect(findViolation('/events', 'machine.online', { ...getEvent('machine.online'), more: 1 })).toMatch(
      /unevaluated/,
    );
  });

  it('have content in the stream of a session only', () => {
    const { data, ...event } = getEvent('message.created') as OpenApiNode;
    const missing = { ...event, data: { ...data, content: null, contentReason: 'too_large' } };
    expect(findViolation(session, 'message.created', { ...event, data })).toBeNull();
    expect(findViolation(session, 'message.created', missing)).toBeNull();
    expect(findViolation(session, 'message.created', { ...event, data: { ...data, text: 'x' } })).toMatch(
      /unevaluated/,
    );
    expect(findViolation('/events', 'message.created', missing)).toMatch(/unevaluated/);
  });

  it('are those of the stream', () => {
    expect(findViolation(session, 'machine.online', getEvent('machine.online'))).toMatch(
      /event is not in the document/,
    );
    expect(findViolation('/events', 'webhook.test', getEvent('webhook.test'))).toMatch(/event is not in the document/);
    const output = { invocationId: 'inv_01m7xsah51f6ctt8c84t8wbh7e', stream: 'stdout', offset: 0, data: 'eA==' };
    const invocation = '/machines/mch_1/invocations/inv_1/events';
    expect(findViolation(invocation, 'output', output)).toBeNull();
    expect(findViolation(invocation, 'output', { ...output, stream: 'stdin' })).toMatch(/stream/);
  });
});
