import { Injectable } from '@nestjs/common';

/**
 * Whether the instance is in read-only mode, which operators switch on for all instances. `access/read-only` updates
 * it. Background work that writes looks at it before each run.
 */
@Injectable()
export class ReadOnlyState {
  isReadOnly = false;
}
