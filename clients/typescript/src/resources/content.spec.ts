import { CompactEncrypt, exportJWK, generateKeyPair } from 'jose';
import { createHash } from 'node:crypto';
import { ApiError } from '../errors.ts';
import { untilAborted } from '../http/abort.ts';
import type { RequestOptions, Transport } from '../http/transport.ts';
import { ContentReader, type ContentOptions } from './content.ts';
import type { PrivateJwk } from './sealed-content.ts';

const DATA_KEY = Buffer.alloc(32, 7);
const PLACE = { a: 'acc_1', s: 'tag', p: 'p1' };
const HEADER = { alg: 'dir', enc: 'A256GCM', kid: 'k1', cty: 'text/plain', svc: PLACE };

describe('sealed content of a permission request', () => {
  let key: PrivateJwk;
  let sealed: string;
  let data: { content: string; contentHash: string };
  /** Errors of the next calls of `GET /me`. */
  let failures: ApiError[];

  beforeAll(async () => {
    const { publicKey, privateKey } = await generateKeyPair('ECDH-ES+A256KW', { crv: 'X25519', extractable: true });
    key = await exportJWK(privateKey);
    const dataKey = JSON.stringify({ kty: 'oct', kid: 'k1', k: DATA_KEY.toString('base64url') });
    sealed = await new CompactEncrypt(Buffer.from(dataKey))
      .setProtectedHeader({ alg: 'ECDH-ES+A256KW', enc: 'A256GCM' })
      .encrypt(publicKey);
  });
  beforeEach(async () => {
    failures = [];
    await setContent('Edit a file?');
  });

  async function setContent(text: string, header: object = {}): Promise<void> {
    const content = await new CompactEncrypt(Buffer.from(text))
      .setProtectedHeader({ ...HEADER, ...header })
      .encrypt(DATA_KEY);
    data = { content, contentHash: createHash('sha256').update(content).digest('base64url') };
  }

  const request = (_: string, path: string) => {
    const error = path === '/me' ? failures.shift() : undefined;
    if (error) return Promise.reject(error);
    const own = { id: 'perm_1', sessionId: 'ses_1', grantId: 'grt_1', encoding: 'sealed', key: { sealed } };
    const answers: Record<string, object> = { '/me': { account: { id: 'acc_1' } }, '/sessions/ses_1': { tag: 'tag' } };
    return Promise.resolve({ body: { data: answers[path] ?? { ...own, ...data } } });
  };
  const createReader = () => new ContentReader({ request } as unknown as Transport);
  const read = (reader = createReader()) => reader.readPermission('ses_1', 'perm_1', { key });

  it('is opened, with the hash that names it in a decision', async () => {
    expect(await read()).toMatchObject({ text: 'Edit a file?', contentHash: data.contentHash });
  });

  it('is refused with the hash of other content, which a decision would name', async () => {
    const { content } = data;
    await setContent('Delete all files?');
    data = { ...data, content };
    await expect(read()).rejects.toMatchObject({ name: 'SealedContentError', code: 'misplaced' });
  });

  it.each([
    ['a parameter that is not listed', { typ: 'JOSE' }, 'undecryptable'],
    ['more in its place', { svc: { ...PLACE, r: 'user' } }, 'misplaced'],
    ['another kind of place', { svc: { a: 'acc_1', s: 'tag', l: 'p1' } }, 'misplaced'],
    ['another data key', { kid: 'k2' }, 'misplaced'],
  ])('is refused with %s in its header', async (_, header, code) => {
    await setContent('Edit a file?', header);
    await expect(read()).rejects.toMatchObject({ name: 'SealedContentError', code });
  });

  it('is opened by a later call if the account could not be read at first', async () => {
    const reader = createReader();
    failures = [new ApiError({ status: 503, code: 'service_unavailable', message: 'x' })];
    await expect(read(reader)).rejects.toMatchObject({ code: 'service_unavailable' });
    expect(await read(reader)).toMatchObject({ text: 'Edit a file?' });
  });
});

describe('a read of sealed content', () => {
  const KEY: PrivateJwk = { kty: 'OKP', crv: 'X25519', x: '', d: '' };
  /** Has the members of all records. */
  const RECORD = { id: 'msg_1', encoding: 'sealed', content: '', account: { id: 'acc_1' }, tag: 'tag' };
  const SESSION = '/sessions/ses_1';
  type Read = (reader: ContentReader, options: ContentOptions) => Promise<unknown>;
  const READS: [name: string, read: Read, paths: string[]][] = [
    [
      'a message',
      (reader, options) => reader.readMessage('ses_1', 'msg_1', options),
      ['/me', SESSION, `${SESSION}/messages`],
    ],
    ['a session', (reader, options) => reader.readSession('ses_1', options), ['/me', SESSION]],
    ['a permission request', (reader, options) => reader.readPermission('ses_1', 'p', options), ['/me', SESSION]],
    ['an artifact', (reader, options) => reader.readArtifact('art_1', options), ['/me', '/artifacts/art_1']],
  ];
  const CASES = READS.flatMap(([name, read, paths]) => paths.map((path) => [name, path, read] as const));

  it.each(CASES)('of %s stops at an AbortSignal while %s is not answered', async (_, unanswered, read) => {
    const stopping = new AbortController();
    const request = (_method: string, path: string, { signal }: RequestOptions = {}) => {
      if (path === unanswered) return untilAborted(new Promise<never>(() => undefined), signal);
      return Promise.resolve({ body: { data: path.endsWith('/messages') ? [RECORD] : RECORD, nextCursor: null } });
    };
    const reader = new ContentReader({ request } as unknown as Transport);
    const reading = read(reader, { key: KEY, signal: stopping.signal });
    // The other answers are there.
    await new Promise(setImmediate);
    stopping.abort(new Error('stopped'));
    await expect(reading).rejects.toThrow('stopped');
  });
});
