import { Injectable } from '@nestjs/common';
import { AccountsService, toAccountRecord } from '../../accounts';
import { invalidToken } from '../../auth';
import { Clock } from '../../common/clock';
import { Config } from '../../config';
import { UnitOfWork } from '../../persistence';
import { thumbprint } from '../../wire';
import { entityToDeviceRecord } from '../device-record';
import { DevicesRepository } from '../devices.repository';
import { Challenges } from './challenges';
import { DeviceTokens } from './device-tokens';
import type { SignInDto } from './identity.dto';

/** A known device proves its key and gets a token, and its enrollment to pin. */
@Injectable()
export class SignInService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly challenges: Challenges,
    private readonly accounts: AccountsService,
    private readonly devices: DevicesRepository,
    private readonly tokens: DeviceTokens,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /** @throws ApiError 401 `invalid_token` for an unknown or revoked device or a bad challenge */
  signIn({ publicKey, challenge, signature }: SignInDto) {
    return this.unitOfWork.run(async () => {
      const fault = await this.challenges.redeem(challenge, signature, { publicKey });
      if (fault) throw invalidToken(fault === 'expired_challenge' ? 'expired' : 'unknown');
      const device = await this.devices.findByThumbprint(thumbprint(publicKey));
      if (!device) throw invalidToken('unknown');
      if (device.revokedAt) throw invalidToken('revoked');
      const account = await this.accounts.get(device.accountId);
      const now = this.clock.date();
      await this.devices.touch(device.id, now);
      return {
        account: toAccountRecord(account, this.config),
        device: entityToDeviceRecord({ ...device, lastSeenAt: now }),
        ...(await this.tokens.issue(device.id)),
        enrollment: device.enrollment,
      };
    });
  }
}
