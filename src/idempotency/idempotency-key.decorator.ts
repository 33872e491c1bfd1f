import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { invalidRequest } from '../common/errors';

/** The validated `Idempotency-Key` header, or null. @throws ApiError 400 for a key out of form */
export const IdempotencyKey = createParamDecorator((_: unknown, context: ExecutionContext): string | null => {
  const key = context.switchToHttp().getRequest<Request>().headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key === 'string' && /^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw invalidRequest([
    {
      in: 'header',
      path: '/Idempotency-Key',
      code: 'invalid_format',
      message: 'Idempotency-Key must be 1 to 255 visible characters.',
    },
  ]);
});
