import { verify } from './verify-webhook.ts';

export { ExternalApiClient } from './client.ts';
export { ApiError, ConnectionError, WaitTimeoutError, type ErrorCode } from './errors.ts';
export type { EventOptions, StreamEvent } from './events/event-stream.ts';
export type { Page, PagedList } from './http/paged-list.ts';
export type { Token, TokenRequest } from './http/token-source.ts';
export type { ApiResponse, ClientOptions, QueryValue, RequestOptions } from './http/transport.ts';
export type { WaitOptions } from './http/wait-for-record.ts';
export { oauthToken, type OAuthTokenOptions, type OAuthTokens } from './oauth-token.ts';
export type { Artifacts } from './resources/artifacts.ts';
export { createAttachment } from './resources/attachments.ts';
export type { Content, ContentOptions, PermissionContent, SessionContent } from './resources/content.ts';
export { SealedContentError, type PrivateJwk, type SealedContentCode } from './resources/sealed-content.ts';
export type { OutputChunk, OutputPage } from './resources/follow-output.ts';
export type { Invocations, OutputOptions } from './resources/invocations.ts';
export type { Machines } from './resources/machines.ts';
export type { QueueOptions, SendOptions, SendResult, SendUntil, TurnWaitOptions } from './resources/send-message.ts';
export type { Sessions } from './resources/sessions.ts';
export type { WebhookListPage, Webhooks } from './resources/webhooks.ts';
export { WebhookVerificationError } from './verify-webhook.ts';
export type { VerifyOptions, WebhookEvent, WebhookHeaders, WebhookVerificationCode } from './verify-webhook.ts';
export type * from './types.ts';
export type { components, operations, paths } from './generated/external-api.ts';

/** Verification of incoming webhooks. */
export const webhooks = { verify };
