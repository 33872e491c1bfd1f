/** Response body of `POST /v1/auth/challenge` (docs/protocol/device-api.md#challenges). */
export interface ChallengeResponse {
  challenge: string;
  /** The exact text to sign. */
  message: string;
  expiresAt: number;
}

/** Payload that an approving device signs with its own key (docs/protocol/device-api.md#enrollment). */
export interface EnrollmentPayload {
  accountId: string;
  publicKey: { kty: string; crv: string; x: string };
  encryptionKey: { kty: string; crv: string; x: string };
  contentPublicKey: { kty: string; crv: string; x: string };
  contentKeyVersion: number;
  /** Compact JWE of the account's private content key, for account devices only. */
  sealedContentKey?: string;
}
