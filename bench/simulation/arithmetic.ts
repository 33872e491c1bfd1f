import type { Constants } from './constants';
import { kindsOf, meanOf, peakOf, type Kind } from './demand';
import { bytes, number, table } from './markdown';
import { SETTINGS } from './options';
import { tablesBlock } from './stored';
import { TRAFFIC, type Traffic } from './traffic';

/** The generated parts of docs/scaling.md that need no simulation, by name. */
export function arithmetic(constants: Constants, traffic: Traffic): Record<string, string> {
  const sum = new Sum(constants, traffic);
  return {
    inputs: inputs(traffic),
    rates: sum.rates(),
    presence: sum.presence(),
    redis: sum.redis(),
    service: sum.service(),
    postgres: sum.postgres(),
    tables: tablesBlock(constants, traffic),
    connections: sum.connections(),
  };
}

function inputs(traffic: Traffic): string {
  const rows = Object.entries(TRAFFIC).map(([name, { unit, means }]) => [
    `\`${name}\``,
    `${number(traffic[name as keyof Traffic])} ${unit}`.trim(),
    means,
  ]);
  return table(['Input', { right: 'Value' }, 'What it is'], rows);
}

class Sum {
  private readonly kinds: Kind[];

  constructor(
    private readonly constants: Constants,
    private readonly traffic: Traffic,
  ) {
    this.kinds = kindsOf(traffic);
  }

  rates(): string {
    const rows = this.kinds.map((kind) => [
      kind.label,
      `${kind.formula} / 86,400`,
      number(kind.perDay),
      number(meanOf(kind)),
      number(peakOf(kind, this.traffic)),
    ]);
    return table(['What', 'Formula', { right: 'a day' }, { right: 'mean /s' }, { right: 'peak /s' }], rows);
  }

  presence(): string {
    const { devices, instances, devicesPerAccount } = this.traffic;
    const accounts = devices / devicesPerAccount;
    const first = this.constants.value('redis.bytesPerPresentDevice');
    const further = this.constants.value('redis.bytesPerFurtherDevice');
    const socket = this.constants.value('service.bytesPerSocket');
    const bucket = this.constants.value('redis.bytesPerRateBucket');
    const inRedis = accounts * first + (devices - accounts) * further;
    const minute = devices * this.constants.value('service.wireBytesPerIdleDeviceMinute');
    return table(
      ['What', 'Formula', { right: 'Figure' }],
      [
        [
          'presence in Redis',
          'accounts × `redis.bytesPerPresentDevice` + other devices × `redis.bytesPerFurtherDevice`',
          bytes(inRedis),
        ],
        [
          'rate buckets in Redis, every account at once',
          '2 × accounts × `redis.bytesPerRateBucket`',
          bytes(2 * accounts * bucket),
        ],
        ['Redis in all', 'the two', bytes(inRedis + 2 * accounts * bucket)],
        [
          'Redis back, empty: every device told to it again',
          'devices × `redis.cpuUsPerCommandBusy`',
          `${number((devices * this.constants.value('redis.cpuUsPerCommandBusy')) / 1e6)} s`,
        ],
        ['sockets of an instance', 'devices / instances', number(devices / instances)],
        ['memory for them', 'devices / instances × `service.bytesPerSocket`', bytes((devices / instances) * socket)],
        ['the same with one instance in ten gone', '× 10/9', bytes(((devices / instances) * socket * 10) / 9)],
        ['pings, all instances', 'devices × `service.wireBytesPerIdleDeviceMinute` / 60', `${bytes(minute / 60)}/s`],
      ],
    );
  }

  redis(): string {
    const { instances, full, requestBytes, answerBytes } = this.traffic;
    const bodies = this.constants.value('redis.bodyCopiesPerRelayCall') * (requestBytes + answerBytes);
    // Deliveries ask nothing of Redis.
    const rows = this.kinds
      .filter(({ name }) => name !== 'Delivery')
      .map((kind) => {
        const peak = peakOf(kind, this.traffic);
        const body = /Call$/.test(kind.name) && kind.name !== 'MetadataCall' ? bodies : 0;
        return {
          label: kind.label,
          commands: peak * this.cost('redis.commands', kind),
          cores: (peak * this.cost('redis.cpuUs', kind)) / 1e6,
          out: peak * (this.cost('redis.outBytes', kind) + body),
        };
      });
    rows.push({
      label: `${number(instances)} idle instances`,
      commands: instances * this.constants.value('redis.idleCommandsPerInstanceSecond'),
      cores: (instances * this.constants.value('redis.idleCpuUsPerInstanceSecond')) / 1e6,
      out: instances * this.constants.value('redis.idleOutBytesPerInstanceSecond'),
    });
    const all = total(rows, ['commands', 'cores', 'out']);
    const busy = this.constants.value('redis.cpuUsPerCommandBusy');
    const body = [...rows, { label: 'all', ...all }].map(({ label, commands, cores, out }) => [
      label,
      number(commands),
      number(cores),
      `${bytes(out)}/s`,
    ]);
    return [
      table(['At the peak', { right: 'commands /s' }, { right: 'cores, calm' }, { right: 'egress' }], body),
      '',
      `Redis runs commands on one core. At \`full\` = ${number(full)} of it the figures above are **${number(all.cores / full)} Redis ` +
        `servers' worth** by what a calm Redis takes, and ${number((all.commands * busy) / 1e6 / full)} by what a busy one does ` +
        `(\`redis.cpuUsPerCommandBusy\` = ${number(busy)} µs for each command): the truth lies between, nearer to the second ` +
        `the busier it is.`,
    ].join('\n');
  }

