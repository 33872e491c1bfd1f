import { renderToString } from 'preact-render-to-string';
import { DELIVERY_ERRORS, type DeliveryError } from '../../../../modules/webhook-sending';
import type { DeliveryWithAttemptsDto, WebhookDto } from '../../../../modules/webhooks';
import { DeliveryLog, type DeliveryLogProps } from './delivery-log';
import { DeliveryPage } from './delivery-page';
import { createFormState } from '../../forms/form-state';

const webhook = { id: 'whk_1', url: 'https://example.com', headerNames: [], state: 'active' } as unknown as WebhookDto;
const ENDPOINT = { webhook, probeAt: null, dueAt: null, now: 0, maxAttempts: 8 };

/** Errors after which the receiver has at least a part of the request. */
const SENT: readonly DeliveryError[] = ['connection_lost', 'timeout', 'invalid_response', 'redirect'];

const renderDelivery = (changes: object): string => {
  const delivery = {
    id: 'dlv_1',
    eventId: 'evt_1',
    type: 'session.created',
    state: 'failed',
    attempts: 1,
    nextAttemptAt: null,
    finishedAt: 2,
    createdAt: 0,
    attemptLog: [],
    ...changes,
  } as unknown as DeliveryWithAttemptsDto;
  return renderToString(
    <DeliveryPage
      {...ENDPOINT}
      delivery={delivery}
      payload="{}"
      sent={{ body: '{}', headers: {} }}
      traceparent={null}
      isReplay={false}
    />,
  );
};

it('a cancelled delivery names both causes: access that has ended, and an operator', () => {
  const html = renderDelivery({ state: 'cancelled' });
  expect(html).toMatch(/no longer allowed to receive the event .* or an operator of\s+the service has dropped it/);
  expect(renderDelivery({ state: 'failed' })).not.toContain('operator');
});

describe('an attempt that failed', () => {
  it.each(DELIVERY_ERRORS)('by %s says whether anything was sent', (error) => {
    const attempt = { at: 1, durationMs: 1, status: null, error, response: null, responseHeaders: null };
    const html = renderDelivery({ attemptLog: [attempt] });
    const isSent = SENT.includes(error);
    expect([html.includes('Nothing was sent.'), html.includes('Request headers')]).toEqual([!isSent, isSent]);
  });
});

it.each([
  [0, false, 'No delivery has failed since then, and no event was missed.'],
  [0, true, 'Nothing was replayed: too many deliveries are pending. Try again when fewer are.'],
  [1, false, 'Replaying 1 event.'],
  [2, false, 'Replaying 2 events.'],
  [2, true, 'Replaying 2 events. There are more: replay again when these are delivered.'],
])('the delivery log says that %d events are replayed, and whether there are more: %s', (replayed, hasMore, text) => {
  const props = { replayed, hasMore, filters: createFormState(), replay: createFormState(), subjects: new Map() };
  const deliveries = { data: [], nextCursor: null };
  const html = renderToString(
    <DeliveryLog {...ENDPOINT} {...(props as unknown as DeliveryLogProps)} deliveries={deliveries} />,
  );
  expect(html).toContain(`<p class="notice">${text}</p>`);
});
