import { createECDH } from 'node:crypto';
import { isAllowedPushHost } from './push-host-policy';
import { encryptPushMessage, isPublicKey } from './push-message';

/** RFC 8291 §5 and Appendix A. */
const EXAMPLE = {
  text: 'When I grow up, I want to be a watermelon',
  p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  senderKey: 'yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw',
  salt: 'DGv6ra1nlYgDCS1FRnbzlw',
  body:
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl' +
    '7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
};

describe('a push message', () => {
  it('is encrypted as in the example of RFC 8291', () => {
    const sender = createECDH('prime256v1');
    sender.setPrivateKey(EXAMPLE.senderKey, 'base64url');
    const salt = Buffer.from(EXAMPLE.salt, 'base64url');
    const body = encryptPushMessage(EXAMPLE.text, EXAMPLE, { salt, sender, paddedLength: 0 });
    expect(body.toString('base64url')).toBe(EXAMPLE.body);
  });

  it('has the same size whatever it says, and another salt and key each time', () => {
    const [short, long] = ['a', 'b'.repeat(200)].map((text) => encryptPushMessage(text, EXAMPLE)) as [Buffer, Buffer];
    expect(short).toHaveLength(long.length);
    expect(short.subarray(0, 16)).not.toEqual(long.subarray(0, 16));
    expect(short.subarray(21, 86)).not.toEqual(long.subarray(21, 86));
  });

  it('is encrypted to points on the curve only', () => {
    expect(isPublicKey(EXAMPLE.p256dh)).toBe(true);
    const offCurve = Buffer.from(EXAMPLE.p256dh, 'base64url');
    offCurve[64]! ^= 1;
    expect(isPublicKey(offCurve.toString('base64url'))).toBe(false);
    expect(isPublicKey('BCVxsr7N')).toBe(false);
  });
});

describe('an allowed host', () => {
  const hosts = ['fcm.googleapis.com', '*.push.apple.com'];

  it.each(['https://fcm.googleapis.com/fcm/send/a', 'https://FCM.googleapis.com/', 'https://web.push.apple.com/a'])(
    'is that of %s',
    (endpoint) => expect(isAllowedPushHost(endpoint, hosts)).toBe(true),
  );

  it.each([
    'https://push.apple.com/a',
    'https://web.push.apple.com.example/a',
    'https://webpush.apple.com/a',
    'https://a.fcm.googleapis.com/',
    'https://fcm.googleapis.com.example/',
    'https://example.com/fcm.googleapis.com',
    'fcm.googleapis.com',
  ])('is not that of %s', (endpoint) => expect(isAllowedPushHost(endpoint, hosts)).toBe(false));
});
