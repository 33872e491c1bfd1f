import { Injectable } from '@nestjs/common';
import { AccountsService, toAccountRecord } from '../../accounts';
import { invalidToken, type DeviceKind } from '../../auth';
import { Clock } from '../../common/clock';
import { ApiError, forbidden } from '../../common/errors';
import { Config } from '../../config';
import { UnitOfWork } from '../../persistence';
import { AddressBucket } from '../../rate-limit';
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
    private readonly addresses: AddressBucket,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /**
   * @param kinds which devices may; a failure draws on `address`
   * @throws ApiError 401 `invalid_token` for an unknown or revoked device or a bad challenge, 403 for another kind
   */
  async signIn(request: SignInDto, address: string, kinds: readonly DeviceKind[] = ['account', 'machine']) {
    try {
      return await this.prove(request, kinds);
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) await this.addresses.record(address);
      throw error;
    }
  }

  private prove({ publicKey, challenge, signature }: SignInDto, kinds: readonly DeviceKind[]) {
    return this.unitOfWork.run(async () => {
      const fault = await this.challenges.redeem(challenge, signature, { publicKey });
      if (fault) throw invalidToken(fault === 'expired_challenge' ? 'expired' : 'unknown');
      const device = await this.devices.findByThumbprint(thumbprint(publicKey));
      if (!device) throw invalidToken('unknown');
      if (device.revokedAt) throw invalidToken('revoked');
      if (!kinds.includes(device.kind)) throw forbidden(`A ${device.kind} device may not sign in here.`);
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
