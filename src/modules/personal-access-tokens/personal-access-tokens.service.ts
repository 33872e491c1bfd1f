import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AccountExporter, AccountRevocationRegistry, AccountsService, EventQuota } from '../accounts';
import { AuditRecorder, type AuditActor } from '../../access/audit';
import { TokenCache, type IssuedToken, type TokenIssuer } from '../../access/auth';
import { Clock, DAY, SECOND } from '../../common/clock';
import {
  ApiError,
  bodyViolation,
  invalidRequestError,
  notFoundError,
  planLimitExceededError,
  type RequestViolation,
} from '../../common/errors';
import { generateId } from '../../common/ids';
import { mapPage, type Page, type PageQueryDto } from '../../common/pages';
import { hashSecretToken, generateSecretToken } from '../../common/secret-token';
import { EventPublisher } from '../../core/events';
import { UnitOfWork } from '../../core/database';
import { InstanceRegistry } from '../../core/instances';
import { MachinesService } from '../machines';
import {
  toExternalTokenDto,
  type ExternalTokenDto,
  type TokenWithSecretDto,
} from './personal-access-token.response.dto';
import type { PersonalAccessTokenSecretEntity } from './personal-access-token-secret.entity';
import type { CreateExternalTokenDto } from './personal-access-tokens.dto';
import { PersonalAccessTokensRepository } from './personal-access-tokens.repository';
import { getNextExpiryNoticeTime } from './token-expiry-publisher';

