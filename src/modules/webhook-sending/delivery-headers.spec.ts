import { buildDeliveryHeaders } from './delivery-headers';

const EVENT = { eventId: 'evt_1', traceparent: null };

describe('buildDeliveryHeaders', () => {
  it.each([
    [1_000, '1'],
    [1_001, '1'],
    [1_999, '1'],
    [2_000, '2'],
  ])('rounds the start of the attempt at %d ms down to %s s', (sentAt, timestamp) => {
    expect(buildDeliveryHeaders(EVENT, sentAt)['webhook-timestamp']).toBe(timestamp);
  });

  it('identifies the event, and has a traceparent only if the event has one', () => {
    expect(buildDeliveryHeaders(EVENT, 0)).toEqual({
      'content-type': 'application/json',
      'user-agent': 'external-api-webhooks',
      'webhook-id': 'evt_1',
      'webhook-timestamp': '0',
    });
    expect(buildDeliveryHeaders({ ...EVENT, traceparent: '00-a-b-01' }, 0)).toMatchObject({ traceparent: '00-a-b-01' });
  });
});
