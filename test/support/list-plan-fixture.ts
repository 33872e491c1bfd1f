import { DataSource } from 'typeorm';
import { generateId } from '../../src/common/ids';
import { getRequestContext, runInRequestContext } from '../../src/common/request-context';
import { CursorService, UnitOfWork, type KeysetValue } from '../../src/core/database';
import { ForeignAccountDevice, expectStatus } from './device/foreign-device';
import { createMigratedDatabase, type TestDatabase } from './postgres';
import { Service } from './service';

/** A page of 50 reads 51 rows. A plan may read a few more to combine two conditions. */
const MAX_ROWS_SCANNED = 2_000;
const SCOPES = ['sessions:read', 'machines:read', 'machines:invoke', 'artifacts:read', 'usage:read'];

interface PlanNode {
  'Node Type': string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  Plans?: PlanNode[];
}

/** Cost of one page in the database. */
export interface ListPlan {
  types: string[];
  /** Rows that the busiest node of the plan processed. */
  rows: number;
  /** Pages of 8 KiB read from memory or disk. */
  blocks: number;
}

/** Service on PostgreSQL with one account. Reads the plans of the list statements that its requests run. */
export class ListPlanFixture {
  private constructor(
    readonly service: Service,
    readonly testDatabase: TestDatabase,
    readonly ada: ForeignAccountDevice,
    readonly token: string,
  ) {}

  static async start(): Promise<ListPlanFixture> {
    const testDatabase = await createMigratedDatabase();
    const service = await Service.start({}, { env: testDatabase.env, dispose: () => testDatabase.dropDatabase() });
    const ada = await ForeignAccountDevice.signUp(service.http);
    const { token } = await ada.createToken(SCOPES);
    return new ListPlanFixture(service, testDatabase, ada, token);
  }

  /** Returns the executed plan of the only list statement of this request. */
  explainList(path: string, table: string): Promise<ListPlan> {
    return this.explainStatement(() => this.fetchPage(path), table);
  }

  /** Returns the executed plan of the only list statement that this runs. */
  async explainStatement(run: () => Promise<unknown>, table: string): Promise<ListPlan> {
    const unitOfWork = this.service.app.get(UnitOfWork, { strict: false });
    const queryRows = unitOfWork.queryRows.bind(unitOfWork);
    const calls: { requestId: string; sql: string; parameters: unknown[] | undefined }[] = [];
    const spy = jest.spyOn(unitOfWork, 'queryRows').mockImplementation((sql, parameters) => {
      calls.push({ requestId: getRequestContext()?.requestId ?? '', sql, parameters });
      return queryRows(sql, parameters);
    });
    await runInRequestContext({ requestId: generateId('req'), traceparent: undefined }, run);
    spy.mockRestore();
    // Background work, which may run now, has no context or that of an earlier call, which has started it.
    const requestId = calls
      .map((call) => call.requestId)
      .sort()
      .at(-1);
    const statement = new RegExp(`FROM ${table}\\s[^]*LIMIT`);
    const { sql, parameters } = calls.find((call) => call.requestId === requestId && statement.test(call.sql))!;
    const [row] = await this.service.app
      .get(DataSource)
      .query<Record<string, [{ Plan: PlanNode }]>[]>(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${sql}`, parameters);
    return summarizePlan(row!['QUERY PLAN']![0].Plan);
  }

  /**
   * Returns the cursor at the end of page 999: the service's cursor of page 1, moved to the last row of page 999.
   * @param key selects the sort key of a row
   */
  async createCursorOfPage1000(path: string, key: string): Promise<string> {
    return this.moveCursorToPage1000((await this.fetchPage(path)).nextCursor, key);
  }

  /** @param key selects the sort key of a row */
  async moveCursorToPage1000(cursor: string, key: string): Promise<string> {
    const codec = this.service.app.get(CursorService, { strict: false });
    const first = codec.decodeCursor(cursor);
    const [row] = await this.testDatabase.query<Record<string, KeysetValue | Date>>(
      `${key} OFFSET 999 * 50 - 1 LIMIT 1`,
    );
    const after = Object.values(row!).map((value) => (value instanceof Date ? value.getTime() : value));
    return codec.encodeCursor({ ...first, after });
  }

  stop(): Promise<void> {
    return this.service.stop();
  }

  private async fetchPage(path: string) {
    const isExternal = path.startsWith('/external/');
    return expectStatus(await this.service.http.get(path, isExternal ? this.token : this.ada.token), 200);
  }
}

export function expectCheapPlan({ types, rows }: ListPlan): void {
  expect(types).not.toContain('Seq Scan');
  expect(types.some((type) => /Index.* Scan/.test(type))).toBe(true);
  expect(rows).toBeLessThan(MAX_ROWS_SCANNED);
}

/** Expects that a deep page reads as many rows as the first, and at most a few more index pages. */
export function expectNoCostlierPlan(late: ListPlan, first: ListPlan): void {
  expectCheapPlan(late);
  expect(late.rows).toBeLessThanOrEqual(first.rows);
  expect(late.blocks).toBeLessThanOrEqual(first.blocks + 10);
}

function summarizePlan(root: PlanNode): ListPlan {
  const nodes = flattenPlan(root);
  const rowCounts = nodes.map(
    (node) => (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'],
  );
  return {
    types: nodes.map((node) => node['Node Type']),
    rows: Math.max(...rowCounts),
    blocks: root['Shared Hit Blocks'] + root['Shared Read Blocks'],
  };
}

function flattenPlan(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(flattenPlan)];
}
