import { Get, Query } from '@nestjs/common';
import { IsOptional, IsString, MaxLength } from 'class-validator';
import { BrowserOnly } from '../../../access/auth';
import { AuditEventsService, ListAuditEventsQueryDto } from '../../../modules/audit-events';
import { parseDateTimeField } from '../forms/date-time-value';
import { createFormState, toRejectedForm } from '../forms/form-state';
import { parseFormDto } from '../forms/parse-form-dto';
import { ConsoleController } from '../html/console-controller';
import { CurrentViewer } from '../html/current-viewer';
import { HtmlPage } from '../html/html-page';
import type { Viewer } from '../html/viewer';
import { SecurityLogPage } from './security-log-page';

const NO_EVENTS = { data: [], nextCursor: null };

/** Query of the page with the raw filters of the form, which are validated as a form. */
class SecurityLogPageQueryDto {
  @IsOptional()
  @MaxLength(100)
  @IsString()
  since?: string;

  @IsOptional()
  @MaxLength(100)
  @IsString()
  until?: string;

  @IsOptional()
  @MaxLength(4096)
  @IsString()
  cursor?: string;
}

/** Lists the account's audit events (docs/guide/console.md#security-log). */
@ConsoleController('console/security-log')
export class SecurityLogController {
  constructor(private readonly auditEvents: AuditEventsService) {}

  @Get()
  @BrowserOnly()
  async listAuditEvents(
    @CurrentViewer() { accountId }: Viewer,
    @Query() pageQuery: SecurityLogPageQueryDto,
  ): Promise<HtmlPage> {
    const { form, query } = await this.readFilters(pageQuery);
    const events = query ? await this.auditEvents.listAuditEvents(accountId, query) : NO_EVENTS;
    const content = <SecurityLogPage events={events} cursor={pageQuery.cursor} filters={form} />;
    return new HtmlPage(content, { title: 'Security log', status: form.status, script: 'security-log.js' });
  }

  /** Returns the query, or the form with its errors if the filters are not valid. */
  private async readFilters({ cursor, ...values }: SecurityLogPageQueryDto) {
    try {
      const [since, until] = [parseDateTimeField(values, 'since'), parseDateTimeField(values, 'until')];
      const query = await parseFormDto(ListAuditEventsQueryDto, { since, until, cursor });
      return { form: createFormState(values), query };
    } catch (error) {
      return { form: toRejectedForm(values, error), query: null };
    }
  }
}
