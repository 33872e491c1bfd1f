import { Controller, Get, Param } from '@nestjs/common';
import { CurrentDevice, DeviceOnly, type DevicePrincipal } from '../../auth';
import { notFound } from '../../common/errors';
import { RelayAudit } from './relay-audit';
import type { RelayCallEntity } from './relay-call.entity';

/** What became of a call, by the request id that its caller was given, for support. */
@Controller('v1/relay-calls')
export class RelayCallsController {
  constructor(private readonly audit: RelayAudit) {}

  @Get(':requestId')
  @DeviceOnly('relay-calls.read')
  async get(@CurrentDevice() device: DevicePrincipal, @Param('requestId') requestId: string) {
    const row = await this.audit.find(device.accountId, requestId);
    if (!row) throw notFound('relayed call');
    return { data: toRelayCallRecord(row) };
  }
}

function toRelayCallRecord({ accountId: _, createdAt, ...row }: RelayCallEntity) {
  return { ...row, createdAt: createdAt.getTime() };
}
