import { Test } from '@nestjs/testing';
import type { Page } from '../../../common/pages';
import type { ListActivityQueryDto } from './list-activity-query.dto';
import { RelayActivityService } from './relay-activity.service';
import { RelayCallsRepository, type RelayActivityRow } from './relay-calls.repository';

const CALL_COUNT = 450;

describe('a scan of relayed calls', () => {
  let service: RelayActivityService;
  const findPage = jest.fn((_accountId: string, { limit, cursor }: ListActivityQueryDto) => {
    const start = Number(cursor ?? 0);
    const end = Math.min(start + limit!, CALL_COUNT);
    const data = Array.from({ length: end - start }, (_, n) => createRow(start + n));
    return Promise.resolve<Page<RelayActivityRow>>({ data, nextCursor: end < CALL_COUNT ? String(end) : null });
  });
  const createRow = (n: number) => ({ id: `req_${n}`, created_at: new Date(n) }) as RelayActivityRow;

  beforeEach(async () => {
    findPage.mockClear();
    const module = await Test.createTestingModule({
      providers: [RelayActivityService, { provide: RelayCallsRepository, useValue: { findPage } }],
    }).compile();
    service = module.get(RelayActivityService);
  });

  const scan = async (maxCalls: number) => {
    const ids: string[] = [];
    const pages = service.scanActivity('acc_1', { outcome: 'failed' }, maxCalls);
    for await (const page of pages) ids.push(...page.map(({ requestId }) => requestId));
    return ids;
  };

  it('yields every call once, a page at a time, and repeats the filters by the cursor alone', async () => {
    expect(await scan(10_000)).toEqual(Array.from({ length: CALL_COUNT }, (_, n) => `req_${n}`));
    expect(findPage.mock.calls.map(([, query]) => query)).toEqual([
      { outcome: 'failed', limit: 200 },
      { cursor: '200', limit: 200 },
      { cursor: '400', limit: 200 },
    ]);
  });

  it.each([1, 200, 201, 450])('yields at most %d calls', async (maxCalls) => {
    expect(await scan(maxCalls)).toHaveLength(maxCalls);
  });
});
