import { invalidRequestError } from '../../../common/errors';
import { validateInput } from '../../../common/http';

/**
 * Validates a form by the same rules as the body of an API request.
 * @param input the DTO's fields as JSON values; undefined fields are left out
 * @throws ApiError 400 with every violation
 */
export async function parseFormDto<T extends object>(type: new () => T, input: Record<string, unknown>): Promise<T> {
  const present = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
  const { value, violations } = await validateInput('body', type, present);
  if (violations.length > 0) throw invalidRequestError(violations);
  return value as T;
}
