import { Get, Query } from '@nestjs/common';
import { BrowserOnly } from '../../../access/auth';
import { Clock } from '../../../common/clock';
import { AuditEventsService, ListAuditEventsQueryDto } from '../../../modules/audit-events';
import { readFilters } from '../forms/log-filters';
import { ConsoleController } from '../html/console-controller';
import { CurrentViewer } from '../html/current-viewer';
import { HtmlPage } from '../html/html-page';
import type { Viewer } from '../html/viewer';
import { SecurityLogPage } from './security-log-page';
import { TimeRangeQueryDto } from '../forms/time-range-query.dto';

const NO_EVENTS = { data: [], nextCursor: null };

/** Lists the account's audit events (docs/guide/console.md#security-log). */
@ConsoleController('console/security-log')
export class SecurityLogController {
  constructor(
    private readonly auditEvents: AuditEventsService,
    private readonly clock: Clock,
  ) {}

  @Get()
  @BrowserOnly()
  async listAuditEvents(
    @CurrentViewer() { accountId }: Viewer,
    @Query() pageQuery: TimeRangeQueryDto,
  ): Promise<HtmlPage> {
    const { form, query } = await readFilters(ListAuditEventsQueryDto, pageQuery);
    const events = query ? await this.auditEvents.listAuditEvents(accountId, query) : NO_EVENTS;
    const now = this.clock.now();
    const content = <SecurityLogPage events={events} cursor={pageQuery.cursor} filters={form} now={now} />;
    return new HtmlPage(content, { title: 'Security log', status: form.status, script: 'security-log.js' });
  }
}
