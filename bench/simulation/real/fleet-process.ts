import { setTimeout as sleep } from 'node:timers/promises';
import { Backoff } from '../../../src/reference-device/machine/backoff';
import { Connection } from '../../../src/reference-device/machine/connection';
import { DeviceLink } from '../../../src/reference-device/machine/device-link';
import { RelayDesk } from '../../../src/reference-device/machine/relay-desk';
import { ServerClock } from '../../../src/reference-device/machine/server-clock';

const AT_ONCE = 20;

/** What became of a fleet since all of it was connected. Times are Unix ms. */
export interface FleetReport {
  lostAt: number[];
  backAt: number[];
  refusals: number;
}

/** Devices with the reference device's own connection, back-off and take-over, and nothing behind them to run. */
const links: DeviceLink[] = [];
let report: FleetReport = nothing();

process.on('message', (message: { start?: { url: string; tokens: string[] }; report?: true }) => {
  if (message.start) {
    const { url, tokens } = message.start;
    start(url, tokens).then(
      () => process.send!({ started: links.length }),
      (error: Error) => process.send!({ error: error.message }),
    );
  }
  if (message.report) {
    process.send!({ report });
  }
});

async function start(url: string, tokens: string[]): Promise<void> {
  for (let from = 0; from < tokens.length; from += AT_ONCE) {
    await Promise.all(tokens.slice(from, from + AT_ONCE).map((token) => connect(url, token)));
    await sleep(10);
  }
  report = nothing();
}

async function connect(url: string, token: string): Promise<void> {
  const clock = new ServerClock();
  const answer = (): Promise<never> => Promise.reject(new Error('nothing runs here'));
  const desk = new RelayDesk(clock, { invoke: answer, message: answer });
  const link = new DeviceLink({
    open: (onDrain) => Connection.open({ url, token, capabilities: ['machine.invoke'], desk, clock, onDrain }),
    backoff: new Backoff(),
    events: {
      connected: () => report.backAt.push(Date.now()),
      lost: () => report.lostAt.push(Date.now()),
      waiting: () => (report.refusals += 1),
    },
  });
  links.push(link);
  await link.start();
}

function nothing(): FleetReport {
  return { lostAt: [], backAt: [], refusals: 0 };
}
