import { Injectable } from '@nestjs/common';
import { toAccountRecord, AccountsService } from '../../accounts';
import { Clock } from '../../common/clock';
import { ApiError } from '../../common/errors';
import { newId } from '../../common/ids';
import { Config } from '../../config';
import { UnitOfWork } from '../../persistence';
import { fingerprint, thumbprint } from '../../wire';
import { entityToDeviceRecord } from '../device-record';
import type { DeviceEntity } from '../device.entity';
import { DevicesRepository } from '../devices.repository';
import { badChallenge } from './challenge.errors';
import { Challenges } from './challenges';
import { DeviceTokens } from './device-tokens';
import type { SignUpDto } from './identity.dto';

/** An account with its first device, all or nothing. */
@Injectable()
export class SignUpService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly challenges: Challenges,
    private readonly accounts: AccountsService,
    private readonly devices: DevicesRepository,
    private readonly tokens: DeviceTokens,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  signUp(request: SignUpDto) {
    return this.unitOfWork.run(async () => {
      const { publicKey, encryptionKey } = request.device;
      const fault = await this.challenges.redeem(request.challenge, request.signature, {
        publicKey,
        encryptionKey,
      });
      if (fault) throw badChallenge(fault);
      const account = await this.accounts.create(request.username, request.contentPublicKey, request.invitation);
      const device = this.firstDevice(account.id, request);
      if (!(await this.devices.insert(device))) {
        throw new ApiError('conflict', 'This signing key belongs to a device already.');
      }
      return {
        account: toAccountRecord(account, this.config),
        device: entityToDeviceRecord(device),
        ...(await this.tokens.issue(device.id)),
        enrollment: null,
      };
    });
  }

  private firstDevice(accountId: string, { device }: SignUpDto): DeviceEntity {
    const now = this.clock.date();
    return {
      id: newId('dev'),
      accountId,
      kind: 'account',
      ...device,
      thumbprint: thumbprint(device.publicKey),
      fingerprint: fingerprint(device.publicKey, device.encryptionKey),
      enrollment: null,
      online: false,
      createdAt: now,
      lastSeenAt: now,
      revokedAt: null,
    };
  }
}
