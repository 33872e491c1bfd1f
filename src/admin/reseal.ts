import type { INestApplicationContext } from '@nestjs/common';
import { SecretResealing } from '../webhooks';
import type { Output } from './output';

export async function reseal(app: INestApplicationContext, output: Output): Promise<void> {
  const { resealed, lost } = await app.get(SecretResealing).run();
  output.answer(JSON.stringify({ resealed, lost }, null, 2));
  if (lost.length > 0) {
    throw new Error(
      'No APP_SECRET here opens the signing keys of these webhooks: give the one that does, or rotate them.',
    );
  }
  output.remark('Every signing key is sealed under the first APP_SECRET.');
}
