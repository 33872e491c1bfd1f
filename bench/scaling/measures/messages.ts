import { randomBytes } from 'node:crypto';
import type { FleetAccount } from '../../support/fleet';
import type { Sending } from '../../support/send';
import { messageBody } from '../../support/texts';
import { addCost, costOf, type Cost } from '../deed';
import type { Lab } from '../lab';

const TIMES = 2_000;
const IN_FLIGHT = 8;

/** What devices write, through another instance than the one that their account's devices are on. */
export async function measureMessages(lab: Lab, fleet: FleetAccount[], idle: Cost): Promise<void> {
  const { figures, origin, sender, scene } = lab;
  const api = `${origin.url}/v1/sessions`;
  const { kid, sealed } = scene.ada.newDataKey();
  let turn = 0;
  const sending = (make: (account: FleetAccount) => Sending) => (times: number) =>
    sender.sendAll(() => make(fleet[turn++ % fleet.length]!), times, IN_FLIGHT);
  const costs = (make: (account: FleetAccount) => Sending) => costOf(lab, idle, { times: TIMES, run: sending(make) });

  const read = await costs(({ session, machines }) => ({
    method: 'GET',
    url: `${api}/${session.id}`,
    token: machines[0]!.token,
  }));
  addCost(figures, 'DeviceRead', 'GET /v1/sessions/{id} by a device', read);

  const message = await costs((account) => append(api, account));
  addCost(figures, 'Message', 'POST of one message of 1,024 bytes of ciphertext by a device', message);
  figures.add(
    'redis.commandsPerChangeHint',
    message.commands - read.commands,
    'commands',
    'the commands of appending a message less those of a read by a device; its account has a device on another instance',
  );

  const session = await costs(({ machines }) => ({
    method: 'POST',
    url: api,
    token: machines[0]!.token,
    body: JSON.stringify({ tag: randomBytes(8).toString('hex'), dataKey: { kid, sealed } }),
  }));
  addCost(figures, 'Session', 'POST /v1/sessions by a device, no metadata', session);
}

export function append(api: string, account: FleetAccount): Sending {
  return {
    method: 'POST',
    url: `${api}/${account.session.id}/messages`,
    token: account.machines[0]!.token,
    body: messageBody(account),
  };
}
