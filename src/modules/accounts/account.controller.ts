import { pipeline } from 'node:stream/promises';
import { Controller, Get, Header, Res } from '@nestjs/common';
import type { Response } from 'express';
import { CurrentDevice, DeviceOnly, type DevicePrincipal } from '../../access/auth';
import { ReserveResponseBytes } from '../../access/backpressure';
import { Config } from '../../core/config';
import { AccountExporter } from './account-exporter';
import { AccountsService, type Account } from './accounts.service';
import { getPlan } from './plan';

/** The export reads two artifacts of up to 8 MiB at a time. */
const EXPORT_RESERVE_BYTES = 16 * 1_048_576;

/** Account routes for its devices (docs/protocol/device-api.md#account). */
@Controller('v1/account')
export class AccountController {
  constructor(
    private readonly accounts: AccountsService,
    private readonly accountExporter: AccountExporter,
    private readonly config: Config,
  ) {}

  @Get()
  @DeviceOnly('account.read')
  async getAccount(@CurrentDevice() device: DevicePrincipal) {
    const account = await this.accounts.getAccount(device.accountId);
    return { data: toAccountDto(account, this.config) };
  }

  /** Streams all records and ciphertext as one JSON document: `{"data": {"account": …, "sessions": […], …}}`. */
  @Get('export')
  @ReserveResponseBytes(EXPORT_RESERVE_BYTES)
  @Header('Cache-Control', 'no-store')
  @DeviceOnly('account.delete')
  async exportAccount(@CurrentDevice() device: DevicePrincipal, @Res() response: Response): Promise<void> {
    const account = await this.accounts.getAccount(device.accountId);
    response.type('application/json').attachment('account-export.json');
    await pipeline(this.accountExporter.streamJson(account.id, toAccountDto(account, this.config)), response);
  }
}

export function toAccountDto(account: Account, config: Config) {
  return {
    id: account.id,
    object: 'account' as const,
    username: account.username,
    contentPublicKey: account.contentPublicKey,
    contentKeyVersion: account.contentKeyVersion,
    plan: getPlan(config, account.limits),
    createdAt: account.createdAt.getTime(),
  };
}
