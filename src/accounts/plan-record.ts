import { CountField } from '../common/http';

/** The limits of an account's plan (external-api.md §3). */
export class PlanLimitsRecord {
  /** Calls per minute that are not relayed. */
  @CountField(600)
  metadataPerMinute!: number;

  /** Relayed calls per minute. */
  @CountField(60)
  relayPerMinute!: number;

  @CountField(200)
  maxPageSize!: number;

  /** The longest that a relayed call takes. */
  @CountField(30_000)
  maxRelayWaitMs!: number;

  /** The longest that a command is given. */
  @CountField(28_000)
  maxInvokeTimeoutMs!: number;

  @CountField(50)
  maxTokens!: number;

  @CountField(20)
  maxApps!: number;

  @CountField(20)
  maxWebhooks!: number;

  @CountField(1_048_576)
  maxRequestBytes!: number;

  @CountField(1_073_741_824)
  maxStorageBytes!: number;
}

export class PlanRecord {
  /** @example standard */
  name!: string;

  limits!: PlanLimitsRecord;
}
