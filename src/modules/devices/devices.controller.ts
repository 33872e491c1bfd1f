import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Query } from '@nestjs/common';
import { CurrentDevice, DeviceOnly, type DevicePrincipal } from '../../access/auth';
import { listResponse, noContentResponse, Operation, singleResponse } from '../../common/http';
import { PageQueryDto } from '../../common/pages';
import { DeviceDto, RenameDeviceDto } from './device.dto';
import { DevicesService } from './devices.service';

/** Device routes of an account (docs/protocol/device-api.md#devices). */
@Controller('v1/devices')
export class DevicesController {
  constructor(private readonly devices: DevicesService) {}

  @Get()
  @DeviceOnly('devices.manage')
  @Operation({
    id: 'listDevices',
    tag: 'Devices',
    summary: 'List devices',
    description: 'Lists the devices of the account, including revoked ones.',
    response: listResponse(DeviceDto),
  })
  listDevices(@CurrentDevice() device: DevicePrincipal, @Query() query: PageQueryDto) {
    return this.devices.listDevices(device.accountId, query);
  }

  @Patch(':id')
  @DeviceOnly('devices.manage')
  @Operation({
    id: 'renameDevice',
    tag: 'Devices',
    summary: 'Rename a device',
    description: 'Changes the name of the device and of its machine, which later registrations do not change back.',
    response: singleResponse(DeviceDto),
    responseDescription: 'The renamed device.',
  })
  async renameDevice(
    @CurrentDevice() { accountId }: DevicePrincipal,
    @Param('id') id: string,
    @Body() { name }: RenameDeviceDto,
  ) {
    return { data: await this.devices.renameDevice(accountId, id, name) };
  }

  @Delete(':id')
  @HttpCode(204)
  @DeviceOnly('devices.manage')
  @Operation({
    id: 'revokeDevice',
    tag: 'Devices',
    summary: 'Revoke a device',
    description:
      'Permanently ends the tokens and sockets of the device on every instance within one second. Repeated calls ' +
      'return 204 again. The last account device cannot be revoked.',
    response: noContentResponse,
    responseDescription: 'The device is revoked.',
    errorCodes: ['conflict'],
  })
  revokeDevice(@CurrentDevice() device: DevicePrincipal, @Param('id') id: string): Promise<void> {
    return this.devices.revokeDevice(device.accountId, id);
  }
}
