import { Controller, Get, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Public } from '../../../access/auth';
import { notFoundError } from '../../../common/errors';
import { SkipValidation } from '../../../common/http';

/** Redirects browsers from `/` to the console. Other clients receive 404. */
@Controller()
export class RootController {
  @Get()
  @SkipValidation()
  @Public()
  redirectToConsole(@Req() request: Request, @Res() response: Response): void {
    response.vary('Accept');
    if (request.accepts(['application/json', 'text/html']) !== 'text/html') throw notFoundError('path');
    response.redirect('/console');
  }
}
