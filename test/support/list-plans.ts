import { DataSource } from 'typeorm';
import { CursorCodec, UnitOfWork, type KeyValue } from '../../src/persistence';
import { AccountDevice, ok } from './device/foreign-device';
import { createDatabase, type Database } from './postgres';
import { Service } from './service';

/** A page of 50 is 51 rows; a plan may look at a few more where two conditions meet. */
const ROWS_LOOKED_AT = 2_000;
const SCOPES = ['sessions:read', 'machines:read', 'artifacts:read', 'usage:read'];

interface PlanNode {
  'Node Type': string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  Plans?: PlanNode[];
}

/** What the database did for one page. */
export interface Plan {
  types: string[];
  /** Rows that the busiest node of the plan met. */
  rows: number;
  /** Pages of 8 KiB that were read, from memory or disk. */
  blocks: number;
}

/** A service on PostgreSQL with one account, and the plans of the list statements that requests to it make. */
export class ListPlans {
  private constructor(
    readonly service: Service,
    readonly database: Database,
    readonly ada: AccountDevice,
    readonly token: string,
  ) {}

  static async start(): Promise<ListPlans> {
    const database = await createDatabase();
    const service = await Service.start({}, { env: database.env, dispose: () => database.drop() });
    const ada = await AccountDevice.signUp(service.http);
    const { token } = await ada.createToken(SCOPES);
    return new ListPlans(service, database, ada, token);
  }

  /** The plan, as executed, of the one list statement that this request makes. */
  async of(path: string, table: string): Promise<Plan> {
    const unitOfWork = this.service.app.get(UnitOfWork, { strict: false });
    const spy = jest.spyOn(unitOfWork, 'query');
    await this.get(path);
    const statement = new RegExp(`FROM ${table}\\s[^]*LIMIT`);
    const [sql, parameters] = spy.mock.calls.find(([text]) => statement.test(text))!;
    spy.mockRestore();
    const [row] = await this.service.app
      .get(DataSource)
      .query<Record<string, [{ Plan: PlanNode }]>[]>(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${sql}`, parameters);
    return summary(row!['QUERY PLAN']![0].Plan);
  }

  /**
   * The cursor that ends page 999: the service's own one of page 1, moved on to the row that is the last there.
   * @param key selects the row's place in the order, of rows in that order
   */
  async cursorOfPage1000(path: string, key: string): Promise<string> {
    const codec = this.service.app.get(CursorCodec, { strict: false });
    const first = codec.decode((await this.get(path)).nextCursor);
    const [row] = await this.database.query<Record<string, KeyValue | Date>>(`${key} OFFSET 999 * 50 - 1 LIMIT 1`);
    const after = Object.values(row!).map((value) => (value instanceof Date ? value.getTime() : value));
    return codec.encode({ ...first, after });
  }

  stop(): Promise<void> {
    return this.service.stop();
  }

  private async get(path: string) {
    const isExternal = path.startsWith('/external/');
    return ok(await this.service.http.get(path, isExternal ? this.token : this.ada.token), 200);
  }
}

export function expectCheap({ types, rows }: Plan): void {
  expect(types).not.toContain('Seq Scan');
  expect(types.some((type) => /Index.* Scan/.test(type))).toBe(true);
  expect(rows).toBeLessThan(ROWS_LOOKED_AT);
}

/** No further down the list: as many rows, and at most a few index pages more. */
export function expectNoDearer(late: Plan, first: Plan): void {
  expectCheap(late);
  expect(late.rows).toBeLessThanOrEqual(first.rows);
  expect(late.blocks).toBeLessThanOrEqual(first.blocks + 10);
}

function summary(root: PlanNode): Plan {
  const nodes = flatten(root);
  const met = nodes.map((node) => (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']);
  return {
    types: nodes.map((node) => node['Node Type']),
    rows: Math.max(...met),
    blocks: root['Shared Hit Blocks'] + root['Shared Read Blocks'],
  };
}

function flatten(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(flatten)];
}
