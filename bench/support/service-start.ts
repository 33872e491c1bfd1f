import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort } from '../../test/support/find-free-port';
import { BenchProcess } from './bench-process';
import { computeCpuUs, readThreadTimes } from './process-cpu';

const POLL_MS = 10;

/** Instance that has been started without any client. */
export interface StartedService {
  benchProcess: BenchProcess;
  /** CPU time of all threads until the instance accepted a connection. */
  startCpuMs: number;
}

/**
 * Starts the service and returns as soon as it listens. Polls its port only, because a request would cost it CPU.
 * @param main main file of the service
 */
export async function startService(main: string, env: NodeJS.ProcessEnv): Promise<StartedService> {
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const benchProcess = BenchProcess.start(main, { ...env, PORT: String(port), PUBLIC_URL: url });
  while (!(await acceptsConnection(port))) {
    if (!benchProcess.isRunning) throw new Error('the service did not start');
    await sleep(POLL_MS);
  }
  return { benchProcess, startCpuMs: computeCpuUs(new Map(), readThreadTimes([benchProcess.pid])) / 1_000 };
}

async function acceptsConnection(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
