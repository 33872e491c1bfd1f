import type { Socket } from 'node:net';
import { Injectable, Logger } from '@nestjs/common';
import { openTunnel, parseProxy, ProxyError, type ForwardProxy } from '@external-api/forward-proxy';
import { Clock, MINUTE } from '../../common/clock';
import { Config } from '../../core/config';

/** Failures that the operator can end. The others are about one target. */
const OPERATOR_ERRORS = ['ERR_PROXY_UNREACHABLE', 'ERR_PROXY_AUTHENTICATION'];
const LOG_INTERVAL_MS = MINUTE;

/** Forward proxy of the operator, through which deliveries leave the network (`WEBHOOK_PROXY_URL`). */
@Injectable()
export class EgressProxy {
  private readonly logger = new Logger('Webhooks');
  private readonly proxy: ForwardProxy | null;
  private lastLoggedAt = -Infinity;

  constructor(
    { webhooks }: Config,
    private readonly clock: Clock,
  ) {
    this.proxy = webhooks.proxyUrl === null ? null : parseProxy(webhooks.proxyUrl, 'WEBHOOK_PROXY_URL');
  }

  get isUsed(): boolean {
    return this.proxy !== null;
  }

  /**
   * Opens a connection to a host and port with CONNECT. Logs once a minute that the proxy itself fails.
   * @throws ProxyError
   */
  async openTunnel(authority: string): Promise<Socket> {
    try {
      return await openTunnel(this.proxy!, authority);
    } catch (error) {
      if (error instanceof ProxyError && OPERATOR_ERRORS.includes(error.code)) this.logFailure(error);
      throw error;
    }
  }

  private logFailure({ code, status, reason }: ProxyError): void {
    const now = this.clock.monotonicMs();
    if (now - this.lastLoggedAt < LOG_INTERVAL_MS) return;
    this.lastLoggedAt = now;
    this.logger.warn({ code, status, reason }, 'webhook proxy failed');
  }
}
