import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import type { Subscription } from 'rxjs';
import { HOUR, MINUTE, SECOND } from '../../common/clock';
import { Ticker } from '../../common/ticker';
import { Config } from '../../config';
import { Outbox } from '../../events';
import { AttemptPartitions } from '../deliveries/attempt-partitions';
import { Remains } from '../deliveries/remains';
import { Dispatcher } from './dispatcher';
import { FanOut } from './fan-out';
import { LanesRepository } from './lanes.repository';
import { Sweep } from './sweep';

/** Starts and stops what delivers and clears away: fan-out, lanes, sweep, remains. Every instance does all of it. */
@Injectable()
export class Engine implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown {
  private readonly logger = new Logger('Webhooks');
  private readonly tickers = {
    fanOut: new Ticker('webhook fan-out', SECOND, () => this.fanOutBatch()),
    sweep: new Ticker('webhook sweep', MINUTE, () => this.sweep.run()),
    remains: new Ticker('webhook remains', MINUTE, () => this.remains.clear()),
    partitions: new Ticker('webhook log', HOUR, () => this.partitions.maintain()),
  };
  private subscription: Subscription | undefined;
  private stopping: Promise<unknown> | undefined;

  constructor(
    private readonly config: Config,
    private readonly outbox: Outbox,
    private readonly fanOut: FanOut,
    private readonly dispatcher: Dispatcher,
    private readonly sweep: Sweep,
    private readonly remains: Remains,
    private readonly lanes: LanesRepository,
    private readonly partitions: AttemptPartitions,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    if (this.config.redisUrl === null) await this.lanes.releaseAll();
    await this.prepareLog();
    this.subscription = this.outbox.written.subscribe(() => this.tickers.fanOut.nudge());
    this.dispatcher.start();
    for (const ticker of Object.values(this.tickers)) ticker.start();
    this.tickers.partitions.nudge();
  }

  /** First of the shutdown's steps: what is under way ends while the others are at work. */
  onModuleDestroy(): void {
    this.subscription?.unsubscribe();
    this.stopping = Promise.all([
      this.dispatcher.stop(),
      ...Object.values(this.tickers).map((ticker) => ticker.stop()),
    ]);
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.stopping;
  }

  /** Not so important that the service would not start: whoever misses a partition makes it. */
  private async prepareLog(): Promise<void> {
    await this.partitions.ensureAhead().catch((error: Error) => {
      this.logger.warn({ reason: error.message }, 'the delivery log was not prepared');
    });
  }

  private async fanOutBatch(): Promise<boolean> {
    const { webhookIds, more } = await this.fanOut.run();
    if (webhookIds.length > 0) this.dispatcher.nudge(webhookIds);
    return more;
  }
}
