import { Controller, Get } from '@nestjs/common';
import { DeviceOnly } from '../auth';
import { GrantKeys } from './sealed/grant-keys';

@Controller('v1/key-grants/recipient')
export class GrantRecipientController {
  constructor(private readonly keys: GrantKeys) {}

  /** What devices seal grants for the service to (encryption.md, Key grants). */
  @Get()
  @DeviceOnly('key-grants.manage')
  get() {
    return { data: this.keys.published };
  }
}
