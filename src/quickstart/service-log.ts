import { closeSync, openSync, readFileSync } from 'node:fs';

/** The service's output, in a file that begins anew with each start. */
export class ServiceLog {
  constructor(readonly path: string) {}

  /** Hands `use` a descriptor to write to; a process that was started with it keeps its own. */
  open<T>(use: (descriptor: number) => T): T {
    const descriptor = openSync(this.path, 'w', 0o600);
    try {
      return use(descriptor);
    } finally {
      closeSync(descriptor);
    }
  }

  /** The last lines, those in JSON as a person would read them. */
  tail(lines: number): string[] {
    return readFileSync(this.path, 'utf8').trimEnd().split('\n').slice(-lines).map(readable).filter(Boolean);
  }
}

interface Entry {
  level?: string | number;
  msg?: string;
  err?: { message?: string };
}

function readable(line: string): string {
  try {
    const { level, msg, err } = JSON.parse(line) as Entry;
    const reason = err?.message === msg ? undefined : err?.message;
    return [level, msg, reason].filter((part) => part !== undefined).join('  ');
  } catch {
    return line;
  }
}
