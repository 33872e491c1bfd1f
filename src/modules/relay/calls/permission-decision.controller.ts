import { Body, Controller, HttpCode, Param, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import {
  ControlController,
  CurrentCaller,
  insufficientScope,
  RequirePatScopes,
  type Principal,
  type Scope,
} from '../../../access/auth';
import { IdempotencyKey } from '../../../access/idempotency';
import { RateLimit } from '../../../access/rate-limiting';
import { Operation, unwrappedResponse } from '../../../common/http';
import { ContentReader } from '../../key-grants';
import { PermissionDecisionsService, PermissionRequestsService } from '../../permission-requests';
import { RELAY_ERROR_CODES } from '../relay.errors';
import { createCallContext, sendRelayReply, type CallContext } from './call-context';
import { DecidePermissionDto, toDecisionMessage, toPermissionChoice } from './permission-decision.dto';
import type { SuccessfulReply } from './call-reply';
import { RelayReplyDto } from './relay-reply.dto';
import { createDecidePermissionRequest, type UnsentRequest } from './relay-request';
import { refuseIfDatabaseUnavailable, RelayService } from './relay.service';

/** Scopes of a decision that prompts the agent as well. */
const PROMPTING_SCOPES: readonly Scope[] = ['sessions:approve', 'sessions:content', 'sessions:write'];

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
      'as the user of the machine. With `message`, it begins a turn, which the result names. Requires a personal ' +
      'access token.',
    response: unwrappedResponse(RelayReplyDto),
    responseDescription: 'The state of the request, the option that was selected, and the turn of the message, if any.',
    errorCodes: [
      'conflict',
      'permission_not_pending',
      'no_content_grant',
      'grant_key_mismatch',
      'plan_limit_exceeded',
      ...RELAY_ERROR_CODES,
    ],
    examples: { response: { result: { state: 'allowed', optionId: 'o1' } } },
  })
  async decidePermissionRequest(
    @CurrentCaller() caller: Principal,
    @Param('id') sessionId: string,
    @Param('permissionId') permissionId: string,
    @Body() body: DecidePermissionDto,
    @IdempotencyKey() key: string | null,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SuccessfulReply['body']> {
    const context = createCallContext(caller, body, key, response);
    const decision = await refuseIfDatabaseUnavailable(() =>
      this.createRequest(context, sessionId, permissionId, body),
    );
    return sendRelayReply(response, this.relayService.runCall(context, decision));
  }

  /**
   * Requires access to the content first. Otherwise a caller could test hashes, or decide on content that it can't
   * read.
   * @throws ApiError 400, 403 `insufficient_scope` or `no_content_grant`, 404, 409 `conflict` or
   *   `permission_not_pending`, 422 `grant_key_mismatch`
   */
  private async createRequest(
    context: CallContext,
    sessionId: string,
    permissionId: string,
    body: DecidePermissionDto,
  ): Promise<UnsentRequest> {
    const { caller } = context;
    const decision = {
      choice: toPermissionChoice(body),
      contentHash: body.contentHash,
      message: toDecisionMessage(body),
    };
    if (Object.keys(decision.message).length > 0) requirePromptingScope(caller);
    await this.permissionRequests.requirePermissionRequest(caller.accountId, sessionId, permissionId);
    await this.contentReader.requireAccess(caller, { sessionId, artifactId: null, encoding: undefined });
    const params = await this.permissionDecisions.resolveDecision(caller.accountId, sessionId, permissionId, decision);
    return createDecidePermissionRequest(context, sessionId, params);
  }
}

/** A message says what the agent does next, and not only whether it may do what it asks about. */
function requirePromptingScope(caller: Principal): void {
  if (caller.kind === 'device' || caller.scopes.includes('sessions:write')) return;
  throw insufficientScope(['sessions:write'], PROMPTING_SCOPES);
}

/** The same routes for account devices. */
@ControlController('sessions/:id/permission-requests/:permissionId/decision')
export class ControlPermissionDecisionController extends PermissionDecisionController {}
