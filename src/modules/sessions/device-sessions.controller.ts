import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { CurrentDevice, DeviceOnly, type DevicePrincipal } from '../../access/auth';
import { ReserveResponseBytes } from '../../access/backpressure';
import { streamPage } from '../../common/http';
import { MAX_PAGE_BYTES } from '../../common/pages';
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
  @DeviceOnly('sessions.read')
  async listSessions(
    @CurrentDevice() device: DevicePrincipal,
    @Query() query: ListSessionsQueryDto,
    @Res() response: Response,
  ): Promise<void> {
    await streamPage(response, await this.sessions.listSessionsForDevice(device, query));
  }

  @Get(':id')
  @DeviceOnly('sessions.read')
  async getSession(@CurrentDevice() device: DevicePrincipal, @Param('id') id: string) {
    return { data: await this.sessions.getSessionForDevice(device, id) };
  }

  @Patch(':id')
  @DeviceOnly('sessions.write')
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
  deleteSession(@CurrentDevice() device: DevicePrincipal, @Param('id') id: string): Promise<void> {
    return this.deleteSessionService.deleteSession(device, id);
  }
}
