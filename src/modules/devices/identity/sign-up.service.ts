import { Injectable } from '@nestjs/common';
import { computeFingerprint, computeThumbprint } from '@external-api/protocol';
import { toAccountDto, AccountsService } from '../../accounts';
import { AuditRecorder } from '../../../access/audit';
import { Clock } from '../../../common/clock';
import { ApiError } from '../../../common/errors';
import { generateId } from '../../../common/ids';
import { Config } from '../../../core/config';
import { UnitOfWork } from '../../../core/database';
import { deviceEntityToDto } from '../device.dto';
import type { DeviceEntity } from '../device.entity';
import { DevicesRepository } from '../devices.repository';
import { invalidChallenge } from './challenge.errors';
import { ChallengeService } from './challenge.service';
import { DeviceTokenService } from './device-token.service';
import type { SignUpDto } from './identity.dto';

/** Creates an account with its first device in one transaction. */
@Injectable()
export class SignUpService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly challengeService: ChallengeService,
    private readonly accounts: AccountsService,
    private readonly devices: DevicesRepository,
    private readonly tokens: DeviceTokenService,
    private readonly auditRecorder: AuditRecorder,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  signUp(request: SignUpDto) {
    return this.unitOfWork.runInTransaction(async () => {
      const { publicKey, encryptionKey } = request.device;
      const challengeError = await this.challengeService.redeemChallenge(request.challenge, request.signature, {
        publicKey,
        encryptionKey,
      });
      if (challengeError) throw invalidChallenge(challengeError);
      const account = await this.accounts.createAccount(request.username, request.contentPublicKey, request.invitation);
      const device = this.buildFirstDevice(account.id, request);
      if (!(await this.devices.insert(device))) {
        throw new ApiError('conflict', 'This signing key already belongs to a device.');
      }
      await this.auditRecorder.recordActs({
        act: 'account.created',
        accountId: account.id,
        targetId: account.id,
        actor: { kind: 'device', id: device.id },
      });
      return {
        account: toAccountDto(account, this.config),
        device: deviceEntityToDto({ ...device, online: false }),
        ...(await this.tokens.issueToken(device.id)),
        enrollment: null,
      };
    });
  }

  /** @throws ApiError 403 when sign-up is closed and the invitation is not valid */
  isUsernameAvailable(username: string, invitation?: string): Promise<boolean> {
    return this.accounts.isUsernameAvailable(username, invitation);
  }

  private buildFirstDevice(accountId: string, { device }: SignUpDto): DeviceEntity {
    const now = this.clock.currentDate();
    return {
      id: generateId('dev'),
      accountId,
      kind: 'account',
      ...device,
      thumbprint: computeThumbprint(device.publicKey),
      fingerprint: computeFingerprint(device.publicKey, device.encryptionKey),
      enrollment: null,
      createdAt: now,
      lastSeenAt: now,
      revokedAt: null,
    };
  }
}
