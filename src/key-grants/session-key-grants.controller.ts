import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { CurrentDevice, DeviceOnly, type DevicePrincipal } from '../auth';
import { PageQuery } from '../common/pages';
import { CreateKeyGrantService } from './create-key-grant.service';
import { CreateKeyGrantDto } from './key-grants.dto';
import { KeyGrantsService } from './key-grants.service';

/** Who may read a session, as its devices say (encryption.md, Key grants). */
@Controller('v1/sessions/:id/key-grants')
export class SessionKeyGrantsController {
  constructor(
    private readonly grants: KeyGrantsService,
    private readonly creation: CreateKeyGrantService,
  ) {}

  @Post()
  @DeviceOnly('key-grants.manage')
  async create(
    @CurrentDevice() device: DevicePrincipal,
    @Param('id') sessionId: string,
    @Body() body: CreateKeyGrantDto,
    @Res({ passthrough: true }) response: Response,
  ) {
    const { grant, created } = await this.creation.create(device, { sessionId }, body);
    response.status(created ? 201 : 200);
    return { data: grant };
  }

  @Get()
  @DeviceOnly('key-grants.manage')
  list(@CurrentDevice() device: DevicePrincipal, @Param('id') sessionId: string, @Query() query: PageQuery) {
    return this.grants.list(device, { sessionId }, query);
  }

  @Delete(':grantId')
  @HttpCode(204)
  @DeviceOnly('key-grants.manage')
  revoke(
    @CurrentDevice() device: DevicePrincipal,
    @Param('id') sessionId: string,
    @Param('grantId') grantId: string,
  ): Promise<void> {
    return this.grants.revoke(device, { sessionId }, grantId);
  }
}
