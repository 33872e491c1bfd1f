import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { RouteRegistry } from '../../common/http';
import { Config } from '../../core/config';
import { buildDeprecationDocPath, getDeprecation } from './deprecation';
import type { DeprecationNoticeDto } from './deprecation-notice.dto';

@Injectable()
export class DeprecationsService {
  private notices: DeprecationNoticeDto[] | undefined;

  constructor(
    private readonly routes: RouteRegistry,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /** Returns the notices whose sunset has not passed. */
  listActiveDeprecations(): DeprecationNoticeDto[] {
    const now = this.clock.now();
    return this.listDeprecations().filter(({ sunsetAt }) => sunsetAt === null || sunsetAt > now);
  }

  /** Returns the notices of all deprecated routes. */
  listDeprecations(): readonly DeprecationNoticeDto[] {
    return (this.notices ??= this.collectNotices());
  }

  private collectNotices(): DeprecationNoticeDto[] {
    return this.routes.listRoutes().flatMap(({ method, path, handler }) => {
      const deprecation = getDeprecation(handler);
      if (!deprecation) return [];
      return [{ ...deprecation, method, path, docUrl: this.config.publicUrl + buildDeprecationDocPath(deprecation) }];
    });
  }
}