  service(): string {
    const { devices, full, instances } = this.traffic;
    const rows = this.kinds.map((kind) => ({
      label: kind.label,
      us: this.serviceCost(kind),
      cores: (peakOf(kind, this.traffic) * this.serviceCost(kind)) / 1e6,
    }));
    const minute = this.constants.value('service.cpuUsPerIdleDeviceMinute');
    rows.push({ label: 'connected devices, a minute', us: minute, cores: (devices * minute) / 60 / 1e6 });
    const idle = this.constants.value('service.idleCpuUsPerInstanceSecond');
    rows.push({ label: 'an instance, a second', us: idle, cores: (instances * idle) / 1e6 });
    const { cores } = total(rows, ['cores']);
    const body = rows.map((row) => [row.label, number(row.us), number(row.cores)]);
    body.push(
      ['all', '', number(cores)],
      [`instances at \`full\` = ${number(full)}`, '', number(Math.ceil(cores / full))],
    );
    return table(['At the peak', { right: 'CPU of one, µs' }, { right: 'cores' }], body);
  }

  postgres(): string {
    const { instances, full } = this.traffic;
    const rows = this.kinds.map((kind) => {
      const peak = peakOf(kind, this.traffic);
      return {
        label: kind.label,
        transactions: peak * this.cost('postgres.transactions', kind),
        cores: (peak * this.cost('postgres.cpuUs', kind)) / 1e6,
        wal: kind.perDay * this.cost('postgres.walBytes', kind),
      };
    });
    rows.push({
      label: `${number(instances)} idle instances`,
      transactions: instances * this.constants.value('postgres.idleTransactionsPerInstanceSecond'),
      cores: (instances * this.constants.value('postgres.idleCpuUsPerInstanceSecond')) / 1e6,
      wal: 86_400 * instances * this.constants.value('postgres.idleWalBytesPerInstanceSecond'),
    });
    const all = total(rows, ['transactions', 'cores', 'wal']);
    const body = [...rows, { label: 'all', ...all }].map((row) => [
      row.label,
      number(row.transactions),
      number(row.cores),
      `${bytes(row.wal)}`,
    ]);
    body.push([`cores at \`full\` = ${number(full)}`, '', number(all.cores / full), '']);
    return table(['At the peak', { right: 'transactions /s' }, { right: 'cores' }, { right: 'WAL a day' }], body);
  }

  connections(): string {
    const { instances } = this.traffic;
    const pool = SETTINGS.poolSize.value;
    return table(
      ['What', 'Formula', { right: 'Figure' }],
      [
        [
          'connections of the pools',
          `instances × ${pool} (\`src/persistence/data-source.ts\`)`,
          number(instances * pool),
        ],
        ['two versions side by side, ten of a batch', `(instances + 10) × ${pool}`, number((instances + 10) * pool)],
        ['connections to Redis', 'instances × 3 (limits; relay commands; relay messages)', number(instances * 3)],
      ],
    );
  }

  private cost(kind: string, { name }: Kind): number {
    // The difference of two measurements may fall below nothing.
    return Math.max(0, this.constants.value(`${kind}Per${name}`));
  }

  /** A reconnect costs the instance that loses the device as well. */
  private serviceCost(kind: Kind): number {
    const more = kind.name === 'Reconnect' ? this.constants.value('service.cpuUsPerDisconnect') : 0;
    return this.cost('service.cpuUs', kind) + more;
  }
}

function total<K extends string>(rows: Record<K, number>[], keys: K[]): Record<K, number> {
  return Object.fromEntries(keys.map((key) => [key, rows.reduce((sum, row) => sum + row[key], 0)])) as Record<
    K,
    number
  >;
}
