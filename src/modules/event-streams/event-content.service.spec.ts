import { ApiError } from '../../common/errors';
import type { ContentReader } from '../key-grants';
import type { MessagesService } from '../messages';
import type { PermissionRequestsService } from '../permission-requests';
import { EventContentService } from './event-content.service';
import type { LoggedEvent } from './event-log.repository';
import { createCaller } from './testing/stream-fixture';

type ReadRequest = Parameters<ContentReader['readContent']>[1];

describe('the content of events', () => {
  let read: (request: ReadRequest) => Promise<unknown>;
  /** Bytes of the ciphertext, which is as long as its plaintext. */
  let bytes: number;
  let service: EventContentService;

  beforeEach(() => {
    bytes = 1;
    read = async ({ loadCiphertext, encoding }) => {
      await loadCiphertext();
      return { encoding, bytes: Buffer.from('text'), mediaType: 'text/plain', grantId: 'grt_1' };
    };
    const getCiphertext = (_account: string, _session: string, id: string) =>
      id === 'deleted'
        ? Promise.reject(new ApiError('not_found', 'Gone.'))
        : Promise.resolve({ content: `a.b.c.${Buffer.alloc(bytes).toString('base64url')}.e` });
    const reader = { readContent: (_: unknown, request: ReadRequest) => read(request) } as unknown as ContentReader;
    const messages = { getCiphertext } as unknown as MessagesService;
    const requests = { getCiphertext } as unknown as PermissionRequestsService;
    service = new EventContentService(messages, requests, reader);
  });

  const render = async (type: string, caller = createCaller(), recordId = 'msg_1') => {
    const payload = JSON.stringify({ type, data: { id: recordId, sessionId: 'ses_1' } });
    const event = { id: 'evt_1', type, payload } as unknown as LoggedEvent;
    const payloads = await service.renderPayloads([event], caller, 'plaintext');
    return payloads.has('evt_1') ? (JSON.parse(payloads.get('evt_1')!) as { data: object }).data : undefined;
  };

  it('is added to messages and permission requests, and not to other events', async () => {
    const content = { encoding: 'plaintext', mediaType: 'text/plain', content: 'text', contentEncoding: 'utf8' };
    expect(await render('message.created')).toMatchObject({ id: 'msg_1', content });
    expect(await render('permission.requested')).toMatchObject({
      content: { ...content, contentHash: expect.any(String) },
    });
    expect(await render('session.updated')).toBeUndefined();
  });

  it('is left out when the caller has lost the scope since the stream was opened', async () => {
    const caller = createCaller({ scopes: ['sessions:read'] });
    expect(await render('message.created', caller)).toMatchObject({
      content: null,
      contentReason: 'insufficient_scope',
    });
  });

  it('has up to 65,536 bytes', async () => {
    bytes = 65_536;
    expect(await render('message.created')).toMatchObject({ content: { content: 'text' } });
    bytes += 1;
    expect(await render('message.created')).toMatchObject({ content: null, contentReason: 'too_large' });
  });

  it.each(['no_content_grant', 'grant_key_mismatch', 'not_found'] as const)('is replaced by %s', async (code) => {
    read = () => Promise.reject(new ApiError(code, 'No.'));
    expect(await render('message.created')).toEqual({
      id: 'msg_1',
      sessionId: 'ses_1',
      content: null,
      contentReason: code,
    });
  });

  it('of a deleted record is not_found', async () => {
    expect(await render('message.created', undefined, 'deleted')).toMatchObject({ contentReason: 'not_found' });
  });
});
