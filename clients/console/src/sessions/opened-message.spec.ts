import { sealContent, sealJson } from '@external-api/protocol';
import { SessionOpener } from '../content/content-opener';
import type { MessageRecord, SessionRecord } from '../content/records';
import { generateContentJwk } from '../lib/sealed-key';
import { toPublicJwk } from '../lib/keys';
import { openMessageRecord } from './opened-message';

const dataKey = { kid: 'k1', k: Buffer.alloc(32, 7).toString('base64url') };
const place = { a: 'acc_1', s: 'tag', l: 'm-1', r: 'assistant' };

describe('a message of a session', () => {
  let opener: SessionOpener;
  beforeAll(async () => {
    const contentKey = await generateContentJwk();
    const sealed = await sealJson({ kty: 'oct', ...dataKey }, toPublicJwk(contentKey));
    const session = { tag: 'tag', dataKey: { kid: 'k1', sealed } } as SessionRecord;
    opener = await SessionOpener.forSession({ accountId: 'acc_1', contentKey }, session);
  });

  const open = async (text: string | Uint8Array, mediaType = 'text/plain; charset=utf-8', changed: object = {}) => {
    const bytes = typeof text === 'string' ? Buffer.from(text) : text;
    const content = await sealContent({ mediaType, bytes }, dataKey, place);
    const message = { id: 'msg_1', localId: 'm-1', role: 'assistant', content, ...changed } as MessageRecord;
    return (await openMessageRecord(message, opener)).body;
  };

  it('is text', async () => {
    expect(await open('größer')).toEqual({ kind: 'text', text: 'größer' });
  });

  it('of the user has the files that came with it, and other links are text', async () => {
    const openSent = async (text: string) => {
      const content = await sealContent({ mediaType: 'text/plain', bytes: Buffer.from(text) }, dataKey, {
        ...place,
        r: 'user',
      });
      return open('', undefined, { role: 'user', content });
    };
    expect(await openSent('Look.\n\n[a](b).txt](artifact:ses_1/turn_1/message-1.txt)\n[b](artifact:t2)')).toEqual({
      kind: 'text',
      text: 'Look.',
      files: [
        { name: 'a](b).txt', tag: 'ses_1/turn_1/message-1.txt' },
        { name: 'b', tag: 't2' },
      ],
    });
    for (const text of ['', '[a](artifact:t) too', '[a](https://a.b)', '\n'])
      expect(await openSent(text)).toEqual({ kind: 'text', text });
  });

  it('is a tool call with the members that are text', async () => {
    const type = 'application/vnd.external-api.tool-call+json';
    const text = JSON.stringify({ id: 'c', title: 'Edit', kind: 'edit', status: 'completed', output: 7, diff: '+a' });
    const toolCall = { title: 'Edit', kind: 'edit', status: 'completed', output: '', exitCode: null, diff: '+a' };
    expect(await open(text, type)).toEqual({ kind: 'tool', toolCall });
    const failed = await open(text.replace('"output":7', '"output":"x","exitCode":2'), type);
    expect(failed).toMatchObject({ toolCall: { output: 'x', exitCode: 2 } });
    for (const malformed of ['{', 'null', '{"title":1}']) {
      expect(await open(malformed, type)).toEqual({ kind: 'text', text: malformed });
    }
  });

  it('is not shown if it is no text', async () => {
    expect(await open(Buffer.alloc(5), 'image/png')).toEqual({ kind: 'binary', mediaType: 'image/png', size: 5 });
  });

  it.each([
    ['was modified', { content: 'a.b.c.d.e' }],
    ['was moved to another message', { localId: 'm-2' }],
    ['was given to another author', { role: 'user' }],
  ])('says that it can’t be shown if it %s', async (_, changed) => {
    expect(await open('text', undefined, changed)).toMatchObject({ kind: 'unreadable' });
  });

  it('says so without keys', async () => {
    const message = { localId: 'm-1', role: 'user', content: '' } as MessageRecord;
    expect((await openMessageRecord(message, null)).body).toMatchObject({ kind: 'unreadable' });
  });
});
