import type { RequestDraft, RequestMutation } from '../request-draft';
import type { FuzzedOperation } from '../fuzzed-operations';
import type { SeededRandom } from '../seeded-random';
import { createMethodMutations, createPathMutations, createQueryMutations } from './address';
import {
  CONTENT_TYPE_MUTATIONS,
  createFormMutations,
  createJsonBodyMutations,
  createMemberMutations,
  UNEXPECTED_BODY_MUTATIONS,
} from './body';
import { createCredentialMutations, createHeaderMutations } from './headers';

/** Number of mutations per operation from each group of similar mutations. The seed selects them. */
const PARAMETER_SAMPLE_SIZE = 40;
const HEADER_SAMPLE_SIZE = 25;
const MEMBER_SAMPLE_SIZE = 80;

/** Returns the mutations of a request of this operation. */
export function createMutations(
  operation: FuzzedOperation,
  baseline: RequestDraft,
  credentials: readonly string[],
  seededRandom: SeededRandom,
): RequestMutation[] {
  return [
    ...seededRandom.sampleValues(createQueryMutations(operation), PARAMETER_SAMPLE_SIZE),
    ...createPathMutations(operation, seededRandom),
    ...createMethodMutations(operation),
    ...seededRandom.sampleValues(createHeaderMutations(operation), HEADER_SAMPLE_SIZE),
    ...createCredentialMutations(credentials, seededRandom),
    ...(operation.body ? CONTENT_TYPE_MUTATIONS : UNEXPECTED_BODY_MUTATIONS),
    ...seededRandom.sampleValues(createMemberMutations(operation, baseline), MEMBER_SAMPLE_SIZE),
    ...createJsonBodyMutations(operation, baseline),
    ...seededRandom.sampleValues(createFormMutations(operation, baseline), MEMBER_SAMPLE_SIZE),
  ];
}
