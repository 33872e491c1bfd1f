import { Controller, Get, Header, Res } from '@nestjs/common';
import type { Response } from 'express';
import { BrowserOnly, CurrentDevice, type DevicePrincipal } from '../../../access/auth';
import { ReserveResponseBytes } from '../../../access/backpressure';
import { ChangesData } from '../../../access/read-only';
import { ACCOUNT_EXPORT_RESERVE_BYTES, AccountExportSender } from '../../../modules/accounts';

/** Exports all records of the account, like `GET /v1/account/export` (docs/guide/console.md#settings). */
@Controller('console/account')
export class AccountExportPageController {
  constructor(private readonly accountExportSender: AccountExportSender) {}

  @Get('export')
  @ChangesData()
  @ReserveResponseBytes(ACCOUNT_EXPORT_RESERVE_BYTES)
  @Header('Cache-Control', 'no-store')
  @Header('Cross-Origin-Resource-Policy', 'same-origin')
  @BrowserOnly()
  exportAccount(@CurrentDevice() { accountId }: DevicePrincipal, @Res() response: Response): Promise<void> {
    return this.accountExportSender.sendExport(accountId, response);
  }
}
