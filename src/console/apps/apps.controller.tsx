import { Body, Get, Param, Post, Query } from '@nestjs/common';
import { SessionOnly } from '../../auth';
import { PageQuery } from '../../common/pages';
import { Config } from '../../config';
import { CreateDeveloperAppDto, DeveloperAppsService } from '../../developer-apps';
import { freshForm, refusedForm, type FormState } from '../forms/form-state';
import { readDto } from '../forms/read-dto';
import { ConsoleController } from '../html/console-controller';
import { CurrentViewer } from '../html/current-viewer';
import { Page, SeeOther } from '../html/page';
import type { FormFields } from '../html/read-form';
import type { Viewer } from '../html/viewer';
import { AppForm } from './app-form';
import { appFields, appInput } from './app-input';
import { AppList } from './app-list';
import { AppPage } from './app-page';
import { AppShown } from './app-shown';

/** A person's own third-party apps: register, look at, change (console.md, Apps). */
@ConsoleController('console/apps')
export class AppsController {
  constructor(
    private readonly apps: DeveloperAppsService,
    private readonly config: Config,
  ) {}

  @Get()
  @SessionOnly()
  async list(@CurrentViewer() { accountId }: Viewer, @Query() query: PageQuery): Promise<Page> {
    const apps = await this.apps.list(accountId, query);
    const content = <AppList apps={apps} cursor={query.cursor} publicUrl={this.config.publicUrl} />;
    return new Page(content, { title: 'Apps' });
  }

  @Get('new')
  @SessionOnly()
  form(): Page {
    return newPage(freshForm());
  }

  @Post()
  @SessionOnly()
  async create(@CurrentViewer() { accountId }: Viewer, @Body() form: FormFields): Promise<Page> {
    try {
      const request = await readDto(CreateDeveloperAppDto, appInput(form));
      const { data, clientSecret } = await this.apps.create(accountId, request);
      const heading = `${data.name} is registered`;
      const content = <AppShown heading={heading} app={data} clientSecret={clientSecret} />;
      return new Page(content, { title: heading });
    } catch (error) {
      return newPage(refusedForm(form, error));
    }
  }

  @Get(':clientId')
  @SessionOnly()
  async show(@CurrentViewer() { accountId }: Viewer, @Param('clientId') id: string): Promise<Page> {
    const app = await this.apps.get(accountId, id);
    return new Page(<AppPage app={app} publicUrl={this.config.publicUrl} />, { title: app.name });
  }

  @Get(':clientId/edit')
  @SessionOnly()
  async edit(@CurrentViewer() { accountId }: Viewer, @Param('clientId') id: string): Promise<Page> {
    const app = await this.apps.get(accountId, id);
    return editPage(id, app.name, freshForm(appFields(app)));
  }

  @Post(':clientId/edit')
  @SessionOnly()
  async update(
    @CurrentViewer() { accountId }: Viewer,
    @Param('clientId') id: string,
    @Body() form: FormFields,
  ): Promise<Page | SeeOther> {
    const { name } = await this.apps.get(accountId, id);
    try {
      await this.apps.update(accountId, id, await readDto(CreateDeveloperAppDto, appInput(form)));
      return new SeeOther(`/console/apps/${id}`);
    } catch (error) {
      return editPage(id, name, refusedForm(form, error));
    }
  }
}

function newPage(form: FormState): Page {
  const up = { path: '/console/apps', text: 'Apps' };
  const content = <AppForm form={form} heading="Register an app" up={up} action="/console/apps" verb="Register" />;
  return new Page(content, { title: 'Register an app', status: form.status });
}

function editPage(clientId: string, name: string, form: FormState): Page {
  const up = { path: `/console/apps/${clientId}`, text: name };
  const content = <AppForm form={form} heading="Edit" up={up} action={`${up.path}/edit`} verb="Save" />;
  return new Page(content, { title: `Edit ${name}`, status: form.status });
}
