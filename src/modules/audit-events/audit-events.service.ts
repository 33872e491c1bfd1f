import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AccountExporter } from '../accounts';
import { mapPage, type Page } from '../../common/pages';
import { toAuditEventDto, type AuditEventDto } from './audit-event.response.dto';
import type { ListAuditEventsQueryDto } from './audit-events.dto';
import { AuditEventsRepository } from './audit-events.repository';

/** Shows the audit trail, which `AuditRecorder` writes, to the account's owner. */
@Injectable()
export class AuditEventsService implements OnModuleInit {
  constructor(
    private readonly repository: AuditEventsRepository,
    private readonly accountExporter: AccountExporter,
  ) {}

  onModuleInit(): void {
    this.accountExporter.registerSection({
      name: 'auditEvents',
      scanRows: (accountId) => this.repository.scanByAccount(accountId),
      toRecord: toAuditEventDto,
    });
  }

  async listAuditEvents(accountId: string, query: ListAuditEventsQueryDto): Promise<Page<AuditEventDto>> {
    return mapPage(await this.repository.findPage(accountId, query), toAuditEventDto);
  }
}
