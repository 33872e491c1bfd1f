import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { RelayCluster, type OrphanedCall } from '../../relay-bus';
import { deviceDisconnectedError } from '../relay.errors';
import { buildAuditRow, RelayAuditWriter } from './relay-audit-writer';

/**
 * Writes the audit rows of calls whose origin died before it could write them (docs/protocol/relay.md#failure-table).
 */
@Injectable()
export class OrphanedCallRecorder implements OnApplicationBootstrap {
  constructor(
    @Inject(RelayCluster) private readonly cluster: RelayCluster | null,
    private readonly relayAuditWriter: RelayAuditWriter,
  ) {}

  onApplicationBootstrap(): void {
    this.cluster?.orphanedCalls.subscribe((call) => this.recordCall(call));
  }

  private recordCall(call: OrphanedCall): void {
    const row = buildAuditRow(call, deviceDisconnectedError(), null, null);
    this.relayAuditWriter.enqueueRow({ ...row, deviceId: call.deviceId });
  }
}
