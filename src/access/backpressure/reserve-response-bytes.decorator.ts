import { SetMetadata } from '@nestjs/common';
import { RouteFact } from '../../common/http';

const RESERVED_BYTES_METADATA = 'backpressure:reserved-bytes';

/** Reserves this many bytes for a response with content, from its admission until its actual size is known. */
export const ReserveResponseBytes = (bytes: number) => SetMetadata(RESERVED_BYTES_METADATA, bytes);

export const routeReservedBytes = new RouteFact(
  ({ handler }) => (Reflect.getMetadata(RESERVED_BYTES_METADATA, handler) as number | undefined) ?? 0,
);
