import { closeSync } from 'node:fs';
import type { WriteStream } from 'node:tty';
import type { DestinationStream } from 'pino';

const STYLES = { dim: 2, red: 31, green: 32, yellow: 33 } as const;
const LEVELS: Record<number, [name: string, style: keyof typeof STYLES]> = {
  10: ['TRACE', 'dim'],
  20: ['DEBUG', 'dim'],
  40: ['WARN', 'yellow'],
  50: ['ERROR', 'red'],
  60: ['FATAL', 'red'],
};

/** Line of pino. Only the fields of `request` lines are known; others are printed as `name=value`. */
interface LogEntry {
  level: number;
  time: number;
  msg?: string;
  context?: string;
  err?: { message?: string; stack?: string };
  [field: string]: unknown;
}

/**
 * Destination of a logger for a person at a terminal: one short line per event, and the stack of errors. It receives
 * the same JSON lines as other programs do, after the logger has removed secrets.
 */
export function createTerminalLog(output: Pick<WriteStream, 'hasColors' | 'write'>): DestinationStream {
  // False with NO_COLOR and on a terminal without colors.
  const hasColors = output.hasColors();
  const paint = (style: keyof typeof STYLES, text: string) =>
    hasColors && text ? `\x1b[${STYLES[style]}m${text}\x1b[0m` : text;
  return { write: (line) => void output.write(`${formatEntry(JSON.parse(line) as LogEntry, paint)}\n`) };
}

/**
 * Lets the process go on when its terminal is closed, as at the end of an ssh login. By default, the next line ends
 * it, and Node.js aborts at its end, because it can't restore the modes of the terminal.
 */
export function outliveTerminal(): void {
  const ignore = () => undefined;
  process.stderr.on('error', ignore);
  process.stdout.on('error', ignore).once('error', () => process.once('exit', closeStandardStreams));
}

function closeStandardStreams(): void {
  for (const descriptor of [0, 1, 2]) closeSync(descriptor);
}

type Paint = (style: keyof typeof STYLES, text: string) => string;

function formatEntry(entry: LogEntry, paint: Paint): string {
  // A person at a terminal runs one version.
  const { level, time, msg = '', context, err, version: _, ...fields } = entry;
  const [name, style] = LEVELS[level] ?? ['', 'dim'];
  const text = msg === 'request' ? formatRequest(fields, paint) : formatEvent(msg, { context, ...fields }, err, paint);
  const clockTime = paint('dim', new Date(time).toTimeString().slice(0, 8));
  const line = [clockTime, paint(style, name), text].filter(Boolean).join('  ');
  return level >= 50 && err?.stack ? `${line}\n${paint('dim', removeControls(err.stack, '\n'))}` : line;
}

/** `GET /external/v1/me  200  4 ms  req_…`. Ids of the caller are only in JSON lines. */
function formatRequest(fields: Record<string, unknown>, paint: Paint): string {
  const { method, route, status, code, durationMs, requestId } = fields as Record<string, string | null>;
  const style = Number(status) >= 500 ? 'red' : Number(status) >= 400 ? 'yellow' : 'green';
  const result = paint(style, [status, code].filter(Boolean).join(' '));
  return [`${method} ${route ?? '(no route)'}`, result, paint('dim', `${durationMs} ms  ${requestId}`)].join('  ');
}

function formatEvent(message: string, fields: Record<string, unknown>, err: LogEntry['err'], paint: Paint): string {
  const details = Object.entries(fields)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  const reason = err?.message === message ? undefined : err?.message;
  const text = [message, reason].filter(Boolean).join(': ');
  return [removeControls(text, ''), paint('dim', removeControls(details.join(' '), ''))].filter(Boolean).join('  ');
}

/** Replaces characters that could control the terminal, since messages may quote other programs. */
function removeControls(text: string, allowed: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => (allowed.includes(character) ? character : ' '));
}
