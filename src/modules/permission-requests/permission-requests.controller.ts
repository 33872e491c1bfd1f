import { Controller, Get, Param, Query } from '@nestjs/common';
import { ControlController, CurrentCaller, RequireScopes, type Principal } from '../../access/auth';
import { singleResponse, Operation, listResponse } from '../../common/http';
import { PermissionRequestDto } from './permission-request.response.dto';
import { ListPermissionRequestsQueryDto } from './permission-requests.dto';
import { PermissionRequestsService } from './permission-requests.service';

/** Permission request routes of the External API (docs/protocol/agents.md#permission-requests). */
@Controller('external/v1/sessions/:id/permission-requests')
export class PermissionRequestsController {
  constructor(private readonly permissionRequests: PermissionRequestsService) {}

  @Get()
  @RequireScopes('sessions:read')
  @Operation({
    id: 'listPermissionRequests',
    tag: 'Sessions',
    summary: 'List the permission requests of a session',
    description:
      "Lists what the session's agents asked before they used a tool, newest first. The list never contains content.",
    response: listResponse(PermissionRequestDto),
    responseDescription: 'A page of permission requests.',
  })
  listPermissionRequests(
    @CurrentCaller() caller: Principal,
    @Param('id') sessionId: string,
    @Query() query: ListPermissionRequestsQueryDto,
  ) {
    return this.permissionRequests.listPermissionRequests(caller, sessionId, query);
  }

  @Get(':permissionId')
  @RequireScopes('sessions:read')
  @Operation({
    id: 'getPermissionRequest',
    tag: 'Sessions',
    summary: 'Get a permission request',
    description: 'Returns one permission request of a session, without its content.',
    response: singleResponse(PermissionRequestDto),
    responseDescription: 'The permission request.',
  })
  async getPermissionRequest(
    @CurrentCaller() caller: Principal,
    @Param('id') sessionId: string,
    @Param('permissionId') permissionId: string,
  ) {
    return { data: await this.permissionRequests.getPermissionRequest(caller, sessionId, permissionId) };
  }
}

/** The same routes for account devices. */
@ControlController('sessions/:id/permission-requests')
export class ControlPermissionRequestsController extends PermissionRequestsController {}
