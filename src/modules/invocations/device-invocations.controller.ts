import { Body, Controller, Get, Param, Put, Query } from '@nestjs/common';
import { CurrentDevice, DeviceOnly, type DevicePrincipal } from '../../access/auth';
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
  listInvocations(
    @CurrentDevice() device: DevicePrincipal,
    @Param('id') machineId: string,
    @Query() query: ListInvocationsQueryDto,
  ) {
    return this.invocations.listInvocationsForDevice(device, machineId, query);
  }
}
