import { Controller, Delete, HttpCode } from '@nestjs/common';
import { CurrentDevice, DeviceOnly, type DevicePrincipal } from '../auth';
import { DevicesService } from './devices.service';

/** The end of an account (device-api.md, Identity); its devices go with it, so they answer for it. */
@Controller('v1/account')
export class AccountRemovalController {
  constructor(private readonly devices: DevicesService) {}

  @Delete()
  @HttpCode(204)
  @DeviceOnly('account.delete')
  delete(@CurrentDevice() device: DevicePrincipal): Promise<void> {
    return this.devices.deleteAccount(device.accountId);
  }
}
