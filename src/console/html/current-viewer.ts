import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import type { Viewer } from './viewer';

/** The signed-in person, on a `@SessionOnly` page. */
export const CurrentViewer = createParamDecorator((_: unknown, context: ExecutionContext): Viewer => {
  const { viewer } = context.switchToHttp().getRequest<Request>();
  if (!viewer) throw new Error('The route’s policy does not promise a session.');
  return viewer;
});
