import { Injectable } from '@nestjs/common';
import { AccountsService } from '../../accounts';
import type { DevicePrincipal } from '../../auth';
import { Clock, MINUTE } from '../../common/clock';
import { ApiError, invalidRequest, notFound } from '../../common/errors';
import { newId } from '../../common/ids';
import { UnitOfWork } from '../../persistence';
import { fingerprint, thumbprint } from '../../wire';
import { DevicesRepository } from '../devices.repository';
import { badChallenge } from '../identity/challenge.errors';
import { Challenges } from '../identity/challenges';
import { CodeEntry } from './code-entry';
import { enrollmentFault } from './enrollment';
import { newPairingCode, normalizePairingCode } from './pairing-code';
import type { PairDto } from './pairing.dto';
import type { PairingEntity } from './pairing.entity';
import { PairingsRepository } from './pairings.repository';

const LIFETIME_MS = 10 * MINUTE;

/** A new device asks to join; a signed-in account device decides. */
@Injectable()
export class PairingsService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly pairings: PairingsRepository,
    private readonly devices: DevicesRepository,
    private readonly accounts: AccountsService,
    private readonly challenges: Challenges,
    private readonly codeEntry: CodeEntry,
    private readonly clock: Clock,
  ) {}

  request({ challenge, signature, ...device }: PairDto, address: string): Promise<PairingEntity> {
    return this.unitOfWork.run(async () => {
      const { publicKey, encryptionKey } = device;
      const fault = await this.challenges.redeem(challenge, signature, { publicKey, encryptionKey });
      if (fault) throw badChallenge(fault);
      if (await this.devices.findByThumbprint(thumbprint(publicKey))) {
        throw new ApiError('conflict', 'This signing key belongs to a device already.');
      }
      const createdAt = this.clock.date();
      const pairing: PairingEntity = {
        id: newId('pair'),
        code: newPairingCode(),
        ...device,
        thumbprint: thumbprint(publicKey),
        fingerprint: fingerprint(publicKey, encryptionKey),
        address,
        state: 'pending',
        accountId: null,
        createdAt,
        expiresAt: new Date(createdAt.getTime() + LIFETIME_MS),
      };
      while (!(await this.pairings.insert(pairing))) pairing.code = newPairingCode();
      return pairing;
    });
  }

  /** What the new device polls for; the account's name once it was adopted. */
  async status(id: string) {
    const pairing = await this.pairings.find(id);
    if (!pairing) throw notFound('pairing');
    const expired = pairing.state === 'pending' && pairing.expiresAt.getTime() <= this.clock.now();
    const account = pairing.state === 'approved' ? await this.accounts.get(pairing.accountId!) : null;
    return {
      state: expired ? ('expired' as const) : pairing.state,
      accountUsername: account?.username ?? null,
    };
  }

  /** @throws ApiError 404 for a wrong, decided or expired code, 429 after too many of them */
  async find(device: DevicePrincipal, code: string, address: string): Promise<PairingEntity> {
    await this.codeEntry.requireOpen(device.accountId);
    const pairing = await this.pairings.findOpen(normalizePairingCode(code), this.clock.date());
    if (!pairing) throw await this.wrongCode(device, address);
    return pairing;
  }

  /** Adopts the device. @throws ApiError 400 for an enrollment that is not this account's word for these keys */
  async approve(device: DevicePrincipal, code: string, address: string, enrollment: string): Promise<void> {
    await this.decide(device, code, address, async (pairing) => {
      const account = await this.accounts.get(device.accountId);
      const approver = await this.devices.find(device.accountId, device.deviceId);
      const fault = await enrollmentFault(enrollment, approver!.publicKey, account, pairing);
      if (fault) {
        throw invalidRequest([{ in: 'body', path: '/enrollment', code: 'invalid_enrollment', message: fault }]);
      }
      await this.adopt(device.accountId, pairing, enrollment);
      await this.pairings.decide(pairing.id, device.accountId, 'approved');
    });
  }

  async deny(device: DevicePrincipal, code: string, address: string): Promise<void> {
    await this.decide(device, code, address, (pairing) => this.pairings.decide(pairing.id, device.accountId, 'denied'));
  }

  private async decide(
    device: DevicePrincipal,
    code: string,
    address: string,
    decision: (pairing: PairingEntity) => Promise<void>,
  ): Promise<void> {
    await this.codeEntry.requireOpen(device.accountId);
    const found = await this.unitOfWork.run(async () => {
      const pairing = await this.pairings.lockOpen(normalizePairingCode(code), this.clock.date());
      if (pairing) await decision(pairing);
      return pairing !== null;
    });
    if (!found) throw await this.wrongCode(device, address);
  }

  private async adopt(accountId: string, pairing: PairingEntity, enrollment: string): Promise<void> {
    const adopted = await this.devices.insert({
      id: newId('dev'),
      accountId,
      kind: pairing.kind,
      name: pairing.name,
      platform: pairing.platform,
      publicKey: pairing.publicKey,
      encryptionKey: pairing.encryptionKey,
      thumbprint: pairing.thumbprint,
      fingerprint: pairing.fingerprint,
      enrollment,
      online: false,
      createdAt: this.clock.date(),
      lastSeenAt: null,
      revokedAt: null,
    });
    if (!adopted) throw new ApiError('conflict', 'This signing key belongs to a device already.');
  }

  private async wrongCode(device: DevicePrincipal, address: string): Promise<ApiError> {
    await this.codeEntry.recordWrongCode(device.accountId, address);
    return notFound('pairing that waits for this code');
  }
}
