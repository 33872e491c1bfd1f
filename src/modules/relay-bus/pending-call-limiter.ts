import { SlotLimiter } from '../../common/slot-limiter';

const MAX_CALLS_PER_ACCOUNT = 1_000;
const MAX_CALLS_PER_INSTANCE = 20_000;

/** Limits the calls that this instance waits for, per account and in total (docs/protocol/relay.md#limits). */
export class PendingCallLimiter extends SlotLimiter {
  constructor() {
    super(MAX_CALLS_PER_ACCOUNT, MAX_CALLS_PER_INSTANCE);
  }
}
