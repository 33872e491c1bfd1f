import { randomBytes } from 'node:crypto';
import {
  buildAttachmentBinding,
  buildMessageBinding,
  encodeAttachment,
  type MessageRequest,
  sealContent,
  SEALED_ATTACHMENT_MEDIA_TYPE,
} from '@external-api/protocol';
import { createUnsealingHandler, type TextMessageRequest } from './sealed-messages';

const SESSION = {
  accountId: 'acc_1',
  id: 'ses_1',
  tag: 'notes',
  dataKey: { kid: 'k1', k: randomBytes(32).toString('base64url') },
};

describe('a sealed message', () => {
  let handled: TextMessageRequest[];
  const handler = createUnsealingHandler(
    (request) => {
      handled.push(request);
      return Promise.resolve({ accepted: true });
    },
    (sessionId) => (sessionId === SESSION.id ? SESSION : undefined),
  );
  beforeEach(() => {
    handled = [];
  });

  const seal = (text: string, { localId = 'm-1', role = 'user', tag = SESSION.tag, dataKey = SESSION.dataKey } = {}) =>
    sealContent(
      { mediaType: 'text/plain', bytes: Buffer.from(text) },
      dataKey,
      buildMessageBinding(SESSION.accountId, tag, localId, role),
    );
  const handle = (params: MessageRequest['params'], sessionId = SESSION.id) =>
    handler(
      { requestId: 'req_1', method: 'session.message', deadline: 0, timeoutMs: 1, sessionId, params },
      new AbortController().signal,
    );

  it('is handled like one in plain text', async () => {
    const sealedContent = await seal('Grüße ✓');
    expect(await handle({ sealedContent, localId: 'm-1', waitMs: 7 })).toEqual({ accepted: true });
    expect(handled).toEqual([
      expect.objectContaining({ requestId: 'req_1', params: { content: 'Grüße ✓', waitMs: 7 } }),
    ]);
    await handle({ content: 'plain', waitMs: 8 });
    expect(handled[1]!.params).toEqual({ content: 'plain', waitMs: 8 });
  });

  it.each([
    { name: 'another localId', change: { localId: 'm-2' } },
    { name: 'another role', change: { role: 'assistant' } },
    { name: 'another session', change: { tag: 'other' } },
    { name: 'another key', change: { dataKey: { kid: 'k1', k: randomBytes(32).toString('base64url') } } },
    { name: 'a key with another id', change: { dataKey: { ...SESSION.dataKey, kid: 'k2' } } },
  ])('of $name is refused', async ({ change }) => {
    const sealedContent = await seal('hello', change);
    const answer = handle({ sealedContent, localId: 'm-1', waitMs: 0 });
    await expect(answer).rejects.toMatchObject({ code: 'invalid_content' });
    expect(handled).toEqual([]);
  });

  describe('with files', () => {
    const sealFile = (n: number, bytes: Uint8Array = encodeAttachment({ name: 'a.txt', bytes: Buffer.from('text') })) =>
      sealContent(
        { mediaType: SEALED_ATTACHMENT_MEDIA_TYPE, bytes },
        SESSION.dataKey,
        buildAttachmentBinding(SESSION.accountId, SESSION.tag, 'm-1', n),
      );
    const handleWith = async (...attachments: MessageRequest['params']['attachments'] & object) =>
      handle({ sealedContent: await seal('hello'), localId: 'm-1', waitMs: 0, attachments });

    it('is handled with what they contain', async () => {
      await handleWith({ sealedContent: await sealFile(1) }, { artifactId: 'art_1' });
      const file = { name: 'a.txt', mediaType: null, data: Buffer.from('text').toString('base64') };
      expect(handled[0]!.params.attachments).toEqual([file, { artifactId: 'art_1' }]);
    });

    it('is refused if one is in another place, is no file or is not sealed', async () => {
      const refused = [
        { sealedContent: await sealFile(2) },
        { sealedContent: await sealFile(1, Buffer.from('no name')) },
        { name: 'a.txt', mediaType: null, data: '' },
      ];
      for (const attachment of refused)
        await expect(handleWith(attachment)).rejects.toMatchObject({ code: 'invalid_content' });
      expect(handled).toEqual([]);
    });
  });

  it('for a session of another device is refused', async () => {
    const answer = handle({ sealedContent: await seal('hello'), localId: 'm-1', waitMs: 0 }, 'ses_2');
    await expect(answer).rejects.toMatchObject({ code: 'internal' });
  });
});
