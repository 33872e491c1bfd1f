import { CanActivate, ExecutionContext, Injectable, RequestMethod, SetMetadata } from '@nestjs/common';
import { METHOD_METADATA } from '@nestjs/common/constants';
import { ApiError } from '../../common/errors';
import { RouteFact } from '../../common/http';
import { ReadOnlyState } from '../../common/read-only-state';

const CHANGES_DATA_KEY = 'read-only:changes-data';
const RETRY_AFTER_SECONDS = 30;

/** Marks a handler of GET that stores something, such as the audit row of a relayed call. */
export const ChangesData = () => SetMetadata(CHANGES_DATA_KEY, true);

/** Marks a handler of another method that stores nothing. */
export const ReadsDataOnly = () => SetMetadata(CHANGES_DATA_KEY, false);

/** Returns whether read-only mode refuses the route. */
export function changesData(handler: object): boolean {
  const declared = Reflect.getMetadata(CHANGES_DATA_KEY, handler) as boolean | undefined;
  return declared ?? Reflect.getMetadata(METHOD_METADATA, handler) !== RequestMethod.GET;
}

const routeChangesData = new RouteFact(({ handler }) => changesData(handler));

/**
 * Refuses calls that change data, relayed calls included, while the service is in read-only mode. Runs after the rate
 * limit, so that callers who retry in a loop stay limited.
 */
@Injectable()
export class ReadOnlyGuard implements CanActivate {
  constructor(private readonly readOnlyState: ReadOnlyState) {}

  /** @throws ApiError 503 `read_only` */
  canActivate(context: ExecutionContext): boolean {
    if (!this.readOnlyState.isReadOnly || context.getType() !== 'http') return true;
    if (!routeChangesData.get(context)) return true;
    throw new ApiError('read_only', 'The service is read-only during maintenance. Try again later.', {
      members: { outcome: 'not_delivered' },
      headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) },
    });
  }
}
