import { Controller, Delete, Get, Header, HttpCode, Res } from '@nestjs/common';
import type { Response } from 'express';
import { CurrentDevice, DeviceOnly, type DevicePrincipal } from '../../access/auth';
import { ReserveResponseBytes } from '../../access/backpressure';
import { ChangesData } from '../../access/read-only';
import { Config } from '../../core/config';
import { noContentResponse, Operation, singleResponse, streamedJsonResponse } from '../../common/http';
import { AccountDto, toAccountDto } from './account.response.dto';
import { AccountExportSender } from './account-export-sender';
import { AccountsService } from './accounts.service';
import { AccountDeletionService } from './deletion/account-deletion.service';

/** The export reads two artifacts of up to 8 MiB at a time. */
export const ACCOUNT_EXPORT_RESERVE_BYTES = 16 * 1_048_576;

/** Account routes for its devices (docs/protocol/device-api.md#account). */
@Controller('v1/account')
export class AccountController {
  constructor(
    private readonly accounts: AccountsService,
    private readonly accountDeletionService: AccountDeletionService,
    private readonly accountExportSender: AccountExportSender,
    private readonly config: Config,
  ) {}

  @Get()
  @DeviceOnly('account.read')
  @Operation({
    id: 'getAccount',
    tag: 'Account',
    summary: 'Get the account',
    description: 'Returns the account of the device, with its plan and the public content key.',
    response: singleResponse(AccountDto),
  })
  async getAccount(@CurrentDevice() device: DevicePrincipal) {
    const account = await this.accounts.getAccount(device.accountId);
    return { data: toAccountDto(account, this.config) };
  }

  @Delete()
  @HttpCode(204)
  @DeviceOnly('account.delete')
  @Operation({
    id: 'deleteAccount',
    tag: 'Account',
    summary: 'Delete the account',
    description:
      'Deletes the account with everything in it. It cannot be undone. The credentials end and the username is free ' +
      'at once. Stored records are deleted in the background.',
    response: noContentResponse,
    responseDescription: 'The account is deleted.',
  })
  deleteAccount(@CurrentDevice() device: DevicePrincipal): Promise<void> {
    return this.accountDeletionService.deleteAccount(device.accountId);
  }

  /** Streams all records and ciphertext as one JSON document: `{"data": {"account": …, "sessions": […], …}}`. */
  @Get('export')
  @ChangesData()
  @ReserveResponseBytes(ACCOUNT_EXPORT_RESERVE_BYTES)
  @Header('Cache-Control', 'no-store')
  @DeviceOnly('account.delete')
  @Operation({
    id: 'exportAccount',
    tag: 'Account',
    summary: 'Export the account',
    description:
      'Streams all records and ciphertext of the account as one JSON document. `data` has `account` and an array ' +
      'for each kind of record.',
    response: streamedJsonResponse,
    responseDescription: 'The export.',
  })
  exportAccount(@CurrentDevice() device: DevicePrincipal, @Res() response: Response): Promise<void> {
    return this.accountExportSender.sendExport(device.accountId, response);
  }
}
