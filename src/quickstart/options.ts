import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

export const USAGE = `Usage: npm run quickstart [-- --once]

Starts the service on its embedded database, makes a demo account, pairs this computer as a machine,
relays a message and a command through the HTTP API, and stays up until Ctrl-C.

  --once      stop after the relayed calls; status 0 when all went well
  --help

  PORT        default 3000; when it is taken, a free one is used
  DATA_DIR    default ./data/quickstart; may be removed when nothing runs in it`;

export interface Options {
  once: boolean;
  help: boolean;
  /** 0: any free one */
  port: number;
  folder: string;
}

/** A mistake in the call. */
export class UsageError extends Error {}

/** @throws UsageError */
export function readOptions(argv: string[], env: NodeJS.ProcessEnv): Options {
  const { once, help } = parse(argv);
  const port = env.PORT || '3000';
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535)
    throw new UsageError(`PORT is no whole number from 0 to 65535: ${port}`);
  return { once, help, port: Number(port), folder: resolve(env.DATA_DIR || 'data/quickstart') };
}

function parse(argv: string[]) {
  const flag = { type: 'boolean', default: false } as const;
  try {
    return parseArgs({ args: argv, options: { once: flag, help: flag } }).values;
  } catch (error) {
    throw new UsageError((error as Error).message.split('. ')[0], { cause: error });
  }
}
