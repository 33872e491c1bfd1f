import { SECOND, type Clock } from '../../../common/clock';
import type { Config } from '../../../core/config';
import { isSuccessfulExchange, isSent, type WebhookExchange } from '../../webhook-sending';
import type { WebhookEndpoint, EndpointReader } from './endpoint-reader';
import { MAX_DUE_DELIVERIES, type EventBacklogService } from './event-backlog.service';
import { CLOSED_CIRCUIT, updateCircuitBreaker, type CircuitBreaker } from './circuit-breaker';
import { getEndpointLeaseMs, type EndpointQueuesRepository, type EndpointLease } from './endpoint-queues.repository';
import type { PendingDeliveryRow, PendingDeliveriesRepository } from './pending-deliveries.repository';
import type { AttemptResult, AttemptRunner } from './attempt-runner';

/** Concurrent attempts per endpoint (docs/protocol/webhooks.md#attempts). */
const MAX_CONCURRENT_ATTEMPTS = 10;
const FETCH_LIMIT = 200;
/** How long endpoint settings are cached, in ms. The token cache uses the same time. */
const ENDPOINT_CACHE_MS = 500;
const FETCH_INTERVAL_MS = 500;

export interface EndpointWorkerDependencies {
  endpointQueues: EndpointQueuesRepository;
  pendingDeliveries: PendingDeliveriesRepository;
  endpointReader: EndpointReader;
  attemptRunner: AttemptRunner;
  eventBacklog: Pick<EventBacklogService, 'createDeliveries'>;
  clock: Clock;
  config: Pick<Config, 'webhooks'>;
}

/** Sends the pending deliveries of one endpoint queue while this instance leases it. */
export class EndpointWorker {
  private readonly fetchedDeliveries: PendingDeliveryRow[] = [];
  /** Ids of deliveries that are fetched, in flight, or being written. */
  private readonly activeIds = new Set<string>();
  private inFlightCount = 0;
  private circuitBreaker: CircuitBreaker;
  /** True while the circuit breaker is open and a single probe is allowed. */
  private isProbing: boolean;
  private isStopping = false;
  private leasedAt: number;
  private readonly attemptTimeoutMs: number;
  private readonly leaseMs: number;
  private fetchedAt = -Infinity;
  private currentFetch: Promise<void> | null = null;
  private failure: Error | null = null;
  private hasBacklog: boolean;
  private isMoreExpected = true;
  private cachedEndpoint: { found: WebhookEndpoint; readAt: number } | null = null;
  /** URL for which the circuit breaker counts. */
  private url: string | null = null;
  private refreshCount = 0;
  private hasChanged = false;
  private resolveChange: () => void = () => undefined;

  /** @param leasedAt when the lease was requested, on the monotonic clock */
  constructor(
    private readonly endpointLease: EndpointLease,
    leasedAt: number,
    private readonly dependencies: EndpointWorkerDependencies,
  ) {
    this.leasedAt = leasedAt;
    this.attemptTimeoutMs = dependencies.config.webhooks.attemptTimeoutSeconds * SECOND;
    this.leaseMs = getEndpointLeaseMs(dependencies.config);
    this.circuitBreaker = endpointLease.circuitBreaker;
    this.isProbing = endpointLease.circuitBreaker.probeAt !== null;
    this.hasBacklog = endpointLease.backlogEvents > 0;
  }

  /**
   * Runs until nothing is due, the circuit breaker opens, the lease is lost or a stop is requested. When it returns, no
   * attempt is in flight.
   */
  async runUntilIdle(): Promise<void> {
    try {
      while (!this.isStopping && (await this.ensureLease())) {
        if (this.failure) throw this.failure;
        this.hasChanged = false;
        this.fetchIfNeeded();
        if (this.activeIds.size === 0 && !this.currentFetch) return;
        const endpoint = await this.readEndpoint();
        if (endpoint) this.startAttempts(endpoint);
        await this.waitForChange();
      }
    } finally {
      this.requestStop();
      while (this.activeIds.size > 0 || this.currentFetch) await this.waitForChange();
    }
  }

  /** Fetches deliveries and endpoint settings again after a change. */
  triggerRefresh(): void {
    this.isMoreExpected = true;
    this.refreshCount++;
    this.cachedEndpoint = null;
    this.signalChange();
  }

  /** Prevents new attempts. Those in flight continue. */
  requestStop(): void {
    this.isStopping = true;
    for (const { id } of this.fetchedDeliveries.splice(0)) this.activeIds.delete(id);
    this.signalChange();
  }

  private get concurrencyLimit(): number {
    return this.isProbing ? 1 : MAX_CONCURRENT_ATTEMPTS;
  }

  /** Extends the lease once an attempt could have timed out since. */
  private async ensureLease(): Promise<boolean> {
    const now = this.dependencies.clock.monotonicMs();
    if (now - this.leasedAt < this.attemptTimeoutMs) return true;
    const isHeld = await this.dependencies.endpointQueues.extendLease(this.endpointLease);
    this.leasedAt = now;
    return isHeld;
  }

