import { Controller, Delete, HttpCode } from '@nestjs/common';
import { CurrentDevice, DeviceOnly, type DevicePrincipal } from '../../access/auth';
import { noContentResponse, Operation } from '../../common/http';
import { DevicesService } from './devices.service';

/** Deletes an account (docs/protocol/device-api.md#account). It is here because its devices are revoked with it. */
@Controller('v1/account')
export class AccountDeletionController {
  constructor(private readonly devices: DevicesService) {}

  @Delete()
  @HttpCode(204)
  @DeviceOnly('account.delete')
  @Operation({
    id: 'deleteAccount',
    tag: 'Account',
    summary: 'Delete the account',
    description: 'Deletes the account with everything in it. It cannot be undone.',
    response: noContentResponse,
    responseDescription: 'The account is deleted.',
  })
  deleteAccount(@CurrentDevice() device: DevicePrincipal): Promise<void> {
    return this.devices.deleteAccount(device.accountId);
  }
}
