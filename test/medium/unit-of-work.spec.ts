import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { isNativeError } from 'node:util/types';
import type { DataSource } from 'typeorm';
import { loadConfig } from '../../src/core/config';
import { isDatabaseUnavailable, UnitOfWork } from '../../src/core/database';
import { openDataSource } from '../../src/core/database/data-source';
import { createMigratedFolder } from '../support/temp-folder';
import { createMigratedDatabase, describeWithPostgres } from '../support/postgres';

interface Backend {
  env: NodeJS.ProcessEnv;
  dispose?(): Promise<void>;
}

function describeUnitOfWork(createBackend: () => Promise<Backend> | Backend): void {
  let backend: Backend;
  let dataSource: DataSource;
  let unitOfWork: UnitOfWork;
  beforeAll(async () => {
    backend = await createBackend();
    dataSource = await openDataSource(loadConfig(backend.env), []);
    unitOfWork = new UnitOfWork(dataSource);
  });
  afterAll(async () => {
    await dataSource?.destroy();
    await backend?.dispose?.();
  });

  /** Runs a statement like a repository, in the current transaction. */
  function insert(hash: Buffer): Promise<unknown> {
    return unitOfWork.queryRows('INSERT INTO used_challenges VALUES ($1, now())', [hash]);
  }

  async function has(hash: Buffer): Promise<boolean> {
    const rows = await unitOfWork.queryRows('SELECT 1 FROM used_challenges WHERE hash = $1', [hash]);
    return rows.length === 1;
  }

  it('commits its work and returns the result', async () => {
    const hash = randomBytes(8);
    expect(await unitOfWork.runInTransaction(() => insert(hash).then(() => 'done'))).toBe('done');
    expect(await has(hash)).toBe(true);
  });

  it('rolls back and rethrows if the work throws', async () => {
    const hashes = [randomBytes(8), randomBytes(8)];
    const work = unitOfWork.runInTransaction(async () => {
      for (const hash of hashes) await insert(hash);
      throw new Error('changed my mind');
    });
    await expect(work).rejects.toThrow('changed my mind');
    for (const hash of hashes) expect(await has(hash)).toBe(false);
  });

  it('joins a running transaction, with which it rolls back', async () => {
    const hash = randomBytes(8);
    const work = unitOfWork.runInTransaction(async () => {
      await unitOfWork.runInTransaction(() => insert(hash));
      expect(await has(hash)).toBe(true);
      throw new Error('after all');
    });
    await expect(work).rejects.toThrow('after all');
    expect(await has(hash)).toBe(false);
  });

  it('continues after a failed statement, inside and outside of a transaction', async () => {
    const hash = randomBytes(8);
    for (let time = 0; time < 3; time++) {
      await expect(unitOfWork.queryRows('SELECT nonsense')).rejects.toThrow('nonsense');
      const work = unitOfWork.runInTransaction(async () => {
        await insert(hash);
        await unitOfWork.queryRows('SELECT nonsense');
      });
      await expect(work).rejects.toThrow('nonsense');
      expect(await has(hash)).toBe(false);
    }
    await unitOfWork.runInTransaction(() => insert(hash));
    expect(await has(hash)).toBe(true);
  });

  it('isolates concurrent transactions, including failing ones', async () => {
    const hashes = Array.from({ length: 30 }, () => randomBytes(8));
    const works = hashes.map((hash, index) =>
      unitOfWork.runInTransaction(async () => {
        await insert(hash);
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 5));
        if (index % 3 === 1) throw new Error('taken back');
        if (index % 3 === 2) await unitOfWork.queryRows('SELECT nonsense');
        await unitOfWork.queryRows('SELECT 1');
      }),
    );
    const ends = await Promise.allSettled(works);
    expect(ends.map(({ status }) => status === 'fulfilled')).toEqual(hashes.map((_, index) => index % 3 === 0));
    const kept = await Promise.all(hashes.map((hash) => has(hash)));
    expect(kept).toEqual(hashes.map((_, index) => index % 3 === 0));
  });

  it('keeps statements outside a transaction out of it', async () => {
    const inside = randomBytes(8);
    const outside = randomBytes(8);
    let begin!: () => void;
    const begun = new Promise<void>((resolve) => (begin = resolve));
    const work = unitOfWork.runInTransaction(async () => {
      await insert(inside);
      begin();
      await new Promise((resolve) => setTimeout(resolve, 20));
      throw new Error('taken back');
    });
    await begun;
    await Promise.all([expect(work).rejects.toThrow('taken back'), insert(outside)]);
    expect(await has(inside)).toBe(false);
    expect(await has(outside)).toBe(true);
  });

  it('returns the rows of UPDATE and DELETE with RETURNING like those of SELECT', async () => {
    const hash = randomBytes(8);
    await insert(hash);
    const update = 'UPDATE used_challenges SET expires_at = now() WHERE hash = $1 RETURNING hash';
    expect(await unitOfWork.queryRows(update, [hash])).toEqual([{ hash }]);
    expect(
      await unitOfWork.queryRows('DELETE FROM used_challenges WHERE hash = $1 RETURNING 1 AS one', [hash]),
    ).toEqual([{ one: 1 }]);
    expect(await unitOfWork.queryRows(update, [hash])).toEqual([]);
  });
}

