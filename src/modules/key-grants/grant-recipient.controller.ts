import { Controller, Get } from '@nestjs/common';
import { DeviceOnly } from '../../access/auth';
import { GrantKeyStore } from './sealed/grant-key-store';

@Controller('v1/key-grants/recipient')
export class GrantRecipientController {
  constructor(private readonly grantKeyStore: GrantKeyStore) {}

  /** Returns the public key to which devices seal grants for the service (docs/protocol/encryption.md#key-grants). */
  @Get()
  @DeviceOnly('key-grants.manage')
  getGrantRecipient() {
    return { data: this.grantKeyStore.publishedKey };
  }
}
