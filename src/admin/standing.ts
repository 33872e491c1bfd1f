import type { INestApplicationContext } from '@nestjs/common';
import { AccountControl, planOf, type ControlledAccount } from '../accounts';
import { Config } from '../config';
import type { Output } from './output';

/** @throws Error where there is none */
export async function accountNamed(app: INestApplicationContext, name: string): Promise<ControlledAccount> {
  const found = await app.get(AccountControl).find(name);
  if (!found) throw new Error(`There is no account "${name}".`);
  return found;
}

export async function account(app: INestApplicationContext, output: Output, [name]: string[]): Promise<void> {
  print(app, output, await accountNamed(app, name!));
}

export async function suspend(app: INestApplicationContext, output: Output, [name]: string[]): Promise<void> {
  const { id } = await accountNamed(app, name!);
  print(app, output, await app.get(AccountControl).suspend(id));
  output.remark('Suspended: every instance refuses its credentials within a second. Nothing of it is deleted.');
}

export async function resume(app: INestApplicationContext, output: Output, [name]: string[]): Promise<void> {
  const { id } = await accountNamed(app, name!);
  print(app, output, await app.get(AccountControl).resume(id));
  output.remark('Its credentials open what they opened before; its devices come back by themselves.');
}

/** As JSON, times in Unix ms as everywhere. @param found null: it was deleted meanwhile */
export function print(app: INestApplicationContext, output: Output, found: ControlledAccount | null): void {
  if (!found) throw new Error('The account was deleted meanwhile.');
  const { createdAt, suspendedAt, limits: own, ...rest } = found;
  const record = {
    ...rest,
    createdAt: createdAt.getTime(),
    suspendedAt: suspendedAt?.getTime() ?? null,
    ownLimits: own,
    plan: planOf(app.get(Config), own),
  };
  output.answer(JSON.stringify(record, null, 2));
}
