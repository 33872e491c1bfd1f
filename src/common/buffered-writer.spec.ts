import { Logger } from '@nestjs/common';
import { BufferedWriter, type BufferedWriterOptions } from './buffered-writer';

interface Row {
  id: string;
  count: number;
}

function buildRow(id: string, count = 1): Row {
  return { id, count };
}

function buildWriter(options: Partial<BufferedWriterOptions<Row>> = {}) {
  const batches: string[][] = [];
  const writeRows = (rows: Row[]) => {
    batches.push(rows.map(({ id, count }) => `${id}:${count}`));
    return Promise.resolve();
  };
  const writer = new BufferedWriter<Row>('test', { flushIntervalMs: 60_000, writeRows, ...options });
  return { writer, batches, writeRows };
}

/** Fails writes until `recover` is called. */
function buildFailingWriter(options: Partial<BufferedWriterOptions<Row>> = {}) {
  let fail = true;
  const built = buildWriter({
    ...options,
    writeRows: (rows) => (fail ? Promise.reject(new Error('database unavailable')) : built.writeRows(rows)),
  });
  return { ...built, recover: () => (fail = false) };
}

const merging = {
  getKey: ({ id }: Row) => id,
  addTo: (sum: Row, row: Row) => void (sum.count += row.count),
};

describe('BufferedWriter', () => {
  // Expected failures would clutter the output of the tests.
  beforeAll(() => Logger.overrideLogger(false));
  afterAll(() => Logger.overrideLogger(true));

  it('writes rows oldest first in batches of limited size', async () => {
    const { writer, batches } = buildWriter({ maxBatchRows: 2 });
    for (const id of ['a', 'b', 'c']) writer.add(buildRow(id));
    expect(await writer.flush()).toBe(true);
    expect(batches).toEqual([['a:1', 'b:1'], ['c:1']]);
    await writer.flush();
    expect(batches).toHaveLength(2);
  });

  it('flushes at its interval', async () => {
    const { writer, batches } = buildWriter({ flushIntervalMs: 1 });
    writer.start();
    writer.add(buildRow('a'));
    while (batches.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    expect(batches).toEqual([['a:1']]);
    await writer.stop();
  });

  it('retries a failed batch in front of rows that were added meanwhile', async () => {
    const { writer, batches, recover } = buildFailingWriter();
    writer.add(buildRow('a'));
    const flushed = writer.flush();
    writer.add(buildRow('b'));
    expect(await flushed).toBe(false);
    recover();
    await writer.flush();
    expect(batches).toEqual([['a:1', 'b:1']]);
  });

  it('sums up rows with the same key, also across a failed write', async () => {
    const { writer, batches, recover } = buildFailingWriter({ merging });
    writer.add(buildRow('a'));
    writer.add(buildRow('a', 2));
    writer.add(buildRow('b'));
    const flushed = writer.flush();
    await Promise.resolve();
    writer.add(buildRow('a', 4));
    expect(await flushed).toBe(false);
    recover();
    await writer.flush();
    expect(batches).toEqual([['a:7', 'b:1']]);
  });

  it('drops the oldest row when the buffer is full, rows in flight included', async () => {
    const { writer, batches, recover } = buildFailingWriter({ maxBufferedRows: 2 });
    writer.add(buildRow('a'));
    writer.add(buildRow('b'));
    const flushed = writer.flush();
    await Promise.resolve();
    writer.add(buildRow('c'));
    await flushed;
    recover();
    await writer.flush();
    expect(batches).toEqual([['b:1', 'c:1']]);
  });

  it('writes rows that are added during the last flush before it stops', async () => {
    const { writer, batches } = buildWriter({
      writeRows: (rows) => {
        batches.push(rows.map(({ id }) => id));
        if (batches.length === 1) writer.add(buildRow('b'));
        return Promise.resolve();
      },
    });
    writer.start();
    writer.add(buildRow('a'));
    await writer.stop();
    expect(batches).toEqual([['a'], ['b']]);
  });

  it('stops when the last write fails', async () => {
    const { writer, batches } = buildFailingWriter();
    writer.add(buildRow('a'));
    await writer.stop();
    expect(batches).toEqual([]);
  });
});
