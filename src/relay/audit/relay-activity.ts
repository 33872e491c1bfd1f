import { Injectable } from '@nestjs/common';
import { mapPage, type Page, type PageQuery } from '../../common/pages';
import type { Capability } from '../../wire';
import type { Outcome } from '../relay.errors';
import { RelayCallsRepository, type ActivityRow } from './relay-calls.repository';

/** A relayed call as its account's owner sees it: what stands in the audit, with the names as they are now. */
export interface ActivityRecord {
  requestId: string;
  method: Capability;
  /** Of the token, or of the app that called. */
  caller: string | null;
  isApp: boolean;
  /** Of the device that was chosen. */
  device: string | null;
  sessionId: string | null;
  machineId: string | null;
  /** HTTP status that the caller was given. */
  status: number;
  code: string | null;
  outcome: Outcome | null;
  totalMs: number | null;
  createdAt: number;
}

/** What was done on an account's devices, and by whom (console.md, Activity). */
@Injectable()
export class RelayActivity {
  constructor(private readonly calls: RelayCallsRepository) {}

  async list(accountId: string, query: PageQuery): Promise<Page<ActivityRecord>> {
    return mapPage(await this.calls.page(accountId, query), toActivityRecord);
  }
}

function toActivityRecord(row: ActivityRow): ActivityRecord {
  return {
    requestId: row.id,
    method: row.method,
    caller: row.app_id === null ? row.token_name : row.app_name,
    isApp: row.app_id !== null,
    device: row.device_name,
    sessionId: row.session_id,
    machineId: row.machine_id,
    status: row.status,
    code: row.code,
    outcome: row.outcome,
    totalMs: row.total_ms,
    createdAt: row.created_at.getTime(),
  };
}
