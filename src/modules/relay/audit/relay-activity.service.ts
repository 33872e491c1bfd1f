import { Injectable } from '@nestjs/common';
import type { RelayMethod } from '@external-api/protocol';
import { notFoundError } from '../../../common/errors';
import { mapPage, MAX_PAGE_SIZE, type Page } from '../../../common/pages';
import type { OutcomeKind } from '../relay.errors';
import type { ListActivityQueryDto } from './list-activity-query.dto';
import { RelayCallsRepository, type RelayActivityRow } from './relay-calls.repository';

/** A relayed call as shown to the account's owner: its audit row with the current names. */
export interface RelayActivityEntry {
  requestId: string;
  method: RelayMethod;
  callerKind: 'token' | 'app' | 'device';
  /** Id of the calling token or device, or client id of the calling app. */
  callerId: string | null;
  /** Name of the calling token, app or device. */
  callerName: string | null;
  deviceId: string | null;
  /** Name of the device that was chosen. */
  deviceName: string | null;
  sessionId: string | null;
  machineId: string | null;
  /** HTTP status of the response to the caller. */
  status: number;
  code: string | null;
  outcome: OutcomeKind | null;
  requestBytes: number;
  resultBytes: number | null;
  routeMs: number | null;
  deviceMs: number | null;
  totalMs: number | null;
  /** Whether the time limit ended the command. */
  timedOut: boolean;
  createdAt: number;
}

/** Lists the calls to an account's devices and their callers (docs/guide/console.md#devices-and-activity). */
@Injectable()
export class RelayActivityService {
  constructor(private readonly relayCallsRepository: RelayCallsRepository) {}

  async listActivity(accountId: string, query: ListActivityQueryDto): Promise<Page<RelayActivityEntry>> {
    return mapPage(await this.relayCallsRepository.findPage(accountId, query), toRelayActivityEntry);
  }

  /** Yields the newest calls that match, at most `maxCalls`, and reads a page at a time. */
  async *scanActivity(
    accountId: string,
    query: ListActivityQueryDto,
    maxCalls: number,
  ): AsyncGenerator<RelayActivityEntry[]> {
    let remaining = maxCalls;
    let page: Page<RelayActivityEntry> | null = null;
    do {
      const limit = Math.min(MAX_PAGE_SIZE, remaining);
      const pageQuery: ListActivityQueryDto = page ? { cursor: page.nextCursor!, limit } : { ...query, limit };
      page = await this.listActivity(accountId, pageQuery);
      remaining -= page.data.length;
      yield page.data;
    } while (page.nextCursor !== null && remaining > 0);
  }

  /** @throws ApiError 404 */
  async getCall(accountId: string, requestId: string): Promise<RelayActivityEntry> {
    const row = await this.relayCallsRepository.findWithNames(accountId, requestId);
    if (!row) throw notFoundError('relayed call');
    return toRelayActivityEntry(row);
  }
}

function toRelayActivityEntry(row: RelayActivityRow): RelayActivityEntry {
  return {
    requestId: row.id,
    method: row.method,
    ...describeCaller(row),
    deviceId: row.device_id,
    deviceName: row.device_name,
    sessionId: row.session_id,
    machineId: row.machine_id,
    status: row.status,
    code: row.code,
    outcome: row.outcome,
    requestBytes: row.request_bytes,
    resultBytes: row.result_bytes,
    routeMs: row.route_ms,
    deviceMs: row.device_ms,
    totalMs: row.total_ms,
    timedOut: row.timed_out === true,
    createdAt: row.created_at.getTime(),
  };
}

function describeCaller(row: RelayActivityRow): Pick<RelayActivityEntry, 'callerKind' | 'callerId' | 'callerName'> {
  if (row.caller_device_id !== null) {
    return { callerKind: 'device', callerId: row.caller_device_id, callerName: row.caller_device_name };
  }
  if (row.app_id !== null) return { callerKind: 'app', callerId: row.app_id, callerName: row.app_name };
  return { callerKind: 'token', callerId: row.token_id, callerName: row.token_name };
}
