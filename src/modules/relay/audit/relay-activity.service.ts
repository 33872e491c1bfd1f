import { Injectable } from '@nestjs/common';
import { mapPage, type Page, type PageQueryDto } from '../../../common/pages';
import type { Capability } from '../../../protocol';
import type { CallOutcome } from '../relay.errors';
import { RelayCallsRepository, type RelayActivityRow } from './relay-calls.repository';

/** A relayed call as shown to the account's owner: its audit row with the current names. */
export interface RelayActivityEntry {
  requestId: string;
  method: Capability;
  /** Name of the calling token or app. */
  callerName: string | null;
  isApp: boolean;
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
    callerName: row.app_id === null ? row.token_name : row.app_name,
    isApp: row.app_id !== null,
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
