import type { INestApplicationContext } from '@nestjs/common';
import { Invitations } from '../accounts';
import { Config } from '../config';
import type { Output } from './output';

export async function invite(app: INestApplicationContext, output: Output): Promise<void> {
  const { code, expiresAt } = await app.get(Invitations).create();
  output.answer(code);
  output.remark(`Good once, until ${expiresAt.toISOString().slice(0, 16).replace('T', ' ')} UTC:`);
  output.remark(`  npm run device -- signup --username NAME --invitation=${code}`);
  if (app.get(Config).signup === 'open') output.remark('Sign-up is open here: nobody needs it.');
}
