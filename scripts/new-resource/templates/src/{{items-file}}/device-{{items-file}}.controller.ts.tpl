import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { CurrentDevice, DeviceOnly, type DevicePrincipal } from '../auth';
import { PageQuery } from '../common/pages';
import { Create{{Item}}Dto } from './{{items-file}}.dto';
import { {{Items}}Service } from './{{items-file}}.service';

/** The account's {{items words}} as its devices keep them. */
@Controller('v1/{{items-file}}')
export class Device{{Items}}Controller {
  constructor(private readonly service: {{Items}}Service) {}

  @Post()
  @DeviceOnly('{{items-file}}.write')
  async create(@CurrentDevice() device: DevicePrincipal, @Body() body: Create{{Item}}Dto) {
    return { data: await this.service.create(device.accountId, body) };
  }

  @Get()
  @DeviceOnly('{{items-file}}.read')
  list(@CurrentDevice() device: DevicePrincipal, @Query() query: PageQuery) {
    return this.service.list(device.accountId, query);
  }

  @Get(':id')
  @DeviceOnly('{{items-file}}.read')
  async get(@CurrentDevice() device: DevicePrincipal, @Param('id') id: string) {
    return { data: await this.service.get(device.accountId, id) };
  }

  @Delete(':id')
  @HttpCode(204)
  @DeviceOnly('{{items-file}}.write')
  delete(@CurrentDevice() device: DevicePrincipal, @Param('id') id: string): Promise<void> {
    return this.service.delete(device.accountId, id);
  }
}
