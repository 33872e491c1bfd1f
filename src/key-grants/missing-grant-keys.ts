import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Clock } from '../common/clock';
import { KeyGrantsRepository } from './key-grants.repository';
import { GrantKeys } from './sealed/grant-keys';

/** Says at boot which grants cannot be opened any more, because a key was taken away too early. */
@Injectable()
export class MissingGrantKeys implements OnApplicationBootstrap {
  private readonly logger = new Logger('KeyGrants');

  constructor(
    private readonly grants: KeyGrantsRepository,
    private readonly keys: GrantKeys,
    private readonly clock: Clock,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    for (const { thumbprint, kid, grants } of await this.grants.serviceKeysInUse(this.clock.date())) {
      if (this.keys.kidOf(thumbprint)) continue;
      this.logger.warn(
        { kid, thumbprint, grants },
        'key grants are sealed to a key that GRANT_KEYS does not hold: they open nothing until it is added again',
      );
    }
  }
}
