import { MAX_INTEGER, QueryInteger } from '../../common/http';

/** The longest time that a caller may wait for a change, in ms. */
const MAX_CHANGE_WAIT_MS = 28_000;

/** Query of a call that may wait for a change of a record. */
export class ChangeQueryDto {
  /** How long to wait for a change, in ms. */
  @QueryInteger(0, MAX_CHANGE_WAIT_MS)
  waitMs?: number;

  /** Version that the caller knows. The call waits for a greater one. */
  @QueryInteger(0, MAX_INTEGER)
  afterVersion?: number;
}