describe('a unit of work on the embedded database', () => {
  describeUnitOfWork(() => ({ env: { DATA_DIR: createMigratedFolder() } }));
});

describeWithPostgres('a unit of work on PostgreSQL', () => {
  describeUnitOfWork(async () => {
    const { env, dropDatabase: drop } = await createMigratedDatabase();
    return { env, dispose: drop };
  });

  it('joins no transaction of another database', async () => {
    const databases = await Promise.all([createMigratedDatabase(), createMigratedDatabase()]);
    const dataSources = await Promise.all(databases.map(({ env }) => openDataSource(loadConfig(env), [])));
    const [outer, inner] = dataSources.map((dataSource) => new UnitOfWork(dataSource)) as [UnitOfWork, UnitOfWork];
    const insert = (into: UnitOfWork) => into.queryRows(`INSERT INTO used_challenges VALUES ('apart', now())`);
    const work = outer.runInTransaction(async () => {
      await insert(outer);
      await insert(inner);
      throw new Error('only the outer one');
    });
    await expect(work).rejects.toThrow('only the outer one');
    const counts = [outer, inner].map((each) => each.queryRows('SELECT count(*)::int AS rows FROM used_challenges'));
    expect(await Promise.all(counts)).toEqual([[{ rows: 0 }], [{ rows: 1 }]]);
    await Promise.all(dataSources.map((dataSource) => dataSource.destroy()));
    await Promise.all(databases.map((database) => database.dropDatabase()));
  });

  it('distinguishes a lost connection from other errors and continues with another connection', async () => {
    const testDatabase = await createMigratedDatabase();
    const dataSource = await openDataSource(loadConfig(testDatabase.env), []);
    const unitOfWork = new UnitOfWork(dataSource);
    const insert = () => unitOfWork.queryRows(`INSERT INTO used_challenges VALUES ('lost', now())`);
    for (const statementsAfter of [0, 1, 2]) {
      const thrown = await unitOfWork
        .runInTransaction(async () => {
          await insert();
          const [own] = await unitOfWork.queryRows<{ pid: number }>('SELECT pg_backend_pid() AS pid');
          await testDatabase.query('SELECT pg_terminate_backend($1, 5000)', [own!.pid]);
          await sleep(100);
          for (let n = 0; n < statementsAfter; n++) await insert();
        })
        .catch((error: unknown) => error);
      expect([isNativeError(thrown), isDatabaseUnavailable(thrown)]).toEqual([true, true]);
    }
    expect(await unitOfWork.queryRows('SELECT 1 FROM used_challenges')).toEqual([]);
    await dataSource.destroy();
    await testDatabase.dropDatabase();
  });
});
