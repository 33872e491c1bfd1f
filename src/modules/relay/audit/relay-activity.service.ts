import { Injectable } from '@nestjs/common';
import { mapPage, type Page, type PageQueryDto } from '../../../common/pages';
import type { RelayMethod } from '../../../protocol';
import type { CallOutcome } from '../relay.errors';
import { RelayCallsRepository, type RelayActivityRow } from './relay-calls.repository';

/** A relayed call as shown to the account's owner: its audit row with the current names. */
export interface RelayActivityEntry {
  requestId: string;
  method: RelayMethod;
  callerKind: 'token' | 'app' | 'device';
  /** Name of the calling token, app or device. */
  callerName: string | null;
  /** Name of the device that was chosen. */
  deviceName: string | null;
  sessionId: string | null;
  machineId: string | null;
  /** HTTP status of the response to the caller. */
  status: number;
  code: string | null;
  outcome: CallOutcome | null;
  totalMs: number | null;
  createdAt: number;
}

/** Lists the calls to an account's devices and their callers (docs/guide/console.md#devices-and-activity). */
@Injectable()
export class RelayActivityService {
  constructor(private readonly relayCallsRepository: RelayCallsRepository) {}

  async listActivity(accountId: string, query: PageQueryDto): Promise<Page<RelayActivityEntry>> {
    return mapPage(await this.relayCallsRepository.findPage(accountId, query), toRelayActivityEntry);
  }
}

function toRelayActivityEntry(row: RelayActivityRow): RelayActivityEntry {
  return {
    requestId: row.id,
    method: row.method,
    ...describeCaller(row),
    deviceName: row.device_name,
    sessionId: row.session_id,
    machineId: row.machine_id,
    status: row.status,
    code: row.code,
    outcome: row.outcome,
    totalMs: row.total_ms,
    createdAt: row.created_at.getTime(),
  };
}

function describeCaller(row: RelayActivityRow): Pick<RelayActivityEntry, 'callerKind' | 'callerName'> {
  if (row.caller_device_id !== null) return { callerKind: 'device', callerName: row.caller_device_name };
  if (row.app_id !== null) return { callerKind: 'app', callerName: row.app_name };
  return { callerKind: 'token', callerName: row.token_name };
}
