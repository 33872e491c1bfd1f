import { Injectable } from '@nestjs/common';
import { Counter, Registry } from 'prom-client';
import { addGauge } from '../../../core/metrics';
import { UnjoinedSocketLimiter } from './unjoined-socket-limiter';

/** Metrics of refused, closed and unjoined device sockets. */
@Injectable()
export class SocketMetrics {
  readonly refusedSockets: Counter;
  readonly closedSockets: Counter;

  constructor(registry: Registry, unjoinedSocketLimiter: UnjoinedSocketLimiter) {
    const registers = [registry];
    this.refusedSockets = new Counter({
      name: 'relay_refused_sockets_total',
      help: 'Upgrades to a device socket that were refused, by the limit that was reached',
      labelNames: ['limit'],
      registers,
    });
    this.closedSockets = new Counter({
      name: 'relay_closed_sockets_total',
      help: 'Device sockets that were closed for a violation of the protocol, by violation',
      labelNames: ['violation'],
      registers,
    });
    addGauge(
      registry,
      'relay_unjoined_sockets',
      'Device sockets of this instance that have not joined yet',
      () => unjoinedSocketLimiter.size,
    );
  }
}
