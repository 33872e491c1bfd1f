import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Config } from '../../core/config';

/** Enough rows for a temporary file of some hundred KiB: more than the database writes at a time. */
const SPILLED_ROWS = 20_000;

/** Fails as a write does in a read-only session, which the connection monitor then destroys. It needs no table. */
const REQUIRE_WRITES_SQL = `DO $$ BEGIN
  IF current_setting('transaction_read_only')::boolean THEN
    RAISE read_only_sql_transaction USING MESSAGE = 'the database refuses writes';
  END IF;
END $$`;

/** Checks whether the database works, without a change that would stay. */
@Injectable()
export class DatabaseCheckRepository {
  constructor(
    private readonly dataSource: DataSource,
    private readonly config: Config,
  ) {}

  /**
   * Checks that PostgreSQL answers and its sessions accept writes, and that the embedded database can write. A load
   * balancer that finds no instance ready continues with the live ones, so reads go on.
   * @throws any error of the database
   */
  async checkDatabase(): Promise<void> {
    if (this.config.database.kind === 'postgres') await this.dataSource.query(REQUIRE_WRITES_SQL);
    else await this.writeTemporaryFile();
  }

  /**
   * Writes a temporary file on the disk of the data, which the end of the statement deletes. It needs what other writes
   * need: free space, a file descriptor, and a disk that isn't read-only.
   */
  private async writeTemporaryFile(): Promise<void> {
    await this.dataSource.transaction(async (manager) => {
      await manager.query(`SET LOCAL work_mem = '64kB'`);
      await manager.query('SELECT count(*) FROM generate_series(1, $1::int)', [SPILLED_ROWS]);
    });
  }
}
