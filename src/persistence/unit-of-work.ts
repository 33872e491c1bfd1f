import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable } from '@nestjs/common';
import {
  DataSource,
  QueryRunnerAlreadyReleasedError,
  QueryRunnerProviderAlreadyReleasedError,
  type EntityManager,
} from 'typeorm';
import { TransactionLostError } from './database-unavailable';

interface Transaction {
  manager: EntityManager;
  beforeCommit: (() => Promise<void>)[];
  afterCommit: (() => void)[];
}

/**
 * The one way to a transaction. Whatever runs inside `run` and asks for `manager` takes part in it, so that no
 * repository inside a transaction waits for a second connection (the embedded database has only one).
 */
@Injectable()
export class UnitOfWork {
  private readonly current = new AsyncLocalStorage<Transaction>();

  constructor(private readonly dataSource: DataSource) {}

  /** The running transaction's manager, else one that commits each statement. */
  get manager(): EntityManager {
    return this.current.getStore()?.manager ?? this.dataSource.manager;
  }

  /**
   * Commits when `work` resolves, rolls back when it throws. Joins a transaction that is already running.
   * @throws TransactionLostError
   */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.current.getStore()) return work();
    const beforeCommit: (() => Promise<void>)[] = [];
    const afterCommit: (() => void)[] = [];
    const result = await this.dataSource
      .transaction((manager) =>
        this.current.run({ manager, beforeCommit, afterCommit }, async () => {
          const done = await work();
          for (const act of beforeCommit) await act();
          return done;
        }),
      )
      .catch((error: unknown) => {
        throw isReleased(error) ? new TransactionLostError(error) : error;
      });
    for (const act of afterCommit) act();
    return result;
  }

  /** In a transaction: its statements may take as long as they do, for what grows with an account. */
  async unhurried(): Promise<void> {
    await this.query('SET LOCAL statement_timeout = 0');
  }

  /** Acts in the running transaction, once its work is done; what it throws rolls everything back. */
  beforeCommit(act: () => Promise<void>): void {
    const transaction = this.current.getStore();
    if (!transaction) throw new Error('There is no transaction that this could be part of.');
    transaction.beforeCommit.push(act);
  }

  /** Acts when the running transaction has committed, never when it rolls back; at once outside of one. */
  afterCommit(act: () => void): void {
    const transaction = this.current.getStore();
    if (transaction) transaction.afterCommit.push(act);
    else act();
  }

  /** Rows of a statement with `$1`-style parameters, `UPDATE … RETURNING` included. */
  async query<Row>(sql: string, parameters: unknown[] = []): Promise<Row[]> {
    const result: unknown = await this.manager.query(sql, parameters);
    // TypeORM answers UPDATE and DELETE with [rows, count], everything else with rows.
    const isPair =
      Array.isArray(result) && result.length === 2 && Array.isArray(result[0]) && typeof result[1] === 'number';
    return (isPair ? (result as [Row[], number])[0] : result) as Row[];
  }
}

/** TypeORM lets go of a connection that ends, and tells the next statement of its transaction no more than that. */
function isReleased(error: unknown): boolean {
  return error instanceof QueryRunnerAlreadyReleasedError || error instanceof QueryRunnerProviderAlreadyReleasedError;
}
