import type { INestApplicationContext } from '@nestjs/common';
import { RelayCallLookUp } from '../relay';
import type { Output } from './output';

export async function call(app: INestApplicationContext, output: Output, [id]: string[]): Promise<void> {
  const found = await app.get(RelayCallLookUp).find(id!);
  if (!found) {
    throw new Error(`No relayed call is kept as "${id}". Other calls are in the log alone, as reqId.`);
  }
  output.answer(JSON.stringify({ ...found, createdAt: found.createdAt.getTime() }, null, 2));
}
