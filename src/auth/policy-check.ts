import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { RouteTable } from '../common/http';
import { policyOf } from './policy';

/** Stops the start when a handler declares no policy. */
@Injectable()
export class PolicyCheck implements OnApplicationBootstrap {
  constructor(private readonly routes: RouteTable) {}

  onApplicationBootstrap(): void {
    const silent = this.routes.all().filter((route) => !policyOf(route.handler));
    if (silent.length > 0) {
      const names = silent.map((route) => `${route.method} ${route.path}`).join(', ');
      throw new Error(`These routes declare no policy: ${names}`);
    }
  }
}
