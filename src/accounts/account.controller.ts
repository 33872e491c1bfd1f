import { pipeline } from 'node:stream/promises';
import { Controller, Get, Header, Res } from '@nestjs/common';
import type { Response } from 'express';
import { CurrentDevice, DeviceOnly, type DevicePrincipal } from '../auth';
import { Config } from '../config';
import { AccountExport } from './account-export';
import { AccountsService, type Account } from './accounts.service';
import { planOf } from './plan';

/** The account as its own devices see it (device-api.md). */
@Controller('v1/account')
export class AccountController {
  constructor(
    private readonly accounts: AccountsService,
    private readonly exports: AccountExport,
    private readonly config: Config,
  ) {}

  @Get()
  @DeviceOnly('account.read')
  async get(@CurrentDevice() device: DevicePrincipal) {
    const account = await this.accounts.get(device.accountId);
    return { data: toAccountRecord(account, this.config) };
  }

  /** All records and ciphertext as one JSON document, streamed: `{"data": {"account": …, "sessions": […], …}}`. */
  @Get('export')
  @Header('Cache-Control', 'no-store')
  @DeviceOnly('account.delete')
  async export(@CurrentDevice() device: DevicePrincipal, @Res() response: Response): Promise<void> {
    const account = await this.accounts.get(device.accountId);
    response.type('application/json').attachment('account-export.json');
    await pipeline(this.exports.json(account.id, toAccountRecord(account, this.config)), response);
  }
}

export function toAccountRecord(account: Account, config: Config) {
  return {
    id: account.id,
    object: 'account' as const,
    username: account.username,
    contentPublicKey: account.contentPublicKey,
    contentKeyVersion: account.contentKeyVersion,
    plan: planOf(config, account.limits),
    createdAt: account.createdAt.getTime(),
  };
}
