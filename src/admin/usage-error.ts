/** A mistake in the call of a command; nothing was done. */
export class UsageError extends Error {}
