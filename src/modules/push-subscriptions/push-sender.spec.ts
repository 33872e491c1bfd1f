import { Logger } from '@nestjs/common';
import { Registry } from 'prom-client';
import { HOUR, MINUTE, SECOND } from '../../common/clock';
import type { WebhookExchange } from '../webhook-sending';
import type { DueNotice, NoticeEvent } from './push-notices.repository';
import { PushSender } from './push-sender';

const NOW = 1_788_255_000_000;
const at = (ms: number) => new Date(NOW + ms);
const ENDPOINT = 'https://fcm.googleapis.com/fcm/send/a';
/** Of the example of RFC 8291. */
const KEYS = {
  p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
};

describe('a message to a push service', () => {
  let notice: DueNotice;
  let target: object | null;
  let push: object | null;
  let exchange: Partial<WebhookExchange>;
  const sendPost = jest.fn();
  const endAttempt = jest.fn();
  const deleteSubscription = jest.fn();

  beforeAll(() => Logger.overrideLogger(false));
  afterAll(() => Logger.overrideLogger(true));
  beforeEach(() => {
    jest.resetAllMocks();
    notice = {
      ...{ subscription_id: 'push_1', session_id: 'ses_1', record_id: 'perm_1', account_id: 'acc_1' },
      ...{ event: 'permission.requested', expires_at: at(HOUR), attempts: 1, target: Buffer.from('encrypted') },
    };
    target = { endpoint: ENDPOINT, ...KEYS };
    push = { allowHosts: ['fcm.googleapis.com'] };
    exchange = { status: 201, error: null, retryAfter: null };
    sendPost.mockImplementation(() => Promise.resolve(exchange));
  });

  const send = () =>
    new PushSender(
      { push } as never,
      { endAttempt } as never,
      { delete: deleteSubscription } as never,
      { decryptTarget: () => target } as never,
      { buildAuthorization: () => Promise.resolve('vapid t=token, k=key') } as never,
      { sendPost } as never,
      { now: () => NOW } as never,
      new Registry(),
    ).sendNotice(notice);
  const expectEnd = (dueAt: Date | null) => {
    expect(endAttempt.mock.calls).toEqual([[notice, dueAt]]);
    expect(deleteSubscription).not.toHaveBeenCalled();
  };

  it.each<[NoticeEvent, string]>([
    ['permission.requested', 'high'],
    ['permission.decided', 'normal'],
    ['turn.completed', 'normal'],
    ['turn.failed', 'normal'],
  ])('about %s has the urgency %s, and lives as long as its notice', async (event, urgency) => {
    notice = { ...notice, event, expires_at: at(90 * SECOND - 1) };
    await send();
    expect(sendPost).toHaveBeenCalledTimes(1);
    expect(sendPost.mock.calls[0]![0]).toMatchObject({ url: ENDPOINT, headers: { urgency, ttl: '90' } });
    expectEnd(null);
  });

  it.each([
    ['has expired', 0, 0],
    ['expires a moment later', 1, 1],
  ])('of a notice that %s is sent %i times', async (_, ms, count) => {
    notice = { ...notice, expires_at: at(ms) };
    await send();
    expect(sendPost).toHaveBeenCalledTimes(count);
    expectEnd(null);
  });

  it.each<[string, () => void]>([
    ['the operator no longer allows the host', () => (push = { allowHosts: ['*.push.apple.com'] })],
    ['the operator has turned notifications off', () => (push = null)],
    ['no secret decrypts the endpoint', () => (target = null)],
  ])('is not sent if %s, and the subscription ends', async (_, change) => {
    change();
    await send();
    expect(sendPost).not.toHaveBeenCalled();
    expect(deleteSubscription.mock.calls).toEqual([['acc_1', 'push_1']]);
  });

  it.each([404, 410])('that is answered with %i ends the subscription', async (status) => {
    exchange = { ...exchange, status };
    await send();
    expect(deleteSubscription.mock.calls).toEqual([['acc_1', 'push_1']]);
  });

  it.each([null, 429, 500, 503])('that is answered with %j is repeated', async (status) => {
    exchange = { ...exchange, status };
    await send();
    expectEnd(at(5 * SECOND));
  });

  it.each([400, 401, 403, 413])('that is answered with %i is not repeated', async (status) => {
    exchange = { ...exchange, status };
    await send();
    expectEnd(null);
  });

  it('whose address is refused is not repeated', async () => {
    exchange = { ...exchange, status: null, error: 'address_refused' };
    await send();
    expectEnd(null);
  });

  it.each([
    [1, 5 * SECOND],
    [2, 30 * SECOND],
    [3, 2 * MINUTE],
    [4, null],
  ])('whose attempt %i fails is due again after %j ms', async (attempts, delayMs) => {
    notice = { ...notice, attempts };
    exchange = { ...exchange, status: 503 };
    await send();
    expectEnd(delayMs === null ? null : at(delayMs));
  });

  it.each([
    ['60', at(MINUTE)],
    ['1', at(5 * SECOND)],
    [at(2 * MINUTE).toUTCString(), at(2 * MINUTE)],
    ['3599', at(HOUR - SECOND)],
    ['3600', null],
  ])('waits for Retry-After: %s if that is longer, unless it would be too late', async (retryAfter, dueAt) => {
    exchange = { ...exchange, status: 429, retryAfter };
    await send();
    expectEnd(dueAt);
  });
});
