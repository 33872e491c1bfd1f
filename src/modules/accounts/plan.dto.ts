import { CountField, OptionalCountField } from '../../common/http';

/** The limits of an account's plan (docs/protocol/external-api.md#plan). */
export class PlanLimitsDto {
  /** Calls per minute, except relayed calls. */
  @CountField(600)
  metadataPerMinute!: number;

  /** Relayed calls per minute. */
  @CountField(60)
  relayPerMinute!: number;

  @CountField(200)
  maxPageSize!: number;

  /** Maximum duration of a relayed call in milliseconds. */
  @CountField(30_000)
  maxRelayWaitMs!: number;

  /** Maximum timeout of a command in milliseconds. */
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

  /** Bytes of stored sessions, messages and artifacts, including their metadata and data keys. */
  @CountField(1_073_741_824)
  maxStorageBytes!: number;

  /** Bytes of events, and of their deliveries to webhooks, per day (UTC). */
  @OptionalCountField(536_870_912)
  maxEventBytesPerDay!: number;

  /** Bytes of responses stored for an `Idempotency-Key`. Beyond this limit only the status is stored. */
  @OptionalCountField(268_435_456)
  maxKeptAnswerBytes!: number;

  /** Number of devices, including revoked ones. */
  @OptionalCountField(1_000)
  maxDevices!: number;

  @OptionalCountField(10_000)
  maxKeyGrants!: number;
}

export class PlanDto {
  /** @example standard */
  name!: string;

  limits!: PlanLimitsDto;
}
