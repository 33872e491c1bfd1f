import { Logger } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import type { TokenPrincipal } from '../../access/auth';
import { Clock, HOUR } from '../../common/clock';
import { UnitOfWork } from '../../core/database';
import { AccountsService } from '../accounts';
import type { UsageCountEntity } from './usage-count.entity';
import { UsageRecorder } from './usage-recorder';
import { UsageRepository } from './usage.repository';

describe('UsageRecorder', () => {
  let statements: UsageCountEntity[][];
  let isReadOnly: boolean;
  let recorder: UsageRecorder;

  // Expected failures would clutter the output of the tests.
  beforeAll(() => Logger.overrideLogger(false));
  afterAll(() => Logger.overrideLogger(true));

  beforeEach(async () => {
    statements = [];
    isReadOnly = false;
    const addCounts = (counts: UsageCountEntity[]) =>
      isReadOnly ? Promise.reject(new Error('read-only transaction')) : Promise.resolve(void statements.push(counts));
    const module = await Test.createTestingModule({
      providers: [
        UsageRecorder,
        { provide: UnitOfWork, useValue: { runInTransaction: (work: () => unknown) => work() } },
        {
          provide: AccountsService,
          useValue: { lockExistingAccounts: (ids: string[]) => Promise.resolve(new Set(ids)) },
        },
        { provide: UsageRepository, useValue: { addCounts } },
        { provide: Clock, useValue: { now: () => 100 * HOUR } },
      ],
    }).compile();
    recorder = module.get(UsageRecorder);
  });

  const countCalls = (tokens: number) => {
    for (let n = 0; n < tokens; n++) {
      const caller = { accountId: 'acc_1', tokenId: `tok_${n}` } as TokenPrincipal;
      recorder.recordCall({ caller, bucket: 'metadata', operation: 'getMe', status: 200 });
    }
  };

  it('writes what an outage has left in statements of 500 rows', async () => {
    isReadOnly = true;
    countCalls(1_100);
    await recorder.flushCounts();
    countCalls(1);
    await recorder.flushCounts();
    expect(statements).toEqual([]);
    isReadOnly = false;
    await recorder.flushCounts();
    expect(statements.map((counts) => counts.length)).toEqual([500, 500, 100]);
    expect(statements[0]![0]).toMatchObject({ tokenId: 'tok_0', requests: 2 });
  });

  it('keeps 50,000 rows during an outage, without the oldest', async () => {
    countCalls(50_001);
    await recorder.flushCounts();
    const counts = statements.flat();
    expect(counts).toHaveLength(50_000);
    expect(counts[0]).toMatchObject({ tokenId: 'tok_1' });
  });
});