@Injectable()
export class PersonalAccessTokensService implements OnModuleInit, TokenIssuer {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly tokens: PersonalAccessTokensRepository,
    private readonly accounts: AccountsService,
    private readonly machines: MachinesService,
    private readonly instanceRegistry: InstanceRegistry,
    private readonly eventQuota: EventQuota,
    private readonly eventPublisher: EventPublisher,
    private readonly tokenCache: TokenCache,
    private readonly clock: Clock,
    private readonly accountExporter: AccountExporter,
    private readonly accountRevocations: AccountRevocationRegistry,
    private readonly auditRecorder: AuditRecorder,
  ) {}

  onModuleInit(): void {
    this.accountExporter.registerSection({
      name: 'tokens',
      scanRows: (accountId) => this.tokens.scanByAccount(accountId),
      toRecord: (row) => ({ ...toExternalTokenDto(row, this.clock.now()), lastUsedAddress: row.last_used_address }),
    });
    this.accountRevocations.registerRevocationStep((accountId) => this.tokens.markAllRevoked(accountId));
  }

  /**
   * Creates a token, which its `machineIds` limit for ever.
   * @throws ApiError 400 for machines that the account doesn't have, 403 `plan_limit_exceeded`, 503 for a limited token
   *   while an instance of the previous release runs, which would not know the limit
   */
  createPersonalAccessToken(
    accountId: string,
    { name, scopes, machineIds = null, expiresInDays }: CreateExternalTokenDto,
  ): Promise<TokenWithSecretDto> {
    return this.unitOfWork.runInTransaction(async () => {
      const createdAt = this.clock.currentDate();
      await this.accounts.lockAccount(accountId);
      if (machineIds) await this.requireMachines(accountId, machineIds);
      const { maxTokens: limit } = await this.accounts.getPlanLimits(accountId);
      if ((await this.tokens.countActive(accountId, createdAt)) >= limit) {
        throw planLimitExceededError(`An account can have at most ${limit} active tokens.`, limit);
      }
      const id = generateId('tok');
      const token = generateSecretToken('svc_pat_');
      const expiresAt = expiresInDays ? new Date(createdAt.getTime() + expiresInDays * DAY) : null;
      await this.tokens.insert(
        {
          id,
          accountId,
          name,
          scopes,
          machineIds,
          createdAt,
          expiresAt,
          expiryNoticeAt: getNextExpiryNoticeTime(expiresAt, createdAt),
          revokedAt: null,
          lastUsedAt: null,
          lastUsedAddress: null,
        },
        toSecretEntity(id, token, createdAt),
      );
      await this.eventQuota.requireCapacity(accountId);
      const data = await this.getPersonalAccessToken(accountId, id);
      this.eventPublisher.publishEvent({ type: 'token.created', accountId, data });
      await this.auditRecorder.recordActs({ act: 'token.created', accountId, targetId: id });
      return { data, token };
    });
  }

  private async requireMachines(accountId: string, machineIds: readonly string[]): Promise<void> {
    const known = await this.machines.findNames(accountId, machineIds);
    const violations = machineIds.flatMap((id, index) => (known.has(id) ? [] : [createUnknownMachine(index)]));
    if (violations.length > 0) throw invalidRequestError(violations);
    if (this.instanceRegistry.isOlderReleaseRunning) throw limitNotEnforceable();
  }

  /** @throws ApiError 404, 409 for a token that is not active */
  rotatePersonalAccessToken(accountId: string, id: string, overlapSeconds = 0): Promise<TokenWithSecretDto> {
    return this.unitOfWork.runInTransaction(async () => {
      await this.accounts.lockAccount(accountId);
      const { state } = await this.getPersonalAccessToken(accountId, id);
      if (state !== 'active') throw new ApiError('conflict', `A token that is ${state} cannot be rotated.`);
      const now = this.clock.currentDate();
      const token = generateSecretToken('svc_pat_');
      await this.tokens.supersedeSecrets(id, new Date(now.getTime() + overlapSeconds * SECOND));
      await this.tokens.insertSecret(toSecretEntity(id, token, now));
      await this.auditRecorder.recordActs({ act: 'token.rotated', accountId, targetId: id });
      this.unitOfWork.afterCommit(() => this.tokenCache.invalidateAccount(accountId));
      return { data: await this.getPersonalAccessToken(accountId, id), token };
    });
  }

  async listPersonalAccessTokens(accountId: string, query: PageQueryDto): Promise<Page<ExternalTokenDto>> {
    const now = this.clock.now();
    return mapPage(await this.tokens.findPage(accountId, query), (row) => toExternalTokenDto(row, now));
  }

  /** Returns the newest active tokens. A page of all tokens may have none: those that were revoked stay in it. */
  async listActiveTokens(accountId: string, limit: number): Promise<ExternalTokenDto[]> {
    const now = this.clock.currentDate();
    const rows = await this.tokens.findActive(accountId, now, limit);
    return rows.map((row) => toExternalTokenDto(row, now.getTime()));
  }

  async getPersonalAccessToken(accountId: string, id: string): Promise<ExternalTokenDto> {
    const row = await this.tokens.find(accountId, id);
    if (!row) throw notFoundError('token');
    return toExternalTokenDto(row, this.clock.now());
  }

  /** Returns the client address of the token's last recorded use. Null if there is none. @throws ApiError 404 */
  async getLastUsedAddress(accountId: string, id: string): Promise<string | null> {
    const row = await this.tokens.find(accountId, id);
    if (!row) throw notFoundError('token');
    return row.last_used_address;
  }

  /** Returns names of the account's tokens by id, in any state. */
  async findTokenNames(accountId: string, ids: readonly string[]): Promise<Map<string, string>> {
    const rows = ids.length > 0 ? await this.tokens.findNames(accountId, ids) : [];
    return new Map(rows.map(({ id, name }) => [id, name]));
  }

  /** Changes the name, which `/me` shows as well. @throws ApiError 404 */
  renamePersonalAccessToken(accountId: string, id: string, name: string): Promise<ExternalTokenDto> {
    return this.unitOfWork.runInTransaction(async () => {
      if (!(await this.tokens.rename(accountId, id, name))) throw notFoundError('token');
      this.unitOfWork.afterCommit(() => this.tokenCache.invalidateAccount(accountId));
      return this.getPersonalAccessToken(accountId, id);
    });
  }

  /**
   * Revokes the token. Does not change an earlier revocation.
   * @param actor by default the caller of the request
   * @throws ApiError 404
   */
  revokePersonalAccessToken(accountId: string, id: string, actor?: AuditActor): Promise<void> {
    return this.unitOfWork.runInTransaction(async () => {
      const isNewlyRevoked = await this.tokens.markRevoked(accountId, id, this.clock.currentDate());
      const data = await this.getPersonalAccessToken(accountId, id);
      if (!isNewlyRevoked) return;
      this.eventPublisher.publishEvent({ type: 'token.revoked', accountId, data });
      await this.auditRecorder.recordActs({ act: 'token.revoked', accountId, targetId: id, actor });
      this.unitOfWork.afterCommit(() => this.tokenCache.invalidateAccount(accountId));
    });
  }

  /** A superseded secret that has ended is revoked, while its token may be active. */
  async findIssuedToken(token: string): Promise<IssuedToken | null> {
    const [row] = await this.tokens.findBySecrets([hashSecretToken(token)]);
    if (!row) return null;
    const { id, name, scopes, state, createdAt, expiresAt, lastUsedAt } = toExternalTokenDto(row, this.clock.now());
    const isSuperseded = row.superseded && (row.ends_at === null || row.ends_at.getTime() <= this.clock.now());
    return {
      kind: 'personal_access_token',
      accountId: row.account_id,
      id,
      name,
      appId: null,
      scopes,
      state: isSuperseded ? 'revoked' : state,
      createdAt,
      expiresAt,
      lastUsedAt,
      lastUsedAddress: row.last_used_address,
    };
  }

  async revokeIssuedToken(token: string): Promise<void> {
    const found = await this.findIssuedToken(token);
    if (found?.state === 'active') await this.revokePersonalAccessToken(found.accountId!, found.id);
  }
}

/** The same for an id that doesn't exist and for that of another account's machine. */
function createUnknownMachine(index: number): RequestViolation {
  return bodyViolation(`/machineIds/${index}`, 'unknown_machine', 'is not a machine of this account');
}

function limitNotEnforceable(): ApiError {
  const detail = 'Instances of the previous release run, which do not know limits to machines. Try again later.';
  return new ApiError('service_unavailable', detail, {
    members: { outcome: 'not_delivered' },
    headers: { 'Retry-After': '60' },
  });
}

function toSecretEntity(tokenId: string, token: string, createdAt: Date): PersonalAccessTokenSecretEntity {
  return {
    hash: hashSecretToken(token),
    tokenId,
    prefix: token.slice(0, 'svc_pat_'.length + 4),
    last4: token.slice(-4),
    createdAt,
    superseded: false,
    endsAt: null,
  };
}
