import { Injectable, type OnModuleInit } from '@nestjs/common';
import { bodyViolation, invalidRequestError } from '../../../common/errors';
import { MachinesService } from '../../machines';
import { CallHookRegistry } from './call-hook-registry';
import { findGuardedMembers, MEMBER_CAPABILITIES, type GuardedMember } from './relay-request';

const UNSUPPORTED = 'is not supported by the device of this machine. Update the device, or leave it out';

/** Refuses starts that ask a connected device for what it doesn't know. The relay refuses those for other devices. */
@Injectable()
export class StartCapabilitiesService implements OnModuleInit {
  constructor(
    private readonly machines: MachinesService,
    private readonly callHooks: CallHookRegistry,
  ) {}

  onModuleInit(): void {
    this.callHooks.registerHooks('session.start', ({ caller: { accountId } }, { machineId, params }) => {
      const members = findGuardedMembers(params);
      return members.length === 0
        ? {}
        : { beforeSending: () => this.requireCapabilities(accountId, machineId, members) };
    });
  }

  /** @throws ApiError 400 `invalid_request` */
  private async requireCapabilities(accountId: string, machineId: string, members: GuardedMember[]): Promise<void> {
    const { state, capabilities } = await this.machines.getMachine(accountId, machineId);
    if (state !== 'online') return;
    const violations = members
      .filter((member) => !capabilities.includes(MEMBER_CAPABILITIES[member]))
      .map((member) => bodyViolation(`/${member}`, 'not_allowed', UNSUPPORTED));
    if (violations.length > 0) throw invalidRequestError(violations);
  }
}
