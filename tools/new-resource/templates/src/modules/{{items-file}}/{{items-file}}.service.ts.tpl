import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Principal } from '../../access/auth';
{{#write}}
import { IdempotentWritesService, type IdempotentCall } from '../../access/idempotency';
{{/write}}
import { AccountExporter, AccountsService } from '../accounts';
import { Clock } from '../../common/clock';
import { {{#write}}ApiError, {{/write}}notFoundError, planLimitExceededError } from '../../common/errors';
import { generateId } from '../../common/ids';
import { mapPage, type Page, type PageQueryDto } from '../../common/pages';
import { UnitOfWork } from '../../core/database';
{{#event}}
import { EventPublisher, type EventType } from '../../core/events';
{{/event}}
import { to{{Item}}Dto, type {{Item}}Dto } from './{{item-file}}.response.dto';
import type { Create{{Item}}Dto{{#write}}, Update{{Item}}Dto{{/write}} } from './{{items-file}}.dto';
import { {{Items}}Repository } from './{{items-file}}.repository';

/** Limit for one account. */
export const MAX_{{ITEMS}} = 1_000;

{{#event}}
type {{Item}}EventType = Extract<EventType, `{{item_name}}.${string}`>;

{{/event}}
@Injectable()
export class {{Items}}Service implements OnModuleInit {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly repository: {{Items}}Repository,
    private readonly accounts: AccountsService,
    private readonly accountExporter: AccountExporter,
    private readonly clock: Clock,
{{#write}}
    private readonly idempotentWritesService: IdempotentWritesService,
{{/write}}
{{#event}}
    private readonly eventPublisher: EventPublisher,
{{/event}}
  ) {}

  onModuleInit(): void {
    this.accountExporter.registerSection({
      name: '{{items}}',
      scanRows: (accountId) => this.repository.scanByAccount(accountId),
      toRecord: to{{Item}}Dto,
    });
  }

{{#write}}
  /**
   * Like `create{{Item}}`. Stores the response with the key in the same transaction, so that a retry changes nothing.
   * @param idempotentCall null without an `Idempotency-Key`
   * @throws ApiError 403 `plan_limit_exceeded`, 409 and 422 for idempotency conflicts
   */
  create{{Item}}Once(caller: Principal, body: Create{{Item}}Dto, idempotentCall: IdempotentCall | null) {
    return this.idempotentWritesService.runOnce(
      idempotentCall,
      async () => ({ data: await this.create{{Item}}(caller, body) }),
      (created) => ({ status: 201, body: created, headers: {} }),
    );
  }

{{/write}}
  /** @throws ApiError 403 `plan_limit_exceeded` */
  create{{Item}}({{^event}}{ accountId }{{/event}}{{#event}}caller{{/event}}: Principal, { name }: Create{{Item}}Dto): Promise<{{Item}}Dto> {
{{#event}}
    const { accountId } = caller;
{{/event}}
    return this.unitOfWork.runInTransaction(async () => {
      // Concurrent creations are counted one after the other.
      await this.accounts.lockAccount(accountId);
      if ((await this.repository.countByAccount(accountId)) >= MAX_{{ITEMS}}) {
        throw planLimitExceededError(`An account has at most ${MAX_{{ITEMS}}} {{items words}}.`, MAX_{{ITEMS}});
      }
      const id = generateId('{{prefix}}');
{{^write}}
      await this.repository.insert({ id, accountId, name, createdAt: this.clock.currentDate() });
{{/write}}
{{#write}}
      const createdAt = this.clock.currentDate();
      await this.repository.insert({ id, accountId, name, version: 1, createdAt, updatedAt: createdAt });
{{/write}}
{{^event}}
      return this.get{{Item}}(accountId, id);
{{/event}}
{{#event}}
      const created = await this.get{{Item}}(accountId, id);
      this.recordChange('{{item_name}}.created', caller, created);
      return created;
{{/event}}
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

{{#write}}
  /** @throws ApiError 404, 409 `conflict` with `current` if the version is not `expectedVersion` */
  update{{Item}}(caller: Principal, id: string, { name, expectedVersion }: Update{{Item}}Dto): Promise<{{Item}}Dto> {
    return this.unitOfWork.runInTransaction(async () => {
      const row = await this.repository.lock{{Item}}(caller.accountId, id);
      if (!row) throw notFoundError('{{item words}}');
      if (expectedVersion !== undefined && expectedVersion !== row.version) {
        throw new ApiError('conflict', `The {{item words}} is at version ${row.version}.`, {
          members: { current: row.version },
        });
      }
      if (name === undefined || name === row.name) return to{{Item}}Dto(row);
      const next = { ...row, name, version: row.version + 1, updated_at: this.clock.currentDate() };
      await this.repository.update{{Item}}(next);
{{^event}}
      return to{{Item}}Dto(next);
{{/event}}
{{#event}}
      const updated = to{{Item}}Dto(next);
      this.recordChange('{{item_name}}.updated', caller, updated);
      return updated;
{{/event}}
    });
  }

{{/write}}
  /** @throws ApiError 404 */
{{^event}}
  async delete{{Item}}({ accountId }: Principal, id: string): Promise<void> {
    if (!(await this.repository.delete(accountId, id))) throw notFoundError('{{item words}}');
  }
{{/event}}
{{#event}}
  delete{{Item}}(caller: Principal, id: string): Promise<void> {
    return this.unitOfWork.runInTransaction(async () => {
      const row = await this.repository.delete(caller.accountId, id);
      if (!row) throw notFoundError('{{item words}}');
      this.recordChange('{{item_name}}.deleted', caller, to{{Item}}Dto(row));
    });
  }

  /** Publishes a change in its transaction. The device that made it is not notified. */
  private recordChange(type: {{Item}}EventType, caller: Principal, data: {{Item}}Dto): void {
    const { accountId } = caller;
    const byDeviceId = caller.kind === 'device' ? caller.deviceId : null;
    this.eventPublisher.recordChange({ type, accountId, id: data.id, byDeviceId, hostDeviceId: null, data });
  }
{{/event}}
}
