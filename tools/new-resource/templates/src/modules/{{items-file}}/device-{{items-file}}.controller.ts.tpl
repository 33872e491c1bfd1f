import { Body, Controller, Delete, Get, HttpCode, Param, {{#write}}Patch, {{/write}}Post, Query } from '@nestjs/common';
import { CurrentDevice, DeviceOnly, type DevicePrincipal } from '../../access/auth';
import { PageQueryDto } from '../../common/pages';
import { Create{{Item}}Dto{{#write}}, Update{{Item}}Dto{{/write}} } from './{{items-file}}.dto';
import { {{Items}}Service } from './{{items-file}}.service';

/** The account's {{items words}} as devices read and write them. */
@Controller('v1/{{items-file}}')
export class Device{{Items}}Controller {
  constructor(private readonly service: {{Items}}Service) {}

  @Post()
  @DeviceOnly('{{items-file}}.write')
  async create{{Item}}(@CurrentDevice() device: DevicePrincipal, @Body() body: Create{{Item}}Dto) {
    return { data: await this.service.create{{Item}}(device, body) };
  }

  @Get()
  @DeviceOnly('{{items-file}}.read')
  list{{Items}}(@CurrentDevice() device: DevicePrincipal, @Query() query: PageQueryDto) {
    return this.service.list{{Items}}(device.accountId, query);
  }

  @Get(':id')
  @DeviceOnly('{{items-file}}.read')
  async get{{Item}}(@CurrentDevice() device: DevicePrincipal, @Param('id') id: string) {
    return { data: await this.service.get{{Item}}(device.accountId, id) };
  }

{{#write}}
  @Patch(':id')
  @DeviceOnly('{{items-file}}.write')
  async update{{Item}}(
    @CurrentDevice() device: DevicePrincipal,
    @Param('id') id: string,
    @Body() body: Update{{Item}}Dto,
  ) {
    return { data: await this.service.update{{Item}}(device, id, body) };
  }

{{/write}}
  @Delete(':id')
  @HttpCode(204)
  @DeviceOnly('{{items-file}}.write')
  delete{{Item}}(@CurrentDevice() device: DevicePrincipal, @Param('id') id: string): Promise<void> {
    return this.service.delete{{Item}}(device, id);
  }
}
