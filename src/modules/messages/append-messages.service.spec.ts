import type { StorageQuota } from '../accounts';
import type { DevicePrincipal } from '../../access/auth';
import { Clock } from '../../common/clock';
import type { ApiError } from '../../common/errors';
import type { DomainChange, EventPublisher } from '../../core/events';
import type { UnitOfWork } from '../../core/database';
import type { SessionActivityRecorder, SessionAuthorizer, SessionRow } from '../sessions';
import { AppendMessagesService } from './append-messages.service';
import type { TurnMessageRecorder } from '../turns';
import type { MessageEntity } from './message.entity';
import type { NewMessageDto } from './messages.dto';
import type { MessagesRepository } from './messages.repository';

const DEVICE = { accountId: 'acc_1', deviceId: 'dev_1', deviceKind: 'account' } as DevicePrincipal;
const SESSION = {
  id: 'ses_1',
  account_id: 'acc_1',
  tag: 'refactor',
  data_key_id: 'k1',
  host_device_id: 'dev_host',
  last_seq: 41,
} as SessionRow;
const OVERHEAD_BYTES = 512;

/** Returns a message whose content is bound to it, or to another `localId`. */
function createMessage(localId: string, boundTo = localId): NewMessageDto {
  const role = 'user';
  const header = {
    alg: 'dir',
    enc: 'A256GCM',
    kid: 'k1',
    cty: 'text/plain',
    svc: { a: 'acc_1', s: 'refactor', l: boundTo, r: role },
  };
  const encoded = Buffer.from(JSON.stringify(header)).toString('base64url');
  return { localId, role, content: `${encoded}..${'i'.repeat(16)}.c.${'t'.repeat(22)}` };
}

describe('AppendMessagesService', () => {
  let stored: Map<string, { id: string; seq: number }>;
  let inserted: MessageEntity[][];
  let changes: DomainChange[];
  const requireCapacity = jest.fn();
  const addUsage = jest.fn();
  const recordMessages = jest.fn();
  let service: AppendMessagesService;

  beforeEach(() => {
    stored = new Map();
    inserted = [];
    changes = [];
    jest.resetAllMocks();
    const messages = {
      findByLocalIds: () => Promise.resolve(new Map(stored)),
      insert: (rows: MessageEntity[]) => Promise.resolve(void inserted.push(rows)),
    };
    const turnMessageRecorder = { findOwnTurnIds: () => Promise.resolve(new Set()), recordMessages: jest.fn() };
    service = new AppendMessagesService(
      { runInTransaction: (work: () => unknown) => work() } as unknown as UnitOfWork,
      { lockSession: () => Promise.resolve(SESSION) } as unknown as SessionAuthorizer,
      { recordMessages } as unknown as SessionActivityRecorder,
      turnMessageRecorder as unknown as TurnMessageRecorder,
      messages as unknown as MessagesRepository,
      { requireCapacity, addUsage } as unknown as StorageQuota,
      { recordChange: (change: DomainChange) => changes.push(change) } as unknown as EventPublisher,
      new Clock(),
    );
  });

  const append = (...batch: NewMessageDto[]) => service.appendMessages(DEVICE, SESSION.id, batch);

  it('numbers new messages from the last one of the session, in their order', async () => {
    const { messages, created } = await append(createMessage('a'), createMessage('b'));
    expect(created).toBe(true);
    expect(messages).toMatchObject([
      { localId: 'a', seq: 42 },
      { localId: 'b', seq: 43 },
    ]);
    expect(inserted.flat().map(({ id, seq, localId }) => ({ id, seq, localId }))).toEqual(messages);
  });

  it('leaves no gap for messages that exist, and returns their ids in the order of the batch', async () => {
    stored.set('b', { id: 'msg_stored', seq: 7 });
    const { messages, created } = await append(createMessage('a'), createMessage('b'), createMessage('c'));
    expect(created).toBe(true);
    expect(messages.map(({ localId, seq }) => [localId, seq])).toEqual([
      ['a', 42],
      ['b', 7],
      ['c', 43],
    ]);
    expect(messages[1]!.id).toBe('msg_stored');
    expect(inserted.flat().map(({ localId }) => localId)).toEqual(['a', 'c']);
  });

  it('changes and publishes nothing if all messages exist', async () => {
    stored.set('a', { id: 'msg_stored', seq: 7 });
    expect(await append(createMessage('a'))).toEqual({
      messages: [{ id: 'msg_stored', seq: 7, localId: 'a' }],
      created: false,
    });
    expect([inserted, changes]).toEqual([[], []]);
    for (const write of [requireCapacity, addUsage, recordMessages]) expect(write).not.toHaveBeenCalled();
  });

  it('charges the bytes of new messages only, with the overhead of each', async () => {
    stored.set('b', { id: 'msg_stored', seq: 7 });
    const [a, c] = [createMessage('a'), createMessage('c')];
    await append(a, createMessage('b'), c);
    const bytes = a.content.length + c.content.length + 2 * OVERHEAD_BYTES;
    expect(requireCapacity.mock.calls).toEqual([['acc_1', bytes]]);
    expect(addUsage.mock.calls).toEqual([['acc_1', bytes]]);
    expect(recordMessages.mock.calls).toEqual([['ses_1', 2, bytes, inserted[0]![0]!.createdAt]]);
  });

  it('stores nothing above the quota', async () => {
    requireCapacity.mockRejectedValue(new Error('plan limit'));
    await expect(append(createMessage('a'))).rejects.toThrow('plan limit');
    expect([inserted, changes]).toEqual([[], []]);
  });

  it('publishes one change with the last seq and each new record, without content', async () => {
    await append(createMessage('a'), createMessage('b'));
    expect(changes).toMatchObject([
      { type: 'message.created', id: 'ses_1', seq: 43, byDeviceId: 'dev_1', hostDeviceId: 'dev_host' },
    ]);
    const data = changes[0]!.data as object[];
    expect(data).toMatchObject([{ seq: 42 }, { seq: 43 }]);
    for (const record of data) expect(record).not.toHaveProperty('content');
  });

  it('publishes no event of imported messages, but tells devices that the session has changed', async () => {
    await append({ ...createMessage('past'), imported: true }, createMessage('a'));
    await append({ ...createMessage('older'), imported: true });
    expect(changes).toMatchObject([
      { type: 'message.created', id: 'ses_1', seq: 43, data: [{ seq: 43 }] },
      { type: 'message.created', id: 'ses_1', data: [] },
    ]);
    expect(inserted.flat().map(({ localId }) => localId)).toEqual(['past', 'a', 'older']);
  });

  it('refuses an imported message of a turn', async () => {
    const turnLocalId = `req_${'0'.repeat(26)}`;
    const error = (await append({ ...createMessage('a'), imported: true, turnLocalId }).catch(
      (reason: unknown) => reason,
    )) as ApiError;
    expect(error.extras.members!.errors).toMatchObject([{ path: '/messages/0/turnLocalId', code: 'not_allowed' }]);
    expect([inserted, changes]).toEqual([[], []]);
  });

  it('refuses the batch if contents are bound to other messages, and names each', async () => {
    const batch = [createMessage('a', 'b'), createMessage('b'), createMessage('c', 'a')];
    const error = (await append(...batch).catch((reason: unknown) => reason)) as ApiError;
    expect(error.code).toBe('invalid_request');
    expect(error.extras.members!.errors).toMatchObject([
      { path: '/messages/0/content', code: 'invalid_jwe' },
      { path: '/messages/2/content', code: 'invalid_jwe' },
    ]);
    expect([inserted, changes]).toEqual([[], []]);
  });
});
