import { Injectable } from '@nestjs/common';
import { AccountsService } from '../accounts';
import { RecentLookUps } from '../auth';
import { Clock, DAY, SECOND } from '../common/clock';
import { ApiError, notFound, planLimitExceeded } from '../common/errors';
import { newId } from '../common/ids';
import { mapPage, type Page, type PageQuery } from '../common/pages';
import { hashToken, mintToken } from '../common/secret-token';
import { Changes } from '../events';
import { UnitOfWork } from '../persistence';
import { nextExpiryNotice } from './expiry-notice';
import { toExternalTokenRecord, type ExternalTokenRecord } from './external-token-record';
import type { ExternalTokenSecretEntity } from './external-token-secret.entity';
import type { CreateExternalTokenDto } from './external-tokens.dto';
import { ExternalTokensRepository } from './external-tokens.repository';

/** The only moment at which a secret is known here. */
export interface TokenWithSecret {
  data: ExternalTokenRecord;
  token: string;
}

@Injectable()
export class ExternalTokensService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly tokens: ExternalTokensRepository,
    private readonly accounts: AccountsService,
    private readonly changes: Changes,
    private readonly lookUps: RecentLookUps,
    private readonly clock: Clock,
  ) {}

  /** @throws ApiError 403 `plan_limit_exceeded` */
  create(accountId: string, { name, scopes, expiresInDays }: CreateExternalTokenDto): Promise<TokenWithSecret> {
    return this.unitOfWork.run(async () => {
      const createdAt = this.clock.date();
      await this.accounts.lock(accountId);
      const { maxTokens: limit } = await this.accounts.limitsOf(accountId);
      if ((await this.tokens.countActive(accountId, createdAt)) >= limit) {
        throw planLimitExceeded(`An account has at most ${limit} active tokens.`, limit);
      }
      const id = newId('tok');
      const token = mintToken('svc_pat_');
      const expiresAt = expiresInDays ? new Date(createdAt.getTime() + expiresInDays * DAY) : null;
      await this.tokens.insert(
        {
          id,
          accountId,
          name,
          scopes,
          createdAt,
          expiresAt,
          expiryNoticeAt: nextExpiryNotice(expiresAt, createdAt),
          revokedAt: null,
          lastUsedAt: null,
        },
        toSecret(id, token, createdAt),
      );
      const data = await this.get(accountId, id);
      this.changes.publish({ type: 'token.created', accountId, data });
      return { data, token };
    });
  }

  /** @throws ApiError 404, 409 for a token that no longer works */
  rotate(accountId: string, id: string, overlapSeconds = 0): Promise<TokenWithSecret> {
    return this.unitOfWork.run(async () => {
      await this.accounts.lock(accountId);
      const { state } = await this.get(accountId, id);
      if (state !== 'active') throw new ApiError('conflict', `A token that is ${state} cannot be rotated.`);
      const now = this.clock.date();
      const token = mintToken('svc_pat_');
      await this.tokens.supersede(id, now, new Date(now.getTime() + overlapSeconds * SECOND));
      await this.tokens.insertSecret(toSecret(id, token, now));
      this.unitOfWork.afterCommit(() => this.lookUps.forget(accountId));
      return { data: await this.get(accountId, id), token };
    });
  }

  async list(accountId: string, query: PageQuery): Promise<Page<ExternalTokenRecord>> {
    const now = this.clock.now();
    return mapPage(await this.tokens.page(accountId, query), (row) => toExternalTokenRecord(row, now));
  }

  async get(accountId: string, id: string): Promise<ExternalTokenRecord> {
    const row = await this.tokens.find(accountId, id);
    if (!row) throw notFound('token');
    return toExternalTokenRecord(row, this.clock.now());
  }

  /** What tokens of the account are called, by their ids, whatever has become of them. */
  async namesOf(accountId: string, ids: readonly string[]): Promise<Map<string, string>> {
    const rows = ids.length > 0 ? await this.tokens.names(accountId, ids) : [];
    return new Map(rows.map(({ id, name }) => [id, name]));
  }

  /** An earlier revocation stands. @throws ApiError 404 */
  revoke(accountId: string, id: string): Promise<void> {
    return this.unitOfWork.run(async () => {
      const revoked = await this.tokens.revoke(accountId, id, this.clock.date());
      const data = await this.get(accountId, id);
      if (!revoked) return;
      this.changes.publish({ type: 'token.revoked', accountId, data });
      this.unitOfWork.afterCommit(() => this.lookUps.forget(accountId));
    });
  }
}

function toSecret(tokenId: string, token: string, createdAt: Date): ExternalTokenSecretEntity {
  return {
    hash: hashToken(token),
    tokenId,
    prefix: token.slice(0, 'svc_pat_'.length + 4),
    last4: token.slice(-4),
    createdAt,
    superseded: false,
    endsAt: null,
  };
}
