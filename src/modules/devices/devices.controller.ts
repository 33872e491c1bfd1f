import { Controller, Delete, Get, HttpCode, Param, Query } from '@nestjs/common';
import { CurrentDevice, DeviceOnly, type DevicePrincipal } from '../../access/auth';
import { PageQueryDto } from '../../common/pages';
import { DevicesService } from './devices.service';

/** Device routes of an account (docs/protocol/device-api.md#devices). */
@Controller('v1/devices')
export class DevicesController {
  constructor(private readonly devices: DevicesService) {}

  @Get()
  @DeviceOnly('devices.manage')
  listDevices(@CurrentDevice() device: DevicePrincipal, @Query() query: PageQueryDto) {
    return this.devices.listDevices(device.accountId, query);
  }

  @Delete(':id')
  @HttpCode(204)
  @DeviceOnly('devices.manage')
  revokeDevice(@CurrentDevice() device: DevicePrincipal, @Param('id') id: string): Promise<void> {
    return this.devices.revokeDevice(device.accountId, id);
  }
}