  /** Fetches more deliveries in the background before the fetched ones run out. */
  private fetchIfNeeded(): void {
    const now = this.dependencies.clock.monotonicMs();
    const isLow = this.isProbing ? this.activeIds.size === 0 : this.fetchedDeliveries.length < FETCH_LIMIT / 2;
    const hasCapacity = this.fetchedDeliveries.length > 0 || this.inFlightCount < this.concurrencyLimit;
    const isFetchDue = this.isMoreExpected || now - this.fetchedAt >= FETCH_INTERVAL_MS;
    if (this.currentFetch || !isLow || !hasCapacity || !isFetchDue) return;
    this.fetchedAt = now;
    this.isMoreExpected = false;
    this.currentFetch = this.fetchDeliveries().finally(() => {
      this.currentFetch = null;
      this.signalChange();
    });
  }

  private async fetchDeliveries(): Promise<void> {
    const { clock, pendingDeliveries } = this.dependencies;
    const limit = this.isProbing ? 1 : FETCH_LIMIT;
    const rows = await pendingDeliveries
      .findDueDeliveries(this.endpointLease, clock.currentDate(), [...this.activeIds], limit)
      .catch((error: Error) => {
        this.failure = error;
        return [];
      });
    // A stop may have been requested during the query.
    if (this.isStopping) return;
    this.isMoreExpected ||= rows.length === limit;
    for (const row of rows) this.activeIds.add(row.id);
    this.fetchedDeliveries.push(...rows);
    // The deliveries may all wait for a later attempt, and a probe is due.
    const limitOfActive = this.isProbing ? 1 : MAX_DUE_DELIVERIES;
    if (this.hasBacklog && this.activeIds.size < limitOfActive) await this.readBacklog();
  }

  /** Creates the next deliveries from the backlog, for the next fetch. */
  private async readBacklog(): Promise<void> {
    const { eventBacklog } = this.dependencies;
    try {
      const { created, hasMore } = await eventBacklog.createDeliveries(this.endpointLease);
      this.hasBacklog = hasMore;
      this.isMoreExpected ||= created > 0;
    } catch (error) {
      this.failure = error as Error;
    }
  }

  /** Reads the endpoint settings right before sending. Returns null when no attempt can start. */
  private async readEndpoint(): Promise<WebhookEndpoint | null> {
    if (this.fetchedDeliveries.length === 0 || this.inFlightCount >= this.concurrencyLimit) return null;
    const now = this.dependencies.clock.monotonicMs();
    if (this.cachedEndpoint && now - this.cachedEndpoint.readAt < ENDPOINT_CACHE_MS) return this.cachedEndpoint.found;
    const { refreshCount } = this;
    const found = await this.dependencies.endpointReader.readEndpoint(this.endpointLease);
    if (!found?.isActive) {
      this.requestStop();
      return null;
    }
    this.followUrl(found.url);
    // Settings that were read before a refresh may be out of date.
    if (refreshCount === this.refreshCount) this.cachedEndpoint = { found, readAt: now };
    return found;
  }

  /** Closes the circuit breaker when an edit changes the URL, as the edit does in the database. */
  private followUrl(url: string): void {
    if (this.url !== null && this.url !== url) {
      this.circuitBreaker = CLOSED_CIRCUIT;
      this.isProbing = false;
    }
    this.url = url;
  }

  private startAttempts(webhookEndpoint: WebhookEndpoint): void {
    while (
      this.fetchedDeliveries.length > 0 &&
      this.inFlightCount < this.concurrencyLimit &&
      this.hasLeaseForAttempt()
    ) {
      void this.runAttempt(this.fetchedDeliveries.shift()!, webhookEndpoint);
    }
  }

  /**
   * Returns whether the lease outlasts an attempt that starts now. If not, the lease is extended before the next fetch.
   */
  private hasLeaseForAttempt(): boolean {
    return this.dependencies.clock.monotonicMs() - this.leasedAt < this.leaseMs - this.attemptTimeoutMs;
  }

  private async runAttempt(delivery: PendingDeliveryRow, webhookEndpoint: WebhookEndpoint): Promise<void> {
    try {
      const { exchange, isWritten } = await this.sendDelivery(delivery, webhookEndpoint);
      if (exchange && isSent(exchange) && webhookEndpoint.url === this.url) this.recordExchange(exchange);
      this.signalChange();
      if (!(await isWritten)) this.requestStop();
    } catch (error) {
      this.failure = error as Error;
    } finally {
      this.activeIds.delete(delivery.id);
      this.signalChange();
    }
  }

  private async sendDelivery(delivery: PendingDeliveryRow, webhookEndpoint: WebhookEndpoint): Promise<AttemptResult> {
    this.inFlightCount++;
    try {
      return await this.dependencies.attemptRunner.runAttempt(
        this.endpointLease,
        this.leasedAt + this.leaseMs,
        webhookEndpoint,
        delivery,
      );
    } finally {
      this.inFlightCount--;
    }
  }

  private recordExchange(webhookExchange: WebhookExchange): void {
    const isSuccessful = isSuccessfulExchange(webhookExchange);
    this.circuitBreaker = updateCircuitBreaker(
      this.circuitBreaker,
      isSuccessful,
      this.dependencies.clock.currentDate(),
    );
    if (isSuccessful) this.isProbing = false;
    else if (this.circuitBreaker.probeAt || webhookExchange.status === 410) this.requestStop();
  }

  private signalChange(): void {
    this.hasChanged = true;
    this.resolveChange();
  }

  private async waitForChange(): Promise<void> {
    if (!this.hasChanged) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, FETCH_INTERVAL_MS);
        this.resolveChange = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.hasChanged = false;
  }
}
