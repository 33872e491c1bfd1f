import { Body, Get, Param, Post, Query } from '@nestjs/common';
import { BrowserOnly } from '../../../access/auth';
import { PageQueryDto } from '../../../common/pages';
import { Config } from '../../../core/config';
import { CreateDeveloperAppDto, DeveloperAppsService } from '../../../modules/developer-apps';
import { buildServerMetadata } from '../../../modules/oauth';
import { createFormState, toRejectedForm, type FormState } from '../forms/form-state';
import { parseFormDto } from '../forms/parse-form-dto';
import { ConsoleController } from '../html/console-controller';
import { CurrentViewer } from '../html/current-viewer';
import { HtmlPage, SeeOther } from '../html/html-page';
import type { FormFields } from '../html/read-page-form';
import type { Viewer } from '../html/viewer';
import { AppForm, toAppFormFields, toAppInput } from './app-form';
import { AppList } from './app-list';
import { AppPage } from './app-page';
import { AppSecretCreatedPage } from './app-secrets';

/** Lists, registers, shows and edits the user's own apps (docs/guide/console.md#apps). */
@ConsoleController('console/apps')
export class AppsController {
  constructor(
    private readonly apps: DeveloperAppsService,
    private readonly config: Config,
  ) {}

  @Get()
  @BrowserOnly()
  async listApps(@CurrentViewer() { accountId }: Viewer, @Query() query: PageQueryDto): Promise<HtmlPage> {
    const apps = await this.apps.listDeveloperApps(accountId, query);
    const content = <AppList apps={apps} cursor={query.cursor} publicUrl={this.config.publicUrl} />;
    return new HtmlPage(content, { title: 'Apps' });
  }

  @Get('new')
  @BrowserOnly()
  showAppForm(): HtmlPage {
    return renderNewAppPage(createFormState(), this.config.publicUrl);
  }

  @Post()
  @BrowserOnly()
  async createApp(@CurrentViewer() { accountId }: Viewer, @Body() form: FormFields): Promise<HtmlPage> {
    try {
      const request = await parseFormDto(CreateDeveloperAppDto, toAppInput(form));
      const { data, clientSecret } = await this.apps.createDeveloperApp(accountId, request);
      const heading = `${data.name} has been registered`;
      const content = <AppSecretCreatedPage heading={heading} app={data} clientSecret={clientSecret} />;
      return new HtmlPage(content, { title: heading });
    } catch (error) {
      return renderNewAppPage(toRejectedForm(form, error), this.config.publicUrl);
    }
  }

  @Get(':clientId')
  @BrowserOnly()
  async showApp(@CurrentViewer() { accountId }: Viewer, @Param('clientId') id: string): Promise<HtmlPage> {
    const app = await this.apps.getDeveloperApp(accountId, id);
    return new HtmlPage(<AppPage app={app} publicUrl={this.config.publicUrl} />, { title: app.name });
  }

  @Get(':clientId/edit')
  @BrowserOnly()
  async showEditForm(@CurrentViewer() { accountId }: Viewer, @Param('clientId') id: string): Promise<HtmlPage> {
    const app = await this.apps.getDeveloperApp(accountId, id);
    return renderEditAppPage(id, app.name, createFormState(toAppFormFields(app)));
  }

  @Post(':clientId/edit')
  @BrowserOnly()
  async updateApp(
    @CurrentViewer() { accountId }: Viewer,
    @Param('clientId') id: string,
    @Body() form: FormFields,
  ): Promise<HtmlPage | SeeOther> {
    const { name } = await this.apps.getDeveloperApp(accountId, id);
    try {
      await this.apps.updateDeveloperApp(accountId, id, await parseFormDto(CreateDeveloperAppDto, toAppInput(form)));
      return new SeeOther(`/console/apps/${id}`);
    } catch (error) {
      return renderEditAppPage(id, name, toRejectedForm(form, error));
    }
  }
}

function renderNewAppPage(form: FormState, publicUrl: string): HtmlPage {
  const parentLink = { path: '/console/apps', text: 'Apps' };
  const content = (
    <AppForm
      form={form}
      heading="Register an app"
      parentLink={parentLink}
      action="/console/apps"
      submitLabel="Register"
      authorizationUrl={buildServerMetadata(publicUrl).authorization_endpoint}
    />
  );
  return new HtmlPage(content, { title: 'Register an app', status: form.status });
}

function renderEditAppPage(clientId: string, name: string, form: FormState): HtmlPage {
  const parentLink = { path: `/console/apps/${clientId}`, text: name };
  const content = (
    <AppForm form={form} heading="Edit" parentLink={parentLink} action={`${parentLink.path}/edit`} submitLabel="Save" />
  );
  return new HtmlPage(content, { title: `Edit ${name}`, status: form.status });
}
