import { Test } from '@nestjs/testing';
import { Clock } from '../../common/clock';
import { runInRequestContext, type RequestContext } from '../../common/request-context';
import type { AuditEventEntity } from './audit-event.entity';
import { AuditRecorder, type AuditAct } from './audit-recorder';
import { AuditTrailRepository } from './audit-trail.repository';

const ACT: AuditAct = { act: 'token.created', accountId: 'acc_1', targetId: 'tok_1' };
const CONTEXT: RequestContext = {
  traceparent: undefined,
  address: '192.0.2.1',
  userAgent: 'a browser',
  actor: { kind: 'device', id: 'dev_1' },
};

describe('an audit event', () => {
  let recorder: AuditRecorder;
  const insertEvents = jest.fn<Promise<void>, [AuditEventEntity[]]>(() => Promise.resolve());

  beforeEach(async () => {
    insertEvents.mockClear();
    const module = await Test.createTestingModule({
      providers: [
        AuditRecorder,
        { provide: AuditTrailRepository, useValue: { insertEvents } },
        { provide: Clock, useValue: { currentDate: () => new Date(0) } },
      ],
    }).compile();
    recorder = module.get(AuditRecorder);
  });

  const record = async (change: Partial<AuditAct> = {}, context: Partial<RequestContext> = {}) => {
    await runInRequestContext({ ...CONTEXT, ...context }, () => recorder.recordActs({ ...ACT, ...change }));
    return insertEvents.mock.calls.flat(2)[0];
  };

  it('names the caller with the address and user agent of the request', async () => {
    expect(await record()).toMatchObject({
      actorKind: 'device',
      actorId: 'dev_1',
      address: '192.0.2.1',
      userAgent: 'a browser',
    });
  });

  it('has the first 200 characters of a user agent', async () => {
    expect((await record({}, { userAgent: `${'a'.repeat(200)}b` }))!.userAgent).toBe('a'.repeat(200));
  });

  it.each(['app', 'operator', 'service'] as const)('hides the client of a request in which %s acts', async (kind) => {
    const actor = { kind, id: null };
    expect(await record({ actor })).toMatchObject({ actorKind: kind, address: null, userAgent: null });
  });

  it('shows the client of a request in which a device of the account acts', async () => {
    expect(await record({ actor: { kind: 'device', id: 'dev_2' } })).toMatchObject({ address: '192.0.2.1' });
  });

  it.each(['token', 'app'] as const)('shows the client of a request that comes from %s', async (kind) => {
    const event = await record({}, { actor: { kind, id: 'id_1' } });
    expect(event).toMatchObject({ actorKind: kind, actorId: 'id_1', address: '192.0.2.1', userAgent: 'a browser' });
  });

  it('names the service outside of a request', async () => {
    await recorder.recordActs(ACT);
    expect(insertEvents.mock.calls.flat(2)).toMatchObject([{ actorKind: 'service', actorId: null, address: null }]);
  });

  it('is not written without an act', async () => {
    await recorder.recordActs([]);
    expect(insertEvents).not.toHaveBeenCalled();
  });
});
