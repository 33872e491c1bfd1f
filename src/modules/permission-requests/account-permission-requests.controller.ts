import { Controller, Get, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { CurrentDevice, DeviceOrBrowserOnly, type DevicePrincipal } from '../../access/auth';
import { ReserveResponseBytes } from '../../access/backpressure';
import { Operation, streamedListResponse, streamPage } from '../../common/http';
import { MAX_PAGE_BYTES } from '../../common/pages';
import { DevicePermissionRequestDto } from './permission-request.response.dto';
import { ListAccountPermissionRequestsQueryDto } from './permission-requests.dto';
import { PermissionRequestsService } from './permission-requests.service';

/** Permission requests of all sessions, for account devices (docs/protocol/device-api.md#sync). */
@Controller('v1/permission-requests')
export class AccountPermissionRequestsController {
  constructor(private readonly permissionRequests: PermissionRequestsService) {}

  @Get()
  @ReserveResponseBytes(MAX_PAGE_BYTES)
  @DeviceOrBrowserOnly('sessions.read')
  @Operation({
    id: 'listAccountPermissionRequests',
    tag: 'Sessions',
    summary: 'List permission requests of all sessions',
    description:
      'Lists the permission requests of the account with their ciphertext, the newest first. Only account devices ' +
      'may call it.',
    response: streamedListResponse(DevicePermissionRequestDto),
  })
  async listAccountPermissionRequests(
    @CurrentDevice() device: DevicePrincipal,
    @Query() query: ListAccountPermissionRequestsQueryDto,
    @Res() response: Response,
  ): Promise<void> {
    await streamPage(response, await this.permissionRequests.listAccountPermissionRequests(device, query));
  }
}
