import { Body, Controller, Get, Param, Put, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { CurrentDevice, DeviceOnly, type DevicePrincipal } from '../../access/auth';
import { ReserveResponseBytes } from '../../access/backpressure';
import { streamPage } from '../../common/http';
import { MAX_PAGE_BYTES } from '../../common/pages';
import {
  ListPermissionRequestsQueryDto,
  PermissionRequestReportDto,
  toPermissionRequestReport,
} from './permission-requests.dto';
import { PermissionRequestsService } from './permission-requests.service';
import { ReportPermissionRequestService } from './report-permission-request.service';

/** Permission request routes for devices (docs/protocol/agents.md#permission-requests). */
@Controller('v1/sessions/:id/permission-requests')
export class DevicePermissionRequestsController {
  constructor(
    private readonly permissionRequests: PermissionRequestsService,
    private readonly reportService: ReportPermissionRequestService,
  ) {}

  @Put(':localId')
  @DeviceOnly('sessions.write')
  async reportPermissionRequest(
    @CurrentDevice() device: DevicePrincipal,
    @Param('id') sessionId: string,
    @Param('localId') localId: string,
    @Body() body: PermissionRequestReportDto,
    @Res({ passthrough: true }) response: Response,
  ) {
    const report = toPermissionRequestReport(body);
    const { permissionRequest, created } = await this.reportService.reportPermissionRequest(
      device,
      sessionId,
      localId,
      report,
    );
    response.status(created ? 201 : 200);
    return { data: permissionRequest };
  }

  @Get()
  @ReserveResponseBytes(MAX_PAGE_BYTES)
  @DeviceOnly('sessions.read')
  async listPermissionRequests(
    @CurrentDevice() device: DevicePrincipal,
    @Param('id') sessionId: string,
    @Query() query: ListPermissionRequestsQueryDto,
    @Res() response: Response,
  ): Promise<void> {
    await streamPage(response, await this.permissionRequests.listPermissionRequestsForDevice(device, sessionId, query));
  }
}
