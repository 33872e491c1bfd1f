import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { RelayBus, type OrphanedCall } from '../bus/relay-bus';
import { deviceDisconnected } from '../relay.errors';
import type { RelayCallEntity } from './relay-call.entity';
import { RelayAudit } from './relay-audit';

/** Writes the audit row of a call whose origin died before it could (relay.md, the failure table). */
@Injectable()
export class OrphanedCalls implements OnApplicationBootstrap {
  constructor(
    private readonly bus: RelayBus,
    private readonly audit: RelayAudit,
  ) {}

  onApplicationBootstrap(): void {
    this.bus.orphaned.subscribe((call) => this.audit.note(toRow(call)));
  }
}

function toRow({ requestId, accountId, deviceId, request, audit }: OrphanedCall): RelayCallEntity {
  const { status, code } = deviceDisconnected();
  return {
    requestId,
    accountId,
    method: request.method,
    deviceId,
    sessionId: request.sessionId ?? null,
    machineId: request.machineId ?? null,
    tokenId: audit.tokenId,
    appId: audit.appId,
    requestBytes: audit.requestBytes,
    resultBytes: null,
    status,
    code,
    outcome: 'unknown',
    routeMs: null,
    deviceMs: null,
    totalMs: null,
    createdAt: new Date(audit.startedAt),
  };
}
