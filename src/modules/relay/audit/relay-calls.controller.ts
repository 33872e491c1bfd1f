import { Controller, Get, Param } from '@nestjs/common';
import { CurrentDevice, DeviceOnly, type DevicePrincipal } from '../../../access/auth';
import { notFoundError } from '../../../common/errors';
import { RelayAuditWriter } from './relay-audit-writer';
import type { RelayCallEntity } from './relay-call.entity';

/** Returns the audit row of a call by its request id, for support. */
@Controller('v1/relay-calls')
export class RelayCallsController {
  constructor(private readonly relayAuditWriter: RelayAuditWriter) {}

  @Get(':requestId')
  @DeviceOnly('relay-calls.read')
  async getRelayCall(@CurrentDevice() device: DevicePrincipal, @Param('requestId') requestId: string) {
    const row = await this.relayAuditWriter.findCall(device.accountId, requestId);
    if (!row) throw notFoundError('relayed call');
    return { data: toRelayCallDto(row) };
  }
}

function toRelayCallDto({ accountId: _, createdAt, ...row }: RelayCallEntity) {
  return { ...row, createdAt: createdAt.getTime() };
}
