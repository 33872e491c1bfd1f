import { compactDecrypt, CompactEncrypt } from 'jose';
import { randomBytes } from 'node:crypto';
import { buildDeltaBinding, buildMessageBinding } from './jwe';
import { ContentError, openContent, sealContent } from './content';

const bytes = randomBytes(32);
const dataKey = { kid: 'k1', k: bytes.toString('base64url') };
const place = buildMessageBinding('acc_1', 'tag', 'l-1', 'user');
const text = { mediaType: 'text/plain; charset=utf-8', bytes: Buffer.from('hëllo €') };

/** A text as another program would write it. */
const sealAsOtherProgram = (change: object = {}, key: Uint8Array = bytes) =>
  new CompactEncrypt(text.bytes)
    .setProtectedHeader({
      alg: 'dir',
      enc: 'A256GCM',
      kid: 'k1',
      cty: 'text/plain',
      svc: place,
      ...change,
    })
    .encrypt(key);

describe('a delta', () => {
  const delta = buildDeltaBinding('acc_1', 'tag', 'l-1', 0);

  it('is bound to its number in the message', async () => {
    const sealed = await sealContent(text, dataKey, delta);
    const { protectedHeader } = await compactDecrypt(sealed, bytes);
    expect(protectedHeader).toMatchObject({ svc: { a: 'acc_1', s: 'tag', d: 'l-1', n: 0 } });
    expect(Buffer.from((await openContent(sealed, dataKey, delta)).bytes)).toEqual(text.bytes);
  });

  it.each([
    ['another number', buildDeltaBinding('acc_1', 'tag', 'l-1', 1)],
    ['another message', buildDeltaBinding('acc_1', 'tag', 'l-2', 0)],
    ['another session', buildDeltaBinding('acc_1', 'other', 'l-1', 0)],
    ['the message itself', buildMessageBinding('acc_1', 'tag', 'l-1', 'assistant')],
  ])('is refused as %s', async (_, elsewhere) => {
    await expect(openContent(await sealContent(text, dataKey, delta), dataKey, elsewhere)).rejects.toThrow(
      ContentError,
    );
  });
});

describe('a text', () => {
  it('has exactly the header of the contract, and opens with jose alone', async () => {
    const { plaintext, protectedHeader } = await compactDecrypt(await sealContent(text, dataKey, place), bytes);
    expect(protectedHeader).toEqual({
      alg: 'dir',
      enc: 'A256GCM',
      kid: 'k1',
      cty: text.mediaType,
      svc: { a: 'acc_1', s: 'tag', l: 'l-1', r: 'user' },
    });
    expect(Buffer.from(plaintext)).toEqual(text.bytes);
  });

  it('of another program is opened', async () => {
    const { mediaType, bytes: opened } = await openContent(await sealAsOtherProgram(), dataKey, place);
    expect([mediaType, Buffer.from(opened).toString()]).toEqual(['text/plain', 'hëllo €']);
  });

  it.each([
    ['under another key id', { kid: 'k2' }],
    ['out of its place', { svc: { ...place, l: 'l-2' } }],
    ['in another role', { svc: { ...place, r: 'assistant' } }],
    ['with more in its place', { svc: { ...place, v: 1 } }],
    ['without a place', { svc: undefined }],
    ['without a media type', { cty: undefined }],
    ['with a parameter that is not listed', { typ: 'JOSE' }],
  ])('%s is refused', async (_, change) => {
    await expect(openContent(await sealAsOtherProgram(change), dataKey, place)).rejects.toThrow(ContentError);
  });

  it.each([['zip'], ['crit'], ['p2c'], ['b64']])('with %s in its header is refused', async (name) => {
    const [header = '', ...parts] = (await sealAsOtherProgram()).split('.');
    const members = JSON.parse(Buffer.from(header, 'base64url').toString());
    const forged = Buffer.from(JSON.stringify({ ...members, [name]: 1 })).toString('base64url');
    await expect(openContent([forged, ...parts].join('.'), dataKey, place)).rejects.toThrow('header');
  });

  it('that was changed, or is under another key of the same name, is refused', async () => {
    const sealed = await sealContent(text, dataKey, place);
    const [header, key, iv, body = '', tag] = sealed.split('.');
    const changed = [header, key, iv, (body.startsWith('A') ? 'B' : 'A') + body.slice(1), tag].join('.');
    await expect(openContent(changed, dataKey, place)).rejects.toThrow('cannot be decrypted');
    await expect(openContent(await sealAsOtherProgram({}, randomBytes(32)), dataKey, place)).rejects.toThrow(
      'cannot be decrypted',
    );
  });
});
