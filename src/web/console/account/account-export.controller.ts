import { pipeline } from 'node:stream/promises';
import { Controller, Get, Header, Res } from '@nestjs/common';
import type { Response } from 'express';
import { BrowserOnly, CurrentDevice, type DevicePrincipal } from '../../../access/auth';
import { ReserveResponseBytes } from '../../../access/backpressure';
import { ChangesData } from '../../../access/read-only';
import { compressResponse } from '../../../common/http';
import { Config } from '../../../core/config';
import {
  ACCOUNT_EXPORT_RESERVE_BYTES,
  AccountExporter,
  AccountsService,
  toAccountDto,
} from '../../../modules/accounts';

/** Exports all records of the account, like `GET /v1/account/export` (docs/guide/console.md#settings). */
@Controller('console/account')
export class AccountExportPageController {
  constructor(
    private readonly accounts: AccountsService,
    private readonly accountExporter: AccountExporter,
    private readonly config: Config,
  ) {}

  @Get('export')
  @ChangesData()
  @ReserveResponseBytes(ACCOUNT_EXPORT_RESERVE_BYTES)
  @Header('Cache-Control', 'no-store')
  @Header('Cross-Origin-Resource-Policy', 'same-origin')
  @BrowserOnly()
  async exportAccount(@CurrentDevice() { accountId }: DevicePrincipal, @Res() response: Response): Promise<void> {
    const account = await this.accounts.openExport(accountId);
    response.type('application/json').attachment('account-export.json');
    compressResponse(response);
    await pipeline(this.accountExporter.streamJson(accountId, toAccountDto(account, this.config)), response);
  }
}
