import { applyDecorators, Controller, UseInterceptors } from '@nestjs/common';
import { OwnShape } from '../../common/http';
import { PageInterceptor } from './page.interceptor';

/** A controller whose handlers answer with a `Page` or a `SeeOther`; every form to it carries the CSRF token. */
export const ConsoleController = (path: string) =>
  applyDecorators(Controller(path), OwnShape(), UseInterceptors(PageInterceptor));
