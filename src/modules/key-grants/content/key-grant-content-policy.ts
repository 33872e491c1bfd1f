import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { ArtifactContentPolicy } from '../../artifacts';
import { Clock } from '../../../common/clock';
import { SessionContentPolicy, type ContentCaller } from '../../sessions';
import { KeyGrantsRepository } from '../key-grants.repository';
import { GrantKeyStore } from '../sealed/grant-key-store';

const NO_READABLE_IDS: ReadonlySet<string> = new Set();

/**
 * Computes `contentGranted`: the caller has the required scope, and an active grant covers it whose key is available.
 * Logs at startup which grants are unusable because their key was removed from GRANT_KEYS too early.
 */
@Injectable()
export class KeyGrantContentPolicy implements SessionContentPolicy, ArtifactContentPolicy, OnApplicationBootstrap {
  private readonly logger = new Logger('KeyGrants');

  constructor(
    private readonly grants: KeyGrantsRepository,
    private readonly grantKeyStore: GrantKeyStore,
    private readonly clock: Clock,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    for (const { thumbprint, kid, grants } of await this.grants.findServiceKeysInUse(this.clock.currentDate())) {
      if (this.grantKeyStore.findKid(thumbprint)) continue;
      this.logger.warn({ kid, thumbprint, grants }, 'key grants unusable: their key is missing from GRANT_KEYS');
    }
  }

  async findReadableSessionIds(caller: ContentCaller, ids: readonly string[]): Promise<ReadonlySet<string>> {
    if (ids.length === 0 || !caller.scopes.includes('sessions:content')) return NO_READABLE_IDS;
    return this.grants.findReadableSessionIds(caller, ids, this.grantKeyStore.thumbprints, this.clock.currentDate());
  }

  async findReadableArtifactIds(caller: ContentCaller, ids: readonly string[]): Promise<ReadonlySet<string>> {
    if (ids.length === 0 || !caller.scopes.includes('artifacts:content')) return NO_READABLE_IDS;
    return this.grants.findReadableArtifactIds(caller, ids, this.grantKeyStore.thumbprints, this.clock.currentDate());
  }
}
