import { invalidRequest } from '../../common/errors';
import { validateInput } from '../../common/http';

/**
 * What a form says, by the same rules as the body of an API request.
 * @param input the DTO's fields as JSON would bring them; undefined ones are absent
 * @throws ApiError 400 with every fault
 */
export async function readDto<T extends object>(type: new () => T, input: Record<string, unknown>): Promise<T> {
  const given = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
  const { value, faults } = await validateInput('body', type, given);
  if (faults.length > 0) throw invalidRequest(faults);
  return value as T;
}
