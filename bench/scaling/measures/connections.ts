import type { Devices } from '../../support/devices';
import type { Instance } from '../../support/scene';
import { addCost, costFrom, plus, type Cost } from '../deed';
import type { Counts, Lab, Use } from '../lab';

const COUNTED = 200;

/** A device's socket closed on one instance and opened on the other. Nobody is connected before. */
export async function measureConnections(lab: Lab, devices: Devices, tokens: string[], idle: Cost): Promise<void> {
  const { figures, owner, origin } = lab;
  const some = tokens.slice(0, COUNTED);
  // What is written behind them belongs to them.
  const connect = async (to: Instance, list: string[]) => {
    await devices.connect(to.url, list);
    await lab.untilOnline(list.length);
  };
  const leave = async () => {
    await devices.leave();
    await lab.untilOnline(0);
  };

  const counts = await lab.countsDuring(() => connect(owner, some));
  const closed = await lab.countsDuring(leave);
  await connect(owner, tokens);
  const disconnecting = await lab.useDuring(leave);
  const connecting = await lab.useDuring(() => connect(origin, tokens));
  await leave();

  const per = (use: Use, count: Counts) =>
    costFrom(idle, { counts: count, counted: COUNTED, use, used: tokens.length });
  const opened = per(connecting, counts);
  const ended = per(disconnecting, closed);
  addCost(figures, 'Reconnect', 'device socket closed on one instance and opened on the other', plus(opened, ended));
  const n = tokens.length.toLocaleString('en');
  figures.add(
    'service.cpuUsPerReconnect',
    opened.serviceUs[0]!,
    'µs',
    `CPU of the instance that took ${n} handshakes: TCP, WebSocket, socket.io, handshake and presence, no TLS`,
  );
  figures.add('service.cpuUsPerDisconnect', ended.serviceUs[1]!, 'µs', `CPU of the instance whose ${n} devices left`);
}
