import { Get, Param, Query } from '@nestjs/common';
import { BrowserOnly } from '../../../access/auth';
import { Clock } from '../../../common/clock';
import { MAX_PAGE_SIZE } from '../../../common/pages';
import { Config } from '../../../core/config';
import { AuthorizedAppsService } from '../../../modules/developer-apps';
import { DevicesService } from '../../../modules/devices';
import { MachinesService } from '../../../modules/machines';
import { PersonalAccessTokensService } from '../../../modules/personal-access-tokens';
import { ListActivityQueryDto, RelayActivityService } from '../../../modules/relay';
import { readFilters } from '../forms/log-filters';
import { ConsoleController } from '../html/console-controller';
import { CurrentViewer } from '../html/current-viewer';
import { HtmlPage } from '../html/html-page';
import type { Viewer } from '../html/viewer';
import { ActivityPageQueryDto, type ActivityFilterNames } from './activity-filters';
import { ActivityPage } from './activity-page';
import { CallPage, METHOD_LABELS } from './call-page';

const NO_CALLS = { data: [], nextCursor: null };

/** Lists relayed calls without their content (docs/guide/console.md#devices-and-activity). */
@ConsoleController('console/activity')
export class ActivityController {
  constructor(
    private readonly activity: RelayActivityService,
    private readonly tokens: PersonalAccessTokensService,
    private readonly authorizedApps: AuthorizedAppsService,
    private readonly devices: DevicesService,
    private readonly machines: MachinesService,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  @Get()
  @BrowserOnly()
  async listActivity(
    @CurrentViewer() { accountId }: Viewer,
    @Query() pageQuery: ActivityPageQueryDto,
  ): Promise<HtmlPage> {
    const { form, query } = await readFilters(ListActivityQueryDto, pageQuery);
    const calls = query ? await this.activity.listActivity(accountId, query) : NO_CALLS;
    const content = (
      <ActivityPage
        calls={calls}
        cursor={pageQuery.cursor}
        filters={form}
        names={await this.readNames(accountId)}
        exportPath={query && buildExportPath(query)}
        publicUrl={this.config.publicUrl}
        now={this.clock.now()}
      />
    );
    return new HtmlPage(content, { title: 'Activity', status: form.status, script: 'activity.js' });
  }

  @Get(':requestId')
  @BrowserOnly()
  async showCall(@CurrentViewer() { accountId }: Viewer, @Param('requestId') requestId: string): Promise<HtmlPage> {
    const call = await this.activity.getCall(accountId, requestId);
    const machineNames = await this.machines.findNames(accountId, call.machineId === null ? [] : [call.machineId]);
    return new HtmlPage(<CallPage call={call} machineNames={machineNames} />, { title: METHOD_LABELS[call.method] });
  }

  /** Names the newest of each kind, which the filters offer. */
  private async readNames(accountId: string): Promise<ActivityFilterNames> {
    const query = { limit: MAX_PAGE_SIZE };
    const [tokens, apps, devices] = await Promise.all([
      this.tokens.listPersonalAccessTokens(accountId, query),
      this.authorizedApps.listAuthorizedApps(accountId, query),
      this.devices.listDevices(accountId, query),
    ]);
    return {
      callers: new Map([
        ...tokens.data.map(({ id, name }): [string, string] => [id, `Token ${name}`]),
        ...apps.data.map(({ clientId, name }): [string, string] => [clientId, `App ${name}`]),
      ]),
      devices: new Map(devices.data.map(({ id, name }) => [id, name])),
    };
  }
}

function buildExportPath({ callerId, deviceId, outcome, since, until }: ListActivityQueryDto): string {
  const filters = Object.entries({ callerId, deviceId, outcome, since, until })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [name, String(value)]);
  const query = new URLSearchParams(filters).toString();
  return query === '' ? '/console/activity.csv' : `/console/activity.csv?${query}`;
}
