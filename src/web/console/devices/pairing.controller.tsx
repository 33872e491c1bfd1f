import { Body, Ip, Post } from '@nestjs/common';
import { AccountsService } from '../../../modules/accounts';
import { CurrentDevice, BrowserOnly, type DevicePrincipal } from '../../../access/auth';
import { ApprovePairingDto, PairingsService } from '../../../modules/devices';
import { parseFormDto } from '../forms/parse-form-dto';
import { toRejectedForm, getFormText } from '../forms/form-state';
import { ConsoleController } from '../html/console-controller';
import { HtmlPage, SeeOther } from '../html/html-page';
import { getFormField, type FormFields } from '../html/read-page-form';
import { PairingCodePage, PairingPage } from './pairing-page';

/** Shows, approves and denies pairings of new devices (docs/guide/console.md#linking-and-what-to-compare). */
@ConsoleController('console/devices/pairing')
export class PairingPageController {
  constructor(
    private readonly pairings: PairingsService,
    private readonly accounts: AccountsService,
  ) {}

  /** Uses POST so that links on other sites cannot use up the account's attempts. */
  @Post()
  @BrowserOnly()
  async showPairing(
    @CurrentDevice() device: DevicePrincipal,
    @Body() form: FormFields,
    @Ip() address: string,
  ): Promise<HtmlPage> {
    try {
      const pairing = await this.pairings.findPairing(device, getFormText(form, 'code') ?? '', address);
      const account = await this.accounts.getAccount(device.accountId);
      return new HtmlPage(<PairingPage pairing={pairing} account={account} />, {
        title: 'Approve a device',
        script: 'approve.js',
      });
    } catch (error) {
      return renderRejectedCode(form, error);
    }
  }

  @Post('approve')
  @BrowserOnly()
  async approvePairing(
    @CurrentDevice() device: DevicePrincipal,
    @Body() form: FormFields,
    @Ip() address: string,
  ): Promise<HtmlPage | SeeOther> {
    const { enrollment } = await parseFormDto(ApprovePairingDto, {
      enrollment: getFormText(form, 'enrollment'),
    });
    try {
      await this.pairings.approvePairing(device, getFormField(form, 'code'), address, enrollment);
      return new SeeOther('/console/devices');
    } catch (error) {
      return renderRejectedCode(form, error);
    }
  }

  @Post('deny')
  @BrowserOnly()
  async denyPairing(
    @CurrentDevice() device: DevicePrincipal,
    @Body() form: FormFields,
    @Ip() address: string,
  ): Promise<HtmlPage | SeeOther> {
    try {
      await this.pairings.denyPairing(device, getFormField(form, 'code'), address);
      return new SeeOther('/console/devices');
    } catch (error) {
      return renderRejectedCode(form, error);
    }
  }
}

/** Asks for a code again. A code may also expire, or be decided elsewhere, while the person compares fingerprints. */
function renderRejectedCode(form: FormFields, error: unknown): HtmlPage {
  const state = toRejectedForm(form, error, [404, 429, 503]);
  return new HtmlPage(<PairingCodePage form={state} />, { title: 'Approve a device', status: state.status });
}
