import { Body, Param, Post } from '@nestjs/common';
import { SessionOnly } from '../../auth';
import { AddSecretDto, AppSecretsService, DeveloperAppsService } from '../../developer-apps';
import { numberOf } from '../forms/form-state';
import { readDto } from '../forms/read-dto';
import { ConsoleController } from '../html/console-controller';
import { CurrentViewer } from '../html/current-viewer';
import { Page, SeeOther } from '../html/page';
import type { FormFields } from '../html/read-form';
import type { Viewer } from '../html/viewer';
import { AppShown } from './app-shown';

/** An app's secrets: one more, one less (console.md, Apps). */
@ConsoleController('console/apps/:clientId/secrets')
export class AppSecretsPageController {
  constructor(
    private readonly apps: DeveloperAppsService,
    private readonly secrets: AppSecretsService,
  ) {}

  @Post()
  @SessionOnly()
  async add(
    @CurrentViewer() { accountId }: Viewer,
    @Param('clientId') clientId: string,
    @Body() form: FormFields,
  ): Promise<Page> {
    const { expireOthersInSeconds } = await readDto(AddSecretDto, {
      expireOthersInSeconds: numberOf(form, 'expireOthersInSeconds'),
    });
    const clientSecret = await this.secrets.add(accountId, clientId, expireOthersInSeconds);
    const app = await this.apps.get(accountId, clientId);
    const heading = 'The new secret';
    return new Page(<AppShown heading={heading} app={app} clientSecret={clientSecret} />, { title: heading });
  }

  @Post(':id/retire')
  @SessionOnly()
  async retire(
    @CurrentViewer() { accountId }: Viewer,
    @Param('clientId') clientId: string,
    @Param('id') id: string,
  ): Promise<SeeOther> {
    await this.secrets.remove(accountId, clientId, id);
    return new SeeOther(`/console/apps/${clientId}`);
  }
}
