import { Injectable } from '@nestjs/common';
import { AccountsService } from '../accounts';
import { Clock } from '../common/clock';
import { notFound, planLimitExceeded } from '../common/errors';
import { newId } from '../common/ids';
import { mapPage, type Page, type PageQuery } from '../common/pages';
import { UnitOfWork } from '../persistence';
import { to{{Item}}Record, type {{Item}}Record } from './{{item-file}}-record';
import type { Create{{Item}}Dto } from './{{items-file}}.dto';
import { {{Items}}Repository } from './{{items-file}}.repository';

/** How many an account may keep. */
export const MAX_{{ITEMS}} = 1_000;

@Injectable()
export class {{Items}}Service {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly repository: {{Items}}Repository,
    private readonly accounts: AccountsService,
    private readonly clock: Clock,
  ) {}

  /** @throws ApiError 403 `plan_limit_exceeded` */
  create(accountId: string, { name }: Create{{Item}}Dto): Promise<{{Item}}Record> {
    return this.unitOfWork.run(async () => {
      // Two at once may not both be the last that there is room for.
      await this.accounts.lock(accountId);
      if ((await this.repository.count(accountId)) >= MAX_{{ITEMS}}) {
        throw planLimitExceeded(`An account has at most ${MAX_{{ITEMS}}} {{items words}}.`, MAX_{{ITEMS}});
      }
      const id = newId('{{prefix}}');
      await this.repository.insert({ id, accountId, name, createdAt: this.clock.date() });
      return this.get(accountId, id);
    });
  }

  async list(accountId: string, query: PageQuery): Promise<Page<{{Item}}Record>> {
    return mapPage(await this.repository.page(accountId, query), to{{Item}}Record);
  }

  /** @throws ApiError 404 */
  async get(accountId: string, id: string): Promise<{{Item}}Record> {
    const row = await this.repository.find(accountId, id);
    if (!row) throw notFound('{{item words}}');
    return to{{Item}}Record(row);
  }

  /** @throws ApiError 404 */
  async delete(accountId: string, id: string): Promise<void> {
    if (!(await this.repository.delete(accountId, id))) throw notFound('{{item words}}');
  }
}
