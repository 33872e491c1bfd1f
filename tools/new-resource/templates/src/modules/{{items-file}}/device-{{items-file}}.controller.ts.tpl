import { Body, Controller, Delete, Get, HttpCode, Param, {{#write}}Patch, {{/write}}Post, Query } from '@nestjs/common';
import { CurrentDevice, DeviceOnly, type DevicePrincipal } from '../../access/auth';
import { listResponse, noContentResponse, Operation, singleResponse } from '../../common/http';
import { PageQueryDto } from '../../common/pages';
import { {{Item}}Dto } from './{{item-file}}.response.dto';
import { Create{{Item}}Dto{{#write}}, Update{{Item}}Dto{{/write}} } from './{{items-file}}.dto';
import { {{Items}}Service } from './{{items-file}}.service';

/** The account's {{items words}} as devices read and write them. */
@Controller('v1/{{items-file}}')
export class Device{{Items}}Controller {
  constructor(private readonly service: {{Items}}Service) {}

  @Post()
  @DeviceOnly('{{items-file}}.write')
  @Operation({
    id: 'create{{Item}}ByDevice',
    tag: '{{Items words}}',
    summary: 'Create {{a item}}',
    description: 'Creates {{a item}} of the account.',
    response: singleResponse({{Item}}Dto),
    responseDescription: 'The {{item words}}.',
    errorCodes: ['plan_limit_exceeded'],
  })
  async create{{Item}}(@CurrentDevice() device: DevicePrincipal, @Body() body: Create{{Item}}Dto) {
    return { data: await this.service.create{{Item}}(device, body) };
  }

  @Get()
  @DeviceOnly('{{items-file}}.read')
  @Operation({
    id: 'list{{Items}}ForDevice',
    tag: '{{Items words}}',
    summary: 'List {{items words}}',
    description: 'Lists the {{items words}} of the account, the newest first.',
    response: listResponse({{Item}}Dto),
  })
  list{{Items}}(@CurrentDevice() device: DevicePrincipal, @Query() query: PageQueryDto) {
    return this.service.list{{Items}}(device.accountId, query);
  }

  @Get(':id')
  @DeviceOnly('{{items-file}}.read')
  @Operation({
    id: 'get{{Item}}ForDevice',
    tag: '{{Items words}}',
    summary: 'Get {{a item}}',
    description: 'Returns the {{item words}}.',
    response: singleResponse({{Item}}Dto),
  })
  async get{{Item}}(@CurrentDevice() device: DevicePrincipal, @Param('id') id: string) {
    return { data: await this.service.get{{Item}}(device.accountId, id) };
  }

{{#write}}
  @Patch(':id')
  @DeviceOnly('{{items-file}}.write')
  @Operation({
    id: 'update{{Item}}ByDevice',
    tag: '{{Items words}}',
    summary: 'Change {{a item}}',
    description: 'Changes the members of the body.',
    response: singleResponse({{Item}}Dto),
    responseDescription: 'The {{item words}} after the change.',
    errorCodes: ['conflict'],
  })
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
  @Operation({
    id: 'delete{{Item}}ByDevice',
    tag: '{{Items words}}',
    summary: 'Delete {{a item}}',
    description: 'Deletes the {{item words}}.',
    response: noContentResponse,
    responseDescription: 'The {{item words}} was deleted.',
  })
  delete{{Item}}(@CurrentDevice() device: DevicePrincipal, @Param('id') id: string): Promise<void> {
    return this.service.delete{{Item}}(device, id);
  }
}
