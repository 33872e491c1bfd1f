import { Body, Controller, Delete, Get, Header, HttpCode, Param, Post, Query } from '@nestjs/common';
import { CurrentDevice, DeviceOnly, type DevicePrincipal } from '../auth';
import { PageQuery } from '../common/pages';
import { CreateExternalTokenDto, RotateExternalTokenDto } from './external-tokens.dto';
import { ExternalTokensService } from './external-tokens.service';

/** Personal access tokens, for account devices (external-api.md §2). */
@Controller('v1/account/external-tokens')
export class ExternalTokensController {
  constructor(private readonly tokens: ExternalTokensService) {}

  @Post()
  @Header('Cache-Control', 'no-store')
  @DeviceOnly('tokens.manage')
  create(@CurrentDevice() device: DevicePrincipal, @Body() body: CreateExternalTokenDto) {
    return this.tokens.create(device.accountId, body);
  }

  @Get()
  @DeviceOnly('tokens.manage')
  list(@CurrentDevice() device: DevicePrincipal, @Query() query: PageQuery) {
    return this.tokens.list(device.accountId, query);
  }

  @Get(':id')
  @DeviceOnly('tokens.manage')
  async get(@CurrentDevice() device: DevicePrincipal, @Param('id') id: string) {
    return { data: await this.tokens.get(device.accountId, id) };
  }

  @Delete(':id')
  @HttpCode(204)
  @DeviceOnly('tokens.manage')
  revoke(@CurrentDevice() device: DevicePrincipal, @Param('id') id: string): Promise<void> {
    return this.tokens.revoke(device.accountId, id);
  }

  @Post(':id/rotate')
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @DeviceOnly('tokens.manage')
  rotate(@CurrentDevice() device: DevicePrincipal, @Param('id') id: string, @Body() body: RotateExternalTokenDto) {
    return this.tokens.rotate(device.accountId, id, body.overlapSeconds);
  }
}
