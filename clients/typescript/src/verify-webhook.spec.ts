import { Webhook } from 'standardwebhooks';
import { verify, WebhookVerificationError } from './verify-webhook.ts';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const OTHER_SECRET = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
const BODY = '{"type":"session.created","timestamp":1,"data":{"id":"ses_ä"}}';

/** Signs as another implementation of Standard Webhooks does. */
function sign(body = BODY, secret = SECRET, at = new Date()) {
  return {
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(secret).sign('evt_1', at, body),
  };
}

describe('verify', () => {
  it.each<[string, (body: string) => string | Uint8Array | ArrayBuffer]>([
    ['text', (body) => body],
    ['bytes', (body) => Buffer.from(body)],
  ])('returns the event of a body of %s', async (_, convert) => {
    const event = await verify(convert(BODY), sign(), SECRET);
    expect(event).toEqual({ id: 'evt_1', type: 'session.created', timestamp: 1, data: { id: 'ses_ä' } });
    await expect(verify(convert(BODY), new Headers(sign()), SECRET)).resolves.toEqual(event);
  });

  it('accepts one of several secrets and one of several signatures, as in a rotation', async () => {
    await expect(verify(BODY, sign(), [OTHER_SECRET, SECRET])).resolves.toMatchObject({ id: 'evt_1' });
    const headers = sign();
    headers['webhook-signature'] = `v1a,x v1,AAAA ${headers['webhook-signature']}`;
    await expect(verify(BODY, headers, SECRET)).resolves.toMatchObject({ id: 'evt_1' });
  });

  const HOUR_AGO = new Date(Date.now() - 3_600_000);
  it.each([
    ['another body', `${BODY} `, sign(), SECRET, 'invalid_signature'],
    ['another secret', BODY, sign(), OTHER_SECRET, 'invalid_signature'],
    ['another id', BODY, { ...sign(), 'webhook-id': 'evt_2' }, SECRET, 'invalid_signature'],
    ['an old timestamp', BODY, sign(BODY, SECRET, HOUR_AGO), SECRET, 'outside_tolerance'],
    ['a missing header', BODY, { ...sign(), 'webhook-signature': undefined }, SECRET, 'missing_header'],
    ['a malformed secret', BODY, sign(), 'whsec_%', 'invalid_secret'],
  ])('refuses %s', async (_, body, headers, secret, code) => {
    const error = await verify(body, headers, secret).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(WebhookVerificationError);
    expect(error).toMatchObject({ code });
  });

  it('accepts the time of a clock that is off by an hour with a greater tolerance', async () => {
    const headers = sign(BODY, SECRET, HOUR_AGO);
    await expect(verify(BODY, headers, SECRET, { toleranceSeconds: 4_000 })).resolves.toMatchObject({ id: 'evt_1' });
  });
});
