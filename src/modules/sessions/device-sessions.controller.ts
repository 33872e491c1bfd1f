import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { CurrentDevice, DeviceOnly, DeviceOrBrowserOnly, type DevicePrincipal } from '../../access/auth';
import { ReserveResponseBytes } from '../../access/backpressure';
import { noContentResponse, Operation, singleResponse, streamedListResponse, streamPage } from '../../common/http';
import { MAX_PAGE_BYTES } from '../../common/pages';
import { DeviceSessionDto } from './session.response.dto';
import { CreateSessionService } from './create-session.service';
import { DeleteSessionService } from './delete-session.service';
import { CreateSessionDto, ListSessionsQueryDto, UpdateSessionDto } from './sessions.dto';
import { SessionsService } from './sessions.service';
import { UpdateSessionService } from './update-session.service';

/** Session routes for devices (docs/protocol/device-api.md#sync). */
@Controller('v1/sessions')
export class DeviceSessionsController {
  constructor(
    private readonly sessions: SessionsService,
    private readonly createSessionService: CreateSessionService,
    private readonly updateSessionService: UpdateSessionService,
    private readonly deleteSessionService: DeleteSessionService,
  ) {}

  @Post()
  @DeviceOnly('sessions.write')
  @Operation({
    id: 'createSession',
    tag: 'Sessions',
    summary: 'Create a session',
    description:
      'Creates a session that the calling device hosts. A repeat with the same `tag` returns the existing session, ' +
      'for its host and for account devices.',
    response: singleResponse(DeviceSessionDto),
    responseDescription: 'The new session.',
    existingResponseDescription: 'The existing session, unchanged.',
    errorCodes: ['not_found', 'plan_limit_exceeded', 'conflict'],
    examples: {
      request: { tag: 'refactor-billing', dataKey: { kid: 'k1', sealed: 'eyJhbGciOiJFQ0RILUVTK0EyNTZLVyIs….….….….…' } },
    },
  })
  async createSession(
    @CurrentDevice() device: DevicePrincipal,
    @Body() body: CreateSessionDto,
    @Res({ passthrough: true }) response: Response,
  ) {
    const { session, created } = await this.createSessionService.createSession(device, body);
    response.status(created ? 201 : 200);
    return { data: session };
  }

  @Get()
  @ReserveResponseBytes(MAX_PAGE_BYTES)
  @DeviceOrBrowserOnly('sessions.read')
  @Operation({
    id: 'listSessionsForDevice',
    tag: 'Sessions',
    summary: 'List sessions',
    description:
      'Lists sessions with their encrypted metadata and data keys. A machine device lists only sessions that it hosts.',
    response: streamedListResponse(DeviceSessionDto),
  })
  async listSessions(
    @CurrentDevice() device: DevicePrincipal,
    @Query() query: ListSessionsQueryDto,
    @Res() response: Response,
  ): Promise<void> {
    await streamPage(response, await this.sessions.listSessionsForDevice(device, query));
  }

  @Get(':id')
  @DeviceOrBrowserOnly('sessions.read')
  @Operation({
    id: 'getSessionForDevice',
    tag: 'Sessions',
    summary: 'Get a session',
    description: 'Returns the session with its encrypted metadata and its data key.',
    response: singleResponse(DeviceSessionDto),
  })
  async getSession(@CurrentDevice() device: DevicePrincipal, @Param('id') id: string) {
    return { data: await this.sessions.getSessionForDevice(device, id) };
  }

  @Patch(':id')
  @DeviceOrBrowserOnly('sessions.write')
  @Operation({
    id: 'updateSession',
    tag: 'Sessions',
    summary: 'Change a session',
    description:
      'Changes the state, the metadata or the agent. Metadata is encrypted for the next version, and ' +
      '`expectedVersion` is the version that it replaces.',
    response: singleResponse(DeviceSessionDto),
    responseDescription: 'The changed session.',
    errorCodes: ['plan_limit_exceeded', 'conflict'],
    examples: {
      request: { state: 'ended' },
    },
  })
  async updateSession(
    @CurrentDevice() device: DevicePrincipal,
    @Param('id') id: string,
    @Body() body: UpdateSessionDto,
  ) {
    return { data: await this.updateSessionService.updateSession(device, id, body) };
  }

  @Delete(':id')
  @HttpCode(204)
  @DeviceOnly('sessions.write')
  @Operation({
    id: 'deleteSession',
    tag: 'Sessions',
    summary: 'Delete a session',
    description: 'Deletes the session with its messages, turns, permission requests and key grants.',
    response: noContentResponse,
    responseDescription: 'The session is deleted.',
  })
  deleteSession(@CurrentDevice() device: DevicePrincipal, @Param('id') id: string): Promise<void> {
    return this.deleteSessionService.deleteSession(device, id);
  }
}
