import { pipeline } from 'node:stream/promises';
import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { compressResponse } from '../../common/http';
import { Config } from '../../core/config';
import { toAccountDto } from './account.response.dto';
import { AccountExporter } from './account-exporter';
import { AccountsService } from './accounts.service';

/** Sends the export of an account to one of its devices or browsers. */
@Injectable()
export class AccountExportSender {
  constructor(
    private readonly accounts: AccountsService,
    private readonly accountExporter: AccountExporter,
    private readonly config: Config,
  ) {}

  /**
   * Streams all records. Answers HEAD, which is safe (RFC 9110 §9.2.1), without reading them or recording an export.
   * @throws ApiError 401 when the account was deleted
   */
  async sendExport(accountId: string, response: Response): Promise<void> {
    const isHead = response.req.method === 'HEAD';
    const account = isHead ? await this.accounts.getAccount(accountId) : await this.accounts.openExport(accountId);
    response.type('application/json').attachment('account-export.json');
    if (isHead) return void response.end();
    compressResponse(response);
    await pipeline(this.accountExporter.streamJson(accountId, toAccountDto(account, this.config)), response);
  }
}
