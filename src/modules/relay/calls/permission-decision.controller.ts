import { Body, Controller, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ControlController, CurrentCaller, RequirePatScopes, type Principal } from '../../../access/auth';
import { IdempotencyKey } from '../../../access/idempotency';
import { RateLimit } from '../../../access/rate-limiting';
import { Operation, unwrappedResponse } from '../../../common/http';
import { ContentReader } from '../../key-grants';
import { PermissionDecisionsService, PermissionRequestsService } from '../../permission-requests';
import { RELAY_ERROR_CODES } from '../relay.errors';
import { createCallContext, sendRelayReply, type CallContext } from './call-context';
import { DecidePermissionDto, toPermissionChoice } from './permission-decision.dto';
import type { SuccessfulReply } from './call-reply';
import { RelayReplyDto } from './relay-reply.dto';
import { createDecidePermissionRequest, type UnsentRequest } from './relay-request';
import { refuseIfDatabaseUnavailable, RelayService } from './relay.service';

/** Decisions of callers on what agents ask (docs/protocol/agents.md#decisions). */
@Controller('external/v1/sessions/:id/permission-requests/:permissionId/decision')
export class PermissionDecisionController {
  constructor(
    private readonly relayService: RelayService,
    private readonly permissionRequests: PermissionRequestsService,
    private readonly permissionDecisions: PermissionDecisionsService,
    private readonly contentReader: ContentReader,
  ) {}

  @Post()
  @HttpCode(200)
  @RateLimit('metadata', 'account')
  @RequirePatScopes('sessions:approve', 'sessions:content')
  @Operation({
    id: 'decidePermissionRequest',
    tag: 'Sessions',
    summary: 'Decide on a permission request',
    description:
      'Sends a decision to the device of the turn, which executes the first one. `contentHash` comes with the ' +
      'content of the request, so the key of the session must have been granted to the caller. What is allowed runs ' +
      'as the user of the machine. Requires a personal access token.',
    response: unwrappedResponse(RelayReplyDto),
    responseDescription: 'The state of the request, and the option that was selected.',
    errorCodes: ['conflict', 'permission_not_pending', 'no_content_grant', 'grant_key_mismatch', ...RELAY_ERROR_CODES],
    examples: { response: { result: { state: 'allowed', optionId: 'o1' } } },
  })
  async decidePermissionRequest(
    @CurrentCaller() caller: Principal,
    @Param('id') sessionId: string,
    @Param('permissionId') permissionId: string,
    @Body() body: DecidePermissionDto,
    @IdempotencyKey() key: string | null,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SuccessfulReply['body']> {
    const context = createCallContext(caller, body, key, request, response);
    const decision = await refuseIfDatabaseUnavailable(() =>
      this.createRequest(context, sessionId, permissionId, body),
    );
    return sendRelayReply(response, this.relayService.runCall(context, decision));
  }

  /**
   * Requires access to the content first. Otherwise a caller could test hashes, or decide on content that it can't
   * read.
   * @throws ApiError 400, 403 `no_content_grant`, 404, 409 `conflict` or `permission_not_pending`, 422
   *   `grant_key_mismatch`
   */
  private async createRequest(
    context: CallContext,
    sessionId: string,
    permissionId: string,
    body: DecidePermissionDto,
  ): Promise<UnsentRequest> {
    const { caller } = context;
    const choice = toPermissionChoice(body);
    await this.permissionRequests.requirePermissionRequest(caller.accountId, sessionId, permissionId);
    await this.contentReader.requireAccess(caller, { sessionId, artifactId: null, encoding: undefined });
    const params = await this.permissionDecisions.resolveDecision(
      caller.accountId,
      sessionId,
      permissionId,
      choice,
      body.contentHash,
    );
    return createDecidePermissionRequest(context, sessionId, params);
  }
}

/** The same routes for account devices. */
@ControlController('sessions/:id/permission-requests/:permissionId/decision')
export class ControlPermissionDecisionController extends PermissionDecisionController {}
