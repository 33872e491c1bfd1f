import { createSecretKey } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { buildDeliveryHeaders } from './delivery-headers';
import { formatSigningSecret, signPayload } from './signature';

describe('a delivery request', () => {
  const body = '{"type":"webhook.test"}';
  const sentAt = Date.now();
  const keys = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
  const headers = buildDeliveryHeaders({ eventId: 'evt_1', traceparent: null }, sentAt);
  const signature = signPayload(
    keys.map((key) => createSecretKey(key)),
    'evt_1',
    headers['webhook-timestamp'],
    body,
  );

  it.each(keys.map((key, i) => [i + 1, key] as const))('is verified with signing key %i of 2', (_number, key) => {
    const verifier = new Webhook(formatSigningSecret(key));
    expect(verifier.verify(body, { ...headers, 'webhook-signature': signature })).toEqual({ type: 'webhook.test' });
  });

  it.each([
    ['another key', formatSigningSecret(Buffer.alloc(32, 3)), body, 'evt_1'],
    ['another body', formatSigningSecret(keys[0]!), `${body} `, 'evt_1'],
    ['another event', formatSigningSecret(keys[0]!), body, 'evt_2'],
  ])('is not verified with %s', (_name, secret, receivedBody, eventId) => {
    const received = { ...headers, 'webhook-id': eventId, 'webhook-signature': signature };
    expect(() => new Webhook(secret).verify(receivedBody, received)).toThrow(/signature/);
  });

  it.each([
    ['down to whole seconds', 1_767_225_600_999, '1767225600'],
    ['a whole second', 1_767_225_601_000, '1767225601'],
  ])('states its time in seconds: %s', (_name, time, timestamp) => {
    expect(buildDeliveryHeaders({ eventId: 'evt_1', traceparent: null }, time)['webhook-timestamp']).toBe(timestamp);
  });

  it('carries the trace context only if the event has one', () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    expect(headers).not.toHaveProperty('traceparent');
    expect(buildDeliveryHeaders({ eventId: 'evt_1', traceparent }, sentAt)).toMatchObject({ traceparent });
  });
});
