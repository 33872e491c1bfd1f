import { Test } from '@nestjs/testing';
import { Registry } from 'prom-client';
import { AccountsService } from '../../accounts';
import { UnitOfWork } from '../../../core/database';
import { EventPublisher } from '../../../core/events';
import { RelayAuditWriter } from './relay-audit-writer';
import type { RelayCallEntity } from './relay-call.entity';
import { RelayCallsRepository } from './relay-calls.repository';

const createRow = (requestId: string, status: number) =>
  ({ requestId, accountId: 'acc_1', status, callerDeviceId: 'dev_1' }) as RelayCallEntity;

describe('RelayAuditWriter', () => {
  const save = jest.fn((rows: RelayCallEntity[]) => Promise.resolve(rows));
  let writer: RelayAuditWriter;

  beforeEach(async () => {
    save.mockClear();
    const module = await Test.createTestingModule({
      providers: [
        RelayAuditWriter,
        { provide: UnitOfWork, useValue: { runInTransaction: (work: () => unknown) => work() } },
        {
          provide: AccountsService,
          useValue: { lockExistingAccounts: (ids: string[]) => Promise.resolve(new Set(ids)) },
        },
        { provide: RelayCallsRepository, useValue: { save, find: () => Promise.resolve(null) } },
        { provide: EventPublisher, useValue: {} },
        { provide: Registry, useValue: new Registry() },
      ],
    }).compile();
    writer = module.get(RelayAuditWriter);
  });

  it('writes the first of two rows of a call, since one statement can’t store both', async () => {
    const rows = [createRow('req_1', 200), createRow('req_2', 200), createRow('req_1', 502)];
    for (const row of rows) writer.enqueueRow(row);
    await writer.findCall('acc_1', 'req_1');
    expect(save.mock.calls).toEqual([[rows.slice(0, 2)]]);
  });
});
