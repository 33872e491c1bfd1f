import { Body, Param, Post } from '@nestjs/common';
import { BrowserOnly } from '../../../access/auth';
import { AddAppSecretDto, AppSecretsService, DeveloperAppsService } from '../../../modules/developer-apps';
import { getFormNumber } from '../forms/form-state';
import { parseFormDto } from '../forms/parse-form-dto';
import { ConsoleController } from '../html/console-controller';
import { CurrentViewer } from '../html/current-viewer';
import { HtmlPage, SeeOther } from '../html/html-page';
import type { FormFields } from '../html/read-page-form';
import type { Viewer } from '../html/viewer';
import { AppSecretCreatedPage } from './app-secrets';

/** Adds and removes secrets of an app (docs/guide/console.md#apps). */
@ConsoleController('console/apps/:clientId/secrets')
export class AppSecretsPageController {
  constructor(
    private readonly apps: DeveloperAppsService,
    private readonly secrets: AppSecretsService,
  ) {}

  @Post()
  @BrowserOnly()
  async addSecret(
    @CurrentViewer() { accountId }: Viewer,
    @Param('clientId') clientId: string,
    @Body() form: FormFields,
  ): Promise<HtmlPage> {
    const { expireOthersInSeconds } = await parseFormDto(AddAppSecretDto, {
      expireOthersInSeconds: getFormNumber(form, 'expireOthersInSeconds'),
    });
    const clientSecret = await this.secrets.addSecret(accountId, clientId, expireOthersInSeconds);
    const app = await this.apps.getDeveloperApp(accountId, clientId);
    const heading = 'New secret';
    return new HtmlPage(<AppSecretCreatedPage heading={heading} app={app} clientSecret={clientSecret} />, {
      title: heading,
    });
  }

  @Post(':id/retire')
  @BrowserOnly()
  async retireSecret(
    @CurrentViewer() { accountId }: Viewer,
    @Param('clientId') clientId: string,
    @Param('id') id: string,
  ): Promise<SeeOther> {
    await this.secrets.removeSecret(accountId, clientId, id);
    return new SeeOther(`/console/apps/${clientId}`);
  }
}
