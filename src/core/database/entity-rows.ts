import { getMetadataArgsStorage } from 'typeorm';
import { SnakeNamingStrategy } from './data-source';

type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? First extends Lowercase<First>
    ? `${First}${SnakeCase<Rest>}`
    : `_${Lowercase<First>}${SnakeCase<Rest>}`
  : Name;

/** Row of an entity's table as SQL returns it: the entity's properties under the names of their columns. */
export type RowOf<Entity> = { [Name in keyof Entity as SnakeCase<Name & string>]: Entity[Name] };

const namingStrategy = new SnakeNamingStrategy();

/** Lists the columns of an entity for a SELECT, under the alias of its table and without the omitted properties. */
export function selectEntityColumns<Entity>(
  entity: new () => Entity,
  alias: string,
  omitted: readonly (keyof Entity & string)[] = [],
): string {
  return listColumns(entity, omitted)
    .map(({ column }) => `${alias}.${column}`)
    .join(', ');
}

/** Lists the columns of an entity for a SELECT that returns entities: each under the name of its property. */
export function selectEntityProperties<Entity>(
  entity: new () => Entity,
  alias?: string,
  omitted: readonly (keyof Entity & string)[] = [],
): string {
  const prefix = alias === undefined ? '' : `${alias}.`;
  return listColumns(entity, omitted)
    .map(({ property, column }) => `${prefix}${column} AS "${property}"`)
    .join(', ');
}

function listColumns(entity: new () => unknown, omitted: readonly string[]): { property: string; column: string }[] {
  return getMetadataArgsStorage()
    .filterColumns(entity)
    .filter(({ propertyName }) => !omitted.includes(propertyName))
    .map(({ propertyName: property, options }) => ({
      property,
      column: namingStrategy.columnName(property, options.name),
    }));
}
