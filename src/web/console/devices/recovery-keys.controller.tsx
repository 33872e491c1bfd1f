import { Body, Get, Ip, Post } from '@nestjs/common';
import { BrowserOnly, CurrentDevice, type DevicePrincipal } from '../../../access/auth';
import { AccountsService } from '../../../modules/accounts';
import { ApprovePairingDto, DevicesService, PairingsService, type DeviceDto } from '../../../modules/devices';
import { getFormList, getFormText } from '../forms/form-state';
import { parseFormDto } from '../forms/parse-form-dto';
import { ConsoleController } from '../html/console-controller';
import { HtmlPage, SeeOther } from '../html/html-page';
import { getFormField, type FormFields } from '../html/read-page-form';
import { NewRecoveryKeyPage } from './new-recovery-key-page';

/** Creates recovery keys, which replace earlier ones (docs/guide/console.md#the-recovery-key). */
@ConsoleController('console/devices/recovery-key')
export class RecoveryKeysPageController {
  constructor(
    private readonly accounts: AccountsService,
    private readonly devices: DevicesService,
    private readonly pairings: PairingsService,
  ) {}

  @Get()
  @BrowserOnly()
  async showNewKey(@CurrentDevice() { accountId }: DevicePrincipal): Promise<HtmlPage> {
    const account = await this.accounts.getAccount(accountId);
    const recoveryKeys = await this.listActiveKeys(accountId);
    return new HtmlPage(<NewRecoveryKeyPage {...{ account, recoveryKeys }} />, {
      title: 'Create a recovery key',
      script: 'recovery-key.js',
      isNarrow: true,
    });
  }

  /** Approves the pairing of the new key first, so that the account always has one. */
  @Post()
  @BrowserOnly()
  async createKey(
    @CurrentDevice() device: DevicePrincipal,
    @Body() form: FormFields,
    @Ip() address: string,
  ): Promise<SeeOther> {
    const { enrollment } = await parseFormDto(ApprovePairingDto, { enrollment: getFormText(form, 'enrollment') });
    const revokedIds = getFormList(form, 'revoke');
    const replacedKeys = (await this.listActiveKeys(device.accountId)).filter(({ id }) => revokedIds.includes(id));
    await this.pairings.approvePairing(device, getFormField(form, 'code'), address, enrollment);
    for (const { id } of replacedKeys) await this.devices.revokeDevice(device.accountId, id);
    return new SeeOther('/console/devices#recovery-keys');
  }

  private async listActiveKeys(accountId: string): Promise<DeviceDto[]> {
    return (await this.devices.listRecoveryKeys(accountId)).filter(({ state }) => state !== 'revoked');
  }
}
