import { isSent, isSuccessfulExchange, type WebhookExchange } from './webhook-exchange';

const exchange = (status: number | null, error: WebhookExchange['error'] = null): WebhookExchange => ({
  status,
  error,
  response: null,
  responseHeaders: null,
  retryAfter: null,
  sentAt: 0,
  durationMs: 1,
});

describe('a webhook exchange', () => {
  it.each([
    [199, false],
    [200, true],
    [204, true],
    [299, true],
    [300, false],
    [410, false],
    [500, false],
    [null, false],
  ])('with the status %s has isSuccessful=%s', (status, isSuccessful) => {
    expect(isSuccessfulExchange(exchange(status))).toBe(isSuccessful);
  });

  it('with an error is not successful, even if the status is', () => {
    expect(isSuccessfulExchange(exchange(200, 'connection_lost'))).toBe(false);
  });

  it.each([
    ['secret_unreadable' as const, false],
    ['connection_failed' as const, true],
    ['timeout' as const, true],
    [null, true],
  ])('with the error %s has isSent=%s', (error, expected) => {
    expect(isSent(exchange(null, error))).toBe(expected);
  });
});
