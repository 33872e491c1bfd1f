import { Body, Controller, Get, Param, Put, Query } from '@nestjs/common';
import { CurrentDevice, DeviceOnly, type DevicePrincipal } from '../../access/auth';
import { listResponse, Operation, singleResponse } from '../../common/http';
import { InvocationDto } from './invocation.response.dto';
import { InvocationReportDto, ListInvocationsQueryDto, toInvocationReport } from './invocations.dto';
import { InvocationsService } from './invocations.service';
import { ReportInvocationService } from './report-invocation.service';

/** Invocation routes for machine devices (docs/protocol/device-api.md#sync). */
@Controller('v1/machines/:id/invocations')
export class DeviceInvocationsController {
  constructor(
    private readonly reportInvocationService: ReportInvocationService,
    private readonly invocations: InvocationsService,
  ) {}

  @Put(':localId')
  @DeviceOnly('invocations.report')
  @Operation({
    id: 'reportInvocation',
    tag: 'Machines',
    summary: 'Report an invocation',
    description:
      'Reports the state of a long-running command. A report with a revision that is not newer than the stored one ' +
      'changes nothing.',
    response: singleResponse(InvocationDto),
    responseDescription: 'The invocation as stored.',
    errorCodes: ['conflict'],
    examples: {
      request: {
        revision: 2,
        state: 'running',
        timedOut: false,
        stdoutBytes: 0,
        stderrBytes: 0,
        startedAt: 1_788_255_000_000,
      },
    },
  })
  async reportInvocation(
    @CurrentDevice() device: DevicePrincipal,
    @Param('id') machineId: string,
    @Param('localId') requestId: string,
    @Body() body: InvocationReportDto,
  ) {
    const report = toInvocationReport(body);
    return { data: await this.reportInvocationService.reportInvocation(device, machineId, requestId, report) };
  }

  @Get()
  @DeviceOnly('invocations.report')
  @Operation({
    id: 'listInvocationsForDevice',
    tag: 'Machines',
    summary: 'List invocations of a machine',
    description: 'Lists the invocations of the calling machine device, the newest first.',
    response: listResponse(InvocationDto),
  })
  listInvocations(
    @CurrentDevice() device: DevicePrincipal,
    @Param('id') machineId: string,
    @Query() query: ListInvocationsQueryDto,
  ) {
    return this.invocations.listInvocationsForDevice(device, machineId, query);
  }
}
