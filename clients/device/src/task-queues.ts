/** Runs tasks with the same key one after the other, and others at the same time. */
export class TaskQueues {
  private readonly lastTasks = new Map<string, Promise<void>>();

  /** A task that fails doesn't keep the next one from running. */
  run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const result = (this.lastTasks.get(key) ?? Promise.resolve()).then(task);
    const settled = result
      .then(
        () => undefined,
        () => undefined,
      )
      .then(() => {
        if (this.lastTasks.get(key) === settled) this.lastTasks.delete(key);
      });
    this.lastTasks.set(key, settled);
    return result;
  }
}
