import { Injectable } from '@nestjs/common';
import type { DevicePrincipal } from '../auth';
import { Clock } from '../common/clock';
import { planLimitExceeded } from '../common/errors';
import { newId } from '../common/ids';
import { Changes } from '../events';
import { UnitOfWork } from '../persistence';
import { GrantBindings } from './grant-bindings';
import { GrantedResources } from './granted-resources';
import { toKeyGrantRecord, type KeyGrantRecord } from './key-grant-record';
import type { KeyGrantEntity } from './key-grant.entity';
import type { CreateKeyGrantDto } from './key-grants.dto';
import { KeyGrantsRepository, type GrantedResource } from './key-grants.repository';
import { SealedGrants } from './sealed/sealed-grants';

const MAX_PER_RESOURCE = 200;

/** A device lets callers read a session or an artifact. */
@Injectable()
export class CreateKeyGrantService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly grants: KeyGrantsRepository,
    private readonly resources: GrantedResources,
    private readonly bindings: GrantBindings,
    private readonly sealed: SealedGrants,
    private readonly changes: Changes,
    private readonly clock: Clock,
  ) {}

  /**
   * The same grant again returns the standing one.
   * @throws ApiError 404, 403 for what the machine does not host, 400 for a token, an app or a time that cannot be
   *   granted to, 422 `grant_key_mismatch` for a sealed key that does not open or does not match,
   *   403 `plan_limit_exceeded`
   */
  create(
    device: DevicePrincipal,
    resource: GrantedResource,
    request: CreateKeyGrantDto,
  ): Promise<{ grant: KeyGrantRecord; created: boolean }> {
    return this.unitOfWork.run(async () => {
      const keyId = await this.resources.lock(device, resource);
      await this.bindings.require(device.accountId, request);
      const draft = {
        id: newId('grt'),
        accountId: device.accountId,
        sessionId: resource.sessionId ?? null,
        artifactId: resource.artifactId ?? null,
        sealedKey: request.sealedKey,
        tokenId: request.tokenId ?? null,
        appId: request.appId ?? null,
        createdAt: this.clock.date(),
        expiresAt: request.expiresAt === undefined ? null : new Date(request.expiresAt),
      };
      const recipient = await this.sealed.recipientOf(request.recipient, draft, keyId);
      return this.store(resource, { ...draft, ...recipient });
    });
  }

  private async store(resource: GrantedResource, grant: KeyGrantEntity) {
    const same = await this.grants.findSame(grant);
    if (same) return { grant: toKeyGrantRecord(same), created: false };
    if ((await this.grants.count(resource)) >= MAX_PER_RESOURCE) {
      throw planLimitExceeded(`A session or an artifact has at most ${MAX_PER_RESOURCE} key grants.`, MAX_PER_RESOURCE);
    }
    await this.grants.insert(grant);
    const created = toKeyGrantRecord((await this.grants.findSame(grant))!);
    const { accountId } = grant;
    this.changes.publish({ type: 'key_grant.created', accountId, data: created });
    return { grant: created, created: true };
  }
}
