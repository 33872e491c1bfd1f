import { Controller, Get, Header, Param, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { computeContentHash } from '@external-api/protocol';
import { ControlController, CurrentCaller, RequireScopes, type Principal } from '../../../access/auth';
import { ReserveResponseBytes } from '../../../access/backpressure';
import { contentResponse, Operation } from '../../../common/http';
import { PermissionRequestsService } from '../../permission-requests';
import { sendContentJson } from './content-response';
import { ContentReader } from './content-reader';
import {
  DevicePermissionContentDto,
  PlaintextPermissionContentDto,
  SealedPermissionContentDto,
} from './content.response.dto';
import { GetContentQueryDto } from './content.dto';

/** Maximum size of a request's text and its JSON. */
const PERMISSION_CONTENT_MAX_BYTES = 262_144;

/** Content of a permission request, for callers who may read it (docs/protocol/agents.md#content). */
@Controller('external/v1/sessions/:id/permission-requests/:permissionId/content')
export class PermissionContentController {
  constructor(
    private readonly permissionRequests: PermissionRequestsService,
    private readonly contentReader: ContentReader,
  ) {}

  @Get()
  @ReserveResponseBytes(PERMISSION_CONTENT_MAX_BYTES)
  @Header('Cache-Control', 'no-store')
  @RequireScopes('sessions:content')
  @Operation({
    id: 'getPermissionRequestContent',
    tag: 'Sessions',
    summary: "Get a permission request's content",
    description:
      'Returns what the agent asks, if a device has granted the key of the session to this caller: in plaintext ' +
      "with a grant to the service, or sealed with a grant to the caller's own key. A decision repeats `contentHash`.",
    response: contentResponse([PlaintextPermissionContentDto, SealedPermissionContentDto], { raw: false }),
    responseDescription: 'The content in one of its encodings.',
    errorCodes: ['no_content_grant', 'grant_key_mismatch'],
    control: {
      description:
        'Returns the stored ciphertext of what the agent asks. An account device opens it with its own key and needs ' +
        'no grant. A decision repeats `contentHash`.',
      response: contentResponse([DevicePermissionContentDto], { raw: false }),
      responseDescription: 'The ciphertext.',
    },
  })
  async getPermissionRequestContent(
    @CurrentCaller() caller: Principal,
    @Param('id') sessionId: string,
    @Param('permissionId') permissionId: string,
    @Query() { encoding }: GetContentQueryDto,
    @Res() response: Response,
  ): Promise<void> {
    await this.permissionRequests.requirePermissionRequest(caller.accountId, sessionId, permissionId);
    let contentHash = '';
    const loadCiphertext = async () => {
      const ciphertext = await this.permissionRequests.getCiphertext(caller.accountId, sessionId, permissionId);
      contentHash = computeContentHash(ciphertext.content);
      return ciphertext;
    };
    const result = await this.contentReader.readContent(caller, {
      sessionId,
      artifactId: null,
      encoding,
      loadCiphertext,
    });
    await sendContentJson(response, { id: permissionId, sessionId, contentHash }, result);
  }
}

/** The same routes for account devices. */
@ControlController('sessions/:id/permission-requests/:permissionId/content')
export class ControlPermissionContentController extends PermissionContentController {}
