import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import type { Viewer } from './viewer';

/** Injects the signed-in user on a `@BrowserOnly` page. */
export const CurrentViewer = createParamDecorator((_: unknown, context: ExecutionContext): Viewer => {
  const { viewer } = context.switchToHttp().getRequest<Request>();
  if (!viewer) throw new Error('The route’s policy does not require a browser login.');
  return viewer;
});
