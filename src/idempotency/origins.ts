import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';

/** Port: which process is this, and does another one, that began a call, still live? */
export abstract class Origins {
  abstract readonly self: string;
  abstract isAlive(origin: string): Promise<boolean>;
}

/** One process on its database: whatever another one began died with it. */
@Injectable()
export class SingleProcessOrigins extends Origins {
  readonly self = randomUUID();

  isAlive(origin: string): Promise<boolean> {
    return Promise.resolve(origin === this.self);
  }
}
