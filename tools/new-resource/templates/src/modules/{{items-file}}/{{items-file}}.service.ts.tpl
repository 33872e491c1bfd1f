import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AccountExporter, AccountsService } from '../accounts';
import { Clock } from '../../common/clock';
import { notFoundError, planLimitExceededError } from '../../common/errors';
import { generateId } from '../../common/ids';
import { mapPage, type Page, type PageQueryDto } from '../../common/pages';
import { UnitOfWork } from '../../core/database';
import { to{{Item}}Dto, type {{Item}}Dto } from './{{item-file}}.response.dto';
import type { Create{{Item}}Dto } from './{{items-file}}.dto';
import { {{Items}}Repository } from './{{items-file}}.repository';

/** Limit for one account. */
export const MAX_{{ITEMS}} = 1_000;

@Injectable()
export class {{Items}}Service implements OnModuleInit {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly repository: {{Items}}Repository,
    private readonly accounts: AccountsService,
    private readonly accountExporter: AccountExporter,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.accountExporter.registerSection({
      name: '{{items}}',
      readRecords: (accountId) => this.export{{Items}}(accountId),
    });
  }

  /** @throws ApiError 403 `plan_limit_exceeded` */
  create{{Item}}(accountId: string, { name }: Create{{Item}}Dto): Promise<{{Item}}Dto> {
    return this.unitOfWork.runInTransaction(async () => {
      // Concurrent creations are counted one after the other.
      await this.accounts.lockAccount(accountId);
      if ((await this.repository.countByAccount(accountId)) >= MAX_{{ITEMS}}) {
        throw planLimitExceededError(`An account has at most ${MAX_{{ITEMS}}} {{items words}}.`, MAX_{{ITEMS}});
      }
      const id = generateId('{{prefix}}');
      await this.repository.insert({ id, accountId, name, createdAt: this.clock.currentDate() });
      return this.get{{Item}}(accountId, id);
    });
  }

  async list{{Items}}(accountId: string, query: PageQueryDto): Promise<Page<{{Item}}Dto>> {
    return mapPage(await this.repository.findPage(accountId, query), to{{Item}}Dto);
  }

  /** @throws ApiError 404 */
  async get{{Item}}(accountId: string, id: string): Promise<{{Item}}Dto> {
    const row = await this.repository.find(accountId, id);
    if (!row) throw notFoundError('{{item words}}');
    return to{{Item}}Dto(row);
  }

  /** @throws ApiError 404 */
  async delete{{Item}}(accountId: string, id: string): Promise<void> {
    if (!(await this.repository.delete(accountId, id))) throw notFoundError('{{item words}}');
  }

  /** Yields the {{items words}} for an account's export. */
  private async *export{{Items}}(accountId: string): AsyncGenerator<object> {
    for await (const row of this.repository.scanByAccount(accountId)) yield to{{Item}}Dto(row);
  }
}
