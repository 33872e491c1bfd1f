import { Controller, Get } from '@nestjs/common';
import { DeviceOrBrowserOnly } from '../../access/auth';
import { Operation, singleResponse } from '../../common/http';
import { GrantRecipientDto } from './key-grant.response.dto';
import { GrantKeyStore } from './sealed/grant-key-store';

@Controller('v1/key-grants/recipient')
export class GrantRecipientController {
  constructor(private readonly grantKeyStore: GrantKeyStore) {}

  /** Returns the public key to which devices seal grants for the service (docs/protocol/encryption.md#key-grants). */
  @Get()
  @DeviceOrBrowserOnly('key-grants.manage')
  @Operation({
    id: 'getGrantRecipient',
    tag: 'Account',
    summary: 'Get the key for grants to the service',
    description: 'Returns the public key to which devices seal grants whose recipient is `service`.',
    response: singleResponse(GrantRecipientDto),
  })
  getGrantRecipient() {
    return { data: this.grantKeyStore.publishedKey };
  }
}
