import { Module } from '@nestjs/common';
import { MetricsModule } from '../../core/metrics';
import { UnsentResponseLimiter } from './unsent-response-limiter';

/** Limits on unread responses (docs/decisions/0028). */
@Module({ imports: [MetricsModule], providers: [UnsentResponseLimiter], exports: [UnsentResponseLimiter] })
export class BackpressureModule {}
