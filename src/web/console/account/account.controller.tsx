import { Body, Get, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { BrowserOnly, LoginCookie } from '../../../access/auth';
import { AccountDeletionService, AccountsService } from '../../../modules/accounts';
import { DevicesService } from '../../../modules/devices';
import { createFormState, getFormText, type FormState } from '../forms/form-state';
import { ConsoleController } from '../html/console-controller';
import { CurrentViewer } from '../html/current-viewer';
import { HtmlPage, SeeOther } from '../html/html-page';
import type { FormFields } from '../html/read-page-form';
import type { Viewer } from '../html/viewer';
import { AccountPage } from './account-page';

/** Shows and deletes the account (docs/guide/console.md#settings). */
@ConsoleController('console/account')
export class AccountPageController {
  constructor(
    private readonly accounts: AccountsService,
    private readonly accountDeletionService: AccountDeletionService,
    private readonly devices: DevicesService,
    private readonly loginCookie: LoginCookie,
  ) {}

  @Get()
  @BrowserOnly()
  showAccount(@CurrentViewer() viewer: Viewer): Promise<HtmlPage> {
    return this.renderAccountPage(viewer, createFormState());
  }

  /** Deletes the account if the form contains its username. */
  @Post('delete')
  @BrowserOnly()
  async deleteAccount(
    @CurrentViewer() viewer: Viewer,
    @Body() form: FormFields,
    @Res({ passthrough: true }) response: Response,
  ): Promise<HtmlPage | SeeOther> {
    const { accountId, username } = viewer;
    if (getFormText(form, 'username') !== username) {
      const fieldErrors = { username: `Enter ${username} to delete the account.` };
      return this.renderAccountPage(viewer, { values: form, fieldErrors, problem: null, status: 400 });
    }
    await this.accountDeletionService.deleteAccount(accountId);
    this.loginCookie.clearToken(response);
    return new SeeOther(`/console/sign-in?deleted=${accountId}`);
  }

  private async renderAccountPage({ accountId, deviceId }: Viewer, deletion: FormState): Promise<HtmlPage> {
    const account = await this.accounts.getAccount(accountId);
    const recoveryKeys = await this.devices.listRecoveryKeys(accountId);
    const content = <AccountPage {...{ account, deviceId, recoveryKeys, deletion }} />;
    return new HtmlPage(content, { title: 'Settings', status: deletion.status, script: 'account.js' });
  }
}
