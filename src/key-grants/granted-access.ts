import { Injectable } from '@nestjs/common';
import { ArtifactAccess } from '../artifacts';
import { Clock } from '../common/clock';
import { ContentAccess, type ContentCaller } from '../sessions';
import { KeyGrantsRepository } from './key-grants.repository';
import { GrantKeys } from './sealed/grant-keys';

const NOTHING: ReadonlySet<string> = new Set();

/** A caller reads what a standing grant covers, with the scope for it: the answer behind `contentGranted`. */
@Injectable()
export class GrantedAccess implements ContentAccess, ArtifactAccess {
  constructor(
    private readonly grants: KeyGrantsRepository,
    private readonly keys: GrantKeys,
    private readonly clock: Clock,
  ) {}

  async readableSessions(caller: ContentCaller, ids: readonly string[]): Promise<ReadonlySet<string>> {
    if (ids.length === 0 || !caller.scopes.includes('sessions:content')) return NOTHING;
    return this.grants.readableSessions(caller, ids, this.keys.thumbprints, this.clock.date());
  }

  async readableArtifacts(caller: ContentCaller, ids: readonly string[]): Promise<ReadonlySet<string>> {
    if (ids.length === 0 || !caller.scopes.includes('artifacts:content')) return NOTHING;
    return this.grants.readableArtifacts(caller, ids, this.keys.thumbprints, this.clock.date());
  }
}
