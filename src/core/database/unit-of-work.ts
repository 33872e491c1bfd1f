import { Injectable } from '@nestjs/common';
import {
  DataSource,
  QueryRunnerAlreadyReleasedError,
  QueryRunnerProviderAlreadyReleasedError,
  type EntityManager,
  type EntityTarget,
  type ObjectLiteral,
  type QueryDeepPartialEntity,
} from 'typeorm';
import { AsyncVariable } from '../../common/async-variable';
import { TransactionLostError } from './database-unavailable';

interface ActiveTransaction {
  dataSource: DataSource;
  manager: EntityManager;
  beforeCommit: (() => Promise<void>)[];
  afterCommit: (() => void)[];
}

/** Shared by all units of work of the process, which may run several applications, as tests do. */
const transactionVariable = new AsyncVariable<ActiveTransaction>();

/**
 * Runs transactions. Repositories that use `manager` within `runInTransaction` join the transaction, so that none of
 * them waits for a second connection (the embedded database has only one).
 */
@Injectable()
export class UnitOfWork {
  constructor(private readonly dataSource: DataSource) {}

  /** Manager of the current transaction, or one that commits each statement. */
  get manager(): EntityManager {
    return this.currentTransaction?.manager ?? this.dataSource.manager;
  }

  /**
   * Commits when `work` resolves and rolls back when it throws. Joins the current transaction if there is one.
   * @throws TransactionLostError
   */
  async runInTransaction<T>(work: () => Promise<T>): Promise<T> {
    if (this.currentTransaction) return work();
    const beforeCommit: (() => Promise<void>)[] = [];
    const afterCommit: (() => void)[] = [];
    const { dataSource } = this;
    const result = await dataSource
      .transaction((manager) =>
        transactionVariable.runWith({ dataSource, manager, beforeCommit, afterCommit }, async () => {
          const workResult = await work();
          for (const callback of beforeCommit) await callback();
          return workResult;
        }),
      )
      .catch((error: unknown) => {
        throw isConnectionReleasedError(error) ? new TransactionLostError(error) : error;
      });
    for (const callback of afterCommit) callback();
    return result;
  }

  /** Runs the callback in the current transaction after its work. An error in it rolls the transaction back. */
  beforeCommit(callback: () => Promise<void>): void {
    const transaction = this.currentTransaction;
    if (!transaction) throw new Error('beforeCommit requires a transaction.');
    transaction.beforeCommit.push(callback);
  }

  /** Runs the callback after the current transaction has committed, or immediately without a transaction. */
  afterCommit(callback: () => void): void {
    const transaction = this.currentTransaction;
    if (transaction) transaction.afterCommit.push(callback);
    else callback();
  }

  /** Returns the rows of a statement with `$1`-style parameters, also of `UPDATE … RETURNING`. */
  async queryRows<Row>(sql: string, parameters: unknown[] = []): Promise<Row[]> {
    const result: unknown = await this.manager.query(sql, parameters);
    // TypeORM returns [rows, count] for UPDATE and DELETE, and rows for all other statements.
    const isPair =
      Array.isArray(result) && result.length === 2 && Array.isArray(result[0]) && typeof result[1] === 'number';
    return (isPair ? (result as [Row[], number])[0] : result) as Row[];
  }

  /** Inserts a row of an entity with an `id`. Returns false if a unique constraint forbids it. */
  async insertOrIgnore<Entity extends ObjectLiteral>(
    entity: EntityTarget<Entity>,
    row: QueryDeepPartialEntity<Entity>,
  ): Promise<boolean> {
    const insert = this.manager.createQueryBuilder().insert().into(entity).values(row);
    const result = await insert.orIgnore().returning('id').execute();
    return (result.raw as unknown[]).length === 1;
  }

  private get currentTransaction(): ActiveTransaction | undefined {
    const transaction = transactionVariable.getValue();
    return transaction?.dataSource === this.dataSource ? transaction : undefined;
  }
}

/** TypeORM releases a connection that ends, and fails the next statement of its transaction with these errors. */
function isConnectionReleasedError(error: unknown): boolean {
  return error instanceof QueryRunnerAlreadyReleasedError || error instanceof QueryRunnerProviderAlreadyReleasedError;
}
