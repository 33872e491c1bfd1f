import type { INestApplicationContext } from '@nestjs/common';
import { call } from './call';
import { invite } from './invite';
import { limits } from './limits';
import type { Output } from './output';
import { reseal } from './reseal';
import { account, resume, suspend } from './standing';

export interface Command {
  /** What it is called with, as its usage shows it; the last may be repeated where it ends in "...". */
  takes: string[];
  what: string;
  run: (app: INestApplicationContext, output: Output, args: string[]) => Promise<void>;
}

export const COMMANDS: Record<string, Command> = {
  invite: {
    takes: [],
    what: 'print a one-time code that opens closed sign-up once; it is good for 7 days',
    run: invite,
  },
  account: { takes: ['NAME'], what: 'print what an operator may know of an account', run: account },
  suspend: {
    takes: ['NAME'],
    what: 'let no credential of the account open anything, and close its sockets, within a second',
    run: suspend,
  },
  resume: { takes: ['NAME'], what: 'take that back', run: resume },
  limits: {
    takes: ['NAME', 'LIMIT=NUMBER...'],
    what: 'give an account limits of its own; LIMIT=default takes one back',
    run: limits,
  },
  reseal: {
    takes: [],
    what: 'seal webhooks’ signing keys under the first APP_SECRET, so that older ones can go',
    run: reseal,
  },
  call: { takes: ['REQUEST'], what: 'print what became of a relayed call, by its request id', run: call },
};
