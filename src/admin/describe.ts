import { ConfigError } from '../config';
import { DataDirInUseError } from '../persistence';

const NO_SUCH_TABLE = '42P01';
const NO_SUCH_COLUMN = '42703';

/** What went wrong, in words that say what to do. */
export function describe(error: Error): string {
  if (error instanceof ConfigError) return error.message;
  if (error instanceof DataDirInUseError) {
    return `${error.message}\nOn the embedded database the service has to be stopped first.`;
  }
  const { code } = error as { code?: string };
  if (code === NO_SUCH_TABLE) return 'The database has no tables yet: start the service once.';
  if (code === NO_SUCH_COLUMN) return 'The database is behind: start the service of this version once.';
  return error.message || code || error.name;
}
