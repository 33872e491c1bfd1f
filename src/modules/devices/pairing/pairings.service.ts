import { randomInt } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { computeFingerprint, computeThumbprint } from '@external-api/protocol';
import { AccountRevocationRegistry, AccountsService } from '../../accounts';
import { AuditRecorder } from '../../../access/audit';
import type { DevicePrincipal } from '../../../access/auth';
import { Clock, MINUTE } from '../../../common/clock';
import { ApiError, invalidRequestError, notFoundError, planLimitExceededError } from '../../../common/errors';
import { generateId } from '../../../common/ids';
import { UnitOfWork } from '../../../core/database';
import { AddressRateLimiter } from '../../../access/rate-limiting';
import { DevicesRepository } from '../devices.repository';
import { invalidChallenge } from '../identity/challenge.errors';
import { ChallengeService } from '../identity/challenge.service';
import { PairingCodeLimiter } from './pairing-code-limiter';
import { findEnrollmentViolation } from './enrollment-validation';
import type { CreatePairingDto } from './pairing.dto';
import type { PairingEntity } from './pairing.entity';
import { PairingsRepository } from './pairings.repository';

const PAIRING_LIFETIME_MS = 10 * MINUTE;
/** I, L, O, 0 and 1 are left out because they look alike. */
const PAIRING_CODE_ALPHABET = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789';

/** A pairing as others see it. */
export type PendingPairing = Omit<PairingEntity, 'thumbprint' | 'state' | 'accountId'>;

