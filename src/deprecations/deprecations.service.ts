import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock';
import { RouteTable } from '../common/http';
import { Config } from '../config';
import { deprecationOf } from './deprecation';
import type { DeprecationNotice } from './deprecation-record';

@Injectable()
export class Deprecations {
  constructor(
    private readonly routes: RouteTable,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /** Those that still have time to be acted upon: announced, and not past their sunset. */
  active(): DeprecationNotice[] {
    const now = this.clock.now();
    return this.routes.all().flatMap(({ method, path, handler }) => {
      const deprecation = deprecationOf(handler);
      if (!deprecation || (deprecation.sunsetAt !== null && deprecation.sunsetAt <= now)) return [];
      const { docPath, ...notice } = deprecation;
      return [{ ...notice, method, path, docUrl: this.config.publicUrl + docPath }];
    });
  }
}
