import { AsyncLocalStorage } from 'node:async_hooks';

/** One storage for all variables: Node.js 20 visits every storage that was ever used for each new promise. */
const storage = new AsyncLocalStorage<ReadonlyMap<AsyncVariable<unknown>, unknown>>();

/** A value that a function and all that it starts can read. */
export class AsyncVariable<Value> {
  /** Runs `work` with the value, or without one. Other variables keep theirs. */
  runWith<Result>(value: Value | undefined, work: () => Result): Result {
    return storage.run(new Map(storage.getStore()).set(this, value), work);
  }

  getValue(): Value | undefined {
    return storage.getStore()?.get(this) as Value | undefined;
  }
}