/** Pairings of new devices, which a signed-in account device approves or denies. */
@Injectable()
export class PairingsService implements OnModuleInit {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly pairings: PairingsRepository,
    private readonly devices: DevicesRepository,
    private readonly accounts: AccountsService,
    private readonly accountRevocations: AccountRevocationRegistry,
    private readonly challengeService: ChallengeService,
    private readonly pairingCodeLimiter: PairingCodeLimiter,
    private readonly addressLimiter: AddressRateLimiter,
    private readonly auditRecorder: AuditRecorder,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.accountRevocations.registerRevocationStep((accountId) => this.pairings.deleteByAccount(accountId));
  }

  createPairing({ challenge, signature, ...device }: CreatePairingDto, address: string): Promise<PairingEntity> {
    return this.unitOfWork.runInTransaction(async () => {
      const { publicKey, encryptionKey } = device;
      const challengeError = await this.challengeService.redeemChallenge(challenge, signature, {
        publicKey,
        encryptionKey,
      });
      if (challengeError) throw invalidChallenge(challengeError);
      if (await this.devices.findByThumbprint(computeThumbprint(publicKey))) {
        throw new ApiError('conflict', 'This signing key already belongs to a device.');
      }
      const createdAt = this.clock.currentDate();
      const pairing: PairingEntity = {
        id: generateId('pair'),
        code: generatePairingCode(),
        ...device,
        thumbprint: computeThumbprint(publicKey),
        fingerprint: computeFingerprint(publicKey, encryptionKey),
        address,
        state: 'pending',
        accountId: null,
        createdAt,
        expiresAt: new Date(createdAt.getTime() + PAIRING_LIFETIME_MS),
      };
      while (!(await this.pairings.insert(pairing))) pairing.code = generatePairingCode();
      return pairing;
    });
  }

  /**
   * Returns the status that the new device polls for, with the account's name after approval.
   * @throws ApiError 404 for an unknown id, 429 after too many failures of the address
   */
  async getPairingStatus(id: string, address: string) {
    const pairing = await this.pairings.find(id);
    if (!pairing) {
      await this.addressLimiter.recordFailure(address);
      throw notFoundError('pairing');
    }
    const isExpired = pairing.state === 'pending' && pairing.expiresAt.getTime() <= this.clock.now();
    const account = pairing.state === 'approved' ? await this.accounts.getAccount(pairing.accountId!) : null;
    return {
      state: isExpired ? ('expired' as const) : pairing.state,
      accountUsername: account?.username ?? null,
    };
  }

  /** @throws ApiError 404 when the code is wrong, decided or expired, 429 after too many wrong codes */
  async findPairing(device: DevicePrincipal, code: string, address: string): Promise<PendingPairing> {
    const pairing = await this.pairingCodeLimiter.limitLookup(device.accountId, address, () =>
      this.pairings.findPending(normalizePairingCode(code), this.clock.currentDate()),
    );
    if (!pairing) throw invalidPairingCode();
    return pairing;
  }

  /**
   * Adds the device to the account.
   * @throws ApiError 400 when the enrollment does not match this account and these keys, 403 `plan_limit_exceeded`
   */
  async approvePairing(device: DevicePrincipal, code: string, address: string, enrollment: string): Promise<void> {
    await this.decidePairing(device, code, address, async (pairing) => {
      const account = await this.accounts.getAccount(device.accountId);
      const approver = await this.devices.find(device.accountId, device.deviceId);
      const violation = await findEnrollmentViolation(enrollment, approver!.publicKey, account, pairing);
      if (violation) {
        throw invalidRequestError([
          { in: 'body', path: '/enrollment', code: 'invalid_enrollment', message: violation },
        ]);
      }
      await this.addDevice(device.accountId, pairing, enrollment);
      await this.pairings.setDecision(pairing.id, device.accountId, 'approved');
    });
  }

  async denyPairing(device: DevicePrincipal, code: string, address: string): Promise<void> {
    await this.decidePairing(device, code, address, (pairing) =>
      this.pairings.setDecision(pairing.id, device.accountId, 'denied'),
    );
  }

  private async decidePairing(
    device: DevicePrincipal,
    code: string,
    address: string,
    decision: (pairing: PairingEntity) => Promise<void>,
  ): Promise<void> {
    const decided = await this.pairingCodeLimiter.limitLookup(device.accountId, address, () =>
      this.unitOfWork.runInTransaction(async () => {
        const pairing = await this.pairings.lockPending(normalizePairingCode(code), this.clock.currentDate());
        if (pairing) await decision(pairing);
        return pairing;
      }),
    );
    if (!decided) throw invalidPairingCode();
  }

  private async addDevice(accountId: string, pairing: PairingEntity, enrollment: string): Promise<void> {
    await this.accounts.lockAccount(accountId);
    const { maxDevices: limit } = await this.accounts.getPlanLimits(accountId);
    if ((await this.devices.countDevices(accountId)) >= limit) {
      throw planLimitExceededError(`An account can have at most ${limit} devices, including revoked ones.`, limit);
    }
    const id = generateId('dev');
    const isInserted = await this.devices.insert({
      id,
      accountId,
      kind: pairing.kind,
      name: pairing.name,
      platform: pairing.platform,
      publicKey: pairing.publicKey,
      encryptionKey: pairing.encryptionKey,
      thumbprint: pairing.thumbprint,
      fingerprint: pairing.fingerprint,
      enrollment,
      createdAt: this.clock.currentDate(),
      lastSeenAt: null,
      revokedAt: null,
    });
    if (!isInserted) throw new ApiError('conflict', 'This signing key already belongs to a device.');
    await this.auditRecorder.recordActs({ act: 'device.added', accountId, targetId: id });
  }
}

function invalidPairingCode(): ApiError {
  return new ApiError('not_found', 'That code is wrong or has expired.');
}

/** Generates a code such as `ABCD-2345`: about 40 bits, valid for ten minutes. */
function generatePairingCode(): string {
  const characters = Array.from({ length: 8 }, () => PAIRING_CODE_ALPHABET[randomInt(PAIRING_CODE_ALPHABET.length)]);
  return `${characters.slice(0, 4).join('')}-${characters.slice(4).join('')}`;
}

/** Normalizes user input to the stored form: upper case, with a hyphen in the middle. */
function normalizePairingCode(typed: string): string {
  const bare = typed.toUpperCase().replace(/[^A-Z0-9]/g, '');
  return `${bare.slice(0, 4)}-${bare.slice(4)}`;
}
