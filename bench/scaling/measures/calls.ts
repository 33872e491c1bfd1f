import { randomUUID } from 'node:crypto';
import type { FleetAccount } from '../../support/fleet';
import type { Sending } from '../../support/send';
import { addCost, costOf, type Cost } from '../deed';
import type { Lab } from '../lab';

const TIMES = 3_000;
const IN_FLIGHT = 16;
/** Arguments of the larger of two requests, and characters of all of them. */
const ARGUMENTS = Array.from({ length: 5 }, () => 'x'.repeat(4_000));
const LARGER = ARGUMENTS.join('').length;

type Make = (account: FleetAccount) => Sending;

/**
 * Reads and relayed calls, spread over so many accounts that each call looks its token up anew, and that nearly each makes a
 * usage count of its own.
 */
export async function measureCalls(lab: Lab, fleet: FleetAccount[], idle: Cost): Promise<void> {
  const { figures } = lab;
  const api = `${lab.origin.url}/external/v1`;
  const spread = `callers of ${fleet.length} accounts in turn`;
  const across = `POST /machines/{id}/invoke of \`true\`, its device on the other instance`;
  const cost = (make: Make, times = TIMES) =>
    costOf(lab, idle, { times, run: (count) => inTurn(lab, fleet, make, count) });
  const add = async (name: string, what: string, make: Make) =>
    addCost(figures, name, `${what}, ${spread}`, await cost(make));

  await add('MetadataCall', 'GET /me with a personal access token', get(`${api}/me`));
  await add('ListCall', 'GET /sessions of an account that has one', get(`${api}/sessions`));
  await add('RelayCall', across, invoke(api));
  await add('KeyedCall', `${across}, with an Idempotency-Key`, invoke(api, [], true));

  const { redisOutBytes } = await cost(invoke(api, ARGUMENTS), TIMES / 10);
  figures.add(
    'redis.bodyCopiesPerRelayCall',
    (redisOutBytes - figures.valueOf('redis.outBytesPerRelayCall')) / LARGER,
    'B/B',
    `total_net_output_bytes of calls with and without ${LARGER.toLocaleString('en')} further characters in the request`,
  );
}

function inTurn(lab: Lab, fleet: FleetAccount[], make: Make, times: number): Promise<void> {
  let turn = 0;
  return lab.sender.sendAll(() => make(fleet[turn++ % fleet.length]!), times, IN_FLIGHT);
}

function get(url: string): Make {
  return ({ token }) => ({ method: 'GET', url, token });
}

function invoke(api: string, args: string[] = [], isKeyed = false): Make {
  return ({ token, machines }) => ({
    method: 'POST',
    url: `${api}/machines/${machines[0]!.machineId}/invoke`,
    token,
    ...(isKeyed && { headers: { 'Idempotency-Key': randomUUID() } }),
    body: JSON.stringify({ command: 'true', args }),
  });
}
