import { Controller, Delete, Get, HttpCode, Param, Query } from '@nestjs/common';
import { CurrentDevice, DeviceOnly, type DevicePrincipal } from '../auth';
import { PageQuery } from '../common/pages';
import { DevicesService } from './devices.service';

/** The account's devices (device-api.md, Identity). */
@Controller('v1/devices')
export class DevicesController {
  constructor(private readonly devices: DevicesService) {}

  @Get()
  @DeviceOnly('devices.manage')
  list(@CurrentDevice() device: DevicePrincipal, @Query() query: PageQuery) {
    return this.devices.list(device.accountId, query);
  }

  @Delete(':id')
  @HttpCode(204)
  @DeviceOnly('devices.manage')
  revoke(@CurrentDevice() device: DevicePrincipal, @Param('id') id: string): Promise<void> {
    return this.devices.revoke(device.accountId, id);
  }
}
