import { Controller, Get, Query } from '@nestjs/common';
import { CurrentDevice, DeviceOrBrowserOnly, type DevicePrincipal } from '../../access/auth';
import { listResponse, Operation } from '../../common/http';
import { AuditEventDto } from './audit-event.response.dto';
import { ListAuditEventsQueryDto } from './audit-events.dto';
import { AuditEventsService } from './audit-events.service';

/** The account's audit trail for its devices (docs/protocol/device-api.md#audit-events). */
@Controller('v1/audit-events')
export class AuditEventsController {
  constructor(private readonly auditEvents: AuditEventsService) {}

  @Get()
  @DeviceOrBrowserOnly('audit-events.read')
  @Operation({
    id: 'listAuditEvents',
    tag: 'Account',
    summary: 'List audit events',
    description:
      'Lists who signed in, and who created, changed or revoked tokens, devices, apps, key grants and webhooks, or ' +
      'decided permission requests, with client addresses. Newest first. Events are deleted after a time that the ' +
      'operator sets, by default 400 days.',
    response: listResponse(AuditEventDto),
    responseDescription: 'A page of audit events.',
  })
  listAuditEvents(@CurrentDevice() device: DevicePrincipal, @Query() query: ListAuditEventsQueryDto) {
    return this.auditEvents.listAuditEvents(device.accountId, query);
  }
}
