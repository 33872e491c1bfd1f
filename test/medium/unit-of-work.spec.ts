import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { loadConfig } from '../../src/config';
import { isDatabaseUnavailable, UnitOfWork } from '../../src/persistence';
import { openDataSource } from '../../src/persistence/data-source';
import { migratedFolder, removeFolders } from '../support/data-folder';
import { createDatabase, describePostgres } from '../support/postgres';

interface Backend {
  env: NodeJS.ProcessEnv;
  dispose(): Promise<void> | void;
}

function behaves(createBackend: () => Promise<Backend> | Backend): void {
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
    await backend?.dispose();
  });

  /** What a repository does: it takes whichever transaction runs. */
  function insert(hash: Buffer): Promise<unknown> {
    return unitOfWork.query('INSERT INTO used_challenges VALUES ($1, now())', [hash]);
  }

  async function has(hash: Buffer): Promise<boolean> {
    const rows = await unitOfWork.query('SELECT 1 FROM used_challenges WHERE hash = $1', [hash]);
    return rows.length === 1;
  }

  it('commits what ran in it, and gives its result', async () => {
    const hash = randomBytes(8);
    expect(await unitOfWork.run(() => insert(hash).then(() => 'done'))).toBe('done');
    expect(await has(hash)).toBe(true);
  });

  it('takes all back when the work throws, and passes the error on', async () => {
    const hashes = [randomBytes(8), randomBytes(8)];
    const work = unitOfWork.run(async () => {
      for (const hash of hashes) await insert(hash);
      throw new Error('changed my mind');
    });
    await expect(work).rejects.toThrow('changed my mind');
    for (const hash of hashes) expect(await has(hash)).toBe(false);
  });

  it('joins the transaction that runs: an inner one is taken back with the outer', async () => {
    const hash = randomBytes(8);
    const work = unitOfWork.run(async () => {
      await unitOfWork.run(() => insert(hash));
      expect(await has(hash)).toBe(true);
      throw new Error('after all');
    });
    await expect(work).rejects.toThrow('after all');
    expect(await has(hash)).toBe(false);
  });

  it('works on after a statement that fails, in a transaction and outside', async () => {
    const hash = randomBytes(8);
    for (let time = 0; time < 3; time++) {
      await expect(unitOfWork.query('SELECT nonsense')).rejects.toThrow('nonsense');
      const work = unitOfWork.run(async () => {
        await insert(hash);
        await unitOfWork.query('SELECT nonsense');
      });
      await expect(work).rejects.toThrow('nonsense');
      expect(await has(hash)).toBe(false);
    }
    await unitOfWork.run(() => insert(hash));
    expect(await has(hash)).toBe(true);
  });

  it('does not mix transactions that run at the same time, failing ones among them', async () => {
    const hashes = Array.from({ length: 30 }, () => randomBytes(8));
    const works = hashes.map((hash, index) =>
      unitOfWork.run(async () => {
        await insert(hash);
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 5));
        if (index % 3 === 1) throw new Error('taken back');
        if (index % 3 === 2) await unitOfWork.query('SELECT nonsense');
        await unitOfWork.query('SELECT 1');
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
    const work = unitOfWork.run(async () => {
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

  it('gives the rows of UPDATE and DELETE with RETURNING as of SELECT', async () => {
    const hash = randomBytes(8);
    await insert(hash);
    const update = 'UPDATE used_challenges SET expires_at = now() WHERE hash = $1 RETURNING hash';
    expect(await unitOfWork.query(update, [hash])).toEqual([{ hash }]);
    expect(await unitOfWork.query('DELETE FROM used_challenges WHERE hash = $1 RETURNING 1 AS one', [hash])).toEqual([
      { one: 1 },
    ]);
    expect(await unitOfWork.query(update, [hash])).toEqual([]);
  });
}

describe('a unit of work on the embedded database', () => {
  behaves(() => ({ env: { DATA_DIR: migratedFolder() }, dispose: removeFolders }));
});

describePostgres('a unit of work on PostgreSQL', () => {
  behaves(async () => {
    const { env, drop } = await createDatabase();
    return { env, dispose: drop };
  });

  it('tells a transaction whose connection ends apart from a fault, and goes on with another', async () => {
    const database = await createDatabase();
    const dataSource = await openDataSource(loadConfig(database.env), []);
    const unitOfWork = new UnitOfWork(dataSource);
    const insert = () => unitOfWork.query(`INSERT INTO used_challenges VALUES ('lost', now())`);
    for (const statementsAfter of [0, 1, 2]) {
      const thrown = await unitOfWork
        .run(async () => {
          await insert();
          const [own] = await unitOfWork.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
          await database.query('SELECT pg_terminate_backend($1, 5000)', [own!.pid]);
          await sleep(100);
          for (let n = 0; n < statementsAfter; n++) await insert();
        })
        .catch((error: unknown) => error);
      expect([thrown, isDatabaseUnavailable(thrown)]).toEqual([expect.any(Error), true]);
    }
    expect(await unitOfWork.query('SELECT 1 FROM used_challenges')).toEqual([]);
    await dataSource.destroy();
    await database.drop();
  });
});
