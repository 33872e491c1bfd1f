import type { OnModuleInit } from '@nestjs/common';
import type { Clock } from '../../common/clock';
import type { Principal } from './principal';
import type { TokenVerifierRegistry } from './token-verifier-registry';
import { TokenVerifier, type KnownToken, type TokenVerification } from './token-verifier';

/** Columns of a token's row that every verifier reads. */
export interface TokenRow {
  hash: Buffer;
  /** Null if the token belongs to no account any more. */
  account_id: string | null;
  /** Null if the token does not expire. */
  expires_at: Date | null;
}

/**
 * Base of the verifiers that keep tokens as rows. A lookup reads a row once. Each call then evaluates it at the current
 * time, because `TokenCache` may serve the row to later calls.
 */
export abstract class RowTokenVerifier<Row extends TokenRow> extends TokenVerifier implements OnModuleInit {
  constructor(
    private readonly tokenVerifiers: TokenVerifierRegistry,
    protected readonly clock: Clock,
  ) {
    super();
  }

  onModuleInit(): void {
    this.tokenVerifiers.registerVerifier(this);
  }

  async findToken(hash: Buffer): Promise<KnownToken | null> {
    const [row] = await this.findRows([hash]);
    return row ? this.toKnownToken(row) : null;
  }

  async findTokens(hashes: readonly Buffer[]): Promise<Map<string, KnownToken>> {
    const rows = await this.findRows(hashes);
    return new Map(rows.map((row) => [row.hash.toString('base64'), this.toKnownToken(row)]));
  }

  /** Reads the rows in one statement, with everything that may revoke the tokens. */
  protected abstract findRows(hashes: readonly Buffer[]): Promise<Row[]>;

  /** Returns the caller, or null if the token or a record that it depends on was revoked by `now`. */
  protected abstract toPrincipal(row: Row, now: number): Principal | null;

  /** Records that a valid token was used. Does nothing for kinds of tokens without a time of last use. */
  protected recordUse(_row: Row, _address?: string): void {}

  private toKnownToken(row: Row): KnownToken {
    return { accountId: row.account_id ?? '', evaluate: (address) => this.evaluateRow(row, address) };
  }

  private evaluateRow(row: Row, address?: string | null): TokenVerification {
    const now = this.clock.now();
    const principal = this.toPrincipal(row, now);
    if (!principal) return { ok: false, reason: 'revoked' };
    if (row.expires_at && row.expires_at.getTime() <= now) return { ok: false, reason: 'expired' };
    if (address !== null) this.recordUse(row, address);
    return { ok: true, principal };
  }
}
