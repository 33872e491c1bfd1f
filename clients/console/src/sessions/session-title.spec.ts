import { buildMetadataBinding, ContentError, generateDataKey, sealContent } from '@external-api/protocol';
import type { DataKey, SealedDataKey } from '@external-api/protocol';
import type { AccountApi } from '../content/account-api';
import type { AccountKeys } from '../content/account-keys';
import { SessionOpener } from '../content/content-opener';
import type { SessionRecord } from '../content/records';
import { ServiceError, UnreachableError } from '../lib/api-client';
import { toPublicJwk } from '../lib/keys';
import { generateContentJwk } from '../lib/sealed-key';
import { getSessionTitle, renameSession } from './session-title';

describe('the title of a session', () => {
  const callId = 'req_01m7xsah51f6ctt8c84t8wbh7e';

  it.each([
    ['its decrypted title', 'tag', { title: 'Fix the test' }, 'Fix the test'],
    ['its tag without one', 'nightly build', {}, 'nightly build'],
    ['its tag if it is blank', 'nightly build', { title: ' ' }, 'nightly build'],
    ['its tag without keys', 'nightly build', null, 'nightly build'],
    ['no id of a call', callId, { title: callId }, 'Untitled session'],
    ['no id of a call, without keys', callId, null, 'Untitled session'],
  ])('is %s', (_, tag, metadata, title) => {
    expect(getSessionTitle({ tag }, metadata)).toBe(title);
  });
});

describe('a renamed session', () => {
  let keys: AccountKeys;
  let dataKey: DataKey & SealedDataKey;
  let session: SessionRecord;
  let opener: SessionOpener;
  /** Errors of the next changes; undefined for one that succeeds. */
  let errors: (Error | undefined)[];
  let changes: number;

  const seal = (metadata: object, version: number) => {
    const content = { mediaType: 'application/json', bytes: Buffer.from(JSON.stringify(metadata)) };
    return sealContent(content, dataKey, buildMetadataBinding('acc_1', 'tag', version));
  };
  const api = {
    getRecord: () => Promise.resolve({ ...session }),
    patch: (_path: string, { metadata, expectedVersion }: { metadata: string; expectedVersion: number }) => {
      changes++;
      const error = errors.shift();
      if (error) return Promise.reject(error);
      expect(expectedVersion).toBe(session.version);
      session = { ...session, metadata, version: session.version + 1 };
      return Promise.resolve();
    },
  } as unknown as AccountApi;
  const rename = (title: string) => renameSession(api, opener, 'ses_1', title);

  beforeAll(async () => {
    keys = { accountId: 'acc_1', contentKey: await generateContentJwk() };
    dataKey = await generateDataKey(toPublicJwk(keys.contentKey));
  });
  beforeEach(async () => {
    [errors, changes] = [[], 0];
    const metadata = await seal({ title: 'auto', autoTitle: 'auto', cwd: '/srv', x: [1] }, 4);
    session = { id: 'ses_1', tag: 'tag', version: 4, metadata, dataKey } as unknown as SessionRecord;
    opener = await SessionOpener.forSession(keys, session);
  });

  it('has the new title, and everything else that its device has written', async () => {
    await rename(' Monday ');
    const expected = { title: 'Monday', autoTitle: 'auto', cwd: '/srv', x: [1] };
    expect(await opener.openMetadata(session)).toEqual(expected);
    expect(session.version).toBe(5);
  });

  it('gets the title of its device again if the new one is blank', async () => {
    await rename('Monday');
    await rename('  ');
    expect(await opener.openMetadata(session)).toMatchObject({ title: 'auto', autoTitle: 'auto' });
  });

  it('is changed again if its device has changed it meanwhile, three times at most', async () => {
    errors = [new ServiceError(409, { code: 'conflict' })];
    await rename('Monday');
    expect(await opener.openMetadata(session)).toMatchObject({ title: 'Monday' });
    errors = Array.from({ length: 3 }, () => new ServiceError(409, { code: 'conflict' }));
    await expect(rename('Tuesday')).rejects.toMatchObject({ code: 'conflict' });
    expect(changes).toBe(5);
  });

  it('is not changed again by a repetition after a lost response', async () => {
    await rename('Monday');
    errors = [new UnreachableError()];
    await expect(rename('Tuesday')).rejects.toThrow(UnreachableError);
    session = { ...session, metadata: await seal({ title: 'Tuesday' }, 6), version: 6 };
    await rename('Tuesday');
    expect(changes).toBe(2);
  });

  it('keeps what somebody has modified', async () => {
    session = { ...session, version: 9 };
    await expect(rename('Monday')).rejects.toThrow(ContentError);
    expect(changes).toBe(0);
  });

  it.each(['null', '"text"', '[1]', 'no JSON'])('may have had other metadata: %s', async (text) => {
    const content = { mediaType: 'application/json', bytes: Buffer.from(text) };
    session = { ...session, metadata: await sealContent(content, dataKey, buildMetadataBinding('acc_1', 'tag', 4)) };
    await rename('Monday');
    expect(await opener.openMetadata(session)).toEqual({ title: 'Monday' });
  });
});
