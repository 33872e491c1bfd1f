import { Module } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { Config, DerivedKeyProvider } from '../../core/config';
import { InstanceRegistry, InstancesModule } from '../../core/instances';
import { MetricsModule } from '../../core/metrics';
import { RedisModule } from '../../core/redis';
import { DeviceCallLimiter } from './device-call-limiter';
import { LocalBus } from './local-bus';
import { BusMetrics } from './redis/bus-metrics';
import { RedisBus } from './redis/redis-bus';
import { RelayBus } from './relay-bus';
import { RelayCluster } from './relay-cluster';

/** Carries calls to the instance that holds a device's connection, and answers back: in one process, or over Redis. */
@Module({
  imports: [InstancesModule, MetricsModule, RedisModule],
  providers: [
    BusMetrics,
    DeviceCallLimiter,
    {
      provide: RelayBus,
      inject: [Config, Clock, InstanceRegistry, BusMetrics, DerivedKeyProvider],
      useFactory: (
        config: Config,
        clock: Clock,
        { ownInstanceId }: InstanceRegistry,
        metrics: BusMetrics,
        derivedKeyProvider: DerivedKeyProvider,
      ) => {
        const { redisUrl, unsignedBusMessages: unsigned } = config;
        if (!redisUrl) return new LocalBus(clock);
        return new RedisBus(redisUrl, ownInstanceId, metrics, {
          keys: derivedKeyProvider.getKeys('relay-bus'),
          unsigned,
        });
      },
    },
    {
      provide: RelayCluster,
      inject: [RelayBus],
      useFactory: (bus: RelayBus): RelayCluster | null => (bus instanceof RedisBus ? bus.clusterMembership : null),
    },
  ],
  exports: [DeviceCallLimiter, RelayBus, RelayCluster],
})
export class RelayBusModule {}
