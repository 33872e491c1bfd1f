import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { AccountsService, EventQuota } from '../accounts';
import { AuditRecorder } from '../../access/audit';
import type { DevicePrincipal } from '../../access/auth';
import { Clock } from '../../common/clock';
import { planLimitExceededError, type ApiError } from '../../common/errors';
import { generateId } from '../../common/ids';
import { EventPublisher } from '../../core/events';
import { UnitOfWork } from '../../core/database';
import { GrantBindingValidator } from './grant-binding-validator';
import { GrantResourceAuthorizer } from './grant-resource-authorizer';
import { toKeyGrantDto, type KeyGrantDto, type KeyGrantRow } from './key-grant.response.dto';
import type { KeyGrantEntity } from './key-grant.entity';
import type { CreateKeyGrantDto } from './key-grants.dto';
import { KeyGrantsRepository, type GrantedResource } from './key-grants.repository';
import { SealedGrantVerifier } from './sealed/sealed-grant-verifier';

const MAX_GRANTS_PER_RESOURCE = 200;

/** Creates key grants, which let callers read a session or an artifact. */
@Injectable()
export class CreateKeyGrantService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly accounts: AccountsService,
    private readonly eventQuota: EventQuota,
    private readonly grants: KeyGrantsRepository,
    private readonly grantResourceAuthorizer: GrantResourceAuthorizer,
    private readonly grantBindingValidator: GrantBindingValidator,
    private readonly sealedGrantVerifier: SealedGrantVerifier,
    private readonly eventPublisher: EventPublisher,
    private readonly auditRecorder: AuditRecorder,
    private readonly clock: Clock,
  ) {}

  /**
   * Creates a grant. If one exists for the same recipient, token and app, replaces its sealed key and expiry and
   * reuses its id.
   * @throws ApiError 404, 403 for a resource of another host, 400 for an invalid token, app or expiry,
   *   422 `grant_key_mismatch` for a sealed key that does not decrypt, does not match the grant or does not decrypt the
   *   newest ciphertext, 403 `plan_limit_exceeded`
   */
  createKeyGrant(
    device: DevicePrincipal,
    resource: GrantedResource,
    request: CreateKeyGrantDto,
  ): Promise<{ grant: KeyGrantDto; created: boolean }> {
    return this.unitOfWork.runInTransaction(async () => {
      const lockedResource = await this.grantResourceAuthorizer.lockResource(device, resource);
      await this.grantBindingValidator.validateBindings(device.accountId, request);
      const draft = {
        id: generateId('grt'),
        accountId: device.accountId,
        sessionId: resource.sessionId ?? null,
        artifactId: resource.artifactId ?? null,
        sealedKey: request.sealedKey,
        tokenId: request.tokenId ?? null,
        appId: request.appId ?? null,
        createdAt: this.clock.currentDate(),
        expiresAt: request.expiresAt === undefined ? null : new Date(request.expiresAt),
      };
      const recipient = await this.sealedGrantVerifier.resolveRecipient(request.recipient, draft, lockedResource);
      return this.storeGrant(resource, { ...draft, ...recipient });
    });
  }

  private async storeGrant(resource: GrantedResource, grant: KeyGrantEntity) {
    const [existing, ...older] = await this.grants.findByRecipient(grant, grant.createdAt);
    for (const row of older) await this.removeGrant(resource, row);
    if (!existing) await this.enforceGrantLimits(grant.accountId, resource);
    const row = existing ? await this.grants.replaceSealedKey(existing.id, grant) : await this.grants.insert(grant);
    const data = toKeyGrantDto(row);
    // Publishes no event when only the sealed key changes.
    if (!existing || !isDeepStrictEqual(data, toKeyGrantDto(existing))) {
      const { accountId } = grant;
      await this.eventQuota.requireCapacity(accountId);
      this.eventPublisher.publishEvent({ type: 'key_grant.created', accountId, data });
      await this.auditRecorder.recordActs({ act: 'key_grant.created', accountId, targetId: data.id });
    }
    return { grant: data, created: !existing };
  }

  private async removeGrant(resource: GrantedResource, { id, account_id: accountId }: KeyGrantRow): Promise<void> {
    const row = await this.grants.delete(accountId, resource, id);
    if (row) this.eventPublisher.publishEvent({ type: 'key_grant.revoked', accountId, data: toKeyGrantDto(row) });
  }

  /** @throws ApiError 403 `plan_limit_exceeded` */
  private async enforceGrantLimits(accountId: string, resource: GrantedResource): Promise<void> {
    await this.accounts.lockAccount(accountId);
    if (!(await this.checkGrantLimits(accountId, resource))) return;
    await this.grants.deleteInactive(accountId, this.clock.currentDate());
    const limitError = await this.checkGrantLimits(accountId, resource);
    if (limitError) throw limitError;
  }

  private async checkGrantLimits(accountId: string, resource: GrantedResource): Promise<ApiError | null> {
    const { maxKeyGrants } = await this.accounts.getPlanLimits(accountId);
    const { ofAccount, ofResource } = await this.grants.countGrants(accountId, resource);
    if (ofAccount >= maxKeyGrants) {
      return planLimitExceededError(`An account can have at most ${maxKeyGrants} key grants.`, maxKeyGrants);
    }
    if (ofResource < MAX_GRANTS_PER_RESOURCE) return null;
    return planLimitExceededError(
      `A session or an artifact can have at most ${MAX_GRANTS_PER_RESOURCE} key grants.`,
      MAX_GRANTS_PER_RESOURCE,
    );
  }
}
