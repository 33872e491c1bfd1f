import { EVENTS } from '../../../core/events';
import { SCOPES } from '../../../access/auth';

/** Names that a form offers under one heading. */
interface ChoiceGroup<Name extends string> {
  heading: string;
  names: Name[];
}

export const SCOPE_GROUPS = groupByHeading(SCOPES);
export const EVENT_GROUPS = groupByHeading(EVENTS);

/** Groups the names in the order of their declarations. Those without a group are not offered. */
function groupByHeading<Name extends string>(
  declarations: Readonly<Record<Name, { group?: string }>>,
): readonly ChoiceGroup<Name>[] {
  const groups = new Map<string, Name[]>();
  for (const name of Object.keys(declarations) as Name[]) {
    const { group } = declarations[name];
    if (group) groups.set(group, [...(groups.get(group) ?? []), name]);
  }
  return [...groups].map(([heading, names]) => ({ heading, names }));
}
