import { Clock, DAY } from '../../common/clock';
import { ReadOnlyState } from '../../common/read-only-state';
import { RetentionService } from './retention.service';
import type { UnitOfWork } from './unit-of-work';

const NOW = 1_788_255_000_000;

describe('retention', () => {
  let counts: Map<string, number[]>;
  let statements: { table: string; before: Date }[];
  let readOnlyState: ReadOnlyState;
  let service: RetentionService;

  beforeEach(() => {
    [counts, statements, readOnlyState] = [new Map(), [], new ReadOnlyState()];
    const unitOfWork = {
      queryRows: (_: string, [before, , table]: [Date, number, string]) => {
        statements.push({ table, before });
        const count = counts.get(table)?.shift() ?? 0;
        return count < 0
          ? Promise.reject(new Error('away'))
          : Promise.resolve([{ hasTurn: true, count, lastId: null }]);
      },
    } as unknown as UnitOfWork;
    const clock = Object.assign(new Clock(), { now: () => NOW });
    service = new RetentionService(unitOfWork, clock, readOnlyState);
    Object.assign(service, { logger: { warn: () => undefined } });
    service.registerRules(
      { table: 'calls', column: 'created_at', retentionMs: 30 * DAY },
      { table: 'keys', column: 'expires_at', retentionMs: 0 },
    );
  });

  const listTables = () => statements.map(({ table }) => table);

  it('deletes what is older than each rule says', async () => {
    await service.deleteExpiredRows();
    expect(statements).toEqual([
      { table: 'calls', before: new Date(NOW - 30 * DAY) },
      { table: 'keys', before: new Date(NOW) },
    ]);
  });

  it('goes on with a table until no expired rows are left, a batch of each in turn', async () => {
    counts.set('calls', [1_000, 1_000, 5]);
    counts.set('keys', [1_000]);
    await service.deleteExpiredRows();
    expect(listTables()).toEqual(['calls', 'keys', 'calls', 'keys', 'calls']);
  });

  it('of one table does not keep the others waiting when it fails', async () => {
    counts.set('calls', [-1]);
    await service.deleteExpiredRows();
    expect(listTables()).toEqual(['calls', 'keys']);
  });

  it('deletes nothing in read-only mode, and pauses when it begins', async () => {
    readOnlyState.isReadOnly = true;
    await service.deleteExpiredRows();
    expect(statements).toEqual([]);
    readOnlyState.isReadOnly = false;
    counts.set('calls', [1_000, 1_000]);
    service.completedRuns.subscribe(() => (readOnlyState.isReadOnly = true));
    await service.deleteExpiredRows();
    expect(listTables()).toEqual(['calls', 'keys']);
  });
});
