import { Injectable } from '@nestjs/common';

type MarkingStep = (accountId: string, deletedAt: Date) => Promise<unknown>;
type RevocationStep = (accountId: string) => Promise<unknown>;

/**
 * Ends all that a deleted account can do. Each module registers what ends the records that it owns. The previous
 * release doesn't know deleted accounts, so the steps also revoke what their deletion alone would end.
 */
@Injectable()
export class AccountRevocationRegistry {
  private readonly markingSteps: MarkingStep[] = [];
  private readonly revocationSteps: RevocationStep[] = [];

  /** Registers a step of the transaction that marks the account as deleted. */
  registerMarkingStep(step: MarkingStep): void {
    this.markingSteps.push(step);
  }

  /** Registers a step after it, which has no transaction around it and may run again. */
  registerRevocationStep(step: RevocationStep): void {
    this.revocationSteps.push(step);
  }

  async runMarkingSteps(accountId: string, deletedAt: Date): Promise<void> {
    for (const step of this.markingSteps) await step(accountId, deletedAt);
  }

  /** Runs one step after the other, so that they wait for one table at a time. */
  async runRevocationSteps(accountId: string): Promise<void> {
    for (const step of this.revocationSteps) await step(accountId);
  }
}
