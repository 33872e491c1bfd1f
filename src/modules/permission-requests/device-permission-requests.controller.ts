import { Body, Controller, Get, Param, Put, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { CurrentDevice, DeviceOnly, DeviceOrBrowserOnly, type DevicePrincipal } from '../../access/auth';
import { ReserveResponseBytes } from '../../access/backpressure';
import { buildIdExample, Operation, singleResponse, streamedListResponse, streamPage } from '../../common/http';
import { MAX_PAGE_BYTES } from '../../common/pages';
import { DevicePermissionRequestDto, PermissionRequestDto } from './permission-request.response.dto';
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
  @Operation({
    id: 'reportPermissionRequest',
    tag: 'Sessions',
    summary: 'Report a permission request',
    description:
      'Reports what an agent asks, and later what has been decided. A report with a revision that is not newer than ' +
      'the stored one changes nothing.',
    response: singleResponse(PermissionRequestDto),
    responseDescription: 'The new permission request.',
    existingResponseDescription: 'The permission request as stored.',
    errorCodes: ['plan_limit_exceeded', 'conflict'],
    examples: {
      request: {
        revision: 1,
        turnLocalId: buildIdExample('req'),
        kind: 'execute',
        options: [{ optionId: 'o1', kind: 'allow_once' }],
        content: 'eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0..….….…',
        expiresAt: 1_788_255_600_000,
        state: 'pending',
      },
    },
  })
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
  @DeviceOrBrowserOnly('sessions.read')
  @Operation({
    id: 'listPermissionRequestsForDevice',
    tag: 'Sessions',
    summary: 'List permission requests of a session',
    description: 'Lists the permission requests of the session with their ciphertext, the oldest first.',
    response: streamedListResponse(DevicePermissionRequestDto),
  })
  async listPermissionRequests(
    @CurrentDevice() device: DevicePrincipal,
    @Param('id') sessionId: string,
    @Query() query: ListPermissionRequestsQueryDto,
    @Res() response: Response,
  ): Promise<void> {
    await streamPage(response, await this.permissionRequests.listPermissionRequestsForDevice(device, sessionId, query));
  }
}
