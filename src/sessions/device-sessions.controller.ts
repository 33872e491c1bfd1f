import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { CurrentDevice, DeviceOnly, type DevicePrincipal } from '../auth';
import { CreateSessionService } from './create-session.service';
import { DeleteSessionService } from './delete-session.service';
import { CreateSessionDto, SessionQuery, UpdateSessionDto } from './sessions.dto';
import { SessionsService } from './sessions.service';
import { UpdateSessionService } from './update-session.service';

/** Sessions as devices keep them (device-api.md, Sync). */
@Controller('v1/sessions')
export class DeviceSessionsController {
  constructor(
    private readonly sessions: SessionsService,
    private readonly creation: CreateSessionService,
    private readonly updates: UpdateSessionService,
    private readonly deletion: DeleteSessionService,
  ) {}

  @Post()
  @DeviceOnly('sessions.write')
  async create(
    @CurrentDevice() device: DevicePrincipal,
    @Body() body: CreateSessionDto,
    @Res({ passthrough: true }) response: Response,
  ) {
    const { session, created } = await this.creation.create(device, body);
    response.status(created ? 201 : 200);
    return { data: session };
  }

  @Get()
  @DeviceOnly('sessions.read')
  list(@CurrentDevice() device: DevicePrincipal, @Query() query: SessionQuery) {
    return this.sessions.listForDevice(device, query);
  }

  @Get(':id')
  @DeviceOnly('sessions.read')
  async get(@CurrentDevice() device: DevicePrincipal, @Param('id') id: string) {
    return { data: await this.sessions.getForDevice(device, id) };
  }

  @Patch(':id')
  @DeviceOnly('sessions.write')
  async update(@CurrentDevice() device: DevicePrincipal, @Param('id') id: string, @Body() body: UpdateSessionDto) {
    return { data: await this.updates.update(device, id, body) };
  }

  @Delete(':id')
  @HttpCode(204)
  @DeviceOnly('sessions.write')
  delete(@CurrentDevice() device: DevicePrincipal, @Param('id') id: string): Promise<void> {
    return this.deletion.delete(device, id);
  }
}
