import { setImmediate as soon } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { Dispatcher } from './dispatcher';
import { HEALTHY } from './lane-health';
import type { Lease } from './lanes.repository';

/** As many as a dispatcher holds at once. */
const PLACES = 500;
const QUANTUM_MS = 5_000;
const ENDPOINT = { url: 'http://receiver.example/', isActive: true, viewer: null, keys: [] };

/** Lanes in which deliveries wait without end, and receivers that answer when the test says so. */
class World {
  now = 0;
  readonly due: string[];
  /** Of each lane, the tries that wait for an answer. */
  private readonly underWay = new Map<string, (() => void)[]>();
  readonly dispatcher: Dispatcher;

  constructor(
    lanes: number,
    private readonly changes: { due?: () => Promise<object[]> } = {},
  ) {
    this.due = Array.from({ length: lanes }, (_, n) => `whk_${n}`);
    const parts = [
      { run: (work: () => unknown) => work() },
      { self: 'ins_1' },
      this.lanes(),
      { due: (id: string) => this.changes.due?.() ?? Promise.resolve(this.rows(id)) },
      { find: () => Promise.resolve(ENDPOINT) },
      { run: ({ webhookId }: Lease) => this.try(webhookId) },
      { lanes: { set: () => undefined } },
      { monotonic: () => this.now, date: () => new Date(this.now), now: () => this.now },
    ];
    this.dispatcher = new Dispatcher(...(parts as unknown as ConstructorParameters<typeof Dispatcher>));
  }

  triesOf(webhookId: string): number {
    return this.underWay.get(webhookId)?.length ?? 0;
  }

  answer(webhookId: string): void {
    for (const answer of this.underWay.get(webhookId)!.splice(0)) answer();
  }

  async stop(): Promise<void> {
    const stopped = this.dispatcher.stop();
    await soon();
    for (const webhookId of this.underWay.keys()) this.answer(webhookId);
    await stopped;
  }

  /** What was asked for has happened, as far as it can. */
  async settle(): Promise<void> {
    this.dispatcher.nudge([]);
    for (let i = 0; i < 50; i++) await soon();
  }

  private lanes() {
    const leaseOf = (webhookId: string): Lease => ({ webhookId, lease: '1', health: HEALTHY });
    return {
      lease: (_: string, __: Date, limit: number) =>
        Promise.resolve(this.due.splice(0, limit).map((id) => leaseOf(id))),
      lock: (ids: string[]) => Promise.resolve(ids.map((id) => leaseOf(id))),
      refreshDue: () => Promise.resolve(),
      release: (id: string) => {
        this.due.push(id);
        return Promise.resolve(new Date(this.now));
      },
      renew: () => Promise.resolve(true),
    };
  }

  private rows(webhookId: string) {
    return Array.from({ length: 200 }, (_, n) => ({ id: `${webhookId}_${this.now}_${n}` }));
  }

  private async try(webhookId: string) {
    const tries = this.underWay.get(webhookId) ?? [];
    this.underWay.set(webhookId, tries);
    await new Promise<void>((resolve) => tries.push(resolve));
    return { exchange: null, written: Promise.resolve(true) };
  }
}

describe('Dispatcher', () => {
  let world: World;
  beforeAll(() => Logger.overrideLogger(false));
  afterEach(() => world.stop());

  it('lets lanes that find no room have a turn, once those that it holds have had theirs', async () => {
    world = new World(PLACES + 1);
    const last = `whk_${PLACES}`;
    await world.settle();
    expect(world.triesOf('whk_0')).toBe(10);
    expect(world.triesOf(last)).toBe(0);

    world.answer('whk_0');
    await world.settle();
    expect(world.triesOf('whk_0')).toBe(10);
    expect(world.triesOf(last)).toBe(0);

    world.now = QUANTUM_MS;
    await world.settle();
    world.answer('whk_0');
    await world.settle();
    expect(world.triesOf('whk_0')).toBe(0);
    expect(world.triesOf(last)).toBe(10);
    expect(world.due).toEqual(['whk_0']);
  });

  it('gives a lane back at once when it cannot be read, and takes it again', async () => {
    let failures = 1;
    world = new World(1, {
      due: () => (failures-- > 0 ? Promise.reject(new Error('no database')) : Promise.resolve([{ id: 'dlv' }])),
    });
    await world.settle();
    expect(world.triesOf('whk_0')).toBe(0);
    expect(world.due).toEqual(['whk_0']);
    await world.settle();
    expect(world.triesOf('whk_0')).toBe(1);
  });
});
