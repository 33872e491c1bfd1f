import { pipeline } from 'node:stream/promises';
import { Controller, Get, Header, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { BrowserOnly, CurrentDevice, type DevicePrincipal } from '../../../access/auth';
import { ApiError } from '../../../common/errors';
import { compressResponse, Produces } from '../../../common/http';
import { SlotLimiter } from '../../../common/slot-limiter';
import { ListActivityQueryDto, RelayActivityService, type RelayActivityEntry } from '../../../modules/relay';

/** Calls per file. A file of the most is about 10 MB. */
const MAX_EXPORTED_CALLS = 50_000;
/** Exports of an account at once, per instance. */
const MAX_CONCURRENT_EXPORTS = 2;

type Cell = string | number | boolean | null;

const COLUMNS: readonly [name: string, getCell: (call: RelayActivityEntry) => Cell][] = [
  ['createdAt', ({ createdAt }) => new Date(createdAt).toISOString()],
  ['requestId', ({ requestId }) => requestId],
  ['method', ({ method }) => method],
  ['callerKind', ({ callerKind }) => callerKind],
  ['callerId', ({ callerId }) => callerId],
  ['callerName', ({ callerName }) => callerName],
  ['deviceId', ({ deviceId }) => deviceId],
  ['deviceName', ({ deviceName }) => deviceName],
  ['sessionId', ({ sessionId }) => sessionId],
  ['machineId', ({ machineId }) => machineId],
  ['status', ({ status }) => status],
  ['code', ({ code }) => code],
  ['outcome', ({ outcome }) => outcome],
  ['timedOut', ({ timedOut }) => timedOut],
  ['requestBytes', ({ requestBytes }) => requestBytes],
  ['resultBytes', ({ resultBytes }) => resultBytes],
  ['totalMs', ({ totalMs }) => totalMs],
];

/** Exports relayed calls without their content as CSV (docs/guide/console.md#devices-and-activity). */
@Controller('console')
export class ActivityExportController {
  /** Running exports by account. */
  private readonly exportSlots = new SlotLimiter(MAX_CONCURRENT_EXPORTS);

  constructor(private readonly activity: RelayActivityService) {}

  @Get('activity.csv')
  @Produces('text/csv')
  @Header('Cache-Control', 'no-store')
  @BrowserOnly()
  async exportActivity(
    @CurrentDevice() { accountId }: DevicePrincipal,
    @Query() query: ListActivityQueryDto,
    @Res() response: Response,
  ): Promise<void> {
    this.reserveExport(accountId, response);
    const pages = this.activity.scanActivity(accountId, query, MAX_EXPORTED_CALLS);
    // The first page, so that an error of the query gets a status of its own.
    const first = await pages.next();
    response.type('text/csv').attachment('activity.csv');
    compressResponse(response);
    await pipeline(writeCsv(first.done ? [] : first.value, pages), response);
  }

  /** Counts an export until its response has closed. @throws ApiError 503 `service_unavailable` */
  private reserveExport(accountId: string, response: Response): void {
    // The client has disconnected.
    if (response.destroyed) return;
    if (this.exportSlots.acquireSlot(accountId)) {
      const message = `${MAX_CONCURRENT_EXPORTS} exports of this account are running. Try again when one has finished.`;
      throw new ApiError('service_unavailable', message, {
        members: { outcome: 'not_delivered' },
        headers: { 'Retry-After': '5' },
      });
    }
    response.once('close', () => this.exportSlots.releaseSlot(accountId));
  }
}

async function* writeCsv(first: RelayActivityEntry[], rest: AsyncIterable<RelayActivityEntry[]>) {
  yield toCsvLine(COLUMNS.map(([name]) => name)) + toCsvLines(first);
  for await (const calls of rest) yield toCsvLines(calls);
}

function toCsvLines(calls: readonly RelayActivityEntry[]): string {
  return calls.map((call) => toCsvLine(COLUMNS.map(([, getCell]) => getCell(call)))).join('');
}

/** Formats a record of RFC 4180. */
function toCsvLine(cells: readonly Cell[]): string {
  return `${cells.map(toCsvCell).join(',')}\r\n`;
}

/** A spreadsheet would run text that begins like a formula, such as the name of a device. */
function toCsvCell(value: Cell): string {
  if (typeof value !== 'string') return value === null ? '' : String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
