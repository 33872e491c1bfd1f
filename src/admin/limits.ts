import type { INestApplicationContext } from '@nestjs/common';
import { AccountControl, OWN_LIMITS, type AccountLimits } from '../accounts';
import type { Output } from './output';
import { accountNamed, print } from './standing';
import { UsageError } from './usage-error';

type Changes = Partial<Record<keyof AccountLimits, number | null>>;

export async function limits(app: INestApplicationContext, output: Output, [name, ...given]: string[]): Promise<void> {
  const changes = changesIn(given);
  const { id } = await accountNamed(app, name!);
  print(app, output, await app.get(AccountControl).setLimits(id, changes));
  output.remark('Every instance goes by them within a second. What the account has beyond them, it keeps.');
}

/** @throws UsageError */
function changesIn(given: string[]): Changes {
  const changes: Changes = {};
  for (const text of given) {
    const [, name, value] = /^(\w+)=(default|\d{1,15})$/.exec(text) ?? [];
    const limit = OWN_LIMITS.find((known) => known === name);
    if (!limit) throw new UsageError(`"${text}" is not one of these, = and a number: ${OWN_LIMITS.join(', ')}`);
    const number = value === 'default' ? null : Number(value);
    if (number === 0 && limit.endsWith('PerMinute')) throw new UsageError(`"${text}": use suspend for that`);
    changes[limit] = number;
  }
  return changes;
}
