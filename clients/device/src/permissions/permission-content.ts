import {
  buildPermissionBinding,
  MAX_PERMISSION_CONTENT_LENGTH,
  QUESTION_MEDIA_TYPE,
  sealContent,
  type Content,
} from '@external-api/protocol';
import { isAgentQuestion } from '../agent/agent-question';
import type { AgentPermissionRequest, AgentRequest } from '../agent/agent-session';
import { truncateMiddle } from '../exec/truncation';
import type { HostedSession } from '../history/session-history';

/** Media type of the content of a permission request (docs/protocol/device-api.md#reference-device). */
const PERMISSION_MEDIA_TYPE = 'application/vnd.external-api.permission-request+json';

/** Sizes to which the tool's input and the diff are truncated until the content fits, in bytes of text. */
const TEXT_LIMITS = [Infinity, 12_288, 4_096, 1_024];

/**
 * Encrypts what the deciding person must see: `{title, tool, input, options, diff?}`, of a question `{title, message,
 * schema}`. An input that is too long becomes text that is truncated in the middle and says so.
 * @throws Error when the title and the options alone are too long
 */
export async function sealPermissionContent(
  request: AgentRequest,
  { accountId, tag, dataKey }: HostedSession,
  localId: string,
): Promise<string> {
  const place = buildPermissionBinding(accountId, tag, localId);
  for (const maxBytes of TEXT_LIMITS) {
    const sealed = await sealContent(createContent(request, maxBytes), dataKey, place);
    if (sealed.length <= MAX_PERMISSION_CONTENT_LENGTH) return sealed;
  }
  throw new Error('The permission request is too long to be shown.');
}

/** A question has limits of its own, below all of these. */
function createContent(request: AgentRequest, maxBytes: number): Content {
  if (isAgentQuestion(request)) return toJsonContent(QUESTION_MEDIA_TYPE, request.content);
  return toJsonContent(PERMISSION_MEDIA_TYPE, describeToolUse(request, maxBytes));
}

const toJsonContent = (mediaType: string, value: object): Content => ({
  mediaType,
  bytes: Buffer.from(JSON.stringify(value)),
});

function describeToolUse({ title, kind, input, options, diff }: AgentPermissionRequest, maxBytes: number) {
  const inputText = JSON.stringify(input ?? null);
  return {
    title,
    tool: kind,
    input: Buffer.byteLength(inputText) > maxBytes ? truncateText(inputText, maxBytes) : input,
    options: options.map(({ optionId, name, kind: optionKind }) => ({ optionId, name, kind: optionKind })),
    ...(diff !== null && { diff: truncateText(diff, maxBytes) }),
  };
}

function truncateText(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  return truncateMiddle(bytes, bytes.length, maxBytes);
}
