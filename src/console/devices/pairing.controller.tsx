import { Body, Ip, Post } from '@nestjs/common';
import { AccountsService } from '../../accounts';
import { CurrentDevice, SessionOnly, type DevicePrincipal } from '../../auth';
import { ApproveDto, PairingsService } from '../../devices';
import { readDto } from '../forms/read-dto';
import { refusedForm, textOf } from '../forms/form-state';
import { ConsoleController } from '../html/console-controller';
import { Page, SeeOther } from '../html/page';
import { fieldOf, type FormFields } from '../html/read-form';
import { PairingCodePage } from './pairing-code-page';
import { PairingPage } from './pairing-page';

/** A new device asks to join: looked at, then approved or denied (console.md, Devices). */
@ConsoleController('console/devices/pairing')
export class PairingPageController {
  constructor(
    private readonly pairings: PairingsService,
    private readonly accounts: AccountsService,
  ) {}

  /** By POST, so that no link elsewhere can use up the attempts that an account has. */
  @Post()
  @SessionOnly()
  async look(@CurrentDevice() device: DevicePrincipal, @Body() form: FormFields, @Ip() address: string): Promise<Page> {
    try {
      const pairing = await this.pairings.find(device, textOf(form, 'code') ?? '', address);
      const account = await this.accounts.get(device.accountId);
      return new Page(<PairingPage pairing={pairing} account={account} />, {
        title: 'Approve a device',
        script: 'approve.js',
      });
    } catch (error) {
      const state = refusedForm(form, error, [404, 429, 503]);
      return new Page(<PairingCodePage form={state} />, { title: 'Approve a device', status: state.status });
    }
  }

  @Post('approve')
  @SessionOnly()
  async approve(
    @CurrentDevice() device: DevicePrincipal,
    @Body() form: FormFields,
    @Ip() address: string,
  ): Promise<SeeOther> {
    const { enrollment } = await readDto(ApproveDto, { enrollment: textOf(form, 'enrollment') });
    await this.pairings.approve(device, fieldOf(form, 'code'), address, enrollment);
    return new SeeOther('/console/devices');
  }

  @Post('deny')
  @SessionOnly()
  async deny(
    @CurrentDevice() device: DevicePrincipal,
    @Body() form: FormFields,
    @Ip() address: string,
  ): Promise<SeeOther> {
    await this.pairings.deny(device, fieldOf(form, 'code'), address);
    return new SeeOther('/console/devices');
  }
}
