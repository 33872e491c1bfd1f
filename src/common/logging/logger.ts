import type { LoggerService } from '@nestjs/common';
import { pino, type DestinationStream, type Logger as PinoLogger } from 'pino';

/** A name, message and stack: driver errors also carry statements and parameters, which may be secrets. */
function safeError(error: unknown): object {
  if (!(error instanceof Error)) return { type: typeof error };
  const { name, message, stack } = error;
  return { type: name, message, stack, code: (error as { code?: unknown }).code };
}

/** Structured lines on standard output. Bodies, headers and query strings are never handed to it. */
export function createLogger(level: string, destination?: DestinationStream): PinoLogger {
  return pino(
    {
      level,
      base: null,
      serializers: { err: safeError, error: safeError },
      redact: {
        paths: ['token', 'secret', 'authorization', 'signature', '*.token', '*.secret', '*.authorization'],
        censor: '[redacted]',
      },
    },
    destination ?? pino.destination({ sync: false }),
  );
}

/** The framework's own progress at start; an error there reaches whoever starts the process as an exception. */
const FRAMEWORK = new Set([
  'ExceptionHandler',
  'InstanceLoader',
  'NestApplication',
  'NestFactory',
  'RouterExplorer',
  'RoutesResolver',
  'WebSocketsController',
]);

/** Nest's logger interface on pino: `logger.warn({ tokenId }, 'what happened')`. */
export class NestLogger implements LoggerService {
  constructor(private readonly pino: PinoLogger) {}

  log = (message: unknown, ...rest: unknown[]): void => this.write('info', message, rest);
  error = (message: unknown, ...rest: unknown[]): void => this.write('error', message, rest);
  warn = (message: unknown, ...rest: unknown[]): void => this.write('warn', message, rest);
  debug = (message: unknown, ...rest: unknown[]): void => this.write('debug', message, rest);
  verbose = (message: unknown, ...rest: unknown[]): void => this.write('trace', message, rest);
  fatal = (message: unknown, ...rest: unknown[]): void => this.write('fatal', message, rest);

  private write(level: 'info' | 'error' | 'warn' | 'debug' | 'trace' | 'fatal', first: unknown, rest: unknown[]) {
    const texts = rest.filter((part) => typeof part === 'string');
    const context = texts.at(-1);
    if (context && FRAMEWORK.has(context)) level = 'debug';
    if (first instanceof Error) this.pino[level]({ context, err: first }, first.message);
    else if (typeof first === 'object' && first !== null) this.pino[level]({ context, ...first }, texts[0]);
    else this.pino[level]({ context }, String(first));
  }
}
