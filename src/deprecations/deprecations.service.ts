import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock';
import { RouteTable } from '../common/http';
import { Config } from '../config';
import { deprecationOf } from './deprecation';
import type { DeprecationNotice } from './deprecation-record';

@Injectable()
export class Deprecations {
  private announced: DeprecationNotice[] | undefined;

  constructor(
    private readonly routes: RouteTable,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /** Those that still have time to be acted upon: announced, and not past their sunset. */
  active(): DeprecationNotice[] {
    const now = this.clock.now();
    this.announced ??= this.collect();
    return this.announced.filter(({ sunsetAt }) => sunsetAt === null || sunsetAt > now);
  }

  private collect(): DeprecationNotice[] {
    return this.routes.all().flatMap(({ method, path, handler }) => {
      const deprecation = deprecationOf(handler);
      if (!deprecation) return [];
      const { docPath, ...notice } = deprecation;
      return [{ ...notice, method, path, docUrl: this.config.publicUrl + docPath }];
    });
  }
}
