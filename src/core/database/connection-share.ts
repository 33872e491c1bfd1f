import type { Config } from '../config';

/** The embedded database has one connection, which queues. There, the limits only bound what waits. */
const EMBEDDED_POOL_SIZE = 20;

/** Returns how many connections of the pool a kind of work may use, at least one. @param share between 0 and 1 */
export function getConnectionShare({ database }: Config, share: number): number {
  const poolSize = database.kind === 'postgres' ? database.poolSize : EMBEDDED_POOL_SIZE;
  return Math.max(1, Math.floor(poolSize * share));
}
