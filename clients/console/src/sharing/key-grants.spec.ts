import {
  buildMessageBinding,
  buildMetadataBinding,
  generateDataKey,
  sealContent,
  type DataKey,
  type SealedDataKey,
} from '@external-api/protocol';
import type { AccountApi } from '../content/account-api';
import type { AccountKeys } from '../content/account-keys';
import type { MessageRecord, SessionRecord } from '../content/records';
import { toPublicJwk } from '../lib/keys';
import { generateContentJwk } from '../lib/sealed-key';
import { openSessionKey } from './key-grants';

describe('the key of a session that is to be shared', () => {
  let keys: AccountKeys;
  let own: DataKey & SealedDataKey;
  let other: DataKey & SealedDataKey;
  let metadata: string;
  let message: MessageRecord;

  beforeAll(async () => {
    keys = { accountId: 'acc_1', contentKey: await generateContentJwk() };
    own = await generateDataKey(toPublicJwk(keys.contentKey));
    other = await generateDataKey(toPublicJwk(keys.contentKey));
    const bytes = Buffer.from('{"title":"build box"}');
    metadata = await sealContent(
      { mediaType: 'application/json', bytes },
      own,
      buildMetadataBinding('acc_1', 'tag', 1),
    );
    const place = buildMessageBinding('acc_1', 'tag', 'm-1', 'user');
    const content = await sealContent({ mediaType: 'text/plain', bytes }, own, place);
    message = { localId: 'm-1', role: 'user', content } as MessageRecord;
  });

  const open = (changed: Partial<SessionRecord>, messages: MessageRecord[] = []) => {
    const session = { id: 'ses_1', tag: 'tag', version: 1, metadata, dataKey: own, ...changed } as SessionRecord;
    const api = { getPage: () => Promise.resolve({ data: messages, nextCursor: null }) } as unknown as AccountApi;
    return openSessionKey(api, keys, session);
  };

  it('is returned if it opens the title', async () => {
    expect(await open({})).toMatchObject({ kid: own.kid, k: own.k });
  });

  it('is refused if it is the key of another session, whose title it would not open', async () => {
    await expect(open({ dataKey: other })).rejects.toThrow('doesn’t open its title');
    await expect(open({ tag: 'other' })).rejects.toThrow('doesn’t open its title');
  });

  it('has to open a message if the session has no title', async () => {
    expect(await open({ metadata: null }, [message])).toMatchObject({ kid: own.kid });
    await expect(open({ metadata: null, dataKey: other }, [message])).rejects.toThrow('doesn’t open its messages');
    await expect(open({ metadata: null })).rejects.toThrow('no title and no message');
  });
});
