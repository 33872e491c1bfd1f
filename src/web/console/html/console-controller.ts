import { applyDecorators, Controller, UseInterceptors } from '@nestjs/common';
import { SkipValidation } from '../../../common/http';
import { PageInterceptor } from './page.interceptor';

/** Controller whose handlers return an `HtmlPage` or a `SeeOther`. Its forms must carry the CSRF token. */
export const ConsoleController = (path: string) =>
  applyDecorators(Controller(path), SkipValidation(), UseInterceptors(PageInterceptor));
