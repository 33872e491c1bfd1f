import type { LoggerService } from '@nestjs/common';
import { pino, type DestinationStream, type Logger as PinoLogger } from 'pino';
import { getLogContext } from '../request-context';
import { SERVICE_VERSION } from '../version';
import { LogOutput } from './log-output';

/** Of all loggers of the process. */
let standardOutput: LogOutput | null = null;

/** Returns name, message, stack and code only: driver errors also carry SQL and parameters, which may be secret. */
function serializeError(error: unknown): object {
  if (!(error instanceof Error)) return { type: typeof error };
  const { name, message, stack } = error;
  return { type: name, message, stack, code: (error as { code?: unknown }).code };
}

/**
 * Creates a logger that writes JSON lines to standard output, with the version of the service. Lines of a request have
 * its id and the id of its trace. Callers never pass bodies, headers or query strings.
 */
export function createLogger(level: string, destination?: DestinationStream): PinoLogger {
  return pino(
    {
      level,
      base: { version: SERVICE_VERSION },
      mixin: getLogContext,
      serializers: { err: serializeError, error: serializeError },
      redact: {
        paths: ['token', 'secret', 'authorization', 'signature', '*.token', '*.secret', '*.authorization'],
        censor: '[redacted]',
      },
    },
    destination ?? (standardOutput ??= new LogOutput()),
  );
}

/** Contexts of Nest's start-up messages, logged at level `debug`. Start-up errors are also thrown as exceptions. */
const FRAMEWORK_CONTEXTS = new Set([
  'ExceptionHandler',
  'InstanceLoader',
  'NestApplication',
  'NestFactory',
  'RouterExplorer',
  'RoutesResolver',
  'WebSocketsController',
]);

/** Nest's logger interface on pino: `logger.warn({ tokenId }, 'token rejected')`. */
export class PinoLoggerService implements LoggerService {
  constructor(private readonly pinoLogger: PinoLogger) {}

  log = (message: unknown, ...parameters: unknown[]): void => this.writeLine('info', message, parameters);
  error = (message: unknown, ...parameters: unknown[]): void => this.writeLine('error', message, parameters);
  warn = (message: unknown, ...parameters: unknown[]): void => this.writeLine('warn', message, parameters);
  debug = (message: unknown, ...parameters: unknown[]): void => this.writeLine('debug', message, parameters);
  verbose = (message: unknown, ...parameters: unknown[]): void => this.writeLine('trace', message, parameters);
  fatal = (message: unknown, ...parameters: unknown[]): void => this.writeLine('fatal', message, parameters);

  private writeLine(
    level: 'info' | 'error' | 'warn' | 'debug' | 'trace' | 'fatal',
    message: unknown,
    parameters: unknown[],
  ) {
    const textParameters = parameters.filter((part) => typeof part === 'string');
    const context = textParameters.at(-1);
    if (context && FRAMEWORK_CONTEXTS.has(context)) level = 'debug';
    if (message instanceof Error) this.pinoLogger[level]({ context, err: message }, message.message);
    else if (typeof message === 'object' && message !== null)
      this.pinoLogger[level]({ context, ...message }, textParameters[0]);
    else this.pinoLogger[level]({ context }, String(message));
  }
}
