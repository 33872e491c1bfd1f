import { Injectable } from '@nestjs/common';
import { computeThumbprint } from '@external-api/protocol';
import { AccountsService, toAccountDto } from '../../accounts';
import { AuditRecorder } from '../../../access/audit';
import { invalidToken, type DeviceKind } from '../../../access/auth';
import { Clock } from '../../../common/clock';
import { ApiError, forbiddenError } from '../../../common/errors';
import { Config } from '../../../core/config';
import { UnitOfWork } from '../../../core/database';
import { AddressRateLimiter } from '../../../access/rate-limiting';
import { deviceEntityToDto } from '../device.dto';
import { DevicesRepository } from '../devices.repository';
import { ChallengeService } from './challenge.service';
import { DeviceTokenService } from './device-token.service';
import type { SignInDto } from './identity.dto';

/** Signs in a known device by its key and returns a token and its enrollment, which the device pins. */
@Injectable()
export class SignInService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly challengeService: ChallengeService,
    private readonly accounts: AccountsService,
    private readonly devices: DevicesRepository,
    private readonly tokens: DeviceTokenService,
    private readonly auditRecorder: AuditRecorder,
    private readonly addressLimiter: AddressRateLimiter,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /**
   * @param kinds device kinds that may sign in
   * @param address client address, whose bucket the call has consumed from; only failures of the caller remain counted
   * @param actorKind `browser` for a login of the console
   * @throws ApiError 401 `invalid_token` for an unknown or revoked device or a bad challenge, 403 for another kind
   */
  async signIn(
    request: SignInDto,
    address: string,
    kinds: readonly DeviceKind[] = ['account', 'machine'],
    actorKind: 'device' | 'browser' = 'device',
  ) {
    try {
      const signedIn = await this.verifyAndIssueToken(request, kinds, actorKind);
      await this.addressLimiter.refundFailure(address);
      return signedIn;
    } catch (error) {
      const isRejected = error instanceof ApiError && error.status < 500;
      if (!isRejected) await this.addressLimiter.refundFailure(address);
      throw error;
    }
  }

  private verifyAndIssueToken(
    { publicKey, challenge, signature }: SignInDto,
    kinds: readonly DeviceKind[],
    actorKind: 'device' | 'browser',
  ) {
    return this.unitOfWork.runInTransaction(async () => {
      const challengeError = await this.challengeService.redeemChallenge(challenge, signature, { publicKey });
      if (challengeError) throw invalidToken(challengeError === 'expired_challenge' ? 'expired' : 'unknown');
      const device = await this.devices.findByThumbprint(computeThumbprint(publicKey));
      if (!device) throw invalidToken('unknown');
      if (device.revokedAt) throw invalidToken('revoked');
      if (!kinds.includes(device.kind)) throw forbiddenError(`A ${device.kind} device cannot sign in here.`);
      const account = await this.accounts.getAccount(device.accountId);
      await this.tokens.deleteSurplusTokens(account.id, device.id);
      const now = this.clock.currentDate();
      await this.devices.updateLastSeen(device.id, now);
      await this.auditRecorder.recordActs({
        act: 'device.signed_in',
        accountId: account.id,
        targetId: device.id,
        actor: { kind: actorKind, id: device.id },
      });
      return {
        account: toAccountDto(account, this.config),
        device: deviceEntityToDto({ ...device, lastSeenAt: now }),
        ...(await this.tokens.issueToken(device.id)),
        enrollment: device.enrollment,
      };
    });
  }
}
