/** The body of `POST /v1/auth/challenge`'s answer (device-api.md, Identity). */
export interface ChallengeOut {
  challenge: string;
  /** The exact text to sign. */
  message: string;
  expiresAt: number;
}

/** What an approving device signs with its own key (device-api.md, Enrollment). */
export interface EnrollmentPayload {
  accountId: string;
  publicKey: { kty: string; crv: string; x: string };
  encryptionKey: { kty: string; crv: string; x: string };
  contentPublicKey: { kty: string; crv: string; x: string };
  contentKeyVersion: number;
  /** Compact JWE of the account's private content key, for account devices only. */
  sealedContentKey?: string;
}
