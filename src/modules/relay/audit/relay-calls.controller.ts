import { Controller, Get, Param } from '@nestjs/common';
import { CurrentDevice, DeviceOnly, type DevicePrincipal } from '../../../access/auth';
import { notFoundError } from '../../../common/errors';
import { Operation, singleResponse } from '../../../common/http';
import { RelayAuditWriter } from './relay-audit-writer';
import { RelayCallDto, toRelayCallDto } from './relay-call.response.dto';

/** Returns the audit row of a call by its request id, for support. */
@Controller('v1/relay-calls')
export class RelayCallsController {
  constructor(private readonly relayAuditWriter: RelayAuditWriter) {}

  @Get(':requestId')
  @DeviceOnly('relay-calls.read')
  @Operation({
    id: 'getRelayCall',
    tag: 'Account',
    summary: 'Get a relayed call',
    description: 'Returns the audit row of a relayed call: ids, sizes, times and outcome, never the body.',
    response: singleResponse(RelayCallDto),
  })
  async getRelayCall(@CurrentDevice() device: DevicePrincipal, @Param('requestId') requestId: string) {
    const row = await this.relayAuditWriter.findCall(device.accountId, requestId);
    if (!row) throw notFoundError('relayed call');
    return { data: toRelayCallDto(row) };
  }
}
